// SPDX-License-Identifier: Apache-2.0
// Timing contract and cost of rill_part_order. In a design with slots, it divides a step's tensor into one tensor for
// each part of the step, or joins the tensors of the parts.
#include <string.h>

#include "gen/kernel/class.h"

static int64_t words_of(const struct kernel_args *a) { return args_int(a, "WORDS", 1); }

static bool is_part_order(const struct ir_kernel *k) { return !strcmp(k->module, rtl_part_order.module); }

bool kernel_cuts_parts(const struct ir_kernel *k) { return is_part_order(k) && !ir_param_int(k, "JOIN", 0); }
bool kernel_joins_parts(const struct ir_kernel *k) { return is_part_order(k) && ir_param_int(k, "JOIN", 0); }

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)at;
    c->machine = TIMING_ORDER;
    c->stages = 1; // the register of the memory
    c->order = (struct timing_order){
        .words = words_of(a), .fire = args_int(a, "FIRE_WORDS", words_of(a)), .join = args_int(a, "JOIN", 0) != 0};
}

// Adds the memory of a step's tensor and its control. The term is an estimate: verif/cost/measured.txt has no
// synthesis of this module.
static void cost(const struct kernel_args *a, struct cost_resources *r) {
    class_cost_buffer(r, words_of(a) * class_tokens(a), args_int(a, "DATA_W", 1), RAM_AUTO);
    cost_per(r, 1, PER_PART_ORDER_BASE);
}

const struct kernel_class rtl_part_order = {.module = "rill_part_order",
                                            .doc = "cuts a step's tensor into those of its parts, or joins them",
                                            .contract = contract,
                                            .cost = cost};
