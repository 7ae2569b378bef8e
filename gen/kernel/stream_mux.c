// SPDX-License-Identifier: Apache-2.0
// Contract and cost of rill_stream_mux, which merges firings of several streams into one in the order of its schedule.
#include "gen/kernel/class.h"

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)a, (void)at;
    c->machine = TIMING_MUX;
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    class_cost_turns(a, r);
    class_cost_select(r, args_int(a, "DATA_W", 1) + args_int(a, "USER_W", 2) + 1, class_ports(a));
}

const struct kernel_class rtl_stream_mux = {.module = "rill_stream_mux",
                                            .doc = "passes on the firings of its inputs in the order of its schedule",
                                            .traits = KERNEL_MUX,
                                            .contract = contract,
                                            .cost = cost};
