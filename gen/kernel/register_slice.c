// SPDX-License-Identifier: Apache-2.0
// rill_register_slice: registers in a stream's path. MODE: 0 wires, 1 simple, 2 skid, 3 swap (the module's header).
#include "gen/kernel/class.h"

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)at;
    class_pipe(c, args_int(a, "MODE", 0) ? 1 : 0);
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    int64_t bits = args_int(a, "DATA_W", 1), mode = args_int(a, "MODE", 2);
    if (mode < 1 || mode > 3) return;
    static const enum cost_term per[] = {[1] = PER_SLICE_FORWARD, [2] = PER_SLICE_FULL, [3] = PER_SLICE_REGISTERED};
    r->lut += mode == 1 ? 0 : bits;
    r->ff += mode == 1 ? bits : 2 * bits;
    cost_per(r, 1, per[mode]);
}

const struct kernel_class rtl_register_slice = {.module = "rill_register_slice", .contract = contract, .cost = cost};
