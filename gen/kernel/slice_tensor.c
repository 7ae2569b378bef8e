// SPDX-License-Identifier: Apache-2.0
// Parameters, contract and cost of rill_slice, which takes every word of a tensor and passes on only the words of a
// part of it.
#include "gen/ir/ops.h"
#include "gen/kernel/class.h"

// Sets the parameters, which count in rounds. A round is the words of one index of the sliced dimension. If the last
// dimension is sliced, a word holds several indices, and a round is one word. A group has all rounds of that dimension.
static void bind(struct ir *ir, const struct ir_node *node, int k) {
    const struct ir_tensor *in = &ir->tensor[node->in[0]];
    int64_t along = ir_attr_int(&node->attrs, "along", 0), extent = in->shape[along].bound,
            inside = ir_inside(ir, node), lanes = ir_node_lanes(ir, (int)(node - ir->node)),
            unit = inside == 1 ? lanes : 1;
    ir_set_int(ir, k, "GROUPS", ir_tensor_elements(in) / (extent * inside));
    ir_set_int(ir, k, "ROUNDS", extent / unit);
    ir_set_int(ir, k, "WORDS", inside == 1 ? 1 : inside / lanes);
    ir_set_int(ir, k, "FIRST", ir_attr_int(&node->attrs, "start", 0) / unit);
    ir_set_int(ir, k, "STEP", ir_attr_int(&node->attrs, "step", 1));
    ir_set_int(ir, k, "COUNT", ir_attr_int(&node->attrs, "count", 1) / unit);
}

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)at;
    c->machine = TIMING_SIEVE;
    c->stages = 1;
    c->sieve = (struct timing_sieve){.groups = args_int(a, "GROUPS", 1),
                                     .rounds = args_int(a, "ROUNDS", 1),
                                     .words = args_int(a, "WORDS", 1),
                                     .first = args_int(a, "FIRST", 0),
                                     .step = args_int(a, "STEP", 1),
                                     .count = args_int(a, "COUNT", 1)};
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    cost_per(r, class_lanes(a), PER_SLICE_LANE);
    cost_per(r, 1, PER_SLICE_BASE);
}

// Returns the number of elements that lanes must divide, so that no word crosses an end of the part that is passed on.
// It is 1 if the last dimension is sliced with a step above 1.
static int64_t whole(const struct ir *ir, const struct ir_node *node) {
    const struct ir_tensor *in = &ir->tensor[node->in[0]];
    if (ir_inside(ir, node) > 1) return in->shape[in->rank - 1].bound;
    if (ir_attr_int(&node->attrs, "step", 1) > 1) return 1;
    return class_divisor(class_divisor(in->shape[in->rank - 1].bound, ir_attr_int(&node->attrs, "start", 0)),
                         ir_attr_int(&node->attrs, "count", 1));
}

const struct kernel_class rtl_slice = {
    .module = "rill_slice", .bind = bind, .contract = contract, .cost = cost, .whole = whole};
