// SPDX-License-Identifier: Apache-2.0
// Plain nets between kernels; part of ir.h.
#ifndef RILL_IR_NET_H
#define RILL_IR_NET_H

#include <stdbool.h>
#include <stdint.h>

struct ir;

// A plain net or an expression of such, by its Verilog; empty: an output that nobody reads. One object for each text,
// so that what hangs on it is compared as a number.
struct ir_net {
    const char *verilog;
};

// A plain net at a kernel port that is no stream (tail read address, credits, load bus).
struct ir_wire {
    int kernel;
    const char *port;
    bool is_output;
    int64_t bits;
    int net;
};

void ir_add_wire(struct ir *, int kernel, const char *port, bool is_output, int64_t bits, const char *net);
int ir_net(struct ir *, const char *verilog);            // made where there is none yet
int ir_find_net(const struct ir *, const char *verilog); // IR_NONE if absent
// Whether a wire of a kernel drives the net, or (not is_output) reads it.
bool ir_net_is_tied(const struct ir *, int net, bool is_output);
void ir_add_zero(struct ir *, int kernel, const char *port, int64_t bits); // an input of zeros

#endif
