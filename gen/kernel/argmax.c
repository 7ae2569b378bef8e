// SPDX-License-Identifier: Apache-2.0
// rill_argmax: index of the largest element, a word per token.
#include "gen/kernel/class.h"

static void bind(struct ir *ir, const struct ir_node *node, int k) {
    ir_set_int(ir, k, "N", ir_vector_length(ir, node));
}

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)at;
    c->machine = TIMING_ARGMAX;
    c->banks = 1;
    c->pipe = class_levels(a) + 3;
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    cost_per(r, class_lanes(a), 85 + 1.6 * (double)log2_up(args_int(a, "N", 1)), 62, 0);
    cost_per(r, 1, 40, 80, 0);
}

const struct kernel_class rtl_argmax = {
    .module = "rill_argmax", .traits = KERNEL_CHOOSES, .bind = bind, .contract = contract, .cost = cost};
