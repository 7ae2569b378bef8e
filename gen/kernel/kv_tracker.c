// SPDX-License-Identifier: Apache-2.0
// Timing contract and cost of rill_kv_tracker, which counts the pairs of step and layer whose keys and full blocks of
// values are in memory. A walker reads a layer's KV cache only after the pair of its step and this layer is counted.
#include "gen/kernel/class.h"

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)a, (void)at;
    c->machine = TIMING_NONE; // it moves no words; CYCLES_KV_WRITTEN includes its delay
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    // Each write engine has three counters of this width. PER_KV_TRACKER_COUNT_BIT is the cost of a bit of all three.
    int64_t bits = args_int(a, "COUNT_W", 1);
    int64_t writers = args_int(a, "K_WRITERS", 1) + args_int(a, "V_WRITERS", 1);
    cost_per(r, writers * bits, PER_KV_TRACKER_COUNT_BIT);
    cost_per(r, writers, PER_KV_TRACKER_WRITER);
    cost_per(r, 1, PER_KV_TRACKER_BASE);
}

const struct kernel_class rtl_kv_tracker = {
    .module = "rill_kv_tracker",
    .doc = "counts the pairs of step and layer whose keys and full blocks of values are in memory",
    .contract = contract,
    .cost = cost};
