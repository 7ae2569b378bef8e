// SPDX-License-Identifier: Apache-2.0
// Contract and cost of rill_silu, which computes x * sigmoid(x) for each element.
#include "gen/kernel/class.h"

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)a, (void)at;
    class_pipe(c, LATENCY_EXP + LATENCY_ADD + LATENCY_RECIP + LATENCY_MUL);
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    cost_per(r, class_lanes(a), PER_SILU_LANE);
    cost_per(r, 1, PER_SILU_BASE);
}

const struct kernel_class rtl_silu = {
    .module = "rill_silu", .traits = KERNEL_FAULT, .contract = contract, .cost = cost};
