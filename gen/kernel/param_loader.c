// SPDX-License-Identifier: Apache-2.0
// rill_param_loader: fills the stores of vector parameters.
#include "gen/kernel/class.h"

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)a, (void)at;
    c->machine = TIMING_NONE;
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    cost_per(r, args_int(a, "STORES", 1), 5, 1, 0);
    int64_t pieces = at_least(args_int(a, "PIECES", 1), 1), bits = class_beat_bits(a) / pieces;
    cost_per(r, 1, 45, (double)bits + 38, 0);
    if (pieces > 1) cost_per(r, bits * div_up(pieces, 4), 1, 0, 0); // selects the piece
}

const struct kernel_class rtl_param_loader = {.module = "rill_param_loader",
                                              .doc = "fills the stores of vector parameters before the first step",
                                              .contract = contract,
                                              .cost = cost};
