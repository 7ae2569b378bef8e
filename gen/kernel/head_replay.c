// SPDX-License-Identifier: Apache-2.0
// Timing contract and cost of rill_head_replay, which sends the keys of a head once for each query head that reads
// them.
#include "gen/kernel/class.h"

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)at;
    class_replay(a, c);
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    int64_t tokens = class_tokens(a), bits = args_int(a, "DATA_W", 1) + user_bits(tokens) + 1;
    class_cost_replay(r, tokens * args_int(a, "UNITS", 1), bits, RAM_DISTRIBUTED);
    cost_per(r, 1, PER_HEAD_REPLAY_BASE);
}

const struct kernel_class rtl_head_replay = {.module = "rill_head_replay",
                                             .doc = "repeats the keys of a head for every query head that reads it",
                                             .traits = KERNEL_AGAIN,
                                             .contract = contract,
                                             .cost = cost};
