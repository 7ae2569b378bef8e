// SPDX-License-Identifier: Apache-2.0
// Parameters, timing contract and cost of rill_argmax, which sends the index of the largest element for each token. In
// a design with `sampling`, rill_sample replaces it.
#include "gen/kernel/class.h"

static void bind(struct ir *ir, const struct ir_node *node, int k) {
    ir_set_int(ir, k, "N", ir_vector_length(ir, node));
    if (ir_chooses_all(ir)) ir_set_int(ir, k, "HASHES", ir->design.tokens);
}

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)at;
    c->machine = TIMING_ARGMAX;
    c->stages = class_levels(a) + 2; // the keys, the levels of the tree, emit_q
}

// Adds a node of the comparison tree and a node of the hash (rill_logits_hash) for each lane. Both mask the lanes that
// the last chunk does not fill.
static void cost(const struct kernel_args *a, struct cost_resources *r) {
    int64_t lanes = class_lanes(a), rest = args_int(a, "N", 1) % lanes;
    cost_per(r, lanes, PER_ARGMAX_LANE);
    cost_per(r, rest ? lanes - rest : 0, PER_ARGMAX_PADDING_LANE);
    cost_per(r, 1, PER_ARGMAX_BASE);
    // Each further hashed row. Its term was measured with Yosys as the difference between ROWS=1 and ROWS=4 of
    // rill_logits_hash with LANES=8 and N=50257.
    cost_per(r, args_int(a, "HASHES", 1) - 1, PER_ARGMAX_HASHED_ROW);
}

const struct kernel_class rtl_argmax = {.module = "rill_argmax",
                                        .traits = KERNEL_CHOOSES,
                                        .bind = bind,
                                        .contract = contract,
                                        .cost = cost,
                                        .sampling = &rtl_sample};
