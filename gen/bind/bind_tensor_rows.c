// SPDX-License-Identifier: Apache-2.0
// With `tensor_rows`, rows of a tensor take the places of tokens in a matrix engine, in steps of one token.
// bind_tensor_rows adds kernels that turn the rows of an operand into tokens before the engine, and kernels that turn
// the results of these tokens into rows after the engine (docs/decisions/rows.md).
#include "gen/bind/bind.h"
#include "gen/kernel/kernel.h"
#include "gen/kernel/ports.h"
#include "gen/ir/layout.h"
#include "gen/ir/ops.h"

int bind_beside(struct ir *ir, const char *name, const struct kernel_class *class, int kernel, int port) {
    struct ir_port *there = &ir->kernel[kernel].port[port];
    bool is_output = there->is_output;
    int k = kernel_add(ir, name, class, IR_NONE), tensor = there->tensor, region = there->region;
    int outside = ports_add_tensor(ir, k, "", is_output, tensor);
    ir->kernel[k].port[outside].region = region;
    there = &ir->kernel[kernel].port[port];
    there->tensor = IR_NONE;
    int inside = ports_add_like(ir, k, "", !is_output, there);
    ir->kernel[k].port[inside].region = region;
    ir_set_int(ir, k, "DATA_W", ir->kernel[kernel].port[port].data_bits);
    ir_set_int(ir, k, "TOKENS", ir->design.tokens);
    if (is_output) ir_connect(ir, kernel, port, k, inside);
    else ir_connect(ir, k, inside, kernel, port);
    return k;
}

// ---- products ----

// Returns the number of rows of a product's operand.
static int64_t rows_of(const struct ir *ir, int product) {
    return ir_tensor_elements(&ir->tensor[ir->node[product].in[0]]) / ir_vector_length(ir, &ir->node[product]);
}

// A region that runs only for the last token has one token in each firing, so the rows fire one by one.
int bind_rows_together(const struct ir *ir, int product) {
    int64_t most = ir_takes_last(ir, ir->node[product].region) ? 1 : ir->design.tensor_rows;
    return (int)at_least(at_most(most, rows_of(ir, product)), 1);
}

// Gives a stream of the engine as many tokens as the engine has places.
static void widen(struct ir *ir, int kernel, int port) {
    struct ir_port *p = &ir->kernel[kernel].port[port];
    if (ir_places(ir) == ir->design.tokens || p->kind == IR_STREAM_BARE) return;
    p->tokens = ir_places(ir);
    if (p->type.loops) p->type.trip[p->type.map[0]] = (struct ir_extent){p->tokens, IR_TOKENS};
}

void bind_widen(struct ir *ir, int kernel) {
    for (int p = 0; p < ir->kernel[kernel].ports; p++) widen(ir, kernel, p);
}

// Inserts a kernel at a port of an engine's multiplexer or demultiplexer. On the inner side, streams have the engine's
// firings, and on the outer side those of the rest of the graph. what: end of the kernel's name.
static int add_kernel(struct ir *ir, int product, const char *what, const struct kernel_class *class, int kernel,
                      int port) {
    const char *name = arena_printf(ir->arena, "%s_%s", ir->node[product].name, what);
    int64_t pieces = ir->kernel[kernel].port[port].pieces;
    struct ir_itensor type = ir->kernel[kernel].port[port].type;
    int k = bind_beside(ir, name, class, kernel, port);
    enum { OUTSIDE, INSIDE }; // the order in which bind_beside adds the ports
    ir->kernel[k].port[OUTSIDE].pieces = pieces;
    ir->kernel[k].port[OUTSIDE].type = type;
    widen(ir, k, INSIDE);
    ir_set_int(ir, k, "TOKENS", ir_places(ir));
    ir_set_int(ir, k, "TOGETHER", bind_rows_together(ir, product));
    if (ir_places(ir) > ir->design.tokens) ir_set_int(ir, k, "OUTSIDE_TOKENS", ir->design.tokens);
    return k;
}

// Returns the first firing that takes an operand from input `port` of the multiplexer or, with `result`, gives its
// result to output `port` of the demultiplexer.
static const struct ir_firing *firing_at(const struct ir *ir, int engine, int port, bool result) {
    for (int f = 0; f < ir->firings; f++) {
        const struct ir_firing *firing = &ir->firing[f];
        if (firing->engine == engine && (result           ? firing->y_port
                                         : firing->x_take ? firing->x_edge_port
                                                          : IR_NONE) == port)
            return firing;
    }
    base_fatal("bind-operations: no firing uses port %d of an engine", port);
}

// Returns whether a product's firings differ from those of the rest of the graph.
static bool is_other(const struct ir *ir, int product) {
    return ir_places(ir) > ir->design.tokens || bind_rows_together(ir, product) > 1;
}

// Adds the kernel that turns rows into tokens, at input `index` of the multiplexer, if the product there needs it.
// port: the multiplexer's port for this input.
static void add_pack(struct ir *ir, int engine, int port, int index) {
    int product = firing_at(ir, engine, index, false)->node;
    if (!is_other(ir, product)) return;
    int k = add_kernel(ir, product, "pack", &rtl_head_pack, ir->engine[engine].x_mux, port);
    int64_t rows = rows_of(ir, product);
    if (rows % bind_rows_together(ir, product)) ir_set_int(ir, k, "FIRINGS", rows);
}

// Adds the kernel that turns tokens back into rows, at output `index` of the demultiplexer, if the product there needs
// it. port: the demultiplexer's port for this output.
static void add_split(struct ir *ir, int engine, int port, int index) {
    int product = firing_at(ir, engine, index, true)->node;
    if (!is_other(ir, product)) return;
    int k = add_kernel(ir, product, "split", &rtl_head_split, ir->engine[engine].y_demux, port);
    ports_add_step(ir, k);
    ir_set_int(ir, k, "WORDS", div_up(ir_attr_int(&ir->node[product].attrs, "rows", 0), ir->design.lanes));
    ir_set_int(ir, k, "HEADS", rows_of(ir, product));
    ir_set_int(ir, k, "LAYERS", ir->region[ir->node[product].region].repeat);
}

static bool is_by_weights(const struct ir *ir, const struct ir_firing *f) {
    return ir_node_is(ir, f->node, OP_BY_WEIGHTS);
}

void bind_tensor_rows(struct ir *ir, int engine) {
    int x_mux = ir->engine[engine].x_mux, y_demux = ir->engine[engine].y_demux;
    if (!ir->design.tensor_rows) return;
    bind_widen(ir, x_mux);
    bind_widen(ir, ir->engine[engine].kernel);
    bind_widen(ir, y_demux);
    for (int p = 0; p < ir->kernel[x_mux].ports; p++) {
        int index = ir->kernel[x_mux].port[p].index;
        if (index != IR_NONE && is_by_weights(ir, firing_at(ir, engine, index, false))) add_pack(ir, engine, p, index);
    }
    for (int p = 0; p < ir->kernel[y_demux].ports; p++) {
        int index = ir->kernel[y_demux].port[p].index;
        if (index != IR_NONE && is_by_weights(ir, firing_at(ir, engine, index, true))) add_split(ir, engine, p, index);
    }
}
