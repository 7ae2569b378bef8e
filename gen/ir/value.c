// SPDX-License-Identifier: Apache-2.0
// Values of the kernels' parameters: creates them, prints them as Verilog and reads them back (struct ir_value in
// ir.h).
#include "gen/ir/ir.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 64 /* bits */, FLOAT_BITS = 32, MOST_DIGITS = 20 /* of a decimal number of 64 bits */ };

struct ir_value ir_value_int(int64_t value) {
    return (struct ir_value){.kind = IR_VALUE_INT, .integer = value};
}
struct ir_value ir_value_style(enum ram_style style) {
    return (struct ir_value){.kind = IR_VALUE_STYLE, .style = style};
}
struct ir_value ir_value_said(const char *text) {
    enum ram_style style = ram_style_find(text, RAM_STYLES);
    return style == RAM_STYLES ? ir_value_text(text) : ir_value_style(style);
}
struct ir_value ir_value_text(const char *text) {
    return (struct ir_value){.kind = IR_VALUE_TEXT, .text = text};
}

struct ir_value ir_value_list(struct arena *arena, const struct ir_word word[], int words) {
    struct ir_word *copy = ARENA_ARRAY(arena, struct ir_word, (size_t)words + 1);
    memcpy(copy, word, sizeof *copy * (size_t)words);
    return (struct ir_value){.kind = IR_VALUE_LIST, .word = copy, .words = words};
}

static struct ir_value one_word(struct arena *arena, struct ir_word word) {
    struct ir_value v = ir_value_list(arena, &word, 1);
    v.kind = IR_VALUE_WORD;
    return v;
}

struct ir_value ir_value_word(struct arena *arena, int bits, uint64_t value) {
    return one_word(arena, (struct ir_word){.bits = bits, .radix = IR_DECIMAL, .value = value});
}

struct ir_value ir_value_float(struct arena *arena, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return one_word(arena, (struct ir_word){.bits = FLOAT_BITS, .radix = IR_FLOAT, .value = bits});
}

// Makes constants of 64 bits. The first constant has the highest bits and may be shorter.
struct ir_value ir_value_bits(struct arena *arena, int64_t bits, const uint8_t bit[]) {
    int pieces = (int)((bits + PIECE - 1) / PIECE);
    struct ir_word *word = ARENA_ARRAY(arena, struct ir_word, (size_t)pieces + 1);
    for (int64_t at = 0; at < bits; at++) {
        struct ir_word *w = &word[pieces - 1 - at / PIECE];
        w->radix = IR_HEX;
        w->bits++;
        w->value |= (uint64_t)(bit[at] & 1) << (at % PIECE);
    }
    return ir_value_list(arena, word, pieces);
}

struct ir_value ir_value_table(struct arena *arena, int bits, int entries, uint64_t (*entry)[IR_WORD_BITS / PIECE]) {
    struct ir_word *word = ARENA_ARRAY(arena, struct ir_word, (size_t)entries + 1);
    for (int e = 0; e < entries; e++) {
        struct ir_word *w = &word[entries - 1 - e];
        *w = (struct ir_word){.bits = bits, .radix = IR_HEX, .value = entry[e][0]};
        memcpy(w->above, &entry[e][1], sizeof w->above);
    }
    return ir_value_list(arena, word, entries);
}

// ---- printing ----

static bool is_wide(const struct ir_word *w) { return w->bits > PIECE; }

// Returns whether a constant is printed as `1'b0` or `1'b1`.
static bool is_flag(const struct ir_word *w) { return w->bits == 1 && w->radix == IR_DECIMAL; }

// Prints a word of more than 64 bits in hexadecimal form, without leading zeros.
static void print_wide(struct text *out, const struct ir_word *w) {
    text_addf(out, "%d'h", w->bits);
    bool begun = false;
    for (int i = COUNT_OF(w->above) - 1; i >= 0; i--) {
        if (begun || w->above[i]) text_addf(out, begun ? "%016" PRIx64 : "%" PRIx64, w->above[i]);
        begun |= w->above[i] != 0;
    }
    text_addf(out, begun ? "%016" PRIx64 : "%" PRIx64, w->value);
}

static void print_word(struct text *out, const struct ir_word *w) {
    static const char *const form[] = {
        [IR_DECIMAL] = "%d'd%" PRIu64, [IR_HEX] = "%d'h%" PRIx64, [IR_FLOAT] = "%d'h%08" PRIx64};
    if (is_wide(w)) print_wide(out, w);
    else if (is_flag(w)) text_addf(out, "1'b%d", (int)w->value);
    else text_addf(out, form[w->radix], w->bits, w->value);
}

static void print_list(struct text *out, const struct ir_value *v) {
    text_add(out, "{");
    for (int i = 0; i < v->words; i++) {
        if (i) text_add(out, ", ");
        print_word(out, &v->word[i]);
    }
    text_add(out, "}");
}

const char *ir_value_print(struct arena *arena, const struct ir_value *v) {
    struct text out = {0};
    switch (v->kind) {
    case IR_VALUE_INT: text_addf(&out, "%" PRId64, v->integer); break;
    case IR_VALUE_WORD: print_word(&out, v->word); break;
    case IR_VALUE_LIST: print_list(&out, v); break;
    case IR_VALUE_STYLE: text_addf(&out, "\"%s\"", ram_style_words[v->style]); break;
    case IR_VALUE_TEXT: text_addf(&out, "\"%s\"", v->text); break;
    case IR_VALUE_VERBATIM: text_add(&out, v->text); break;
    }
    const char *copy = arena_strdup(arena, text_cstr(&out));
    text_free(&out);
    return copy;
}

// ---- reading back ----

static int digit_of(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; }

// Reads the hexadecimal digits of a constant of more than 64 bits and returns the place after them.
static const char *read_wide(const char *p, struct ir_word *w) {
    enum { DIGIT = 4, TOP = PIECE - DIGIT };
    for (; digit_of(*p) >= 0; p++) {
        for (int i = COUNT_OF(w->above) - 1; i >= 0; i--)
            w->above[i] = w->above[i] << DIGIT | (i ? w->above[i - 1] : w->value) >> TOP;
        w->value = w->value << DIGIT | (uint64_t)digit_of(*p);
    }
    return p;
}

// Reads a sized constant, such as `40'd12`, `64'hff` or `1'b0`, and returns the place after it. Returns NULL if the
// text has another form.
static const char *read_word(const char *p, struct ir_word *w) {
    char *end;
    long bits = strtol(p, &end, 10);
    bool hex = end[0] == '\'' && end[1] == 'h';
    if (bits == 1 && end[0] == '\'' && end[1] == 'b' && (end[2] == '0' || end[2] == '1')) {
        *w = (struct ir_word){.bits = 1, .radix = IR_DECIMAL, .value = (uint64_t)(end[2] - '0')};
        return end + 3;
    }
    if (bits < 1 || bits > (hex ? IR_WORD_BITS : PIECE) || end[0] != '\'' || (end[1] != 'd' && !hex)) return NULL;
    const char *digits = end + 2;
    *w = (struct ir_word){.bits = (int)bits, .radix = hex ? IR_HEX : IR_DECIMAL};
    if (is_wide(w)) return (p = read_wide(digits, w)) > digits ? p : NULL;
    w->value = strtoull(digits, &end, hex ? 16 : 10);
    return end > digits && end - digits <= MOST_DIGITS ? end : NULL;
}

// Returns an upper bound of the constants in a list: one more than its commas.
static size_t count_words(const char *p) {
    size_t words = 1;
    for (; *p; p++) words += *p == ',';
    return words;
}

// Reads a list such as `{40'd1, 40'd2}`.
static bool read_list(struct arena *arena, const char *p, struct ir_value *v) {
    struct ir_word *word = ARENA_ARRAY(arena, struct ir_word, count_words(p));
    *v = (struct ir_value){.kind = IR_VALUE_LIST, .word = word};
    for (p++; (p = read_word(p, &word[v->words])); p += 2) {
        v->words++;
        if (*p == '}') return !p[1];
        if (strncmp(p, ", ", 2) != 0) return false;
    }
    return false;
}

static bool read_one(struct arena *arena, const char *text, struct ir_value *v) {
    struct ir_word w;
    const char *end = read_word(text, &w);
    if (!end || *end) return false;
    if (w.radix == IR_HEX && w.bits == FLOAT_BITS) w.radix = IR_FLOAT;
    *v = one_word(arena, w);
    return true;
}

// Reads the text as the kind of value that its first characters suggest, without checking all of it. The caller
// compares the text with the printed value.
static bool read_any(struct arena *arena, const char *text, struct ir_value *v) {
    size_t len = strlen(text);
    if (*text == '{') return read_list(arena, text, v);
    if (*text == '"' && len > 1 && text[len - 1] == '"')
        return *v = ir_value_said(arena_strndup(arena, text + 1, len - 2)), true;
    if (read_one(arena, text, v)) return true;
    *v = ir_value_int(strtoll(text, NULL, 10));
    return true;
}

struct ir_value ir_value_read(struct arena *arena, const char *text) {
    struct ir_value v;
    if (read_any(arena, text, &v) && !strcmp(ir_value_print(arena, &v), text)) return v;
    return (struct ir_value){.kind = IR_VALUE_VERBATIM, .text = arena_strdup(arena, text)};
}

// ---- asking ----

const char *ir_value_written(const struct ir_value *v) { return v->kind == IR_VALUE_VERBATIM ? v->text : NULL; }

bool ir_value_number(const struct ir_value *v, int64_t *number) {
    if (v->kind == IR_VALUE_INT) return *number = v->integer, true;
    if (v->kind != IR_VALUE_WORD || v->word->value > INT64_MAX) return false;
    for (int above = PIECE; above < v->word->bits; above += PIECE)
        if (v->word->above[above / PIECE - 1]) return false;
    *number = (int64_t)v->word->value;
    return true;
}

static bool bit_of(const struct ir_word *w, int bit) {
    uint64_t piece = bit < PIECE ? w->value : w->above[bit / PIECE - 1];
    return piece >> (bit % PIECE) & 1;
}

uint64_t ir_word_field(const struct ir_word *w, int first, int bits) {
    uint64_t field = 0;
    for (int b = 0; b < bits; b++) field |= (uint64_t)bit_of(w, first + b) << b;
    return field;
}

void ir_value_to_bits(const struct ir_value *v, int64_t bits, uint8_t bit[]) {
    int64_t at = 0;
    memset(bit, 0, (size_t)bits);
    for (int i = v->words - 1; i >= 0; i--)
        for (int b = 0; b < v->word[i].bits && at < bits; b++, at++) bit[at] = bit_of(&v->word[i], b);
}
