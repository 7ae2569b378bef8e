// SPDX-License-Identifier: Apache-2.0
// rill_sample: gives the index of an element, drawn at random or the largest, one word per token.
#include "gen/kernel/class.h"

enum { SCORE = 1 + LATENCY_THREEFRY + LATENCY_GUMBEL + LATENCY_ADD }; // cycles from a chunk to its scores

static void bind(struct ir *ir, const struct ir_node *node, int k) {
    rtl_argmax.bind(ir, node, k);
    ir_set_int(ir, k, "TOP_K", ir->design.sampling);
}

// The contract does not include the list of candidates, which the host selects at run time. With the list, an id takes
// some hundred cycles more.
static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    rtl_argmax.contract(a, at, c);
    c->stages += SCORE;
}

// Adds, in addition to the cost of the largest element: per lane a product, a hash (one for two lanes), noise and a
// sum; per place of the list; and the bound. This is the sum of the parts, because the table of measured syntheses has
// no row for the whole.
static void cost(const struct kernel_args *a, struct cost_resources *r) {
    int64_t lanes = class_lanes(a), places = args_int(a, "TOP_K", 1);
    rtl_argmax.cost(a, r);
    cost_per(r, lanes, PER_SAMPLE_LANE);
    cost_per(r, places, PER_SAMPLE_PLACE);
    cost_per(r, 1, PER_SAMPLE_BASE);
}

const struct kernel_class rtl_sample = {.module = "rill_sample",
                                        .traits = KERNEL_CHOOSES | KERNEL_SAMPLES | KERNEL_FAULT,
                                        .bind = bind,
                                        .contract = contract,
                                        .cost = cost};
