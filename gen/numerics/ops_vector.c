// SPDX-License-Identifier: Apache-2.0
// Computes norms, elementwise operations, reductions, rotary embedding and argmax (numerics.h).
#include "gen/numerics/numerics.h"

// Each constant is one division in double, in which n and n^2 are exact, rounded to fp32.
float golden_norm_mean_scale(size_t n) { return (float)(0x1p-20 / (double)n); }

float golden_norm_square_scale(size_t n) { return (float)(0x1p-40 / ((double)n * (double)n)); }

float golden_norm_rms_scale(size_t n) { return (float)(0x1p-40 / (double)n); }

// Sums over the elements of a norm.
struct statistics {
    int64_t sum;    // sum of X = fix(x, 20)
    int128 squares; // sum of X^2
};

// Sums x and x^2 in fixed point, so that the order of elements does not matter.
static struct statistics norm_statistics(size_t n, const float x[], struct golden_fault *fault) {
    struct statistics s = {0, 0};
    for (size_t i = 0; i < n; i++) {
        int64_t fixed = g_fix(x[i], GOLDEN_NORM_FRAC, GOLDEN_NORM_WIDTH, fault);
        s.sum += fixed;
        s.squares += (int128)fixed * fixed;
    }
    return s;
}

void golden_layernorm(size_t n, float eps, const float x[], const float gamma[], const float beta[], float y[],
                      struct golden_fault *fault) {
    struct statistics s = norm_statistics(n, x, fault);
    int128 spread = (int128)n * s.squares - (int128)s.sum * s.sum; // variance * n^2, in units of 2^-40
    float var = g_mul(g_from_int128(spread), golden_norm_square_scale(n), fault);
    float r = g_rsqrt(g_add(var, eps, fault), fault);
    float mean = g_mul(g_from_int64(s.sum), golden_norm_mean_scale(n), fault);
    for (size_t i = 0; i < n; i++) {
        float centred = g_mul(g_sub(x[i], mean, fault), r, fault);
        y[i] = g_add(g_mul(centred, gamma[i], fault), beta[i], fault);
    }
}

void golden_rmsnorm(size_t n, float eps, const float x[], const float gamma[], float y[], struct golden_fault *fault) {
    struct statistics s = norm_statistics(n, x, fault);
    float mean_square = g_mul(g_from_int128(s.squares), golden_norm_rms_scale(n), fault);
    float r = g_rsqrt(g_add(mean_square, eps, fault), fault);
    for (size_t i = 0; i < n; i++) y[i] = g_mul(g_mul(x[i], r, fault), gamma[i], fault);
}

void golden_add(size_t n, const float a[], const float b[], float y[], struct golden_fault *fault) {
    for (size_t i = 0; i < n; i++) y[i] = g_add(a[i], b[i], fault);
}

void golden_sub(size_t n, const float a[], const float b[], float y[], struct golden_fault *fault) {
    for (size_t i = 0; i < n; i++) y[i] = g_sub(a[i], b[i], fault);
}

void golden_div(size_t n, const float a[], const float b[], float y[], struct golden_fault *fault) {
    for (size_t i = 0; i < n; i++) y[i] = g_div(a[i], b[i], fault);
}

void golden_max(size_t n, const float a[], const float b[], float y[], struct golden_fault *fault) {
    for (size_t i = 0; i < n; i++) y[i] = g_max(a[i], b[i], fault);
}

void golden_min(size_t n, const float a[], const float b[], float y[], struct golden_fault *fault) {
    for (size_t i = 0; i < n; i++) y[i] = g_neg(g_max(g_neg(a[i]), g_neg(b[i]), fault));
}

void golden_mul(size_t n, const float a[], const float b[], float y[], struct golden_fault *fault) {
    for (size_t i = 0; i < n; i++) y[i] = g_mul(a[i], b[i], fault);
}

golden_binary *const golden_binaries[] = {golden_add, golden_sub, golden_mul, golden_div, golden_max, golden_min};

struct golden_scalar golden_scalar_of(int function, double value) {
    enum { ADD, SUB, MUL, DIV, RSUB = 6, RDIV };
    float v = (float)value;
    switch (function) {
    case SUB: return (struct golden_scalar){ADD, -v, false};
    case DIV: return (struct golden_scalar){MUL, (float)(1.0 / (double)v), false};
    case RSUB: return (struct golden_scalar){SUB, v, true};
    case RDIV: return (struct golden_scalar){DIV, v, true};
    default: return (struct golden_scalar){function, v, false};
    }
}

float golden_reduce_scale(int function, size_t n) {
    return function == GOLDEN_MEAN ? golden_norm_mean_scale(n) : 0x1p-20f;
}

// Returns the smallest of n values if `least`, and otherwise the largest.
static float reduce_order(bool least, size_t n, size_t stride, const float x[], struct golden_fault *fault) {
    float best = x[0];
    for (size_t i = 0; i < n; i++) { // from 0, so that a single value is flushed and checked for a fault as well
        float next = x[i * stride];
        best = least ? g_neg(g_max(g_neg(best), g_neg(next), fault)) : g_max(best, next, fault);
    }
    return best == 0 ? 0.0f : best; // a zero result is +0
}

float golden_reduce(int function, size_t n, size_t stride, const float x[], struct golden_fault *fault) {
    int64_t sum = 0;
    if (function < GOLDEN_SUM) return reduce_order(function == GOLDEN_LEAST, n, stride, x, fault);
    for (size_t i = 0; i < n; i++) sum += g_fix(x[i * stride], GOLDEN_NORM_FRAC, GOLDEN_NORM_WIDTH, fault);
    return g_mul(g_from_int64(sum), golden_reduce_scale(function, n), fault);
}

float golden_bmm(size_t n, const float a[], size_t a_stride, const float b[], size_t b_stride,
                 struct golden_fault *fault) {
    int64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += g_fix(g_mul(a[i * a_stride], b[i * b_stride], fault), GOLDEN_NORM_FRAC, GOLDEN_NORM_WIDTH, fault);
    return g_mul(g_from_int64(sum), golden_reduce_scale(GOLDEN_SUM, n), fault);
}

void golden_scale(size_t n, float factor, const float x[], float y[], struct golden_fault *fault) {
    for (size_t i = 0; i < n; i++) y[i] = g_mul(x[i], factor, fault);
}

void golden_rope(size_t head, size_t rotary, bool beside, const float row[], const float x[], float y[],
                 struct golden_fault *fault) {
    size_t half = rotary / 2;
    for (size_t pair = 0; pair < half; pair++) {
        size_t i = beside ? 2 * pair : pair, j = beside ? i + 1 : i + half;
        float c = row[pair], s = row[half + pair];
        y[i] = g_add(g_mul(x[i], c, fault), g_mul(g_neg(x[j]), s, fault), fault);
        y[j] = g_add(g_mul(x[j], c, fault), g_mul(x[i], s, fault), fault);
    }
    // This is not a copy: the multiplier flushes subnormals and checks for a fault.
    for (size_t i = rotary; i < head; i++) y[i] = g_mul(x[i], 1, fault);
}

void golden_gelu(size_t n, const float x[], float y[], struct golden_fault *fault) {
    for (size_t i = 0; i < n; i++) y[i] = g_gelu(x[i], fault);
}

float golden_softcap_slope(double cap) { return (float)(-2.0 / cap); }
float golden_softcap_gain(double cap) { return (float)(2.0 * cap); }

void golden_softcap(size_t n, double cap, const float x[], float y[], struct golden_fault *fault) {
    float slope = golden_softcap_slope(cap), gain = golden_softcap_gain(cap);
    for (size_t i = 0; i < n; i++) y[i] = g_softcap(x[i], slope, gain, fault);
}

void golden_silu(size_t n, const float x[], float y[], struct golden_fault *fault) {
    for (size_t i = 0; i < n; i++) y[i] = g_mul(x[i], g_sigmoid(x[i], fault), fault);
}

size_t golden_argmax(size_t n, const float x[], struct golden_fault *fault) {
    size_t best = 0;
    for (size_t i = 1; i < n; i++) {
        if (g_less(x[best], x[i], fault)) best = i;
    }
    return best;
}
