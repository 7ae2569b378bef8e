// SPDX-License-Identifier: Apache-2.0
// Parameters, timing contract and cost of rill_position, which reads the rows of an fp32 table that the positions of a
// step select. The table is from a checkpoint, or computed (rope_table).
#include "gen/kernel/class.h"

static void bind(struct ir *ir, const struct ir_node *node, int k) {
    ir_set_int(ir, k, "BEAT_BITS", ir->design.beat_bits);
    ir_set_int(ir, k, "N", ir_attr_int(&node->attrs, "cols", 0));
    ir_set_int(ir, k, "ROWS", ir_attr_int(&node->attrs, "rows", 0));
    if (ir_parts_of_step(ir) > 1) ir_set_int(ir, k, "PARTS", ir_parts_of_step(ir));
}

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)at;
    c->machine = TIMING_POSITION;
    c->fetch.rows = class_chunks(a);
    c->fetch.beats = div_up(32 * args_int(a, "N", 1), class_beat_bits(a));
    c->fetch.ask = 5;      // S_WORK for three cycles, S_ROW, S_ASK
    c->fetch.ask_next = 2; // S_ROW, S_ASK
    c->fetch.ready = 2;    // fill_tok_q, drain_q
    c->stages = 2;         // the memory, and the selection of the chunk
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    int64_t beat = class_beat_bits(a), chunk = 32 * class_lanes(a), row = div_up(32 * args_int(a, "N", 1), beat);
    int64_t ram_banks = at_least(div_up(chunk, beat), 1), words = div_up(row, ram_banks);
    struct cost_resources rows =
        cost_ram(1ll << (tok_bits(class_tokens(a)) + at_least(log2_up(words), 1)), beat, RAM_AUTO);
    cost_add(r, &rows, ram_banks);
    cost_per(r, chunk < beat ? beat : 0, PER_POSITION_BIT); // selects a chunk of a word
    cost_per(r, 1, PER_POSITION_BASE);
    r->ff += 32 * class_lanes(a);
    if (!rows.bram18) r->ff += ram_banks * beat;
    if (!class_is_power_of_two(row)) r->dsp++;
}

const struct kernel_class rtl_position = {.module = "rill_position",
                                          .traits = KERNEL_STEP | KERNEL_FETCH | KERNEL_FAULT,
                                          .bind = bind,
                                          .compute = class_rope_table,
                                          .contract = contract,
                                          .cost = cost};
