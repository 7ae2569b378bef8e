// SPDX-License-Identifier: Apache-2.0
// Parameters, timing contract and cost of rill_choose, which passes one of two vector streams and drops the other one.
// The attribute `of` has the choice for each repetition.
#include "gen/kernel/class.h"
#include "gen/kernel/ports.h"

static void bind(struct ir *ir, const struct ir_node *node, int k) {
    int repeat = ir->region[node->region].repeat;
    uint8_t *of = ARENA_ARRAY(ir->arena, uint8_t, (size_t)repeat);
    for (int r = 0; r < repeat; r++) of[r] = ir_attr_each(&node->attrs, "of", r, 0) != 0;
    ir_set_int(ir, k, "FIRINGS", ports_firings(ir, node->in[0]));
    ir_set_int(ir, k, "LAYERS", repeat);
    ir_set_param(ir, k, "OF", ir_value_bits(ir->arena, repeat, of));
}

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)a, (void)at;
    class_pipe(c, 1);
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    cost_per(r, class_lanes(a), PER_CHOOSE_LANE);
    cost_per(r, 1, PER_CHOOSE_BASE);
}

const struct kernel_class rtl_choose = {.module = "rill_choose", .bind = bind, .contract = contract, .cost = cost};
