// SPDX-License-Identifier: Apache-2.0
// Parameters, timing contract and cost of rill_kv_quantize, which converts heads of keys or values to int8 with one
// scale per head. It multiplies the scales of keys by the factor of the attention scores.
#include <string.h>

#include "gen/kernel/class.h"
#include "gen/numerics/numerics.h" // constants that the replay uses as well

static void bind(struct ir *ir, const struct ir_node *node, int k) {
    const struct ir_tensor *out = &ir->tensor[node->out[0]];
    ir_set_int(ir, k, "BEAT_BITS", ir->design.beat_bits);
    ir_set_int(ir, k, "HEADS", out->shape[0].bound);
    ir_set_int(ir, k, "HEAD_DIM", out->shape[1].bound);
    bool key = ir_attr_choice(&node->attrs, "role", -1) == SPEC_KEY;
    ir_set_int(ir, k, "USE_RSQRT", key);
    if (!key) return;
    size_t root = (size_t)ir_attr_int(&node->attrs, "scale_root", out->shape[1].bound);
    ir_set_float(ir, k, "RSQRT_HD", golden_score_scale(ir_attr_float(&node->attrs, "scale", 0), root));
}

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)at;
    int64_t scales = class_levels(a) + 1 + LATENCY_RECIP + LATENCY_MUL; // from a head's last chunk to its factor
    class_banks(c, div_up(args_int(a, "HEAD_DIM", 1), class_lanes(a)), scales, 1 + LATENCY_MUL + LATENCY_TO_FIXED + 1);
    class_units(a, c);
    c->banks.groups = args_int(a, "HEADS", 1);
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    class_cost_banks(a, div_up(args_int(a, "HEAD_DIM", 1), class_lanes(a)), r);
    cost_per(r, class_lanes(a), PER_KV_QUANTIZE_LANE);
    cost_per(r, class_beat_bits(a), PER_KV_QUANTIZE_BIT);
    cost_per(r, 1, PER_KV_QUANTIZE_BASE);
    r->dsp += 4; // of a head's scale and its reciprocal
}

const struct kernel_class rtl_kv_quantize = {
    .module = "rill_kv_quantize", .traits = KERNEL_FAULT, .bind = bind, .contract = contract, .cost = cost};
