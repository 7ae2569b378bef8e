// SPDX-License-Identifier: Apache-2.0
// rill_clip: bounds x from below and from above.
#include <float.h>

#include "gen/kernel/class.h"

static void bind(struct ir *ir, const struct ir_node *node, int k) {
    ir_set_float(ir, k, "LO", (float)ir_attr_float(&node->attrs, "lo", -FLT_MAX));
    ir_set_float(ir, k, "HI", (float)ir_attr_float(&node->attrs, "hi", FLT_MAX));
}

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)a, (void)at;
    class_pipe(c, 2); // a comparison in each stage
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    cost_per(r, class_lanes(a), 158, 65.8, 0);
    cost_per(r, 1, 14, 11.2, 0);
}

const struct kernel_class rtl_clip = {
    .module = "rill_clip", .traits = KERNEL_FAULT, .bind = bind, .contract = contract, .cost = cost};
