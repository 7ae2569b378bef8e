// SPDX-License-Identifier: Apache-2.0
// Calculates which positions of the KV cache a step reads with sliding windows of attention (gen/ir/window.h).
#include "gen/ir/window.h"

#include "gen/ir/layout.h"
#include "gen/ir/ops.h"

enum { MAX_CHAIN = 16 }; // most operations between the tensor and the softmax

static bool grows(const struct ir *ir, int tensor) {
    const struct ir_tensor *t = &ir->tensor[tensor];
    return t->rank > 1 && t->shape[t->rank - 1].dynamic == IR_POSITIONS;
}

// Returns the first operation whose operand 0 is the tensor; IR_NONE if there is none.
static int reader_of(const struct ir *ir, int tensor) {
    for (int n = 0; n < ir->nodes; n++)
        if (ir->node[n].inputs > 0 && ir->node[n].in[0] == tensor) return n;
    return IR_NONE;
}

int window_node(const struct ir *ir, int tensor) {
    if (!grows(ir, tensor)) return IR_NONE;
    // If the tensor has softmax weights, this goes back to the operation that made them.
    for (int t = tensor, i = 0; i < MAX_CHAIN && grows(ir, t); i++) {
        int n = ir->tensor[t].producer;
        if (n == IR_NONE || ir_node_is(ir, n, OP_OF_SCORES)) return n;
        t = ir->node[n].in[0];
    }
    // If the tensor has scores, this goes forward to the operation that makes weights of them.
    for (int t = tensor, i = 0; i < MAX_CHAIN && grows(ir, t); i++) {
        int n = reader_of(ir, t);
        if (n == IR_NONE || ir_node_is(ir, n, OP_OF_SCORES)) return n;
        t = ir->node[n].out[0];
    }
    return IR_NONE;
}

int64_t window_length(const struct ir *ir, int node, int64_t repetition) {
    int64_t window = ir_attr_each(&ir->node[node].attrs, "window", repetition, 0), all = ir->design.context;
    return window && window < all ? window : all;
}

// Returns the least multiple of the value block (64 positions) that is also a multiple of the number of key channels.
int64_t window_unit(const struct ir *ir) {
    int64_t unit = LAYOUT_V_BLOCK;
    while (unit % ir_key_channels(ir)) unit += LAYOUT_V_BLOCK;
    return unit;
}

int64_t window_begin(const struct ir *ir, int node, int64_t repetition, int64_t position) {
    if (node == IR_NONE) return 0;
    int64_t oldest = position - window_length(ir, node, repetition) + 1;
    if (oldest <= 0) return 0; // the usual case; window_unit takes long, and forecasts call this function often
    int64_t unit = window_unit(ir);
    return oldest / unit * unit;
}

int64_t window_most(const struct ir *ir, int node) {
    int64_t most = 0;
    for (int r = 0; r < ir->region[ir->node[node].region].repeat; r++) {
        int64_t window = window_length(ir, node, r);
        if (window > most) most = window;
    }
    most += window_unit(ir) - 1 + ir->design.tokens - 1;
    return most < ir->design.context ? most : ir->design.context;
}
