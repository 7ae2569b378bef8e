// SPDX-License-Identifier: Apache-2.0
// Estimates the pace of a stream: the least number of cycles from one word to the next. The results of a product come
// at the pace of the product's beats. A word that is made of several other words comes no faster than these can be
// read.

#include "gen/kernel/contract.h"
#include "gen/cost/cost.h"
#include "gen/ir/layout.h"
#include "gen/ir/ops.h"

enum { MOST_KERNELS = 16 /* longest path of kernels that is searched upstream of a stream */ };

// Returns the pace of the words at an output. left: number of kernels upstream that are still searched; 0: the pace
// counts as 1.
static int64_t pace(const struct ir *ir, int kernel, int port, int left);

// Returns the cycles of one repetition of a firing in a step with all tokens: a row-step takes a cycle for each
// command, and at least one for each token's result. Returns 0 if the firing does not read weights, or runs only in
// steps with a head.
static int64_t firing_cycles(const struct ir *ir, const struct ir_firing *f) {
    int64_t tokens = ir->design.tokens, beats = f->beats * layout_div_up(tokens, ir->design.copies);
    if (f->mode > ENGINE_MODE_INT4 || ir->region[f->region].when == IR_LAST) return 0;
    return f->row_steps * (beats > tokens ? beats : tokens);
}

// Returns the words of a port in a decode step at the last position.
static int64_t words_of(const struct ir *ir, int kernel, int port) {
    return cost_port_words(ir, kernel, port, ir->design.context ? ir->design.context - 1 : 0);
}

// Returns the index of the engine whose results this demultiplexer distributes, or IR_NONE if there is none.
static int engine_of(const struct ir *ir, int kernel) {
    for (int i = 0; i < ir->engines; i++)
        if (ir->engine[i].y_demux == kernel) return i;
    return IR_NONE;
}

// Returns the pace of the products that leave through this output of an engine's demultiplexer. Returns 0 if one of
// them is not a product with weights, or runs only in steps with a head, or if the kernel is no such demultiplexer.
static int64_t pace_of_product(const struct ir *ir, int kernel, int port) {
    const struct ir_port *out = &ir->kernel[kernel].port[port];
    int engine = engine_of(ir, kernel);
    int64_t cycles = 0, words = words_of(ir, kernel, port) * ir->design.tokens;
    for (int i = 0; i < ir->firings && engine != IR_NONE; i++) {
        const struct ir_firing *f = &ir->firing[i];
        if (f->engine != engine || f->y_port != out->index) continue;
        int64_t one = firing_cycles(ir, f);
        if (!one) return 0;
        cycles += one * ir->region[f->region].repeat;
    }
    return words > 0 ? cycles / words : 0;
}

static int64_t pace_of_input(const struct ir *ir, const struct ir_port *port, int left) {
    const struct ir_edge *e = &ir->edge[port->edge];
    return pace(ir, e->src_kernel, e->src_port, left - 1);
}

static bool carries_words(const struct ir_port *port) {
    return !port->is_output && port->kind != IR_STREAM_BARE && port->edge != IR_NONE;
}

// Returns the pace of a kernel that only passes words on: that of its fastest input.
static int64_t pace_of_passed(const struct ir *ir, int kernel, int left) {
    int64_t least = 0;
    for (int p = 0; p < ir->kernel[kernel].ports; p++) {
        const struct ir_port *port = &ir->kernel[kernel].port[p];
        if (!carries_words(port)) continue;
        int64_t one = pace_of_input(ir, port, left);
        if (!least || one < least) least = one;
    }
    return least;
}

// Returns the pace of a kernel that makes words. If each word is made of n words of an input, the words are at least n
// cycles apart. If the kernel buffers only few input words, the words that it makes are n times the input's pace apart.
static int64_t pace_of_made(const struct ir *ir, int kernel, int out, int left) {
    enum { FEW = 2 /* most output words whose input the kernel buffers */ };
    int64_t most = 1, words = words_of(ir, kernel, out), fill = cost_kernel_work(ir, kernel, 0).contract.fill;
    for (int p = 0; p < ir->kernel[kernel].ports && words > 0; p++) {
        const struct ir_port *port = &ir->kernel[kernel].port[p];
        if (!carries_words(port)) continue;
        int64_t ratio = words_of(ir, kernel, p) / words,
                each = ratio > 1 && fill <= FEW * ratio ? ratio * pace_of_input(ir, port, left) : ratio;
        if (each > most) most = each;
    }
    return most;
}

static int64_t pace(const struct ir *ir, int kernel, int port, int left) {
    struct timing_contract c;
    int64_t cycles = 1;
    if (left > 0 && timing_contract(ir, kernel, &c)) {
        bool passes = c.machine == TIMING_FORK || c.machine == TIMING_MUX || c.machine == TIMING_DEMUX;
        if (c.machine == TIMING_DEMUX) cycles = pace_of_product(ir, kernel, port);
        if (cycles > 1) return cycles;
        cycles = passes ? pace_of_passed(ir, kernel, left) : pace_of_made(ir, kernel, port, left);
    }
    return cycles > 1 ? cycles : 1;
}

int64_t cost_edge_pace(const struct ir *ir, const struct ir_edge *e) {
    return pace(ir, e->src_kernel, e->src_port, MOST_KERNELS);
}
