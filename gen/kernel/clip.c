// SPDX-License-Identifier: Apache-2.0
// Parameters, timing contract and cost of rill_clip, which bounds each element from below and from above.
#include <float.h>

#include "gen/ir/ops.h"
#include "gen/kernel/class.h"

// Sets the bounds LO and HI. An operation without attributes for bounds is the ReLU, whose lower bound is 0.
static void bind(struct ir *ir, const struct ir_node *node, int k) {
    struct ir_op_attr lo;
    bool bounds = ir_op_attr_of(ir, node->op, "lo", &lo);
    ir_set_float(ir, k, "LO", (float)ir_attr_float(&node->attrs, "lo", bounds ? -FLT_MAX : 0));
    ir_set_float(ir, k, "HI", (float)ir_attr_float(&node->attrs, "hi", FLT_MAX));
    if (ir_fills(ir, node)) class_padding(ir, node, k);
}

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)a, (void)at;
    class_pipe(c, 2); // a comparison in each stage
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    cost_per(r, class_lanes(a), PER_CLIP_LANE);
    cost_per(r, 1, PER_CLIP_BASE);
    class_cost_padding(a, r);
}

const struct kernel_class rtl_clip = {
    .module = "rill_clip", .traits = KERNEL_FAULT, .bind = bind, .contract = contract, .cost = cost};
