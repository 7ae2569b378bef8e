// SPDX-License-Identifier: Apache-2.0
// rill_part_steps: repeats the words of a step's parts for each layer.
#include "gen/kernel/class.h"

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)a, (void)at;
    c->machine = TIMING_PARTS;
    c->stages = 1;
}

// The words of the parts, in LUTs, and two counters. The multiplier for the place takes LUTs as well.
static void cost(const struct kernel_args *a, struct cost_resources *r) {
    enum { WORD_BITS = 64, BASE_LUT = 60, BASE_FF = 24 };
    const struct cost_resources words = cost_ram(args_int(a, "PARTS", 1), WORD_BITS, RAM_DISTRIBUTED);
    cost_add(r, &words, 1);
    r->lut += BASE_LUT;
    r->ff += BASE_FF;
}

const struct kernel_class rtl_part_steps = {.module = "rill_part_steps",
                                            .doc = "repeats the words of a step's parts for each layer",
                                            .contract = contract,
                                            .cost = cost};
