// SPDX-License-Identifier: Apache-2.0
// Parameters, contract and cost of rill_softmax, which keeps the scores of a head in a bank. The first pass scales the
// scores and finds the largest one. The second pass computes the exponentials, their sum, and their products with the
// scales of the values.
#include "gen/kernel/class.h"

static void bind(struct ir *ir, const struct ir_node *node, int k) {
    ir_set_int(ir, k, "HEADS", ir->tensor[node->in[0]].shape[0].bound);
    ir_set_int(ir, k, "LAYERS", ir->region[node->region].repeat);
    ir_set_int(ir, k, "CONTEXT", ir->design.context);
    class_window(ir, node, k);
    if (ir_attr_find(&node->attrs, "cap")) class_softcap(ir, node, k);
}

static bool is_capped(const struct kernel_args *a) { return args_value(a, "GAIN"); }

bool kernel_caps_scores(const struct ir_kernel *k) {
    const struct kernel_args a = args_of(k);
    return is_capped(&a);
}

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)at;
    class_banks(c, 0, class_max_delay(a), 1 + LATENCY_ADD + LATENCY_EXP + LATENCY_MUL);
    c->machine = TIMING_SOFTMAX;
    c->banks.enter = 1 + LATENCY_MUL + (is_capped(a) ? LATENCY_SOFTCAP : 0);
    // Cycles from a token's last word of weights (p in the module) to its scalar: adder tree, accumulator, conversion
    // to fp32, product with 2^-30, reciprocal, and three registers up to the FIFO.
    c->banks.softmax.behind = class_levels(a) + 1 + LATENCY_FROM_INT + LATENCY_MUL + LATENCY_RECIP + 3;
    c->banks.softmax.kept = 4; // firings whose scalars there is room for
    c->banks.softmax.heads = args_int(a, "HEADS", 1);
    c->banks.softmax.lanes = class_lanes(a);
    c->banks.softmax.layers = args_int(a, "LAYERS", 1);
    c->banks.softmax.together = args_int(a, "TOGETHER", 1);
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    class_cost_banks(a, div_up(args_int(a, "CONTEXT", 1), class_lanes(a)), r);
    cost_per(r, class_lanes(a), PER_SOFTMAX_LANE);
    cost_per(r, 1, PER_SOFTMAX_BASE);
    r->dsp += 2; // of the reciprocal of the sum; the product with 2^-30, a constant, needs none
    if (args_value(a, "WINDOW")) {
        cost_per(r, class_lanes(a), PER_SOFTMAX_WINDOW_LANE);
        cost_per(r, 1, PER_SOFTMAX_WINDOW);
        class_cost_window(a, r);
    }
    if (args_int(a, "WINDOWS", 1) > 1) {
        cost_per(r, 1, PER_SOFTMAX_WINDOWS);
        r->lut += args_int(a, "WINDOWS", 1); // the table
    }
    if (is_capped(a)) class_cost_softcap(class_lanes(a), r);
}

static enum timing_need need(enum ir_role input) {
    return input == IR_ROLE_K_SCALE || input == IR_ROLE_V_SCALE ? TIMING_ROW : TIMING_EACH;
}

const struct kernel_class rtl_softmax = {.module = "rill_softmax",
                                         .traits = KERNEL_STEP | KERNEL_FAULT,
                                         .bind = bind,
                                         .contract = contract,
                                         .cost = cost,
                                         .need = need};
