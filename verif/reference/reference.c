// SPDX-License-Identifier: Apache-2.0
// GPT-2 (Radford et al., 2019), readable top to bottom: embed, layers of attention and MLP, final norm, head.
#include "reference.h"

#include <math.h>
#include <string.h>

// ---- the forward pass ----

// Eight partial sums, so that a compiler may use vectors without reordering.
static float dot(const float *a, const float *b, int64_t n) {
    float sum[8] = {0}, rest = 0;
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int j = 0; j < 8; j++) sum[j] += a[i + j] * b[i + j];
    for (; i < n; i++) rest += a[i] * b[i];
    return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7])) + rest;
}

static void linear(const struct reference_linear *l, const float *x, float *y) {
    for (int64_t r = 0; r < l->rows; r++) y[r] = dot(l->w + r * l->k, x, l->k) + (l->bias ? l->bias[r] : 0);
}

static void layernorm(const struct reference_norm *norm, float eps, const float *x, float *y, int64_t n) {
    double mean = 0, square = 0;
    for (int64_t i = 0; i < n; i++) mean += x[i];
    mean /= (double)n;
    for (int64_t i = 0; i < n; i++) square += (x[i] - mean) * (x[i] - mean);
    float scale = (float)(1.0 / sqrt(square / (double)n + eps));
    for (int64_t i = 0; i < n; i++) y[i] = (x[i] - (float)mean) * scale * norm->gamma[i] + norm->beta[i];
}

static float gelu(float x) {
    const float c = 0.79788456f; // sqrt(2 / pi)
    return 0.5f * x * (1.0f + tanhf(c * (x + 0.044715f * x * x * x)));
}

// In place; n >= 1.
static void softmax(float *x, int64_t n) {
    float max = x[0], sum = 0;
    for (int64_t i = 1; i < n; i++) max = x[i] > max ? x[i] : max;
    for (int64_t i = 0; i < n; i++) sum += x[i] = expf(x[i] - max);
    for (int64_t i = 0; i < n; i++) x[i] /= sum;
}

// q, out: [hidden]; weights: [context] scratch. Keys and values of positions 0 .. position.
static void attention(const struct gpt2_config *c, const struct reference_layer *layer, const float *q,
                      int64_t position, float *weights, float *out) {
    int64_t head_dim = c->hidden / c->heads;
    float scale = 1.0f / sqrtf((float)head_dim);
    memset(out, 0, (size_t)c->hidden * sizeof *out);
    for (int64_t at = 0; at < c->hidden; at += head_dim) { // one head after the other
        for (int64_t t = 0; t <= position; t++)
            weights[t] = dot(q + at, layer->keys + t * c->hidden + at, head_dim) * scale;
        softmax(weights, position + 1);
        for (int64_t t = 0; t <= position; t++)
            for (int64_t d = at; d < at + head_dim; d++) out[d] += weights[t] * layer->values[t * c->hidden + d];
    }
}

static void run_layer(const struct gpt2_config *c, struct reference_layer *layer, float *x, int64_t position,
                      float *scratch) {
    int64_t n = c->hidden;
    float *normed = scratch, *qkv = normed + n, *mixed = qkv + 3 * n, *delta = mixed + n, *wide = delta + n;
    layernorm(&layer->norm1, (float)c->norm_eps, x, normed, n);
    linear(&layer->qkv, normed, qkv);
    memcpy(layer->keys + position * n, qkv + n, (size_t)n * sizeof *qkv);
    memcpy(layer->values + position * n, qkv + 2 * n, (size_t)n * sizeof *qkv);
    attention(c, layer, qkv, position, wide, mixed);
    linear(&layer->out, mixed, delta);
    for (int64_t i = 0; i < n; i++) x[i] += delta[i];
    layernorm(&layer->norm2, (float)c->norm_eps, x, normed, n);
    linear(&layer->up, normed, wide);
    for (int64_t i = 0; i < c->ffn; i++) wide[i] = gelu(wide[i]);
    linear(&layer->down, wide, delta);
    for (int64_t i = 0; i < n; i++) x[i] += delta[i];
}

const float *reference_step(struct reference_model *m, uint32_t id, int64_t position, bool want_logits) {
    const struct gpt2_config *c = &m->config;
    if (id >= c->vocab || position < 0 || position >= c->context) base_fatal("reference: id or position out of range");
    int64_t n = c->hidden;
    float *x = m->scratch, *rest = x + n;
    for (int64_t i = 0; i < n; i++) x[i] = m->token_table[id * n + i] + m->position_table[position * n + i];
    for (int64_t l = 0; l < c->layers; l++) run_layer(c, &m->layers[l], x, position, rest);
    if (!want_logits) return NULL;
    layernorm(&m->norm_final, (float)c->norm_eps, x, rest, n);
    linear(&m->head, rest, m->logits);
    return m->logits;
}

uint32_t reference_argmax(const float *x, int64_t n) {
    int64_t best = 0;
    for (int64_t i = 1; i < n; i++)
        if (x[i] > x[best]) best = i;
    return (uint32_t)best;
}

// ---- loading ----

struct loader {
    struct arena *arena;
    struct checkpoint *checkpoint;
    struct diag *diag;
    int64_t hidden;
    bool ok;
};

static float *load_matrix(struct loader *l, const char *name, int64_t rows, int64_t cols, bool transpose,
                          bool is_table) {
    struct checkpoint_slice slice = {name, rows, cols, transpose, 0, rows, is_table};
    float *w = checkpoint_matrix(l->checkpoint, l->arena, &slice, l->diag);
    l->ok = l->ok && w;
    return w;
}

static const float *load_vector(struct loader *l, const char *name, int64_t n, enum checkpoint_role role) {
    const float *v = checkpoint_vector(l->checkpoint, l->arena, name, n, 0, n, role, l->diag);
    l->ok = l->ok && v;
    return v;
}

static struct reference_norm load_norm(struct loader *l, const char *prefix) {
    const float *gamma = load_vector(l, arena_printf(l->arena, "%s.weight", prefix), l->hidden, CHECKPOINT_GAIN);
    return (struct reference_norm){
        gamma, load_vector(l, arena_printf(l->arena, "%s.bias", prefix), l->hidden, CHECKPOINT_BIAS)};
}

// Conv1D: stored [in][out].
static struct reference_linear load_linear(struct loader *l, const char *prefix, int64_t rows, int64_t k) {
    float *w = load_matrix(l, arena_printf(l->arena, "%s.weight", prefix), rows, k, true, false);
    const float *bias = load_vector(l, arena_printf(l->arena, "%s.bias", prefix), rows, CHECKPOINT_BIAS);
    return (struct reference_linear){rows, k, w, bias};
}

static void load_layer(struct loader *l, const struct gpt2_config *c, int64_t index, struct reference_layer *layer) {
    char *prefix = arena_printf(l->arena, "h.%d", (int)index);
    layer->norm1 = load_norm(l, arena_printf(l->arena, "%s.ln_1", prefix));
    layer->norm2 = load_norm(l, arena_printf(l->arena, "%s.ln_2", prefix));
    layer->qkv = load_linear(l, arena_printf(l->arena, "%s.attn.c_attn", prefix), 3 * c->hidden, c->hidden);
    layer->out = load_linear(l, arena_printf(l->arena, "%s.attn.c_proj", prefix), c->hidden, c->hidden);
    layer->up = load_linear(l, arena_printf(l->arena, "%s.mlp.c_fc", prefix), c->ffn, c->hidden);
    layer->down = load_linear(l, arena_printf(l->arena, "%s.mlp.c_proj", prefix), c->hidden, c->ffn);
    if (!l->ok) return; // sizes may be absurd
    layer->keys = ARENA_ARRAY(l->arena, float, (size_t)(c->context * c->hidden));
    layer->values = ARENA_ARRAY(l->arena, float, (size_t)(c->context * c->hidden));
}

struct reference_model *reference_open(struct arena *arena, struct checkpoint *checkpoint, const struct gpt2_config *c,
                                       struct diag *diag) {
    struct loader l = {arena, checkpoint, diag, c->hidden, true};
    struct reference_model *m = ARENA_NEW(arena, struct reference_model);
    m->config = *c;
    m->token_table = load_matrix(&l, "wte.weight", c->vocab, c->hidden, false, false);
    m->position_table = load_matrix(&l, "wpe.weight", c->context, c->hidden, false, true);
    m->norm_final = load_norm(&l, "ln_f");
    float *head = c->tied_head ? m->token_table : load_matrix(&l, "lm_head.weight", c->vocab, c->hidden, false, false);
    m->head = (struct reference_linear){c->vocab, c->hidden, head, NULL};
    m->layers = ARENA_ARRAY(arena, struct reference_layer, (size_t)c->layers);
    for (int64_t i = 0; i < c->layers && !diag_full(diag); i++) load_layer(&l, c, i, &m->layers[i]);
    if (!l.ok) return NULL;
    int64_t wide = c->ffn > c->context ? c->ffn : c->context; // run_layer's buffers
    m->scratch = ARENA_ARRAY(arena, float, (size_t)(7 * c->hidden + wide));
    m->logits = ARENA_ARRAY(arena, float, (size_t)c->vocab);
    return m;
}
