// SPDX-License-Identifier: Apache-2.0
// Prints vectors of N elements for rill_rmsnorm_tb. FAULT is the reason why the middle firing must raise the fault: 1
// an infinity; 2 a value of -2^23, which is too large for the statistics; 3 a vector of zeros (the bench then makes eps
// so small that it counts as 0, and 0 has no reciprocal root); 4 a product with gamma that is too large.
#include "verif/modules/vectors_rill_stream.h"

enum { FIRINGS = 5 };

// Fills x with values around a mean, with outliers; some vectors are constant or zero.
static void fill(struct vectors *v, size_t n, float x[]) {
    int kind = stream_below(v, 8);
    float mean = vectors_value(v, 124, 5);
    for (size_t i = 0; i < n; i++) {
        float far = stream_below(v, 20) ? 0.0f : vectors_value(v, 132, 8);
        x[i] = kind == 0 ? 0.0f : kind == 1 ? mean : mean + vectors_value(v, 126, 4) + far;
    }
}

// Makes one element of the first token so different from the others that its normalized value is about sqrt(n). Its
// product with gamma is then too large, although the statistics are small.
static void overflow(size_t n, float x[], float gamma[]) {
    memset(x, 0, n * sizeof *x);
    x[n / 2] = 1.0f;
    gamma[n / 2] = 0x1p127f;
}

// Prints a firing. spoiled: it must raise the fault.
static void firing(const struct stream *s, struct vectors *v, size_t n, int ntok, int spoiled) {
    size_t all = n * (size_t)ntok;
    float *x = stream_alloc(all), *y = stream_alloc(all), *gamma = stream_alloc(n);
    struct golden_fault fault = {0};
    for (size_t i = 0; i < n; i++) {
        gamma[i] = vectors_value(v, 126, 3);
    }
    for (int t = 0; t < ntok; t++) fill(v, n, x + (size_t)t * n);
    if (spoiled && s->fault == 3) memset(x, 0, n * sizeof *x);
    else if (spoiled && s->fault == 4) overflow(n, x, gamma);
    else if (spoiled) x[stream_below(v, (int)all)] = s->fault == 1 ? g_float(0x7f800000u) : -0x1p23f;
    for (int t = 0; t < ntok; t++) golden_rmsnorm(n, 1e-5f, x + (size_t)t * n, gamma, y + (size_t)t * n, &fault);
    stream_vector(s, "x", ntok, n, x, 1);
    stream_bare(s, "param", 1, n, (const float *const[]){gamma});
    stream_vector(s, "y", ntok, n, y, 1);
    free(x);
    free(y);
    free(gamma);
}

int main(int argc, char **argv) {
    struct vectors v = vectors_start(argc, argv);
    struct stream s = stream_start(argc, argv);
    size_t n = (size_t)vectors_argument(argc, argv, "N", 1);
    for (int f = 0; f < FIRINGS; f++)
        firing(&s, &v, n, f ? stream_tokens(&s, &v) : s.tokens, s.fault && f == FIRINGS / 2);
    return 0;
}
