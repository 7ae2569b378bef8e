// SPDX-License-Identifier: Apache-2.0
// rill_view: passes words unchanged, under another shape.
#include "gen/kernel/class.h"
#include "gen/ir/ops.h"

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)a, (void)at;
    class_pipe(c, 0);
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    (void)a;
    cost_per(r, 1, PER_VIEW);
}

// Words of a patch must not cross pixels, so the lanes must divide a pixel; 0 for operations without patches.
static int64_t whole(const struct ir *ir, const struct ir_node *node) {
    struct ir_patch_axis axis[IR_MAX_PATCHES];
    const struct ir_tensor *in = &ir->tensor[node->in[0]];
    if (!ir_op_is(ir, node->op, OP_PATCHES)) return 0;
    return ir_patch_axes(ir, node, axis) < in->rank ? in->shape[in->rank - 1].bound : 1;
}

const struct kernel_class rtl_view = {.module = "rill_view", .contract = contract, .cost = cost, .whole = whole};
