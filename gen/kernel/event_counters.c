// SPDX-License-Identifier: Apache-2.0
// Timing contract and cost of rill_event_counters, which counts for the host the cycles in which each event happens. It
// moves no words.
#include "gen/kernel/class.h"

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)a, (void)at;
    c->machine = TIMING_NONE;
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    cost_per(r, args_int(a, "EVENTS", 1), PER_EVENT_COUNTER);
}

const struct kernel_class rtl_event_counters = {.module = "rill_event_counters",
                                                .doc = "counts the cycles of events for the host",
                                                .contract = contract,
                                                .cost = cost};
