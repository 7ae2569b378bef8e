// SPDX-License-Identifier: Apache-2.0
// Parameters, contract and cost of rill_logprobs, which stores the logits of a step and makes a record of log
// probabilities for each generated id.
#include "gen/kernel/class.h"

enum {
    RECORD_BITS = 512,
    FEW_UNITS = 4,     // UNITS where the next step runs while the logits are read again
    RECORD_STAGES = 29 // cycles from an id to its record, beyond those in which logits are read and inserted
};

// With drafts or slots, ids of a step are handled one after the other, and the next step waits for them. Then as many
// logits are read per cycle as came in. In other designs the next step begins at once, so fewer are enough.
static void bind(struct ir *ir, const struct ir_node *node, int k) {
    const struct ir_design *d = &ir->design;
    int64_t lanes = ir_node_lanes(ir, ir->tensor[node->out[0]].producer);
    ir_set_int(ir, k, "LANES", lanes);
    ir_set_int(ir, k, "TOKENS", d->tokens);
    ir_set_int(ir, k, "N", ir_vector_length(ir, node));
    if (!ir_takes_last(ir, node->region)) ir_set_int(ir, k, "ROWS", d->tokens);
    ir_set_int(ir, k, "UNITS", ir_chooses_all(ir) ? lanes : at_most(lanes, FEW_UNITS));
    ir_set_int(ir, k, "TOP", d->logprobs);
    if (d->slots) ir_set_int(ir, k, "SLOTS", d->slots);
}

static int64_t units(const struct kernel_args *a) { return at_least(args_int(a, "UNITS", 1), 1); }

// Returns the expected number of insertions into the list of the largest logits, for logits in random order: `top` for
// the first elements, then top * ln(n / top).
static int64_t insertions(const struct kernel_args *a) {
    int64_t top = args_int(a, "TOP", 5), n = args_int(a, "N", 1);
    return n <= top ? n : top + top * 7 * log2_up(n / top) / 10;
}

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)at;
    c->machine = TIMING_LOGPROBS;
    c->stages = 1;
    c->logprobs.ready = class_levels(a) + 4;
    c->logprobs.record =
        class_chunks(a) * (class_lanes(a) / units(a)) + log2_up(units(a)) + RECORD_STAGES + insertions(a);
}

static struct cost_memory memory(const struct kernel_args *a) {
    return (struct cost_memory){
        .words = class_chunks(a) * args_int(a, "ROWS", 1), .bits = class_lanes(a) * 32, .times = 1};
}

// Adds the storage; for each lane its key and a node of the maximum; for each unit a difference, an exponential, its
// place on the grid, a node of the sum and a key; the places of the list; and the record. Most amounts are sums over
// the registers and comparators of the module. LOGPROBS_BASE estimates its control.
static void cost(const struct kernel_args *a, struct cost_resources *r) {
    enum { FIXED_BITS = 41, NODE_BITS = 48, KEY_BITS = 32, PLACE_BITS = 32 + 24 };
    struct cost_memory m = memory(a);
    int64_t rows = args_int(a, "ROWS", 1), top = args_int(a, "TOP", 5);
    cost_ram_add(r, m.words, m.bits, args_style(a, RAM_AUTO), 1);
    const struct cost_resources lane = {.lut = 3 * KEY_BITS, .ff = 4 * KEY_BITS},
                                unit = {.lut = NODE_BITS + 4 * KEY_BITS, .ff = NODE_BITS + 2 * KEY_BITS + 8},
                                place = {.lut = PLACE_BITS + KEY_BITS, .ff = PLACE_BITS},
                                row = {.lut = KEY_BITS, .ff = KEY_BITS}, record = {.ff = RECORD_BITS};
    cost_add(r, &lane, class_lanes(a));
    cost_add(r, &unit, units(a));
    cost_per(r, units(a), PER_FP32_ADD);
    cost_per(r, units(a), PER_FP32_EXP);
    cost_per(r, units(a) * FIXED_BITS, PER_FP32_TO_FIXED_BIT);
    cost_add(r, &place, top);
    cost_add(r, &row, rows);
    cost_add(r, &record, 1);
    cost_per(r, 1, PER_LOGPROBS_BASE);
}

const struct kernel_class rtl_logprobs = {.module = "rill_logprobs",
                                          .doc = "makes a record of log probabilities for each generated id",
                                          .traits = KERNEL_RECORDS,
                                          .bind = bind,
                                          .contract = contract,
                                          .cost = cost,
                                          .memory = memory};
