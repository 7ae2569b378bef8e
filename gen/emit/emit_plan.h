// SPDX-License-Identifier: Apache-2.0
// Modules that a design's Verilog is made of: one for each region, one for what several regions share, one for the
// control. The top holds them, the memory channels, and the registers of levels that go to everything.
#ifndef RILL_EMIT_PLAN_H
#define RILL_EMIT_PLAN_H

#include "gen/base/base.h"
#include "gen/ir/ir.h"

enum {
    EMIT_TOP = -1, // in place of a module: the top
    EMIT_NOT = -2  // a net that the plan leaves alone: a pin of the top, a client's stream
};

// A port of a module and the net of the top that is tied to it, or the ports of a stream.
enum emit_pin_kind {
    EMIT_PIN_NET,
    EMIT_PIN_LEVEL,  // a clock, or copies of a reset: `net` is what is tied to it
    EMIT_PIN_STREAM, // of a stream of kernels: <name>_valid, <name>_ready and its word <name>
    EMIT_PIN_AXIS    // of the memory: <name>_tvalid, <name>_tready, `handshakes` each, and <name>_tdata
};
struct emit_pin {
    const char *name, *net;
    int64_t bits, handshakes;
    enum emit_pin_kind kind;
    bool is_output; // of the word
    bool is_pin;    // of the top, too
    int other;      // of a stream: the module at its other end
};
typedef VEC(struct emit_pin) emit_pins;
struct emit_pin_signal {
    const char *port, *net;
    int64_t bits;
    bool is_output;
};

struct emit_module {
    const char *name;   // of its instance, `u_<name>`
    const char *module; // <design>_<name>
    const char *text;   // all of the file but its first line
    int region;         // IR_NONE: of no region
    int resets[IR_MAX_DIES];
    int faults;
};

struct emit_plan {
    const struct ir *ir;
    uint64_t identity, layout;
    struct emit_module *module;
    int modules;
    int shared, control;              // modules; `shared` is EMIT_TOP where nothing is shared
    int *home;                        // module of each kernel
    const char **from;                // of each stream: its nets at the writer, `from_<kernel>_<port>`
    const char **to;                  // at the reader, `to_<kernel>_<port>`
    int *net;                         // the nets in the order of their first wire: that of ports and declarations
    int *driver;                      // of each net: module, EMIT_TOP or EMIT_NOT
    bool *reads;                      // [nets][modules + 1], the top last
    int resets[IR_MAX_DIES], flushes; // copies of the levels
    int first_of_channels;            // among the copies of the memory's die
};

// Channels on which a client of the memory has an engine.
int emit_client_channels(const struct ir *, int client);
// Bits of a net, of whatever drives it.
int64_t emit_net_bits(const struct ir *, int net);
bool emit_is_of_client(const struct ir_net *); // descriptor or beat of a client of the memory
bool emit_plan_reads(const struct emit_plan *, int net, int module);
// A stream's word: tdata in the low bits, then tuser, tlast and tcount.
struct emit_word {
    int64_t data, user, last, count; // bits of each; 0: the stream has none
    int64_t bits;                    // of all
};
struct emit_word emit_word(const struct ir *, const struct ir_edge *);

// Text that a module's body is written to, and the copies of levels that it has taken.
struct emit_scope {
    const struct emit_plan *plan;
    int module;
    int resets[IR_MAX_DIES], faults;
    struct text *out;
};
void emit_modules(struct emit_plan *); // their texts, and the copies of levels that they take
emit_pins emit_pins_of(const struct emit_plan *, int module);
int emit_pin_signals(const struct ir *, const struct emit_pin *, struct emit_pin_signal out[3]); // how many
const char *emit_pin_note(const struct emit_plan *, const emit_pins *, size_t pin);              // NULL: none
// What the plan of a design is made of.
void emit_plan_homes(struct emit_plan *);
void emit_plan_nets(struct emit_plan *);

const char *emit_reset(struct emit_scope *, int die);   // of one more instance on a die
int emit_link_home(const struct emit_plan *, int edge); // module that holds a stream's link; of a pool's, the pool's
// Paths below the top.
const char *emit_module_path(const struct emit_plan *, int module); // `u_layer`
const char *emit_kernel_path(const struct emit_plan *, int kernel); // `u_layer/u_norm1`

#endif
