// SPDX-License-Identifier: Apache-2.0
// rill_kv_tracker: tracks which layers of keys and values are in memory.
#include "gen/kernel/class.h"

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)a, (void)at;
    c->machine = TIMING_NONE;
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    int64_t bits = args_int(a, "COUNT_W", 1); // three counts for each engine
    cost_per(r, args_int(a, "K_WRITERS", 1) + args_int(a, "V_WRITERS", 1), 7.0 * (double)bits, 3 * (double)bits + 1, 0);
    cost_per(r, 1, 60, 226, 0);
}

const struct kernel_class rtl_kv_tracker = {.module = "rill_kv_tracker",
                                            .doc = "counts the layers whose keys and values are in memory",
                                            .contract = contract,
                                            .cost = cost};
