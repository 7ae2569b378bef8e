// SPDX-License-Identifier: Apache-2.0
// The oracle's float mode: computes every operation in plain floating point without any quantization. The accuracy of
// exact mode, which computes the hardware's quantized values, is measured against these results.
#include <float.h>
#include <math.h>
#include <string.h>

#include "gen/numerics/wide.h"
#include "gen/reference/execute.h"

enum { MOST_BATCH = 64 }; // vectors that are multiplied by a row of weights while it is in the cache

// Returns the dot product. Keeps eight partial sums, so that a compiler can use vector instructions without changing
// the order of additions.
static float dot(const float *a, const float *b, int64_t n) {
    float sum[8] = {0}, rest = 0;
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int j = 0; j < 8; j++) sum[j] += a[i + j] * b[i + j];
    for (; i < n; i++) rest += a[i] * b[i];
    return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7])) + rest;
}

static void copy(struct step *s) {
    memcpy(s->out[0]->v.f32, s->in[0]->v.f32, sizeof(float) * (size_t)oracle_count(&s->in[0]->v));
}

// Copies a row of a table. A row that is not in the table raises a fault.
static void row_of_table(struct step *s, int64_t row) {
    if (row >= s->w->rows) golden_fault_raise(s->fault, GOLDEN_FAULT_DOMAIN);
    else memcpy(s->out[0]->v.f32, s->w->matrix + row * s->w->k, sizeof(float) * (size_t)s->w->k);
}

static void layernorm(struct step *s, int64_t n, const float x[], float y[]) {
    double mean = 0, square = 0;
    for (int64_t i = 0; i < n; i++) mean += x[i];
    mean /= (double)n;
    for (int64_t i = 0; i < n; i++) square += (x[i] - mean) * (x[i] - mean);
    double scale = 1 / sqrt(square / (double)n + s->node->eps);
    for (int64_t i = 0; i < n; i++) y[i] = (float)((x[i] - mean) * scale * s->w->gamma[i] + s->w->beta[i]);
}

static void rmsnorm(struct step *s, int64_t n, const float x[], float y[]) {
    double square = 0;
    for (int64_t i = 0; i < n; i++) square += (double)x[i] * x[i];
    double scale = 1 / sqrt(square / (double)n + s->node->eps);
    for (int64_t i = 0; i < n; i++) y[i] = (float)(x[i] * scale * s->w->gamma[i]);
}

typedef float eight __attribute__((vector_size(32), aligned(4)));

// Computes y[j] = dot(a, x[j]) for four vectors and reads `a` once. It adds in the order of dot(), so the bits are
// equal.
WIDE static void dot_four(const float *a, const float *const x[4], int64_t n, float y[4]) {
    eight sum[4] = {{0}};
    float rest[4] = {0};
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int j = 0; j < 4; j++) sum[j] += *(const eight *)(a + i) * *(const eight *)(x[j] + i);
    for (; i < n; i++)
        for (int j = 0; j < 4; j++) rest[j] += a[i] * x[j][i];
    for (int j = 0; j < 4; j++) {
        eight s = sum[j];
        y[j] = (((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]))) + rest[j];
    }
}

// A batch of vectors for one matrix: vector i is x[i][k], and its result is y[i][rows of the matrix].
struct batch {
    const struct oracle_weights *w;
    const float *x[MOST_BATCH];
    float *y[MOST_BATCH];
    int count;
};

// Multiplies the matrix by all vectors of the batch and empties the batch.
static void multiply(struct batch *b) {
    for (int64_t n = 0; n < b->w->rows; n++) {
        const float *row = b->w->matrix + n * b->w->k;
        int i = 0;
        for (; i + 4 <= b->count; i += 4) {
            float y[4];
            dot_four(row, b->x + i, b->w->k, y);
            for (int j = 0; j < 4; j++) b->y[i + j][n] = y[j];
        }
        for (; i < b->count; i++) b->y[i][n] = dot(row, b->x[i], b->w->k);
    }
    b->count = 0;
}

// Computes all products in batches, without the bias, which dequantize adds.
void oracle_float_products(struct step s[], int count) {
    struct batch b = {.w = s[0].w};
    for (int i = 0; i < count; i++) {
        const struct oracle_value *x = &s[i].in[0]->v;
        s[i].out[0]->product = b.w;
        for (int64_t r = 0; r < x->rows; r++) {
            b.x[b.count] = x->f32 + r * x->cols;
            b.y[b.count++] = s[i].out[0]->v.f32 + r * b.w->rows;
            if (b.count == MOST_BATCH) multiply(&b);
        }
    }
    multiply(&b);
}

static void dequantize(struct step *s) {
    const struct oracle_weights *w = s->in[0]->product;
    const float *bias = w ? w->bias : NULL;
    for (int64_t i = 0; i < oracle_count(&s->in[0]->v); i++)
        s->out[0]->v.f32[i] = s->in[0]->v.f32[i] + (bias ? bias[i % w->rows] : 0);
}

// Stores the keys or values in the cache without quantizing them. Keeps the scale that the spec gives, which softmax
// needs; 0: the spec gives none.
static void kv_quantize(struct step *s) {
    size_t n = (size_t)oracle_count(&s->out[0]->v);
    copy(s);
    s->out[0]->scale = s->node->scale > 0        ? s->node->scale
                       : s->node->scale_root > 0 ? 1 / sqrt((double)s->node->scale_root)
                                                 : 0;
    memcpy(s->out[0]->cache.f32 + (size_t)s->position * n, s->out[0]->v.f32, n * sizeof(float));
}

static void attn_scores(struct step *s) {
    const struct slot *q = s->in[0], *keys = s->in[1];
    int64_t head = keys->v.cols, kv_heads = keys->v.rows, heads = s->out[0]->v.rows;
    float *y = s->out[0]->v.f32;
    s->out[0]->product = NULL;
    for (int64_t h = 0; h < heads; h++)
        for (int64_t t = 0; t <= s->position; t++)
            *y++ = dot(q->v.f32 + h * head, keys->cache.f32 + (t * kv_heads + h / (heads / kv_heads)) * head, head);
}

static float softcap(float x, float cap) { return cap * tanhf(x / cap); }

// Scales the scores by the given scale or by 1 / sqrt(head length). In exact mode the scales of the keys include this
// factor.
static void softmax(struct step *s) {
    const struct oracle_value *x = &s->in[0]->v;
    double given = s->in[1]->scale;
    float scale = given > 0 ? (float)given : 1.0f / sqrtf((float)s->in[1]->v.cols);
    int64_t window = oracle_each_at(&s->node->window, s->repetition);
    for (int64_t h = 0; h < x->rows; h++) {
        const float *score = x->f32 + h * x->cols;
        float *p = s->out[0]->v.f32 + h * x->cols, most = -INFINITY, sum = 0;
        for (int64_t t = 0; t < x->cols; t++) {
            bool left = window > 0 && t + window <= s->position; // outside the window
            p[t] = s->node->cap > 0 ? softcap(score[t] * scale, (float)s->node->cap) : score[t] * scale;
            if (left) p[t] = -INFINITY;
            most = fmaxf(most, p[t]);
        }
        for (int64_t t = 0; t < x->cols; t++) sum += p[t] = expf(p[t] - most);
        s->out[1]->v.f32[h] = 1 / sum;
    }
}

static void attn_values(struct step *s) {
    const struct slot *p = s->in[0], *values = s->in[1];
    int64_t heads = p->v.rows, kv_heads = values->v.rows, head = values->v.cols;
    memset(s->out[0]->v.f32, 0, sizeof(float) * (size_t)oracle_count(&s->out[0]->v));
    s->out[0]->product = NULL;
    for (int64_t h = 0; h < heads; h++)
        for (int64_t t = 0; t <= s->position; t++) {
            const float *v = values->cache.f32 + (t * kv_heads + h / (heads / kv_heads)) * head;
            for (int64_t d = 0; d < head; d++) s->out[0]->v.f32[h * head + d] += p->v.f32[h * p->v.cols + t] * v[d];
        }
}

static float gelu(float x) {
    const float c = 0.79788456f; // sqrt(2 / pi)
    return 0.5f * x * (1.0f + tanhf(c * (x + 0.044715f * x * x * x)));
}
static float silu(float x) { return x / (1.0f + expf(-x)); }

// Returns `given`, or `preset` if the attribute is not given (NAN). unary.inc uses this function and those after it.
static float or_else(float given, float preset) { return isnan(given) ? preset : given; }
// Returns the result of an operation with x and the constant c. function: 0 to 7 for add, sub, mul, div, max, min,
// rsub, rdiv.
static float with_number(int function, float x, float c) {
    const float value[] = {x + c, x - c, x * c, x / c, fmaxf(x, c), fminf(x, c), c - x, c / x};
    return value[function];
}
static float hardsigmoid(float x, float slope, float offset) { return fmaxf(0, fminf(1, slope * x + offset)); }

static void argmax(struct step *s) {
    const float *x = s->in[0]->v.f32;
    s->out[0]->v.id = 0;
    for (int64_t i = 1; i < oracle_count(&s->in[0]->v); i++)
        if (x[i] > x[s->out[0]->v.id]) s->out[0]->v.id = (uint32_t)i;
}

// Computes an element of an operation with two operands.
static float element(const struct oracle_node *n, float a, float b) {
    switch (n->op) {
    case ORACLE_ADD: return a + b;
    case ORACLE_MUL: return a * b;
    case ORACLE_SUB: return a - b;
    case ORACLE_DIV: return a / b;
    case ORACLE_MAX: return fmaxf(a, b);
    case ORACLE_MIN: return fminf(a, b);
    default: return NAN;
    }
}

static void elementwise(struct step *s) {
    int64_t n = oracle_count(&s->in[0]->v);
    const float *a = s->in[0]->v.f32, *b = s->in[1]->v.f32;
    for (int64_t i = 0; i < n; i++) s->out[0]->v.f32[i] = element(s->node, a[i], b[i]);
}

// Returns the result of an operation of unary.inc, whose formulas use x and the attributes p and q.
static float unary_value(const struct oracle_node *n, float x) {
    const float p = (float)n->given[0], q = (float)n->given[1];
    (void)p, (void)q;
    switch (n->op) {
#define ORACLE_UNARY(op, name, first, second, value)                                                                   \
    case ORACLE_##op:                                                                                                  \
        return value;
#include "gen/reference/unary.inc"
#undef ORACLE_UNARY
    default: return NAN;
    }
}

static void unary(struct step *s) {
    int64_t n = oracle_count(&s->in[0]->v);
    for (int64_t i = 0; i < n; i++) s->out[0]->v.f32[i] = unary_value(s->node, s->in[0]->v.f32[i]);
}

static void scale(struct step *s) {
    const struct oracle_value *x = &s->in[0]->v;
    for (int64_t i = 0; i < oracle_count(x); i++) s->out[0]->v.f32[i] = x->f32[i] * s->in[1]->v.f32[i / x->cols];
}

// Rotates each pair as a complex number: (x_i + x_j sqrt(-1)) * (cos + sin sqrt(-1)).
static void rope(struct step *s) {
    int64_t n = oracle_count(&s->in[0]->v), head = n / s->node->heads, half = oracle_count(&s->in[1]->v) / 2;
    int64_t apart = s->node->interleaved ? 1 : half, stride = s->node->interleaved ? 2 : 1;
    const float *row = s->in[1]->v.f32;
    copy(s);
    for (int64_t h = 0; h < n; h += head)
        for (int64_t i = 0; i < half; i++) {
            const float *x = s->in[0]->v.f32 + h + i * stride;
            float *y = s->out[0]->v.f32 + h + i * stride, c = row[i], d = row[half + i];
            y[0] = x[0] * c - x[apart] * d;
            y[apart] = x[apart] * c + x[0] * d;
        }
}

// Reduces n elements; for oracle_reduce. The node's `kind` is 0 to 3 for max, min, sum, mean.
static float join(struct step *s, int64_t n, const float x[]) {
    double sum = 0;
    float most = x[0], least = x[0];
    for (int64_t i = 0; i < n; i++) {
        sum += x[i];
        most = fmaxf(most, x[i]);
        least = fminf(least, x[i]);
    }
    return s->node->kind == 0 ? most : s->node->kind == 1 ? least : (float)(s->node->kind == 2 ? sum : sum / (double)n);
}

static void reduce(struct step *s) { oracle_reduce(s, join); }
static float sum_of_products(struct step *s, int64_t k, const float x[], const float z[]) {
    double sum = 0;
    (void)s;
    for (int64_t i = 0; i < k; i++) sum += (double)x[i] * z[i];
    return (float)sum;
}
static void bmm(struct step *s) { oracle_product(s, sum_of_products); }
static void of_id(struct step *s) { row_of_table(s, s->in[0]->v.id); }
static void of_position(struct step *s) { row_of_table(s, s->position); }
static void matmul(struct step *s) { oracle_float_products(s, 1); }
static void layernorms(struct step *s) { oracle_each_line(s, layernorm); }
static void rmsnorms(struct step *s) { oracle_each_line(s, rmsnorm); }

void oracle_float(struct step *s) {
    static void (*const run[ORACLE_OPS])(struct step *) = {
#define ORACLE_OP(op, name, ins, outs, exact, in_float) [ORACLE_##op] = in_float,
#include "gen/reference/ops.inc"
#undef ORACLE_OP
    };
    if (s->node->op < ORACLE_OPS) run[s->node->op](s);
    else oracle_custom(s);
}
