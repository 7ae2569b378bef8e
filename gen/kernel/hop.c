// SPDX-License-Identifier: Apache-2.0
// Timing contract and cost of rill_hop, the register stages of plain nets between dies, and the cost of rill_half_hop,
// the stages for beats that cross in two halves.
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

// Adds a rill_half_hop: a multiplexer (a LUT per bit of half the width), 2 * stages - 1 registers of half the width,
// and a register of the whole width. The signal for the phase of the second clock takes a LUT, two flip-flops for each
// HALF_LOADS bits, and PHASE_SOURCE flip-flops at its source. verif/cost/measured.txt has no row of it, but
// `verif/cost/measure.sh rill_half_hop DATA_W=512 STAGES=2` counts the same: 257 LUTs and 1,299 flip-flops.
void class_half_hop(int64_t bits, int64_t stages, struct cost_resources *r) {
    enum { HALF_LOADS = 32, PHASE_SOURCE = 3 };
    r->lut += bits / 2 + 1;
    r->ff += (2 * stages - 1) * (bits / 2) + bits;
    r->ff += 2 * ((bits / 2 + HALF_LOADS - 1) / HALF_LOADS) + PHASE_SOURCE;
}

bool kernel_needs_reset(const struct ir_kernel *k) {
    const struct kernel_args a = args_of(k);
    return strcmp(k->module, rtl_hop.module) != 0 || args_int(&a, "CLEAR_W", 0) > 0;
}

int kernel_hop_stages(const struct ir_kernel *k) {
    const struct kernel_args a = args_of(k);
    return strcmp(k->module, rtl_hop.module) ? -1 : (int)args_int(&a, "STAGES", 0);
}
