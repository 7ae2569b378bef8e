// SPDX-License-Identifier: Apache-2.0
// rill_gelu: tanh-form GELU.
#include "gen/kernel/class.h"

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)a, (void)at;
    enum { ARGUMENT = 4 * LATENCY_MUL + LATENCY_ADD };
    class_pipe(c, ARGUMENT + LATENCY_EXP + LATENCY_ADD + LATENCY_RECIP + LATENCY_MUL);
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    cost_per(r, class_lanes(a), 2095, 2082, 16);
    cost_per(r, 1, 75, 49, 0);
}

const struct kernel_class rtl_gelu = {
    .module = "rill_gelu", .traits = KERNEL_FAULT, .contract = contract, .cost = cost};
