// SPDX-License-Identifier: Apache-2.0
// Values of a kernel's parameters. Passes set and ask them as numbers; only the emitter and the dump print them.
#ifndef RILL_IR_VALUE_H
#define RILL_IR_VALUE_H

#include "include/base.h"
#include "include/ram_style.h"

enum ir_value_kind {
    IR_VALUE_INT,     // integer
    IR_VALUE_WORD,    // one sized constant
    IR_VALUE_LIST,    // sized constants side by side: fields, elements of a list, pieces of a table
    IR_VALUE_STYLE,   // what a memory is built of
    IR_VALUE_TEXT,    // any other text, without quotes
    IR_VALUE_VERBATIM // what the user wrote for a kernel of his own: a constant of another form
};

enum ir_radix { IR_DECIMAL, IR_HEX, IR_FLOAT /* the 32 bits of an fp32 number */ };

enum { IR_WORD_BITS = 256 };
struct ir_word {
    int bits; // 1 to 64, in hexadecimal form to IR_WORD_BITS
    enum ir_radix radix;
    uint64_t value, above[IR_WORD_BITS / 64 - 1]; // above: from bit 64 on
};

struct ir_value {
    enum ir_value_kind kind;
    int64_t integer;
    const struct ir_word *word; // WORD: one; LIST: highest first
    int words;
    enum ram_style style;
    const char *text;
};

struct ir_value ir_value_int(int64_t value);
struct ir_value ir_value_word(struct arena *, int bits, uint64_t value);
struct ir_value ir_value_float(struct arena *, float value);
struct ir_value ir_value_list(struct arena *, const struct ir_word word[], int words); // word[0]: the highest; copied
struct ir_value ir_value_style(enum ram_style style);
struct ir_value ir_value_text(const char *text); // not copied
struct ir_value ir_value_said(const char *text); // the style that a text names, else the text
// Bits in pieces of 64. bit[0] is the lowest.
struct ir_value ir_value_bits(struct arena *, int64_t bits, const uint8_t bit[]);
// A table: entry[0] is the lowest, each in words of 64 bits, little end first.
struct ir_value ir_value_table(struct arena *, int bits, int entries, uint64_t (*entry)[IR_WORD_BITS / 64]);
uint64_t ir_word_field(const struct ir_word *, int first, int bits); // at most 64

// As Verilog; the dump has numbers in this form.
const char *ir_value_print(struct arena *, const struct ir_value *);
// Takes that form back. What is written otherwise is VERBATIM, so that printing always gives the text again.
struct ir_value ir_value_read(struct arena *, const char *text);

// What the user wrote of a VERBATIM one; NULL of all others, whose value is a number or a text.
const char *ir_value_written(const struct ir_value *);
// False unless it is an integer, or one sized constant that int64_t can hold.
bool ir_value_number(const struct ir_value *, int64_t *number);
// The bits of a sized constant or list, lowest first; at most `bits`, the rest is 0.
void ir_value_to_bits(const struct ir_value *, int64_t bits, uint8_t bit[]);

#endif
