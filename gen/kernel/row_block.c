// SPDX-License-Identifier: Apache-2.0
// Timing contract, cost and memory of rill_row_block, which collects rows of a tensor and sends their words together.
// It fills one bank while it sends the other one.
#include "gen/kernel/class.h"

static int64_t words(const struct kernel_args *a) { return args_int(a, "WORDS", 1); }

// A bank that is filled can be read one cycle later (full_q), and one that is read can be filled one cycle later
// (open_q).
static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)at;
    c->machine = TIMING_LAYOUT;
    c->stages = 1;
    c->layout = (struct timing_layout){.rows = args_int(a, "ROWS", 1) * words(a),
                                       .banks = 2,
                                       .ready = 1,
                                       .release = 1,
                                       .reads = args_int(a, "TIMES", 1) * words(a),
                                       .groups = args_int(a, "ROUNDS", 1)};
}

static int64_t depth(const struct kernel_args *a) { return (2 << at_least(log2_up(words(a)), 1)) * class_tokens(a); }

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    struct cost_resources row = {0};
    class_cost_buffer(&row, depth(a), args_int(a, "DATA_W", 1), RAM_AUTO);
    cost_add(r, &row, args_int(a, "ROWS", 1));
    cost_per(r, 1, PER_LAYOUT_CONVERTER_BASE);
}

static struct cost_memory memory(const struct kernel_args *a) {
    return (struct cost_memory){.words = depth(a), .bits = args_int(a, "DATA_W", 1), .times = args_int(a, "ROWS", 1)};
}

const struct kernel_class rtl_row_block = {.module = "rill_row_block",
                                           .doc = "collects rows of a tensor and sends their words together",
                                           .traits = KERNEL_REORDERS,
                                           .contract = contract,
                                           .cost = cost,
                                           .memory = memory};
