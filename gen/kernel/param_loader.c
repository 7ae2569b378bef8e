// SPDX-License-Identifier: Apache-2.0
// Timing contract and cost of rill_param_loader, which fills the parameter stores from the memory image before the
// first step.
#include "gen/kernel/class.h"

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)a, (void)at;
    c->machine = TIMING_NONE;
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    cost_per(r, args_int(a, "STORES", 1), PER_PARAM_LOADER_STORE);
    int64_t pieces = at_least(args_int(a, "PIECES", 1), 1), bits = class_beat_bits(a) / pieces;
    cost_per(r, 1, PER_PARAM_LOADER_BASE);
    r->ff += bits;
    if (pieces > 1) r->lut += bits * div_up(pieces, 4); // selects the piece of a beat
}

const struct kernel_class rtl_param_loader = {.module = "rill_param_loader",
                                              .doc = "fills the stores of vector parameters before the first step",
                                              .contract = contract,
                                              .cost = cost};
