// SPDX-License-Identifier: Apache-2.0
// Parameters, timing contract and cost of rill_bmm, which multiplies rows of two streams element by element and adds up
// each N products exactly.
#include "gen/ir/ops.h"
#include "gen/kernel/class.h"

// Returns the length of the rows that are multiplied. The number of lanes must divide it, because a word must not
// continue from one row to the next.
static int64_t whole(const struct ir *ir, const struct ir_node *node) {
    struct ir_contraction c;
    return ir_contraction(ir, node, &c) ? c.k : 0;
}

static void bind(struct ir *ir, const struct ir_node *node, int k) {
    int64_t rows = ir_bmm_rows(ir, node);
    ir_set_int(ir, k, "N", whole(ir, node));
    if (rows > 1) ir_set_int(ir, k, "ROWS", rows);
}

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    int64_t rounds = class_chunks(a);
    (void)at;
    c->machine = TIMING_SIEVE;
    c->stages = LATENCY_MUL + LATENCY_TO_FIXED + LATENCY_FROM_INT + LATENCY_MUL + 1 + class_levels(a);
    c->sieve = (struct timing_sieve){.rounds = rounds, .words = 1, .first = rounds - 1, .step = 1, .count = 1};
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    struct cost_resources row = {0};
    cost_per(&row, class_lanes(a), PER_BMM_LANE);
    class_cost_sum(a, &row);
    cost_add(r, &row, args_int(a, "ROWS", 1));
}

const struct kernel_class rtl_bmm = {
    .module = "rill_bmm", .traits = KERNEL_FAULT, .bind = bind, .contract = contract, .cost = cost, .whole = whole};
