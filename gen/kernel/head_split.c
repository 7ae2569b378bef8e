// SPDX-License-Identifier: Apache-2.0
// Timing contract and cost of rill_head_split, which turns query heads, or rows of a tensor, into separate firings
// again after rill_head_pack has made them tokens of one firing.
#include "gen/kernel/class.h"

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)at;
    c->machine = TIMING_SPLIT;
    c->split.rows = args_int(a, "WORDS", 1);
    c->split.banks = 2;
    c->split.ready = 2; // with `stages`, the 3 cycles that the module's header gives
    c->stages = 1;
    c->split.together = args_int(a, "TOGETHER", 1);
    c->split.heads = args_int(a, "HEADS", 1);
    c->split.layers = args_int(a, "LAYERS", 1);
}

// Returns the words of the buffer: two firings.
static int64_t words_of(const struct kernel_args *a) {
    return 2 * class_tokens(a) * (args_int(a, "TOGETHER", 1) > 1 ? args_int(a, "WORDS", 1) : 1);
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    int64_t bits = args_int(a, "DATA_W", 1);
    class_cost_buffer(r, words_of(a), bits, RAM_AUTO);
    r->lut += bits; // selects between a passing and a stored word
    cost_per(r, 1, PER_HEAD_SPLIT_BASE);
}

const struct kernel_class rtl_head_split = {.module = "rill_head_split",
                                            .doc = "turns query heads or rows that were tokens into firings again",
                                            .traits = KERNEL_STEP | KERNEL_UNPACKS,
                                            .contract = contract,
                                            .cost = cost};
