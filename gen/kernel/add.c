// SPDX-License-Identifier: Apache-2.0
// Timing contract and cost of rill_add, the elementwise sum of two fp32 vectors.
#include "gen/kernel/class.h"

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)a, (void)at;
    class_pipe(c, CYCLES_SLICE + LATENCY_ADD);
    c->pipe.sliced = true;
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    cost_per(r, class_lanes(a), PER_ADD_LANE);
    cost_per(r, 1, PER_ADD_BASE);
}

const struct kernel_class rtl_add = {.module = "rill_add", .traits = KERNEL_FAULT, .contract = contract, .cost = cost};
