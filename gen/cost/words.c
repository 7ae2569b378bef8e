// SPDX-License-Identifier: Apache-2.0
// Counts the words that pass a port in one decode step of one token. Extents that grow with the position have their
// value at the position of the step.
#include "gen/kernel/args.h"
#include "gen/cost/cost.h"
#include "gen/ir/layout.h"
#include "gen/ir/window.h"
#include "gen/kernel/ports.h"

enum { MAX_STEERING = 8 /* most multiplexers and demultiplexers in a row that port_words follows */ };

static bool is_steering(const struct ir_kernel *k) { return kernel_is(k, KERNEL_MUX | KERNEL_DEMUX); }

static int64_t repeat_of(const struct ir *ir, int region) { return region == IR_NONE ? 1 : ir->region[region].repeat; }

// Returns the tensor with its extents at this number of positions: in *copy, or the tensor itself if all its extents
// are constant.
static const struct ir_tensor *at_position(const struct ir *ir, int tensor, int64_t positions, struct ir_tensor *copy) {
    *copy = ir->tensor[tensor];
    bool moves = false;
    for (int d = 0; d < copy->rank; d++)
        if (copy->shape[d].dynamic == IR_POSITIONS) copy->shape[d].bound = positions, moves = true;
    return moves ? copy : &ir->tensor[tensor];
}

// Returns the words of one firing. In a tensor with heads, each head is a firing; an array of several dimensions is one
// firing.
static int64_t firing_words(const struct ir *ir, const struct ir_port *port, int tensor, int64_t positions) {
    struct ir_tensor copy;
    const struct ir_tensor *t = at_position(ir, tensor, positions, &copy);
    if (t->dtype == IR_MX) return t->block > 0 ? ports_mx_units(ir, t) : 0;
    if (port->type.patches || itensor_repeats(&port->type)) return ports_firing_words(port) / ir->design.tokens;
    int64_t width = port->type.rank ? itensor_tile(&port->type) : ir->design.lanes;
    int64_t last = t->rank ? t->shape[t->rank - 1].bound : 1;
    if (ports_is_array(t))
        return div_up(ir_tensor_elements(t) / at_least(port->pieces, 1), width) * at_least(port->pieces, 1);
    if (t->dtype == IR_KV) return t->shape[0].bound * div_up(last, width);
    if (t->dtype == IR_INT8) return div_up(ir_tensor_elements(t), width);
    return t->dtype == IR_F32 ? div_up(last, width) : 1;
}

// Returns the words of a tensor's stream in all repetitions. With a window, the number of positions differs between
// repetitions.
static int64_t tensor_words(const struct ir *ir, const struct ir_port *port, int tensor, int64_t position) {
    int region = port->region != IR_NONE ? port->region : ir->tensor[tensor].region;
    int over = window_node(ir, tensor);
    int64_t words = 0;
    if (over == IR_NONE) words = firing_words(ir, port, tensor, position + 1) * repeat_of(ir, region);
    for (int64_t r = 0; over != IR_NONE && r < repeat_of(ir, region); r++)
        words += firing_words(ir, port, tensor, position + 1 - window_begin(ir, over, r, position));
    return words ? words * ports_firings(ir, tensor) : 0;
}

// Returns the words of a stream that has no tensor, from the stream's type.
static int64_t type_words(const struct ir *ir, const struct ir_port *port, int64_t position) {
    int64_t words = 1;
    for (int l = 0; l < port->type.loops; l++) {
        const struct ir_extent *trip = &port->type.trip[l];
        if (trip->dynamic == IR_STATIC) words *= trip->bound;
        if (trip->dynamic == IR_POSITIONS) words *= at_most(trip->bound, div_up(position + 1, port->type.step[l]));
    }
    return words * repeat_of(ir, port->region);
}

static int64_t port_words(const struct ir *ir, int kernel, int p, int64_t position, int depth);

// Returns the words of an engine's results: one per row-step. Scores have one row-step more, for the step's own keys.
// kernel: the kernel of the engine.
static int64_t result_words(const struct ir *ir, int kernel, int64_t position) {
    int64_t words = 0;
    for (int i = 0; i < ir->firings; i++) {
        const struct ir_firing *f = &ir->firing[i];
        const struct ir_engine *engine = &ir->engine[f->engine];
        if (engine->kernel != kernel) continue;
        int over = f->mode == ENGINE_MODE_SCORES ? window_node(ir, ir->node[f->node].out[0]) : IR_NONE;
        int64_t repeat = ir->region[f->region].repeat;
        if (f->mode != ENGINE_MODE_SCORES) words += f->row_steps * repeat;
        for (int64_t r = 0; over != IR_NONE && r < repeat; r++)
            words += div_up(position - window_begin(ir, over, r, position), engine->lanes) + 1;
    }
    return words;
}

// Returns the words on the common side of a multiplexer or demultiplexer: the sum over the ports of the other side.
static int64_t common_words(const struct ir *ir, int kernel, int64_t position, int depth) {
    int64_t words = 0;
    for (int p = 0; depth > 0 && p < ir->kernel[kernel].ports; p++)
        if (ir->kernel[kernel].port[p].index != IR_NONE) words += port_words(ir, kernel, p, position, depth - 1);
    return words;
}

// Returns the words that pass a port. A port without a tensor gets its words from the port at the other end of the
// stream, through multiplexers and demultiplexers. depth: how many of these in a row may still be passed.
static int64_t port_words(const struct ir *ir, int kernel, int p, int64_t position, int depth) {
    const struct ir_kernel *k = &ir->kernel[kernel];
    const struct ir_port *port = &k->port[p];
    if (port->kind == IR_STREAM_BARE || port->edge == IR_NONE) return 0;
    if (port->tensor != IR_NONE) return tensor_words(ir, port, port->tensor, position);
    const struct ir_edge *e = &ir->edge[port->edge];
    if (port->kind == IR_STREAM_COUNTED) return result_words(ir, e->src_kernel, position);
    int other = port->is_output ? e->dst_kernel : e->src_kernel,
        other_port = port->is_output ? e->dst_port : e->src_port;
    const struct ir_port *peer = &ir->kernel[other].port[other_port];
    if (peer->tensor != IR_NONE) return tensor_words(ir, peer, peer->tensor, position);
    if (is_steering(k) && port->index == IR_NONE) return common_words(ir, kernel, position, depth);
    if (is_steering(&ir->kernel[other]) && peer->index == IR_NONE) return common_words(ir, other, position, depth);
    return port->type.loops ? type_words(ir, port, position) : peer->type.loops ? type_words(ir, peer, position) : 0;
}

int64_t cost_port_words(const struct ir *ir, int kernel, int port, int64_t position) {
    return port_words(ir, kernel, port, position, MAX_STEERING);
}
