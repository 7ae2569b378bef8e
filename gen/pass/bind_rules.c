// SPDX-License-Identifier: Apache-2.0
// RTL parameters of the kernels, one rule per kind of operation (the bind column of ops.def). LANES and TOKENS are
// already set.
#include <string.h>

#include "bind.h"
#include "layout.h"
#include "ops.h"
#include "ports.h"
#include "../../verif/golden/ops.h" // the constants of the norms and of K: one definition for both models

static int64_t in_elements(const struct ir *ir, const struct ir_node *node) { return ir_vector_length(ir, node); }
static void set_int(struct ir *ir, int k, const char *name, int64_t v) { ir_set_int(ir, k, name, v); }

static void bind_embed(struct ir *ir, const struct ir_node *node, int k) {
    bool int4 = !strcmp(ir_attr_string(&node->attrs, "format", "int8"), "int4");
    int64_t cols = ir_attr_int(&node->attrs, "cols", 0);
    struct layout_record r = layout_record(&ir->design, cols, int4);
    set_int(ir, k, "BEAT_BITS", ir->design.beat_bits);
    set_int(ir, k, "N", cols);
    set_int(ir, k, "ROWS", ir_attr_int(&node->attrs, "rows", 0));
    set_int(ir, k, "MODE", int4);
    set_int(ir, k, "GROUP", ir->design.group);
    set_int(ir, k, "HDR_BEATS", r.header_beats);
    set_int(ir, k, "ROW_BEATS", r.data_beats);
    set_int(ir, k, "RECORD_BYTES", r.bytes);
}

static void bind_position(struct ir *ir, const struct ir_node *node, int k) {
    set_int(ir, k, "BEAT_BITS", ir->design.beat_bits);
    set_int(ir, k, "N", ir_attr_int(&node->attrs, "cols", 0));
    set_int(ir, k, "ROWS", ir_attr_int(&node->attrs, "rows", 0));
}

static void bind_layernorm(struct ir *ir, const struct ir_node *node, int k) {
    int64_t n = in_elements(ir, node);
    set_int(ir, k, "N", n);
    ir_set_float(ir, k, "EPS", (float)ir_attr_float(&node->attrs, "eps", 0));
    ir_set_float(ir, k, "VAR_SCALE", golden_norm_square_scale((size_t)n));
    ir_set_float(ir, k, "MEAN_SCALE", golden_norm_mean_scale((size_t)n));
}

static void bind_rmsnorm(struct ir *ir, const struct ir_node *node, int k) {
    int64_t n = in_elements(ir, node);
    set_int(ir, k, "N", n);
    ir_set_float(ir, k, "EPS", (float)ir_attr_float(&node->attrs, "eps", 0));
    ir_set_float(ir, k, "MS_SCALE", golden_norm_rms_scale((size_t)n));
}

static void bind_quantize(struct ir *ir, const struct ir_node *node, int k) {
    const struct ir_tensor *out = &ir->tensor[node->out[0]];
    bool per_head = ports_firings(ir, node->out[0]) > 1 && out->rank == 1;
    set_int(ir, k, "BEAT_BITS", ir->design.beat_bits);
    set_int(ir, k, "BLOCK", out->block);
    set_int(ir, k, "EXP_MIN", out->exp_min);
    set_int(ir, k, "FIRE_BLOCKS", per_head);
}

static void bind_kv_quantize(struct ir *ir, const struct ir_node *node, int k) {
    const struct ir_tensor *out = &ir->tensor[node->out[0]];
    set_int(ir, k, "BEAT_BITS", ir->design.beat_bits);
    set_int(ir, k, "HEADS", out->shape[0].bound);
    set_int(ir, k, "HEAD_DIM", out->shape[1].bound);
    bool key = !strcmp(ir_attr_string(&node->attrs, "role", ""), "key");
    set_int(ir, k, "USE_RSQRT", key);
    ir_set_float(ir, k, "RSQRT_HD", golden_rsqrt_head((size_t)out->shape[1].bound));
}

static void bind_softmax(struct ir *ir, const struct ir_node *node, int k) {
    set_int(ir, k, "HEADS", ir->tensor[node->in[0]].shape[0].bound);
    set_int(ir, k, "LAYERS", ir->region[node->region].repeat);
    set_int(ir, k, "CONTEXT", ir->design.context);
}

static void bind_scale(struct ir *ir, const struct ir_node *node, int k) {
    set_int(ir, k, "HEADS", ir->tensor[node->in[0]].shape[0].bound);
}

static void bind_elementwise(struct ir *ir, const struct ir_node *node, int k) {
    (void)ir;
    (void)node;
    (void)k;
}

static void bind_argmax(struct ir *ir, const struct ir_node *node, int k) {
    set_int(ir, k, "N", in_elements(ir, node));
}

bind_rule *const bind_rule_table[IR_OPS] = {
#define RILL_OP(id, name, ins, outs, attrs, module, ports, type, bind, golden, doc) bind_##bind,
#include "ops.def"
#undef RILL_OP
};
