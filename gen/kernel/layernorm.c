// SPDX-License-Identifier: Apache-2.0
// Parameters, timing contract and cost of rill_layernorm. It stores a vector in a bank while it sums the elements, then
// reads it again to normalize them. gamma and beta come from the parameter store.
#include "gen/kernel/class.h"
#include "gen/numerics/numerics.h" // constants that the replay uses as well

static void bind(struct ir *ir, const struct ir_node *node, int k) {
    int64_t n = ir_vector_length(ir, node);
    ir_set_int(ir, k, "N", n);
    ir_set_float(ir, k, "EPS", (float)ir_attr_float(&node->attrs, "eps", 0));
    ir_set_float(ir, k, "VAR_SCALE", golden_norm_square_scale((size_t)n));
    ir_set_float(ir, k, "MEAN_SCALE", golden_norm_mean_scale((size_t)n));
}

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)at;
    class_norm(a, c, LATENCY_NORM_SPREAD + LATENCY_FROM_INT + LATENCY_MUL + LATENCY_ADD + LATENCY_RSQRT,
               1 + 2 * LATENCY_ADD + 2 * LATENCY_MUL);
}

// Adds the banks and the logic. The variance multiplies wide sums by N, which is only a shift if N is a power of two.
static void cost(const struct kernel_args *a, struct cost_resources *r) {
    class_cost_banks(a, class_chunks(a), r);
    bool shifts = class_is_power_of_two(args_int(a, "N", 1));
    cost_per(r, class_lanes(a), PER_LAYERNORM_LANE);
    cost_per(r, 1, shifts ? PER_LAYERNORM_SHIFTS : PER_LAYERNORM_MULTIPLIES);
    r->dsp += shifts ? 16 : 25; // of a vector's statistics
}

static enum timing_need need(enum ir_role input) { return input == IR_ROLE_PARAM ? TIMING_ROW : TIMING_EACH; }

const struct kernel_class rtl_layernorm = {.module = "rill_layernorm",
                                           .traits = KERNEL_PARAM | KERNEL_FAULT,
                                           .bind = bind,
                                           .contract = contract,
                                           .cost = cost,
                                           .need = need};
