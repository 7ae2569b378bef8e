// SPDX-License-Identifier: Apache-2.0
// rill_view: passes words unchanged, under another shape.
#include "gen/kernel/class.h"

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)a, (void)at;
    class_pipe(c, 0);
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    (void)a;
    cost_per(r, 1, 2, 0, 0);
}

const struct kernel_class rtl_view = {.module = "rill_view", .contract = contract, .cost = cost};
