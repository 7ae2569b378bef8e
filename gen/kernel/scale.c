// SPDX-License-Identifier: Apache-2.0
// Parameters, contract and cost of rill_scale, which multiplies every head of an attention's result by a scalar of
// softmax. The scalar is taken with the first row of the head.
#include "gen/kernel/class.h"

static void bind(struct ir *ir, const struct ir_node *node, int k) {
    ir_set_int(ir, k, "HEADS", ir->tensor[node->in[0]].shape[0].bound);
}

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)at;
    class_pipe(c, 1 + LATENCY_MUL);
    c->pipe.firings = args_int(a, "HEADS", 1);
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    cost_per(r, class_lanes(a), PER_SCALE_LANE);
    cost_per(r, 1, PER_SCALE_BASE);
}

static enum timing_need need(enum ir_role input) { return input == IR_ROLE_FACTOR ? TIMING_FIRST : TIMING_EACH; }

const struct kernel_class rtl_scale = {
    .module = "rill_scale", .traits = KERNEL_FAULT, .bind = bind, .contract = contract, .cost = cost, .need = need};
