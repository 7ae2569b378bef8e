// SPDX-License-Identifier: Apache-2.0
// rill_stream_mux: merges firings of several streams in turn.
#include "gen/kernel/class.h"

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)a, (void)at;
    c->machine = TIMING_MUX;
}

// The port's number selects the word, among four words in a LUT.
static void cost(const struct kernel_args *a, struct cost_resources *r) {
    int64_t word = args_int(a, "DATA_W", 1) + args_int(a, "USER_W", 2) + 1, ports = class_ports(a);
    class_cost_turns(a, r);
    int64_t fours = div_up(ports, 4); // a LUT selects among four words, another LUT among the results
    cost_per(r, word, (double)(fours > 1 ? fours + 1 : 1), 0, 0);
}

const struct kernel_class rtl_stream_mux = {.module = "rill_stream_mux",
                                            .doc = "passes on the firings of its inputs in the order of its schedule",
                                            .traits = KERNEL_MUX,
                                            .contract = contract,
                                            .cost = cost};
