// SPDX-License-Identifier: Apache-2.0
// Contract and cost of rill_view, which passes words unchanged. Only the shape in the stream's type changes. If the
// operation cuts patches, the rill_line_buffer before this kernel does it.
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

// Returns the elements of a pixel, which the number of lanes must divide, because no word may have elements of two
// pixels. A pixel is the last dimension of the input, or one element if the patches extend over all dimensions. Returns
// 0 if the operation has no patches.
static int64_t whole(const struct ir *ir, const struct ir_node *node) {
    struct ir_patch_axis axis[IR_MAX_PATCHES];
    const struct ir_tensor *in = &ir->tensor[node->in[0]];
    if (!ir_op_is(ir, node->op, OP_PATCHES)) return 0;
    return ir_patch_axes(ir, node, axis) < in->rank ? in->shape[in->rank - 1].bound : 1;
}

const struct kernel_class rtl_view = {.module = "rill_view", .contract = contract, .cost = cost, .whole = whole};
