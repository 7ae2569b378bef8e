// SPDX-License-Identifier: Apache-2.0
// The operations of include/ops.def on values: each calls the golden function of docs/numerics.md for one position.
#include <string.h>

#include "../../include/ops.h"
#include "ops.h"
#include "run_internal.h"

static const struct ir_tensor *in_tensor(const struct run_op *op, int i) { return &op->run->ir->tensor[op->node->in[i]]; }
static const struct ir_tensor *out_tensor(const struct run_op *op, int i) { return &op->run->ir->tensor[op->node->out[i]]; }
static const void *at(const struct run_op *op, int64_t offset) { return store_at(&op->run->store, offset); }
static size_t elements(const struct run_value *v) { return (size_t)(v->rows * v->cols); }

static void run_embed(struct run_op *op) {
    const struct store_entry *w = op->weights;
    int64_t id = op->in[0]->id;
    if (id >= w->rows) {
        golden_fault_raise(op->fault, GOLDEN_FAULT_DOMAIN);
        id = 0;
    }
    const uint8_t *gs = at(op, w->group_scale);
    golden_embed((size_t)w->k, w->group ? (size_t)w->group : (size_t)w->k, (const int8_t *)at(op, w->q) + id * w->k, gs ? gs + id * w->groups : NULL,
                 ((const float *)at(op, w->row_scale))[id], op->out[0]->f32, op->fault);
}

static void run_position(struct run_op *op) {
    const struct store_entry *w = op->weights;
    memcpy(op->out[0]->f32, (const float *)at(op, w->f32) + op->position * w->k, sizeof(float) * (size_t)w->k);
}

static float eps_of(const struct run_op *op) { return (float)ir_attr_float(&op->node->attrs, "eps", 1e-5); }

static void run_layernorm(struct run_op *op) {
    const float *gain = at(op, op->weights->f32);
    size_t n = elements(op->in[0]);
    golden_layernorm(n, eps_of(op), op->in[0]->f32, gain, gain + n, op->out[0]->f32, op->fault);
}

static void run_rmsnorm(struct run_op *op) {
    golden_rmsnorm(elements(op->in[0]), eps_of(op), op->in[0]->f32, at(op, op->weights->f32), op->out[0]->f32, op->fault);
}

// Blocks start anew in every row.
static void run_quantize(struct run_op *op) {
    const struct ir_tensor *t = out_tensor(op, 0);
    int64_t stride = t->shape[t->rank - 1].bound, shifts = (int64_t)golden_block_count((size_t)stride, (size_t)t->block);
    for (int64_t r = 0; r < op->in[0]->rows; r++)
        golden_quantize_mx((size_t)op->in[0]->cols, (size_t)t->block, (int)t->exp_min, op->in[0]->f32 + r * stride, op->out[0]->q + r * stride,
                           op->out[0]->shift + r * shifts, op->fault);
}

static void run_matmul(struct run_op *op) {
    const struct store_entry *w = op->weights;
    const int8_t *q = at(op, w->q);
    const uint8_t *gs = at(op, w->group_scale);
    size_t block = (size_t)in_tensor(op, 0)->block;
    for (int64_t n = 0; n < w->rows; n++)
        op->out[0]->acc[n] = golden_dot((size_t)w->k, block, q + n * w->k, gs ? gs + n * w->groups : NULL, op->in[0]->q, op->in[0]->shift);
}

// The weights of the product whose integers these are; NULL for attention, which has none.
static const struct store_entry *product_weights(const struct run_op *op) {
    int producer = in_tensor(op, 0)->producer;
    return op->run->ir->node[producer].op == IR_OP_MATMUL ? store_find(&op->run->store, producer, op->repetition) : NULL;
}

static void run_dequantize(struct run_op *op) {
    const struct store_entry *w = product_weights(op);
    const struct ir_tensor *t = in_tensor(op, 0);
    int64_t stride = t->shape[t->rank - 1].bound;
    const float *scale = w ? at(op, w->row_scale) : NULL, *bias = w ? at(op, w->bias) : NULL;
    for (int64_t r = 0; r < op->in[0]->rows; r++)
        for (int64_t c = 0; c < op->in[0]->cols; c++) {
            int64_t i = r * stride + c, acc = op->in[0]->acc[i];
            op->out[0]->f32[i] = !w ? golden_dequantize_raw(acc, (int)t->exp_min, op->fault)
                                    : golden_dequantize(acc, golden_stored_scale(scale[c], (int)t->exp_min, op->fault), bias ? bias[c] : 0.0f, op->fault);
        }
}

static void run_kv_quantize(struct run_op *op) {
    const struct ir_tensor *t = out_tensor(op, 0);
    size_t heads = (size_t)t->shape[0].bound, hd = (size_t)t->shape[1].bound;
    bool key = !strcmp(ir_attr_string(&op->node->attrs, "role", ""), "key");
    struct run_cache *cache = &op->run->cache[op->node - op->run->ir->node][op->repetition];
    for (size_t h = 0; h < heads; h++) {
        float scale = golden_quantize_kv(hd, op->in[0]->f32 + h * hd, op->out[0]->q + h * hd, op->fault);
        op->out[0]->scale[h] = key ? golden_k_scale(scale, hd, op->fault) : scale;
    }
    memcpy(cache->q + (size_t)op->position * heads * hd, op->out[0]->q, heads * hd);
    memcpy(cache->scale + (size_t)op->position * heads, op->out[0]->scale, heads * sizeof(float));
}

static void run_attn_scores(struct run_op *op) {
    const struct ir_tensor *k = in_tensor(op, 1);
    size_t heads = (size_t)k->shape[0].bound, hd = (size_t)k->shape[1].bound;
    const struct run_cache *cache = run_cache_of(op, 1);
    int64_t stride = out_tensor(op, 0)->shape[1].bound;
    for (size_t h = 0; h < heads; h++)
        for (int64_t t = 0; t <= op->position; t++)
            op->out[0]->acc[(int64_t)h * stride + t] =
                golden_dot(hd, hd, cache->q + ((size_t)t * heads + h) * hd, NULL, op->in[0]->q + h * hd, op->in[0]->shift + h);
}

static void run_softmax(struct run_op *op) {
    size_t heads = (size_t)in_tensor(op, 1)->shape[0].bound, count = (size_t)op->position + 1;
    const struct run_cache *keys = run_cache_of(op, 1), *values = run_cache_of(op, 2);
    int64_t stride = out_tensor(op, 0)->shape[1].bound;
    float kscale[count], vscale[count];
    for (size_t h = 0; h < heads; h++) {
        for (size_t t = 0; t < count; t++) {
            kscale[t] = keys->scale[t * heads + h];
            vscale[t] = values->scale[t * heads + h];
        }
        op->out[1]->f32[h] = golden_softmax(count, op->in[0]->f32 + (int64_t)h * stride, kscale, vscale, op->out[0]->f32 + (int64_t)h * stride, op->fault);
    }
}

static void run_attn_values(struct run_op *op) {
    const struct ir_tensor *v = in_tensor(op, 1), *p = in_tensor(op, 0);
    size_t heads = (size_t)v->shape[0].bound, hd = (size_t)v->shape[1].bound, block = (size_t)p->block;
    int64_t stride = p->shape[1].bound, shifts = (int64_t)golden_block_count((size_t)stride, block);
    const struct run_cache *cache = run_cache_of(op, 1);
    for (size_t h = 0; h < heads; h++)
        for (size_t d = 0; d < hd; d++) {
            int64_t acc = 0;
            for (int64_t t = 0; t <= op->position; t++) {
                int64_t product = op->in[0]->q[(int64_t)h * stride + t] * cache->q[((size_t)t * heads + h) * hd + d];
                acc += product * ((int64_t)1 << op->in[0]->shift[(int64_t)h * shifts + t / (int64_t)block]);
            }
            op->out[0]->acc[h * hd + d] = acc;
        }
}

static void run_scale(struct run_op *op) {
    size_t cols = (size_t)op->in[0]->cols;
    for (int64_t r = 0; r < op->in[0]->rows; r++)
        golden_scale(cols, op->in[1]->f32[r], op->in[0]->f32 + r * (int64_t)cols, op->out[0]->f32 + r * (int64_t)cols, op->fault);
}

static void run_gelu(struct run_op *op) { golden_gelu(elements(op->in[0]), op->in[0]->f32, op->out[0]->f32, op->fault); }
static void run_silu(struct run_op *op) { golden_silu(elements(op->in[0]), op->in[0]->f32, op->out[0]->f32, op->fault); }
static void run_add(struct run_op *op) { golden_add(elements(op->in[0]), op->in[0]->f32, op->in[1]->f32, op->out[0]->f32, op->fault); }
static void run_mul(struct run_op *op) { golden_mul(elements(op->in[0]), op->in[0]->f32, op->in[1]->f32, op->out[0]->f32, op->fault); }
static void run_argmax(struct run_op *op) { op->out[0]->id = (uint32_t)golden_argmax(elements(op->in[0]), op->in[0]->f32, op->fault); }

run_function *const run_table[IR_OPS] = {
#define RILL_OP(id, name, ins, outs, attrs, module, ports, type, bind, golden, doc) run_##golden,
#include "../../include/ops.def"
#undef RILL_OP
};
