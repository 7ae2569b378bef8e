// SPDX-License-Identifier: Apache-2.0
// Parameters, timing contract and cost of rill_expand, the kernel of the operation `expand`, which repeats elements of
// a tensor. The layout converter before it repeats whole words. rill_expand itself only fills a word with one element
// if elements are repeated along the last dimension.
#include "gen/ir/ops.h"
#include "gen/kernel/class.h"

static void bind(struct ir *ir, const struct ir_node *node, int k) {
    if (ir_spreads(ir, node)) ir_set_int(ir, k, "SPREAD", 1);
}

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)a, (void)at;
    class_pipe(c, 0);
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    (void)a;
    cost_per(r, 1, PER_EXPAND_BASE);
}

// Returns the length of the output's rows. The number of lanes must divide it, because a word must not continue in the
// next row.
static int64_t whole(const struct ir *ir, const struct ir_node *node) {
    const struct ir_tensor *out = &ir->tensor[node->out[0]];
    return out->shape[out->rank - 1].bound;
}

const struct kernel_class rtl_expand = {
    .module = "rill_expand", .bind = bind, .contract = contract, .cost = cost, .whole = whole};
