// SPDX-License-Identifier: Apache-2.0
// The plan of a design's Verilog: its modules, the names of their streams and nets, and the ports of each module. There
// is one module for each region, one (`shared`) for kernels that several regions use, and one for the control. The top
// instantiates them and the memory channels, and has the registers that distribute reset and flush. Everything is in
// the arena of the IR.
#ifndef RILL_EMIT_PLAN_H
#define RILL_EMIT_PLAN_H

#include "gen/base/base.h"
#include "gen/ir/ir.h"

enum {
    EMIT_TOP = -1, // the top, where a module's index is expected
    EMIT_NOT = -2  // the plan ignores this net: it is a pin of the top, or belongs to a memory client's stream
};

// The signals of a stream: its handshake, then the fields of its word from the low bits on.
enum emit_field { EMIT_TVALID, EMIT_TREADY, EMIT_TDATA, EMIT_TUSER, EMIT_TLAST, EMIT_TCOUNT, EMIT_FIELDS };
extern const char *const emit_field_words[EMIT_FIELDS]; // tvalid, tready, ...

// Layout of a stream's word: tdata in the low bits, then tuser, tlast and tcount.
struct emit_word {
    int64_t data, user, last, count; // width of each field in bits; 0: the stream has no such field
    const char *is;                  // width of tdata as a Verilog expression of constants; NULL: only the number
};
// Returns whether the word has several fields. Between two modules such a word is one net, `<stream>_word`:
// {tcount, tlast, tuser, tdata}.
bool emit_is_packed(const struct emit_word *);

// A pin is a port of a module with the top's net that is tied to it, or the group of all ports of a stream.
enum emit_pin_kind {
    EMIT_PIN_NET,    // a plain net, or a pin of the top
    EMIT_PIN_LEVEL,  // a clock, or copies of a reset; `net` is the expression tied to the port
    EMIT_PIN_STREAM, // a stream between kernels: <name>_tvalid, <name>_tready, and <name>_word or <name>_tdata
    EMIT_PIN_WORD,   // only <name>_word or <name>_tdata: the word that a fork sends to several readers
    // A stream to or from the memory: <name>_tvalid and <name>_tready, `handshakes` bits each, and <name>_tdata.
    EMIT_PIN_AXIS
};
struct emit_pin {
    const char *name, *net;          // name: the port, or the stream, in the module; net: what the top ties to it
    const char *doc;                 // comment at the pin's declaration; NULL or empty: none
    int64_t bits, handshakes;        // bits: width of the port, or of tdata; streams and words have `word` instead
    const char *is, *handshakes_are; // `bits` and `handshakes` as expressions of constants; NULL: only the numbers
    const char *number;              // a parameter of this module alone that is equal to `bits`; NULL: none
    struct emit_word word;           // of streams and words
    enum emit_pin_kind kind;
    bool is_output; // direction of the word
    bool is_pin;    // also a pin of the top
    int other;      // streams only: the module at the other end
};
typedef VEC(struct emit_pin) emit_pins;
struct emit_pin_signal {
    const char *port, *net; // the port in the module, and the top's net that is tied to it
    int64_t bits;
    const char *is; // `bits` as an expression of constants; NULL: only the number
    bool is_output;
};
enum { EMIT_PIN_SIGNALS = EMIT_TDATA + 1 }; // most signals of a pin

struct emit_module {
    const char *name;        // name of the module's instance, without `u_`
    const char *module;      // <design>_<name>
    const char *text;        // the whole file except its first line
    int region;              // IR_NONE: belongs to no region
    int resets[IR_MAX_DIES]; // per die: copies of the die's reset that the module takes
    int faults;              // kernels in the module that can raise a fault
};

struct emit_plan {
    const struct ir *ir;
    uint64_t identity, layout; // hashes of design.yaml and of the memory layout, which the host reads from registers
    struct emit_module *module;
    int modules;
    int shared, control; // module indices; `shared` is EMIT_TOP if nothing is shared
    int *home;           // per kernel: its module
    const char **from;   // per stream: its nets at the writer, `from_<kernel>_<port>`
    const char **to;     // per stream: its nets at the reader, `to_<kernel>_<port>`
    const char **copied; // per stream into a fork: its word in the modules of the fork's readers, `from_<fork>`
    int *net;            // the nets in the order of their first wire: the order of ports and declarations
    int *driver;         // per net: a module, EMIT_TOP or EMIT_NOT
    bool *reads;         // [nets][modules + 1]: whether the module reads the net; the last column is the top
    int resets[IR_MAX_DIES], flushes; // copies of reset (per die) and flush
};

// Returns the number of channels on which a memory client has a DMA engine.
int emit_client_channels(const struct ir *, int client);
// Returns the width of a net, whatever drives it.
int64_t emit_net_bits(const struct ir *, int net);
const char *emit_net_width(const struct ir *, int net); // the width as an expression of constants, or NULL
int64_t emit_all_faults(const struct ir *);             // kernels that can raise a fault; at least 1
bool emit_is_of_client(const struct ir_net *);          // the net is a descriptor or a beat of a memory client
bool emit_plan_reads(const struct emit_plan *, int net, int module);   // whether a module, or EMIT_TOP, reads a net
struct emit_word emit_word(const struct ir *, const struct ir_edge *); // layout of a stream's words
int64_t emit_field_bits(const struct emit_word *, enum emit_field);    // 0: the stream has no such field

// The state while a module's body is written.
struct emit_scope {
    const struct emit_plan *plan;
    int module;
    int resets[IR_MAX_DIES]; // per die: copies of the die's reset that the body has taken so far
    bool *declared;          // two per stream: whether its nets at the writer, and at the reader, are declared
    bool *written;           // per kernel: its instance is in the text
    struct text *out;
};
// Writes the texts of all modules and counts the copies of reset and flush that they take.
void emit_modules(struct emit_plan *);
// Returns the pins of a module in the order of the module's ports.
emit_pins emit_pins_of(const struct emit_plan *, int module);
// Lists the signals of a pin and returns their number.
int emit_pin_signals(const struct ir *, const struct emit_pin *, struct emit_pin_signal out[EMIT_PIN_SIGNALS]);
// Adds the code that declares a pin, with the pin's comment. The comment of a stream or a transfer is always above its
// code, so that all comments in a list of them are in one place.
void emit_pin_text(const struct emit_pin *, const char *code, struct text *out);
// Returns the heading of the group that the pin is in, such as all streams to one module, or NULL. emit_pin_note
// returns this heading only for the first pin of the group.
const char *emit_pin_heading(const struct emit_plan *, const struct emit_pin *);
const char *emit_pin_note(const struct emit_plan *, const emit_pins *, size_t pin);
// Steps of making the plan. emit_plan_homes makes the list of modules and decides the module of each kernel.
// emit_plan_nets orders the nets, and finds which module drives each net and which modules read it.
void emit_plan_homes(struct emit_plan *);
void emit_plan_nets(struct emit_plan *);

// Takes a copy of the reset of each of these dies and declares the wire rst_<instance> with all of them, the first die
// in the low bit. Returns the wire's name.
const char *emit_reset(struct emit_scope *, const char *instance, const int die[], int dies);
// Returns the kernels of a module in the order of its text, and their number in `count`.
const int *emit_kernel_order(const struct emit_plan *, int module, int *count);
// Returns the module that instantiates the link of a stream; for a pooled stream, the module of the pool.
int emit_link_home(const struct emit_plan *, int edge);
// These return hierarchical paths of instances relative to the top.
const char *emit_module_path(const struct emit_plan *, int module); // `u_layer`
const char *emit_kernel_path(const struct emit_plan *, int kernel); // `u_layer/u_norm1`

#endif
