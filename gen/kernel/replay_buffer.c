// SPDX-License-Identifier: Apache-2.0
// Contract and cost of rill_replay_buffer, which stores a firing and sends it once for each repetition of the region
// that reads it.
#include "gen/kernel/class.h"

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)at;
    class_replay(a, c);
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    int64_t bits = args_int(a, "DATA_W", 1) + args_int(a, "USER_W", 2) + 1;
    class_cost_replay(r, args_int(a, "DEPTH", 1), bits, args_style(a, RAM_AUTO));
}

static struct cost_memory memory(const struct kernel_args *a) {
    return (struct cost_memory){
        .words = args_int(a, "DEPTH", 1), .bits = args_int(a, "DATA_W", 1) + args_int(a, "USER_W", 2) + 1, .times = 1};
}

const struct kernel_class rtl_replay_buffer = {.module = "rill_replay_buffer",
                                               .doc = "keeps a firing and repeats it in every repetition of the region",
                                               .traits = KERNEL_ENTRY | KERNEL_REPEATS,
                                               .contract = contract,
                                               .cost = cost,
                                               .memory = memory};
