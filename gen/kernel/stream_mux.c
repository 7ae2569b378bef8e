// SPDX-License-Identifier: Apache-2.0
// rill_stream_mux: firings of several streams in turn.
#include "gen/kernel/class.h"

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)a, (void)at;
    c->machine = TIMING_MUX;
}

// A multiplexer of any number of ports is dearer than one of a power of two.
static void cost(const struct kernel_args *a, struct cost_resources *r) {
    int64_t word = args_int(a, "DATA_W", 1) + args_int(a, "USER_W", 2) + 1, ports = class_ports(a);
    class_cost_turns(a, r);
    cost_per(r, word * ports, (ports & (ports - 1)) == 0 ? 0.5 : 0.76, 0, 0);
}

const struct kernel_class rtl_stream_mux = {
    .module = "rill_stream_mux", .traits = KERNEL_MUX, .contract = contract, .cost = cost};
