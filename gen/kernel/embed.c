// SPDX-License-Identifier: Apache-2.0
// Parameters, timing contract and cost of rill_embed, which reads the row of a quantized table for each token id and
// sends it as fp32.
#include <string.h>

#include "gen/kernel/class.h"
#include "gen/kernel/kernel.h"
#include "gen/ir/layout.h"

static void bind(struct ir *ir, const struct ir_node *node, int k) {
    enum spec_table_format format = layout_table_format(node); // the values of the parameter MODE
    int64_t cols = ir_attr_int(&node->attrs, "cols", 0);
    struct layout_record r = layout_record(&ir->design, cols, format);
    ir_set_int(ir, k, "BEAT_BITS", ir->design.beat_bits);
    ir_set_int(ir, k, "N", cols);
    ir_set_int(ir, k, "ROWS", ir_attr_int(&node->attrs, "rows", 0));
    ir_set_int(ir, k, "MODE", format);
    ir_set_int(ir, k, "GROUP", ir->design.group);
    ir_set_int(ir, k, "HDR_BEATS", r.header_beats);
    ir_set_int(ir, k, "ROW_BEATS", r.data_beats);
    ir_set_int(ir, k, "RECORD_BYTES", r.bytes);
}

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)at;
    c->machine = TIMING_EMBED;
    c->fetch.rows = class_chunks(a);
    c->fetch.beats = args_int(a, "HDR_BEATS", 0) + args_int(a, "ROW_BEATS", 1);
    c->fetch.ask = 6;      // S_WORK for five cycles, then S_ASK
    c->fetch.ask_next = 1; // S_ID follows S_ASK
    c->fetch.ready = 2;    // fill_tok_q, drain_q
    // DEPTH of the module: two stages up to the integer, its conversion to fp32, and one or two products with scales.
    c->stages = args_int(a, "MODE", 0) == SPEC_TABLE_INT4 ? 12 : 9;
}

// Adds the buffer in which the rows of all tokens wait, the logic of the lanes, and for int4 that of the group scales.
static void cost(const struct kernel_args *a, struct cost_resources *r) {
    bool wide = args_int(a, "MODE", 0) == SPEC_TABLE_INT16;
    int64_t beat = class_beat_bits(a), banks = at_least(wide ? class_lanes(a) * 16 / beat : 1, 1),
            row_words = layout_div_up(args_int(a, "ROW_BEATS", 1), banks),
            words = 1ll << (tok_bits(class_tokens(a)) + at_least(log2_up(row_words), 1));
    struct cost_resources rows = cost_ram(words, beat, RAM_AUTO);
    cost_add(r, &rows, banks);
    cost_per(r, class_lanes(a), wide ? PER_EMBED_LANE_INT16 : PER_EMBED_LANE);
    cost_per(r, banks * beat, PER_EMBED_BIT);
    if (!rows.bram18) r->ff += banks * beat; // output register, which a block RAM includes
    cost_per(r, 1, PER_EMBED_BASE);
    cost_per(r, args_int(a, "MODE", 0) == SPEC_TABLE_INT4, PER_EMBED_INT4);
    cost_per(r, args_int(a, "REPEAT", 1) > 1, PER_EMBED_REPEAT);            // selects the table of the repetition
    cost_per(r, beat * (args_int(a, "PARTS", 1) - 1), PER_EMBED_PARTS_BIT); // selects the channel's beat
    r->dsp += 2;                                                            // of the offset of a row
}

// Also used for rill_position and for custom kernels that read a table, because their parameters have the same names.
struct kernel_table kernel_table(const struct ir_kernel *k) {
    const struct kernel_args a = args_of(k);
    return (struct kernel_table){.offset = args_address(&a, "TABLE_OFFSET"),
                                 .stride = args_address(&a, "TABLE_STRIDE"),
                                 .row_bytes = args_int(&a, "RECORD_BYTES", 0),
                                 .rows = at_least(args_int(&a, "ROWS", 1), 1),
                                 .parts = at_least(args_int(&a, "PARTS", 1), 1)};
}

const struct kernel_class rtl_embed = {.module = "rill_embed",
                                       .traits = KERNEL_FETCH | KERNEL_DEALT | KERNEL_FAULT,
                                       .bind = bind,
                                       .contract = contract,
                                       .cost = cost};
