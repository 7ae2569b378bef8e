// SPDX-License-Identifier: Apache-2.0
// Parameters, contract and cost of rill_sample, which chooses the index of an element for each token: at random, or as
// rill_argmax chooses the largest element. Its class extends that of rill_argmax.
#include "gen/kernel/class.h"

enum { SCORE = 1 + LATENCY_THREEFRY + LATENCY_GUMBEL + LATENCY_ADD }; // cycles from a chunk to its scores

static void bind(struct ir *ir, const struct ir_node *node, int k) {
    rtl_argmax.bind(ir, node, k);
    ir_set_int(ir, k, "TOP_K", ir->design.sampling);
    if (ir->design.slots && ir->design.tokens > 1) ir_set_int(ir, k, "ROWS", ir->design.tokens);
}

// The contract does not include the list of the top_k largest elements, because top_k is a setting of each request.
// With the list, an id takes up to a few hundred cycles more.
static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    rtl_argmax.contract(a, at, c);
    c->stages += SCORE;
}

// Adds the cost of rill_argmax, of the arithmetic of each lane (a product, a hash for every two lanes, noise and a
// sum), of the places of the list, and of the min_p limit. With settings for each row, adds the lists and the settings
// of all rows, the multiplexers that select those of a row, and the keys that accompany the counters of the random
// generators. Settings are inverse_temperature, min_p, top_k, seed and the position. LIST_BITS: the first and the last
// key of a list, and the first id. KEYS: keys that are stored behind the first one. The terms are sums over the parts
// of the module, because verif/cost/measured.txt has no synthesis of the whole module.
static void cost(const struct kernel_args *a, struct cost_resources *r) {
    enum { SETTING_BITS = 32 * 3 + 64 + 16, LIST_BITS = 32 * 2 + 24, KEYS = 5, KEY_BITS = 64, KEY_STAGES = 3 };
    int64_t lanes = class_lanes(a), places = args_int(a, "TOP_K", 1), rows = args_int(a, "ROWS", 1);
    rtl_argmax.cost(a, r);
    cost_per(r, lanes, PER_SAMPLE_LANE);
    cost_per(r, places * rows, PER_SAMPLE_PLACE);
    cost_per(r, 1, PER_SAMPLE_BASE);
    if (rows == 1) return;
    class_cost_select(r, SETTING_BITS + LIST_BITS, rows);
    r->ff += rows * SETTING_BITS + SETTING_BITS + KEYS * KEY_BITS * KEY_STAGES;
}

const struct kernel_class rtl_sample = {.module = "rill_sample",
                                        .traits = KERNEL_CHOOSES | KERNEL_SAMPLES | KERNEL_FAULT,
                                        .bind = bind,
                                        .contract = contract,
                                        .cost = cost};
