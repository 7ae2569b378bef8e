// SPDX-License-Identifier: Apache-2.0
// Timing contract, cost and memory of rill_corner_turn, which sends elements in another order. It has a memory bank for
// every lane.
#include "gen/kernel/class.h"

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)at;
    int64_t lanes = at_least(args_int(a, "LANES", 1), 1);
    class_layout(a, c); // counts elements; a word has `lanes` of them
    c->layout.rows = div_up(c->layout.rows, lanes);
    c->layout.reads = div_up(c->layout.reads, lanes);
}

// Estimates the size of rill_rotate: bits of a word times the LUTs that each bit passes. A LUT holds one or two of the
// log2(elements) stages of 2:1 multiplexers, so the estimate is half the number of stages plus 1.
static int64_t rotation(int64_t elements, int64_t bits) { return elements * bits * (1 + log2_up(elements) / 2); }

// Returns whether a word never continues from one run of the innermost loop to the next. TRIPS is written with the
// innermost loop first, so item 0 is this loop.
static bool is_aligned(const struct kernel_args *a, int64_t lanes) { return args_item(a, "TRIPS", 0, 0) % lanes == 0; }

// Adds a bank for every lane, the rotation of words before the banks if there is a skew, and the logic that reads the
// banks. If the walk is aligned, this is another rotation with one set of loop counters. Otherwise every lane has its
// own counters and a multiplexer of all banks.
static void cost(const struct kernel_args *a, struct cost_resources *r) {
    int64_t lanes = at_least(args_int(a, "LANES", 2), 2), bits = args_int(a, "DATA_W", 1),
            rows = div_up(args_int(a, "BUFFER", 1), lanes);
    int64_t log = log2_up(lanes), row = at_least(log2_up(2 * rows), 1), loops = at_least(args_int(a, "LOOPS", 1), 1);
    for (int64_t l = 0; l < lanes; l++) class_cost_buffer(r, 2 * rows * class_tokens(a), bits, args_style(a, RAM_AUTO));
    if (args_int(a, "PERIOD", 0)) cost_per(r, rotation(lanes, bits), PER_ROTATE_PLACE);
    r->ff += lanes * row;
    cost_per(r, 1, PER_CORNER_TURN_BASE);
    if (is_aligned(a, lanes)) {
        cost_per(r, rotation(lanes, bits + row), PER_ROTATE_PLACE);
        r->lut += lanes * row;
        cost_per(r, loops, PER_CORNER_TURN_LOOP);
        return;
    }
    cost_per(r, lanes * lanes * (bits + row), PER_CORNER_TURN_PLACE);
    cost_per(r, lanes * loops * (row + log), PER_CORNER_TURN_COUNTER_BIT);
}

// Returns the memory of a bank, which stores both halves of the buffer. Every lane has such a bank.
static struct cost_memory memory(const struct kernel_args *a) {
    int64_t lanes = at_least(args_int(a, "LANES", 1), 1), rows = div_up(args_int(a, "BUFFER", 1), lanes);
    return (struct cost_memory){.words = 2 * rows * class_tokens(a), .bits = args_int(a, "DATA_W", 1), .times = lanes};
}

const struct kernel_class rtl_corner_turn = {.module = "rill_corner_turn",
                                             .doc = "puts elements into another order",
                                             .traits = KERNEL_REORDERS,
                                             .contract = contract,
                                             .cost = cost,
                                             .memory = memory};
