// SPDX-License-Identifier: Apache-2.0
// Plain nets between kernels, and what of them a port takes; part of ir.h. Only the emitter and the dump print them.
#ifndef RILL_IR_NET_H
#define RILL_IR_NET_H

#include <stdbool.h>
#include <stdint.h>

struct ir;

enum ir_net_owner { IR_OF_DESIGN, IR_OF_ENGINE, IR_OF_CACHE, IR_OF_CLIENT, IR_OF_KERNEL };

// What a net is for (nets.def).
enum ir_net_role {
    IR_NET_PLAIN, // what the port says that drives it: stages of a way, pins of the top
#define NET(role, owner, word) IR_NET_##role,
#include "include/nets.def"
#undef NET
    IR_NETS
};

struct ir_net {
    const char *name; // in Verilog
    enum ir_net_role role;
    int of;       // engine, client, kernel; of a cache: its first attn_scores, IR_NONE in a design with one cache
    int driver;   // kernel, or IR_NONE: the top drives it
    int64_t bits; // of its driver's port, 0 without
};

// Bits of a net.
struct ir_part {
    int net;
    int64_t low, width; // width 0: all of it
    bool inverted;
};

enum ir_use_kind {
    IR_USE_OPEN,     // nothing: an output that nobody reads
    IR_USE_CONSTANT, // `value` in `bits`
    IR_USE_PART,     // one part
    IR_USE_JOINED,   // parts side by side, the highest first
    IR_USE_AND,      // of all parts
    IR_USE_SUM
};

// What a port is tied to.
struct ir_use {
    enum ir_use_kind kind;
    int64_t bits;
    uint64_t value;
    const struct ir_part *part;
    int parts;
};

// At a kernel's port that is no stream (tail read address, credits, load bus).
struct ir_wire {
    int kernel;
    const char *port;
    bool is_output; // drives the net that is its use, whole
    int64_t bits;
    struct ir_use use;
};

// ---- nets ----

int ir_net(struct ir *, enum ir_net_role, int of);            // made where there is none yet
int ir_find_net(const struct ir *, enum ir_net_role, int of); // IR_NONE if absent
int ir_design_net(struct ir *, enum ir_net_role);             // one of which a design has one
int ir_add_net(struct ir *, const char *name);                // one more without a role
int ir_driver(const struct ir *, enum ir_net_role);           // the kernel that drives a net of the design, or IR_NONE
bool ir_net_is_read(const struct ir *, int net);              // some input takes bits of it; false for IR_NONE

// ---- uses ----

struct ir_use ir_use_constant(int64_t bits, uint64_t value);
struct ir_use ir_use_net(struct ir *, int net);                                               // all of it
struct ir_use ir_use_parts(struct ir *, enum ir_use_kind, const struct ir_part[], int parts); // copied
int ir_use_whole(const struct ir_use *);                            // the net that it is all of, else IR_NONE
bool ir_use_equal(const struct ir_use *, const struct ir_use *);    // two open ones are equal, too
const char *ir_use_print(const struct ir *, const struct ir_use *); // as Verilog; the dump has uses in this form
// Takes that form back: nets by their names, made where there are none yet, without roles. False: it is none.
bool ir_use_read(struct ir *, const char *text, struct ir_use *);
// Roles, owners and drivers of nets that were read; false where a port drives what is no whole net: `wire` is that one.
bool ir_nets_complete(struct ir *, int *wire);

// ---- wires ----

void ir_add_wire(struct ir *, int kernel, const char *port, bool is_output, int64_t bits, int net);
void ir_add_use(struct ir *, int kernel, const char *port, int64_t bits, struct ir_use); // of an input
void ir_add_zero(struct ir *, int kernel, const char *port, int64_t bits);               // an input of zeros
void ir_add_open(struct ir *, int kernel, const char *port);                             // an output that nobody reads
// What the kernel has from all of one net it has from another one now; false: nothing was tied to it.
bool ir_retie(struct ir *, int kernel, int from, int to);

#endif
