// SPDX-License-Identifier: Apache-2.0
// Parameters, timing contract and cost of rill_gelu: GELU in tanh form, y = x * sigmoid(2 * sqrt(2 / pi) * (x +
// 0.044715 * x^3)), or with EXACT the exact form x * Phi(x), where Phi is the distribution function of the normal
// distribution.
#include "gen/kernel/class.h"

static void bind(struct ir *ir, const struct ir_node *node, int k) {
    if (ir_attr_choice(&node->attrs, "approximate", SPEC_GELU_TANH) == SPEC_GELU_NONE) ir_set_int(ir, k, "EXACT", 1);
}

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)at;
    // ARGUMENT: cycles for the argument of exp. Then follow exp, 1 + exp, the reciprocal, and the product with x.
    // With EXACT: a curve from a table (LATENCY_CURVE), then the product with x.
    enum { ARGUMENT = 4 * LATENCY_MUL + LATENCY_ADD };
    class_pipe(c, args_int(a, "EXACT", 0) ? LATENCY_CURVE + LATENCY_MUL
                                          : ARGUMENT + LATENCY_EXP + LATENCY_ADD + LATENCY_RECIP + LATENCY_MUL);
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    if (args_int(a, "EXACT", 0)) return class_cost_unary(CLASS_GELU_FUNCTION, class_lanes(a), r);
    cost_per(r, class_lanes(a), PER_GELU_LANE);
    cost_per(r, 1, PER_GELU_BASE);
}

const struct kernel_class rtl_gelu = {
    .module = "rill_gelu", .traits = KERNEL_FAULT, .bind = bind, .contract = contract, .cost = cost};
