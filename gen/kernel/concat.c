// SPDX-License-Identifier: Apache-2.0
// Parameters, timing contract and cost of rill_concat, which joins two tensors by taking words of the first one and of
// the second one in turn.
#include "gen/ir/ops.h"
#include "gen/kernel/class.h"

// Returns the number of elements of an operand that the result has one after the other.
static int64_t part(const struct ir *ir, const struct ir_node *node, int operand) {
    const struct ir_tensor *t = &ir->tensor[node->in[operand]];
    return t->shape[ir_attr_int(&node->attrs, "along", 0)].bound * ir_inside(ir, node);
}

static void bind(struct ir *ir, const struct ir_node *node, int k) {
    int64_t lanes = ir_node_lanes(ir, (int)(node - ir->node));
    ir_set_int(ir, k, "FIRST", part(ir, node, 0) / lanes);
    ir_set_int(ir, k, "SECOND", part(ir, node, 1) / lanes);
}

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)at;
    c->machine = TIMING_TURNS;
    c->stages = 1;
    c->turns = (struct timing_turns){{args_int(a, "FIRST", 1), args_int(a, "SECOND", 1)}};
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    cost_per(r, class_lanes(a), PER_CONCAT_LANE);
    cost_per(r, 1, PER_CONCAT_BASE);
}

// Returns the number of elements that lanes must divide, so that no word continues from one row to the next or from one
// operand to the other.
static int64_t whole(const struct ir *ir, const struct ir_node *node) {
    const struct ir_tensor *in = &ir->tensor[node->in[0]];
    if (ir_inside(ir, node) > 1) return in->shape[in->rank - 1].bound;
    return class_divisor(part(ir, node, 0), part(ir, node, 1));
}

const struct kernel_class rtl_concat = {
    .module = "rill_concat", .bind = bind, .contract = contract, .cost = cost, .whole = whole};
