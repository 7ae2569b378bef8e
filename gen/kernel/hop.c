// SPDX-License-Identifier: Apache-2.0
// rill_hop: register stages from die to die.
#include "gen/kernel/class.h"
#include "gen/kernel/kernel.h"

#include <string.h>

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)a, (void)at;
    c->machine = TIMING_NONE;
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    r->ff += args_int(a, "STAGES", 0) * args_int(a, "DATA_W", 1);
}

const struct kernel_class rtl_hop = {
    .module = "rill_hop", .doc = "registers between dies", .contract = contract, .cost = cost};

int kernel_hop_stages(const struct ir_kernel *k) {
    const struct kernel_args a = args_of(k);
    return strcmp(k->module, rtl_hop.module) ? -1 : (int)args_int(&a, "STAGES", 0);
}
