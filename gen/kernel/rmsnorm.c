// SPDX-License-Identifier: Apache-2.0
// Parameters, contract and cost of rill_rmsnorm. The module keeps each vector in a bank while it sums the squares, then
// reads it again, scales it and multiplies it by the gains, which arrive on their own input.
#include "gen/kernel/class.h"
#include "gen/numerics/numerics.h" // constants that the replay uses as well

static void bind(struct ir *ir, const struct ir_node *node, int k) {
    int64_t n = ir_vector_length(ir, node);
    ir_set_int(ir, k, "N", n);
    ir_set_float(ir, k, "EPS", (float)ir_attr_float(&node->attrs, "eps", 0));
    ir_set_float(ir, k, "MS_SCALE", golden_norm_rms_scale((size_t)n));
}

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)at;
    class_norm(a, c, 2 + LATENCY_FROM_INT + LATENCY_MUL + LATENCY_ADD + LATENCY_RSQRT, 1 + 2 * LATENCY_MUL);
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    class_cost_banks(a, class_chunks(a), r);
    cost_per(r, class_lanes(a), PER_RMSNORM_LANE);
    cost_per(r, 1, PER_RMSNORM_BASE);
    r->dsp += 4; // of a vector's mean square and its reciprocal root
}

static enum timing_need need(enum ir_role input) { return input == IR_ROLE_PARAM ? TIMING_ROW : TIMING_EACH; }

const struct kernel_class rtl_rmsnorm = {.module = "rill_rmsnorm",
                                         .traits = KERNEL_PARAM | KERNEL_FAULT,
                                         .bind = bind,
                                         .contract = contract,
                                         .cost = cost,
                                         .need = need};
