// SPDX-License-Identifier: Apache-2.0
// rill_argmax: index of the largest element, a word per token.
#include "gen/kernel/class.h"

static void bind(struct ir *ir, const struct ir_node *node, int k) {
    ir_set_int(ir, k, "N", ir_vector_length(ir, node));
    if (ir_chooses_all(ir)) ir_set_int(ir, k, "HASHES", ir->design.tokens);
}

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)at;
    c->machine = TIMING_ARGMAX;
    c->stages = class_levels(a) + 2;
}

// Each lane has a node of the tree and a node of the hash. Both mask lanes that the last chunk does not fill.
static void cost(const struct kernel_args *a, struct cost_resources *r) {
    int64_t lanes = class_lanes(a), rest = args_int(a, "N", 1) % lanes;
    cost_per(r, lanes, PER_ARGMAX_LANE);
    cost_per(r, rest ? lanes - rest : 0, PER_ARGMAX_PADDING_LANE);
    cost_per(r, 1, PER_ARGMAX_BASE);
    // Sums of a row's hash; measured for rill_logits_hash LANES=8 N=50257 with ROWS=1 and ROWS=4.
    const struct cost_resources row = {.lut = 318, .ff = 198};
    cost_add(r, &row, args_int(a, "HASHES", 1) - 1);
}

const struct kernel_class rtl_argmax = {.module = "rill_argmax",
                                        .traits = KERNEL_CHOOSES,
                                        .bind = bind,
                                        .contract = contract,
                                        .cost = cost,
                                        .sampling = &rtl_sample};
