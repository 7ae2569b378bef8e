// SPDX-License-Identifier: Apache-2.0
// Contract and cost of rill_stream_demux, which distributes the firings of a stream to several streams in the order of
// its schedule.
#include "gen/kernel/class.h"

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)a, (void)at;
    c->machine = TIMING_DEMUX;
}

static void cost(const struct kernel_args *a, struct cost_resources *r) { class_cost_turns(a, r); }

const struct kernel_class rtl_stream_demux = {.module = "rill_stream_demux",
                                              .doc = "sends each firing to the reader that its schedule names",
                                              .traits = KERNEL_DEMUX,
                                              .contract = contract,
                                              .cost = cost};
