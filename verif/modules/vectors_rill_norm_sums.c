// SPDX-License-Identifier: Apache-2.0
// Prints firings for rill_norm_sums_tb, which use the two banks in turn. The middle firing has an infinity with FAULT
// 1, or a value of 2^23 with FAULT 2.
#include "verif/modules/vectors_rill_norm.h"

enum { FIRINGS = 6 };

// Prints a firing for a bank. spoiled: one value must raise the fault.
static void firing(const struct stream *s, struct vectors *v, int bank, int spoiled) {
    int ntok = stream_tokens(s, v), tok_bits = s->tokens > 4 ? 3 : s->tokens > 2 ? 2 : 1;
    size_t n = 1 + (size_t)stream_below(v, 100), chunks = (n + (size_t)s->lanes - 1) / (size_t)s->lanes;
    float *x = stream_alloc(n * (size_t)ntok);
    struct golden_fault fault = {0};
    stream_values(v, n * (size_t)ntok, 22, x);
    if (spoiled) x[n / 2] = s->fault == 1 ? g_float(0xff800000u) : 0x1p23f;
    stream_vector(s, "x", ntok, n, x, 1);
    for (size_t c = 0; c < chunks; c++) {
        for (int t = 0; t < ntok; t++) printf("last %d 0 0\n", c == chunks - 1);
    }
    for (int t = 0; t < ntok; t++) {
        struct norm_parts p = {0, 0, 0, 0};
        for (size_t i = 0; i < n; i++)
            norm_add(&p, g_fix(x[(size_t)t * n + i], GOLDEN_NORM_FRAC, GOLDEN_NORM_WIDTH, &fault));
        printf("y %015llx%015llx%015llx%015llx %x 0\n", (unsigned long long)p.sum & 0xfffffffffffffffull,
               (unsigned long long)p.high, (unsigned long long)p.middle, (unsigned long long)p.low,
               (unsigned)(bank << tok_bits | t));
    }
    free(x);
}

int main(int argc, char **argv) {
    struct vectors v = vectors_start(argc, argv);
    struct stream s = stream_start(argc, argv);
    for (int f = 0; f < FIRINGS; f++) firing(&s, &v, f & 1, s.fault && f == FIRINGS / 2);
    return 0;
}
