// SPDX-License-Identifier: Apache-2.0
// Timing contract and cost of rill_mul, the elementwise product of two fp32 vectors.
#include "gen/kernel/class.h"

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)a, (void)at;
    class_pipe(c, LATENCY_MUL);
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    cost_per(r, class_lanes(a), PER_MUL_LANE);
    cost_per(r, 1, PER_MUL_BASE);
}

const struct kernel_class rtl_mul = {.module = "rill_mul", .traits = KERNEL_FAULT, .contract = contract, .cost = cost};
