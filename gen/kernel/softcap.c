// SPDX-License-Identifier: Apache-2.0
// Parameters, contract and cost of rill_softcap, which computes cap * tanh(x / cap) for each element. rill_softmax uses
// the same arithmetic for its scores, so class.h declares two of the functions.
#include "gen/kernel/class.h"
#include "gen/numerics/numerics.h" // golden_softcap_slope, golden_softcap_gain: shared with the replay

// Sets SLOPE = -2 / cap and GAIN = 2 * cap, both as fp32.
void class_softcap(struct ir *ir, const struct ir_node *node, int k) {
    double cap = ir_attr_float(&node->attrs, "cap", 0);
    ir_set_float(ir, k, "SLOPE", golden_softcap_slope(cap));
    ir_set_float(ir, k, "GAIN", golden_softcap_gain(cap));
}

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)a, (void)at;
    class_pipe(c, LATENCY_SOFTCAP);
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    class_cost_softcap(class_lanes(a), r);
    cost_per(r, 1, PER_SOFTCAP_BASE);
}

// Counts the DSPs for a cap with few significant bits. For other caps, the product with GAIN takes one more DSP per
// lane than is counted here.
void class_cost_softcap(int64_t lanes, struct cost_resources *r) { cost_per(r, lanes, PER_SOFTCAP_LANE); }

const struct kernel_class rtl_softcap = {
    .module = "rill_softcap", .traits = KERNEL_FAULT, .bind = class_softcap, .contract = contract, .cost = cost};
