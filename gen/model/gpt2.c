// SPDX-License-Identifier: Apache-2.0
// GPT-2 (Radford et al., 2019): pre-norm blocks, learned positions, tanh-form GELU, tied head. Tensor names as in
// Hugging Face checkpoints;
// `{layer}` stands for the repetition of the region.
#include "model.h"
#include "ops.h"

enum { P_EXP_MIN = -36 /* softmax weights are small: docs/numerics.md section 3 */ };

struct gpt2 {
    struct model_builder b;
    const struct spec_model *m;
    const char *weights, *head; // formats
};

// One product: integers, then fp32. Conv1D matrices of the checkpoint are [in][out].
static int linear(struct gpt2 *g, const char *name, int x, int64_t rows, int64_t row_offset, const char *tensor) {
    struct arena *a = g->b.ir->arena;
    int acc = model_op1(&g->b, IR_OP_MATMUL, arena_printf(a, "%s_acc", name), x);
    model_int(&g->b, "rows", rows);
    model_string(&g->b, "weights", g->weights);
    model_string(&g->b, "weight", arena_printf(a, "%s.weight", tensor));
    model_string(&g->b, "bias", arena_printf(a, "%s.bias", tensor));
    model_int(&g->b, "row_offset", row_offset);
    model_int(&g->b, "transpose", 1);
    return model_op1(&g->b, IR_OP_DEQUANTIZE, name, acc);
}

static int norm(struct gpt2 *g, const char *name, int x, const char *tensor) {
    struct arena *a = g->b.ir->arena;
    int y = model_op1(&g->b, IR_OP_LAYERNORM, name, x);
    model_float(&g->b, "eps", g->m->norm_eps);
    model_string(&g->b, "gamma", arena_printf(a, "%s.weight", tensor));
    model_string(&g->b, "beta", arena_printf(a, "%s.bias", tensor));
    return y;
}

static int quantize(struct gpt2 *g, const char *name, int x, int64_t block) {
    int y = model_op1(&g->b, IR_OP_QUANTIZE, name, x);
    model_int(&g->b, "block", block);
    return y;
}

static int kv_cache(struct gpt2 *g, const char *name, int x, const char *role) {
    int y = model_op1(&g->b, IR_OP_KV_QUANTIZE, name, x);
    model_int(&g->b, "heads", g->m->heads);
    model_string(&g->b, "role", role);
    return y;
}

static int attention(struct gpt2 *g, int x) {
    int64_t n = g->m->hidden;
    int q = quantize(g, "q_mx", linear(g, "q", x, n, 0, "h.{layer}.attn.c_attn"), g->m->head_dim);
    int keys = kv_cache(g, "keys", linear(g, "k", x, n, n, "h.{layer}.attn.c_attn"), "key");
    int values = kv_cache(g, "values", linear(g, "v", x, n, 2 * n, "h.{layer}.attn.c_attn"), "value");
    int scores =
        model_op1(&g->b, IR_OP_DEQUANTIZE, "scores", model_op2(&g->b, IR_OP_ATTN_SCORES, "scores_acc", q, keys));
    int p = model_op(&g->b, IR_OP_SOFTMAX, "softmax", 3, (int[]){scores, keys, values});
    int inv = g->b.ir->node[g->b.ir->nodes - 1].out[1];
    int p_mx = quantize(g, "p_mx", p, 64);
    model_int(&g->b, "exp_min", P_EXP_MIN);
    int heads = model_op1(&g->b, IR_OP_DEQUANTIZE, "weighted",
                          model_op2(&g->b, IR_OP_ATTN_VALUES, "weighted_acc", p_mx, values));
    int o = model_op2(&g->b, IR_OP_SCALE, "attention", heads, inv);
    return linear(g, "attention_proj", quantize(g, "attention_mx", o, 0), n, 0, "h.{layer}.attn.c_proj");
}

static int mlp(struct gpt2 *g, int x) {
    int up = linear(g, "mlp_up", x, g->m->ffn, 0, "h.{layer}.mlp.c_fc");
    int act = model_op1(&g->b, IR_OP_GELU, "mlp_act", up);
    return linear(g, "mlp_down", quantize(g, "mlp_mx", act, 0), g->m->hidden, 0, "h.{layer}.mlp.c_proj");
}

static int embedding(struct gpt2 *g, int token) {
    int e = model_op1(&g->b, IR_OP_EMBED, "token_row", token);
    model_int(&g->b, "rows", g->m->vocab);
    model_int(&g->b, "cols", g->m->hidden);
    model_string(&g->b, "format", g->head);
    model_string(&g->b, "weight", "wte.weight");
    int p = model_op(&g->b, IR_OP_POSITION, "position_row", 0, NULL);
    model_int(&g->b, "rows", g->m->context);
    model_int(&g->b, "cols", g->m->hidden);
    model_string(&g->b, "weight", "wpe.weight");
    return model_op2(&g->b, IR_OP_ADD, "embedded", e, p);
}

static int block(struct gpt2 *g, int h) {
    int a = attention(g, quantize(g, "norm1_mx", norm(g, "norm1", h, "h.{layer}.ln_1"), 0));
    int h1 = model_op2(&g->b, IR_OP_ADD, "residual1", h, a);
    int m = mlp(g, quantize(g, "norm2_mx", norm(g, "norm2", h1, "h.{layer}.ln_2"), 0));
    return model_op2(&g->b, IR_OP_ADD, "residual2", h1, m);
}

static int head(struct gpt2 *g, int h) {
    int x = quantize(g, "norm_final_mx", norm(g, "norm_final", h, "ln_f"), 0);
    int acc = model_op1(&g->b, IR_OP_MATMUL, "logits_acc", x);
    model_int(&g->b, "rows", g->m->vocab);
    model_string(&g->b, "weights", g->head);
    model_string(&g->b, "weight", g->m->tied_head ? "wte.weight" : "lm_head.weight");
    return model_op1(&g->b, IR_OP_ARGMAX, "next_id", model_op1(&g->b, IR_OP_DEQUANTIZE, "logits", acc));
}

void model_expand_gpt2(struct ir *ir, const struct rill_spec *spec) {
    struct gpt2 g = {{ir, spec_place(spec, "model")},
                     spec->model,
                     spec_format_name(spec->design.weights),
                     spec_format_name(spec->design.head)};
    ir_add_region(ir, "embed", 1, IR_ALWAYS, g.b.loc);
    int token = ir_add_tensor(ir, "token", IR_ID, g.b.loc);
    ir->tensor[token].rank = 1;
    ir->tensor[token].shape[0] = (struct ir_extent){1, IR_STATIC};
    ir->input[ir->inputs++] = token;
    int h0 = embedding(&g, token);
    int layer = ir_add_region(ir, "layer", g.m->layers, IR_ALWAYS, g.b.loc);
    int h = ir_add_tensor(ir, "hidden", IR_F32, g.b.loc);
    int next = block(&g, h);
    ir->region[layer].carry[ir->region[layer].carries++] = (struct ir_carry){h, h0, next};
    ir_add_region(ir, "head", 1, IR_LAST, g.b.loc);
    ir->output[ir->outputs++] = head(&g, h);
}
