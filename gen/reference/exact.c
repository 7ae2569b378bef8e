// SPDX-License-Identifier: Apache-2.0
// The oracle's exact mode: computes every operation with the hardware's bits, from the arithmetic of gen/numerics
// (docs/numerics.md). float.c is the other mode.
#include <string.h>

#include "gen/numerics/dot.h"
#include "gen/numerics/numerics.h"
#include "gen/numerics/wide.h"
#include "gen/reference/execute.h"

// Reads the row of the id from an embedding. An id that is not in the table raises a fault.
static void embed(struct step *s) {
    const struct oracle_weights *w = s->w;
    int64_t id = s->in[0]->v.id;
    if (id >= w->rows) {
        golden_fault_raise(s->fault, GOLDEN_FAULT_DOMAIN);
        return;
    }
    if (w->q16) golden_embed_int16((size_t)w->k, w->q16 + id * w->k, w->row_scale[id], s->out[0]->v.f32, s->fault);
    else
        golden_embed((size_t)w->k, (size_t)(w->group ? w->group : w->k), w->q + id * w->k,
                     w->group_scale ? w->group_scale + id * w->groups : NULL, w->row_scale[id], s->out[0]->v.f32,
                     s->fault);
}

// Copies the row of the position from a table.
static void position(struct step *s) {
    memcpy(s->out[0]->v.f32, s->w->matrix + s->position * s->w->k, sizeof(float) * (size_t)s->w->k);
}

static void layernorm(struct step *s, int64_t n, const float x[], float y[]) {
    golden_layernorm((size_t)n, (float)s->node->eps, x, s->w->gamma, s->w->beta, y, s->fault);
}
static void rmsnorm(struct step *s, int64_t n, const float x[], float y[]) {
    golden_rmsnorm((size_t)n, (float)s->node->eps, x, s->w->gamma, y, s->fault);
}

static void quantize(struct step *s) {
    const struct oracle_value *x = &s->in[0]->v, *y = &s->out[0]->v;
    s->out[0]->exp_min = s->node->exp_min;
    for (int64_t r = 0; r < y->rows; r++)
        golden_quantize_mx((size_t)y->cols, (size_t)y->block, s->run->graph->mantissa_bits, (int)s->node->exp_min,
                           x->f32 + r * x->cols, y->mx + r * y->cols, y->shift + r * y->blocks, s->fault);
}

// Multiplies row n of an int4_asym matrix by x: computes each weight from its element, scale and offset, then the sum
// of products, as in docs/numerics.md section 5. A weight is within [-3064, 3064], so it fits 16 bits and compilers
// make vector instructions that multiply and add.
WIDE static int128 dot_asym(const struct oracle_weights *w, int64_t n, const int16_t x[], int64_t block,
                            const uint8_t shift[]) {
    const int8_t *q = w->q + n * w->k;
    int128 acc = 0;
    int64_t at = n * w->groups;
    for (int64_t i = 0; i < w->k; at++) {
        int32_t sum = 0;
        int16_t scale = w->group_scale[at], offset = (int16_t)(8 * w->group_offset[at]);
        int64_t end = i + w->group < w->k ? i + w->group : w->k;
        uint8_t left = shift[i / block];
        for (; i < end; i++) sum += (int16_t)(q[i] * scale + offset) * x[i];
        acc += sum * ((int64_t)1 << left);
    }
    return acc;
}

// Returns the product of row n of a matrix with row r of x.
static int128 dot_row(const struct oracle_weights *w, int64_t n, const struct oracle_value *x, int64_t r) {
    const int16_t *mx = x->mx + r * x->cols;
    const uint8_t *shift = x->shift + r * x->blocks;
    if (w->group_offset) return dot_asym(w, n, mx, x->block, shift);
    return dot_product(w->k, x->block, w->q + n * w->k, w->group_scale ? w->group_scale + n * w->groups : NULL, mx,
                       shift);
}

void oracle_exact_products(struct step s[], int count) {
    const struct oracle_weights *w = s[0].w;
    for (int i = 0; i < count; i++) {
        s[i].out[0]->exp_min = s[i].in[0]->exp_min;
        s[i].out[0]->product = w;
    }
    for (int64_t n = 0; n < w->rows; n++)
        for (int i = 0; i < count; i++) {
            const struct oracle_value *x = &s[i].in[0]->v;
            for (int64_t r = 0; r < x->rows; r++) s[i].out[0]->v.acc[r * w->rows + n] = dot_row(w, n, x, r);
        }
}

// Converts the integers of a product to fp32, with row scale and bias. In attention (w == NULL) there are none.
static void dequantize(struct step *s) {
    const struct slot *x = s->in[0];
    const struct oracle_weights *w = x->product;
    int exp_min = (int)x->exp_min;
    for (int64_t i = 0; i < oracle_count(&x->v); i++) {
        int64_t n = w ? i % w->rows : 0;
        s->out[0]->v.f32[i] =
            w ? golden_dequantize(x->v.acc[i], golden_stored_scale(w->row_scale[n], exp_min, s->fault),
                                  w->bias ? w->bias[n] : 0.0f, s->fault)
              : golden_dequantize_raw(x->v.acc[i], exp_min, s->fault);
    }
}

// Quantizes each head and appends it to the cache. The scale of a key includes the scale of scores.
static void kv_quantize(struct step *s) {
    struct slot *y = s->out[0];
    size_t heads = (size_t)y->v.rows, head = (size_t)y->v.cols;
    size_t root = s->node->scale_root > 0 ? (size_t)s->node->scale_root : head;
    float of_scores = s->node->scale > 0 ? (float)s->node->scale : golden_rsqrt_head(root);
    for (size_t h = 0; h < heads; h++) {
        float scale = golden_quantize_kv(head, s->in[0]->v.f32 + h * head, y->v.q + h * head, s->fault);
        y->v.scale[h] = s->node->key ? golden_k_scale(scale, of_scores, s->fault) : scale;
    }
    memcpy(y->cache.q + (size_t)s->position * heads * head, y->v.q, heads * head);
    memcpy(y->cache.scale + (size_t)s->position * heads, y->v.scale, heads * sizeof(float));
}

// Multiplies the query of each head by the keys of all positions so far. `sharing` neighbouring query heads share a key
// head.
static void attn_scores(struct step *s) {
    const struct slot *q = s->in[0], *keys = s->in[1];
    int64_t head = keys->v.cols, kv_heads = keys->v.rows, heads = s->out[0]->v.rows, sharing = heads / kv_heads;
    int128 *acc = s->out[0]->v.acc;
    s->out[0]->exp_min = q->exp_min;
    s->out[0]->product = NULL;
    for (int64_t h = 0; h < heads; h++) {
        for (int64_t t = 0; t <= s->position; t++)
            *acc++ = dot_product(head, head, keys->cache.q + (t * kv_heads + h / sharing) * head, NULL,
                                 q->v.mx + h * head, q->v.shift + h);
    }
}

// Positions outside the window are left out and get probability 0. The second result is the reciprocal of the sum of
// the exponentials, by which the weighted values are scaled afterwards.
static void softmax(struct step *s) {
    const struct slot *scores = s->in[0], *keys = s->in[1], *values = s->in[2];
    int64_t heads = scores->v.rows, kv_heads = keys->v.rows, n = s->position + 1, sharing = heads / kv_heads;
    int64_t window = oracle_each_at(&s->node->window, s->repetition), seen = window > 0 && window < n ? window : n;
    float *kscale = s->run->scratch.kscale, *vscale = s->run->scratch.vscale;
    for (int64_t h = 0; h < heads; h++) {
        const float *newest = scores->v.f32 + h * n + n - seen;
        float *p = s->out[0]->v.f32 + h * n;
        for (int64_t i = 0; i < seen; i++) {
            kscale[i] = keys->cache.scale[(n - seen + i) * kv_heads + h / sharing];
            vscale[i] = values->cache.scale[(n - seen + i) * kv_heads + h / sharing];
        }
        memset(p, 0, (size_t)(n - seen) * sizeof *p);
        s->out[1]->v.f32[h] =
            golden_softmax((size_t)seen, s->node->cap, newest, kscale, vscale, p + n - seen, s->fault);
    }
}

// Adds up the values of all positions, each multiplied by its attention weight.
static void attn_values(struct step *s) {
    const struct slot *p = s->in[0], *values = s->in[1];
    int64_t heads = p->v.rows, kv_heads = values->v.rows, head = values->v.cols;
    s->out[0]->exp_min = p->exp_min;
    s->out[0]->product = NULL;
    for (int64_t h = 0; h < heads; h++)
        dot_weighted_sum(s->position + 1, p->v.block, p->v.mx + h * p->v.cols, p->v.shift + h * p->v.blocks, head,
                         kv_heads * head, values->cache.q + h / (heads / kv_heads) * head, s->run->scratch.sum,
                         s->out[0]->v.acc + h * head);
}

static void scale(struct step *s) {
    const struct oracle_value *x = &s->in[0]->v;
    for (int64_t h = 0; h < x->rows; h++)
        golden_scale((size_t)x->cols, s->in[1]->v.f32[h], x->f32 + h * x->cols, s->out[0]->v.f32 + h * x->cols,
                     s->fault);
}

// Draws the token if the result is the output of a language model. Any other argmax takes the largest element.
static void argmax(struct step *s) {
    if (s->run->graph->is_lm && s->node->out[0] == s->run->graph->output[0]) s->out[0]->v.id = oracle_draw(s);
    else s->out[0]->v.id = (uint32_t)golden_argmax((size_t)oracle_count(&s->in[0]->v), s->in[0]->v.f32, s->fault);
}

// Rotates pairs of elements of a head: y = x * cos + other * (-sin or sin). Elements at the end of a head that belong
// to no pair are multiplied by one.
static void rope(struct step *s) {
    const float *x = s->in[0]->v.f32, *row = s->in[1]->v.f32;
    int64_t n = oracle_count(&s->in[0]->v), head = n / s->node->heads, half = oracle_count(&s->in[1]->v) / 2;
    for (int64_t i = 0; i < n; i++) {
        int64_t at = i % head, pair = s->node->interleaved ? at / 2 : at % half;
        bool first = s->node->interleaved ? at % 2 == 0 : at < half;
        int64_t step = s->node->interleaved ? 1 : half;
        float *y = &s->out[0]->v.f32[i];
        *y = g_mul(x[i], at < 2 * half ? row[pair] : 1.0f, s->fault);
        if (at >= 2 * half) continue;
        float turned = g_mul(first ? x[i + step] : x[i - step], row[half + pair], s->fault);
        *y = g_add(*y, first ? g_neg(turned) : turned, s->fault);
    }
}

static const float *operand(const struct step *s, int i) { return s->in[i]->v.f32; }
static size_t count(const struct step *s) { return (size_t)oracle_count(&s->in[0]->v); }
// Runs the function of gen/numerics with the name of this operation.
static void unary(struct step *s) {
    const char *name = NULL;
    switch (s->node->op) {
#define ORACLE_UNARY(op, word, first, second, value)                                                                   \
    case ORACLE_##op:                                                                                                  \
        name = word;                                                                                                   \
        break;
#include "gen/reference/unary.inc"
#undef ORACLE_UNARY
    default: break;
    }
    golden_find_unary(name)(count(s), s->node->given, operand(s, 0), s->out[0]->v.f32, s->fault);
}
static void add(struct step *s) { golden_add(count(s), operand(s, 0), operand(s, 1), s->out[0]->v.f32, s->fault); }
static void mul(struct step *s) { golden_mul(count(s), operand(s, 0), operand(s, 1), s->out[0]->v.f32, s->fault); }
static void sub(struct step *s) { golden_sub(count(s), operand(s, 0), operand(s, 1), s->out[0]->v.f32, s->fault); }
static void quotient(struct step *s) { golden_div(count(s), operand(s, 0), operand(s, 1), s->out[0]->v.f32, s->fault); }
static void larger(struct step *s) { golden_max(count(s), operand(s, 0), operand(s, 1), s->out[0]->v.f32, s->fault); }
static void smaller(struct step *s) { golden_min(count(s), operand(s, 0), operand(s, 1), s->out[0]->v.f32, s->fault); }
// Reduces n elements; for oracle_reduce.
static float join(struct step *s, int64_t n, const float x[]) {
    return golden_reduce(s->node->kind, (size_t)n, 1, x, s->fault);
}
static void reduce(struct step *s) { oracle_reduce(s, join); }
// Computes all products, then their sum. The products are stored after the k elements of the column z, which
// oracle_product keeps at the start of `line`.
static float sum_of_products(struct step *s, int64_t k, const float x[], const float z[]) {
    float *line = s->run->scratch.line + k;
    golden_mul((size_t)k, x, z, line, s->fault);
    return golden_reduce(GOLDEN_SUM, (size_t)k, 1, line, s->fault);
}
static void bmm(struct step *s) { oracle_product(s, sum_of_products); }
static void layernorms(struct step *s) { oracle_each_line(s, layernorm); }
static void rmsnorms(struct step *s) { oracle_each_line(s, rmsnorm); }

static void matmul(struct step *s) { oracle_exact_products(s, 1); }

void oracle_exact(struct step *s) {
    static void (*const run[ORACLE_OPS])(struct step *) = {
#define ORACLE_OP(op, name, ins, outs, exact, in_float) [ORACLE_##op] = exact,
#include "gen/reference/ops.inc"
#undef ORACLE_OP
    };
    if (s->node->op < ORACLE_OPS) run[s->node->op](s);
    else oracle_custom(s);
}
