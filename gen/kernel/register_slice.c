// SPDX-License-Identifier: Apache-2.0
// rill_register_slice: registers in a stream's path.
#include "gen/kernel/class.h"

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)at;
    class_pipe(c, args_int(a, "MODE", 0) ? 1 : 0);
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    int64_t bits = args_int(a, "DATA_W", 1), mode = args_int(a, "MODE", 2);
    if (mode == 1) cost_per(r, 1, 2, (double)bits + 1, 0);
    if (mode == 3) cost_per(r, 1, (double)bits + 6, 2 * (double)bits + 5, 0);
    if (mode == 2) cost_per(r, 1, (double)bits + 4, 2 * (double)bits + 3, 0);
}

const struct kernel_class rtl_register_slice = {.module = "rill_register_slice", .contract = contract, .cost = cost};
