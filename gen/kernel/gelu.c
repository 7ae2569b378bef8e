// SPDX-License-Identifier: Apache-2.0
// rill_gelu: GELU in tanh form, y = x * sigmoid(2 * sqrt(2 / pi) * (x + 0.044715 * x^3)).
#include "gen/kernel/class.h"

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)a, (void)at;
    // cycles: the argument of sigmoid, then exp, 1 + exp, its reciprocal, and the product with x
    enum { ARGUMENT = 4 * LATENCY_MUL + LATENCY_ADD };
    class_pipe(c, ARGUMENT + LATENCY_EXP + LATENCY_ADD + LATENCY_RECIP + LATENCY_MUL);
}

// LUT, FF, DSP: per lane, then once per module. Fitted to the rows of rill_gelu in verif/cost/measured.txt (Yosys).
static void cost(const struct kernel_args *a, struct cost_resources *r) {
    cost_per(r, class_lanes(a), 2095, 2082, 16);
    cost_per(r, 1, 75, 49, 0);
}

const struct kernel_class rtl_gelu = {
    .module = "rill_gelu", .traits = KERNEL_FAULT, .contract = contract, .cost = cost};
