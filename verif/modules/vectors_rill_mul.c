// SPDX-License-Identifier: Apache-2.0
// Prints firings for rill_mul_tb, with the results of golden_mul. All tokens of a firing have the same random number of
// random values on both inputs. With FAULT, one value of `a` is infinite in the middle firing.
#include "verif/modules/vectors_rill_stream.h"

enum { FIRINGS = 30, ELEMENTS_MAX = 100 };

// Prints a firing. spoiled: with FAULT, one value is infinite.
static void firing(const struct stream *s, struct vectors *v, int spoiled) {
    static float a[STREAM_TOKENS_MAX * ELEMENTS_MAX], y[STREAM_TOKENS_MAX * ELEMENTS_MAX];
    struct golden_fault fault = {0};
    int ntok = stream_tokens(s, v);
    size_t n = 1 + (size_t)stream_below(v, ELEMENTS_MAX), all = n * (size_t)ntok;
    stream_values(v, all, 40, a);
    if (spoiled) stream_spoil(s, v, all, a);
    static float b[STREAM_TOKENS_MAX * ELEMENTS_MAX];
    stream_values(v, all, 40, b);
    golden_mul(all, a, b, y, &fault);
    stream_vector(s, "a", ntok, n, a, 1);
    stream_vector(s, "b", ntok, n, b, 1);
    stream_vector(s, "y", ntok, n, y, 1);
}

int main(int argc, char **argv) {
    struct vectors v = vectors_start(argc, argv);
    struct stream s = stream_start(argc, argv);
    for (int f = 0; f < FIRINGS; f++) firing(&s, &v, f == FIRINGS / 2);
    return 0;
}
