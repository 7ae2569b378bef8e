// SPDX-License-Identifier: Apache-2.0
// Timing contract, cost and memory of rill_layout_converter, which sends whole words in another order. It fills one
// bank while it reads the other one.
#include "gen/kernel/class.h"

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)at;
    class_layout(a, c);
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    class_cost_buffer(r, 2 * args_int(a, "BUFFER", 1) * class_tokens(a), args_int(a, "DATA_W", 1),
                      args_style(a, RAM_AUTO));
    cost_per(r, 1, PER_LAYOUT_CONVERTER_BASE);
}

static struct cost_memory memory(const struct kernel_args *a) {
    return (struct cost_memory){
        .words = 2 * args_int(a, "BUFFER", 1) * class_tokens(a), .bits = args_int(a, "DATA_W", 1), .times = 1};
}

const struct kernel_class rtl_layout_converter = {.module = "rill_layout_converter",
                                                  .doc = "puts words into another order",
                                                  .traits = KERNEL_REORDERS,
                                                  .contract = contract,
                                                  .cost = cost,
                                                  .memory = memory};
