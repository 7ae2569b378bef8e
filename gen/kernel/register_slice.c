// SPDX-License-Identifier: Apache-2.0
// Contract and cost of rill_register_slice, which puts registers into a stream. MODE is 0 for wires, 1 for a simple
// register, 2 for a skid buffer, 3 for two registers that are used in turn; the module's header describes the modes.
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
