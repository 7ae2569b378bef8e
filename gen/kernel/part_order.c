// SPDX-License-Identifier: Apache-2.0
// rill_part_order: cuts a step's tensor into its parts, or joins them.
#include "gen/kernel/class.h"

static int64_t words_of(const struct kernel_args *a) { return args_int(a, "WORDS", 1); }

// In the simulator of streams every step has one part, whose words leave in the order in which they came.
static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)at;
    int64_t rows = args_int(a, "FIRE_WORDS", words_of(a));
    c->machine = TIMING_LAYOUT;
    c->stages = 1;
    c->layout = (struct timing_layout){.rows = rows, .banks = 1, .ready = 1, .release = 1, .reads = rows, .groups = 1};
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    enum { BASE_LUT = 60, BASE_FF = 40 };
    class_cost_buffer(r, words_of(a) * class_tokens(a), args_int(a, "DATA_W", 1), RAM_AUTO);
    r->lut += BASE_LUT;
    r->ff += BASE_FF;
}

const struct kernel_class rtl_part_order = {.module = "rill_part_order",
                                            .doc = "cuts a step's tensor into those of its parts, or joins them",
                                            .contract = contract,
                                            .cost = cost};
