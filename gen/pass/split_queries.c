// SPDX-License-Identifier: Apache-2.0
// Part of expand-model: gives a quantized tensor that is read in two ways a second quantizer. `attn_scores` reads its
// operand head by head, `matmul` reads it as a whole. Both quantizers give equal values.
#include "gen/ir/ops.h"
#include "gen/pass/pass.h"

// Whether node n reads the tensor as queries.
static bool is_query(const struct ir *ir, int n, int tensor) {
    return ir_node_is(ir, n, OP_BY_KEYS) && ir->node[n].in[0] == tensor;
}

// Whether some reader takes the tensor head by head (queries) and another reader takes it as a whole.
static bool read_both_ways(const struct ir *ir, int tensor) {
    bool heads = false, whole = false;
    for (int n = 0; n < ir->nodes; n++)
        for (int i = 0; i < ir->node[n].inputs; i++) {
            if (ir->node[n].in[i] != tensor) continue;
            if (is_query(ir, n, tensor)) heads = true;
            else whole = true;
        }
    for (int r = 0; r < ir->regions; r++)
        for (int c = 0; c < ir->region[r].carries; c++)
            whole |= ir->region[r].carry[c].init == tensor || ir->region[r].carry[c].next == tensor;
    return heads && whole;
}

static const char *free_name(struct ir *ir, const char *of) {
    const char *name = arena_printf(ir->arena, "%s_heads", of);
    for (int i = 2; ir_find_tensor(ir, name) != IR_NONE; i++) name = arena_printf(ir->arena, "%s_heads%d", of, i);
    return name;
}

// Inserts a second quantizer after node n and connects the attention scores to it.
static void add_quantizer(struct ir *ir, int n) {
    int whole = ir->node[n].out[0],
        node = ir_add_node(ir, free_name(ir, ir->node[n].name), ir->node[n].op, ir->node[n].loc);
    int heads = ir_add_tensor(ir, ir->node[node].name, IR_F32, ir->node[n].loc);
    struct ir_node *copy = &ir->node[node];
    copy->inputs = copy->outputs = 1;
    copy->in[0] = ir->node[n].in[0];
    copy->out[0] = heads;
    copy->attrs = ir->node[n].attrs;
    ir->tensor[heads].producer = node;
    ir_move_node(ir, node, n + 1, ir->node[n].region);
    for (int i = 0; i < ir->nodes; i++)
        if (is_query(ir, i, whole)) ir->node[i].in[0] = heads;
}

void split_queries(struct ir *ir) {
    for (int n = 0; n < ir->nodes; n++)
        if (ir_node_is(ir, n, OP_QUANTIZES) && read_both_ways(ir, ir->node[n].out[0])) add_quantizer(ir, n);
}
