// SPDX-License-Identifier: Apache-2.0
// Timing contract and cost of rill_frame, which divides a tensor into other firings: a firing for each row, or one
// firing for several rows.
#include "gen/kernel/class.h"

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)at;
    class_pipe(c, 0);
    c->pipe.rows = args_int(a, "WORDS", 1);
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    cost_per(r, log2_up(args_int(a, "WORDS", 1) + 1), PER_FRAME_COUNTER_BIT);
}

const struct kernel_class rtl_frame = {.module = "rill_frame",
                                       .doc = "divides a firing into one for each row, or joins rows to one firing",
                                       .traits = KERNEL_FRAMES,
                                       .contract = contract,
                                       .cost = cost};
