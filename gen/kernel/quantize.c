// SPDX-License-Identifier: Apache-2.0
// Parameters, timing contract and cost of rill_quantize, which converts fp32 to mantissas of 8 or 10 bits with one
// exponent per block.
#include "gen/kernel/class.h"
#include "gen/kernel/ports.h"

// Sets the parameters. FIRE_BLOCKS 1 ends a firing of the result after each block. It is set if the result is sent head
// by head, because a head is then one block. With FIRE_BLOCKS 0, the result has the firings of the operand.
static void bind(struct ir *ir, const struct ir_node *node, int k) {
    const struct ir_tensor *out = &ir->tensor[node->out[0]];
    bool per_head = ports_firings(ir, node->out[0]) > 1 && out->rank == 1;
    ir_set_int(ir, k, "BEAT_BITS", ir->design.beat_bits);
    ports_set_mantissas(ir, k);
    ir_set_int(ir, k, "BLOCK", out->block);
    ir_set_int(ir, k, "EXP_MIN", out->exp_min);
    ir_set_int(ir, k, "FIRE_BLOCKS", per_head);
}

// Most blocks that are stored at a time. The buffer has the space of two of the largest blocks of all tokens, so more
// than two blocks fit only if they are smaller.
enum { BANKS = 4 };

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    int64_t chunks = div_up(args_int(a, "BLOCK", 1), class_lanes(a));
    (void)at;
    class_banks(c, chunks, class_max_delay(a), LATENCY_MX_LANE + 1); // 1: rill_unit_packer
    c->banks.banks = BANKS;
    c->banks.room = 2 * class_tokens(a) * chunks;
    class_units(a, c);
    c->banks.pads = true;
    c->banks.groups = args_int(a, "FIRE_BLOCKS", 0);
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    class_cost_banks(a, div_up(args_int(a, "BLOCK", 1), class_lanes(a)), r);
    double wide = (double)(args_int(a, "X_BITS", 8) - 8) / 2; // pairs of mantissa bits beyond 8
    cost_mix(r, class_lanes(a), 1, PER_QUANTIZE_LANE, wide, PER_QUANTIZE_LANE_WIDE);
    cost_mix(r, class_beat_bits(a), 1, PER_QUANTIZE_BIT, wide, PER_QUANTIZE_BIT_WIDE);
    cost_per(r, 1, PER_QUANTIZE_BASE);
}

const struct kernel_class rtl_quantize = {
    .module = "rill_quantize", .traits = KERNEL_FAULT, .bind = bind, .contract = contract, .cost = cost};
