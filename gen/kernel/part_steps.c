// SPDX-License-Identifier: Apache-2.0
// Timing contract and cost of rill_part_steps. In a design with slots, it repeats the words of a step's parts for each
// layer, for the kernels of an attention.
#include <string.h>

#include "gen/kernel/class.h"

bool kernel_sends_parts(const struct ir_kernel *k) { return !strcmp(k->module, rtl_part_steps.module); }

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)a, (void)at;
    c->machine = TIMING_PARTS;
    c->stages = 1;
}

// Adds a LUTRAM for the words of the parts, two counters, and a multiplier in LUTs, which calculates the field PLACE.
// The term is an estimate: verif/cost/measured.txt has no synthesis of this module.
static void cost(const struct kernel_args *a, struct cost_resources *r) {
    enum { WORD_BITS = 64 };
    const struct cost_resources words = cost_ram(args_int(a, "PARTS", 1), WORD_BITS, RAM_DISTRIBUTED);
    cost_add(r, &words, 1);
    cost_per(r, 1, PER_PART_STEPS_BASE);
}

const struct kernel_class rtl_part_steps = {.module = "rill_part_steps",
                                            .doc = "repeats the words of a step's parts for each layer",
                                            .contract = contract,
                                            .cost = cost};
