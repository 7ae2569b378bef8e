// SPDX-License-Identifier: Apache-2.0
// Timing contract and cost of rill_head_pack. In steps of one token it turns query heads, or rows of a tensor, into the
// tokens of one firing, so that the engine reads weights or keys once for all of them. head_split.c undoes this.
#include "gen/kernel/class.h"

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)at;
    c->machine = TIMING_PACK;
    c->split.together = args_int(a, "TOGETHER", 1);
    c->split.heads = args_int(a, "FIRINGS", 0);
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    (void)a;
    cost_per(r, 1, PER_HEAD_PACK_BASE);
}

const struct kernel_class rtl_head_pack = {.module = "rill_head_pack",
                                           .doc = "packs query heads or rows as tokens, in steps of one token",
                                           .traits = KERNEL_PACKS,
                                           .contract = contract,
                                           .cost = cost};
