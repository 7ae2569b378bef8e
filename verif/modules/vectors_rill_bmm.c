// SPDX-License-Identifier: Apache-2.0
// Prints firings for rill_bmm_tb. Each token has SUMS sums of N products of random factors `a` and `b`. In the middle
// firing, FAULT 1 makes one factor infinite, and FAULT 2 makes one product 2^23, which is too large for the sums.
#include "verif/modules/vectors_rill_stream.h"

enum { FIRINGS = 12, SUMS = 3 };

// Prints a firing. spoiled: one of its products must raise the fault.
static void firing(size_t n, const struct stream *s, struct vectors *v, int ntok, int spoiled) {
    size_t all = SUMS * n * (size_t)ntok;
    float *a = stream_alloc(all), *b = stream_alloc(all), *y = stream_alloc(SUMS * (size_t)ntok);
    struct golden_fault fault = {0};
    struct stream narrow = *s;
    narrow.lanes = 1;
    stream_values(v, all, 6, a);
    stream_values(v, all, 6, b);
    if (spoiled) {
        size_t at = (size_t)stream_below(v, (int)all);
        a[at] = s->fault == 1 ? g_float(0x7f800000u) : 0x1p20f;
        b[at] = 8;
    }
    for (size_t i = 0; i < SUMS * (size_t)ntok; i++) y[i] = golden_bmm(n, a + i * n, 1, b + i * n, 1, &fault);
    stream_vector(s, "a", ntok, SUMS * n, a, 1);
    stream_vector(s, "b", ntok, SUMS * n, b, 1);
    stream_vector(&narrow, "y", ntok, SUMS, y, 1);
    free(a);
    free(b);
    free(y);
}

int main(int argc, char **argv) {
    struct vectors v = vectors_start(argc, argv);
    struct stream s = stream_start(argc, argv);
    size_t n = (size_t)vectors_argument(argc, argv, "N", 8);
    for (int f = 0; f < FIRINGS; f++)
        firing(n, &s, &v, f ? stream_tokens(&s, &v) : s.tokens, s.fault && f == FIRINGS / 2);
    return 0;
}
