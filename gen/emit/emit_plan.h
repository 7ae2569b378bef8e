// SPDX-License-Identifier: Apache-2.0
// The modules that a design's Verilog consists of: one for each region, one for what several regions share, and one for
// the control. The top instantiates them and the memory channels, and has the registers that distribute reset and
// flush.
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
    int64_t data, user, last, count; // width of each; 0: the stream has none
    const char *is;                  // width of tdata as an expression of constants; NULL: it has none
};
// Between two modules, a word with several fields is one net, `<stream>_word`: {tcount, tlast, tuser, tdata}.
bool emit_is_packed(const struct emit_word *);

// A port of a module with the top's net that is tied to it, or all ports of a stream.
enum emit_pin_kind {
    EMIT_PIN_NET,
    EMIT_PIN_LEVEL,  // a clock, or copies of a reset; `net` is the expression tied to the port
    EMIT_PIN_STREAM, // a stream between kernels: <name>_tvalid, <name>_tready, and <name>_word or <name>_tdata
    EMIT_PIN_WORD,   // only <name>_word or <name>_tdata: the word that a fork sends to several readers
    // A stream to or from the memory: <name>_tvalid and <name>_tready, `handshakes` bits each, and <name>_tdata.
    EMIT_PIN_AXIS
};
struct emit_pin {
    const char *name, *net;
    const char *doc; // comment at its declaration; NULL or empty: none
    int64_t bits, handshakes;
    const char *is, *handshakes_are; // `bits` and `handshakes` as expressions of constants; NULL: they have none
    struct emit_word word;           // of streams and words
    enum emit_pin_kind kind;
    bool is_output; // direction of the word
    bool is_pin;    // also a pin of the top
    int other;      // streams only: the module at the other end
};
typedef VEC(struct emit_pin) emit_pins;
struct emit_pin_signal {
    const char *port, *net;
    int64_t bits;
    const char *is; // `bits` as an expression of constants; NULL: it has none
    bool is_output;
};
enum { EMIT_PIN_SIGNALS = EMIT_TDATA + 1 }; // most signals of a pin

struct emit_module {
    const char *name;   // name of its instance, without `u_`
    const char *module; // <design>_<name>
    const char *text;   // the whole file except its first line
    int region;         // IR_NONE: belongs to no region
    int resets[IR_MAX_DIES];
    int faults;
};

struct emit_plan {
    const struct ir *ir;
    uint64_t identity, layout;
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

// Number of channels on which a memory client has an engine.
int emit_client_channels(const struct ir *, int client);
// Width of a net, whatever drives it.
int64_t emit_net_bits(const struct ir *, int net);
const char *emit_net_width(const struct ir *, int net); // as an expression of constants; NULL: it has none
int64_t emit_all_faults(const struct ir *);             // kernels that can raise a fault; at least 1
bool emit_is_of_client(const struct ir_net *);          // the net is a descriptor or a beat of a memory client
bool emit_plan_reads(const struct emit_plan *, int net, int module);
struct emit_word emit_word(const struct ir *, const struct ir_edge *);
int64_t emit_field_bits(const struct emit_word *, enum emit_field); // 0: the stream has no such field

// The state while a module's body is written: the text, and the number of copies of resets that it has taken so far.
struct emit_scope {
    const struct emit_plan *plan;
    int module;
    int resets[IR_MAX_DIES];
    bool *declared; // per stream: whether its nets are declared, at the writer and then at the reader
    bool *written;  // per kernel: its instance is in the text
    struct text *out;
};
void emit_modules(struct emit_plan *); // writes their texts and counts the copies of levels that they take
emit_pins emit_pins_of(const struct emit_plan *, int module);
// Returns the number of signals.
int emit_pin_signals(const struct ir *, const struct emit_pin *, struct emit_pin_signal out[EMIT_PIN_SIGNALS]);
// Heading of a group of pins, such as all streams to one module; NULL: none. emit_pin_note gives it at the first pin of
// the group only.
const char *emit_pin_heading(const struct emit_plan *, const struct emit_pin *);
const char *emit_pin_note(const struct emit_plan *, const emit_pins *, size_t pin);
// Steps of making the plan.
void emit_plan_homes(struct emit_plan *);
void emit_plan_nets(struct emit_plan *);

// Takes a copy of the reset on each of these dies and declares the wire rst_<instance> with them, the first die in the
// low bit. Returns its name.
const char *emit_reset(struct emit_scope *, const char *instance, const int die[], int dies);
// The kernels of a module in the order in which its body has them.
const int *emit_kernel_order(const struct emit_plan *, int module, int *count);
// Module with a stream's link; for a pooled stream, the pool's module.
int emit_link_home(const struct emit_plan *, int edge);
// Paths, relative to the top.
const char *emit_module_path(const struct emit_plan *, int module); // `u_layer`
const char *emit_kernel_path(const struct emit_plan *, int kernel); // `u_layer/u_norm1`

#endif
