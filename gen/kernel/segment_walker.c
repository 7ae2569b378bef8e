// SPDX-License-Identifier: Apache-2.0
// Contract and cost of rill_segment_walker, which tells the read engines the order in which the matrix engine needs its
// beats.
#include "gen/kernel/class.h"

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)at;
    c->machine = TIMING_WALKER;
    c->walker.layers = args_int(a, "KV_LAYERS", 0);
    c->walker.slot_keys = args_address(a, "K_SLOT_STRIDE");
    c->walker.slot_values = args_address(a, "V_SLOT_STRIDE");
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    class_cost_schedule(r, SEGMENT_BITS, args_int(a, "ENTRIES", 1), args_int(a, "SECTIONS", 1));
    cost_per(r, 1, PER_SEGMENT_WALKER_BASE);
    if (args_value(a, "K_WINDOW")) cost_per(r, 1, PER_SEGMENT_WALKER_WINDOW);
    class_cost_window_entries(a, SEGMENT_BITS, r);
}

const struct kernel_class rtl_segment_walker = {
    .module = "rill_segment_walker",
    .doc = "sends a descriptor for each run of memory with weights, keys or values, in the order of the firings",
    .contract = contract,
    .cost = cost};
