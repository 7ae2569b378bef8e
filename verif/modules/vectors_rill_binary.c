// SPDX-License-Identifier: Apache-2.0
// Prints firings for rill_binary_tb, with the results of golden_binaries[FUNCTION]. All tokens of a firing have N
// random values on both inputs, or if N is 0 the same random number of values. With FAULT, one value of `a` is infinite
// in the middle firing.
#include "verif/modules/vectors_rill_stream.h"

enum { FIRINGS = 30, ELEMENTS_MAX = 100 };

struct operation {
    golden_binary *run;
    size_t n; // values per token; 0: a random number
};

// Prints a firing. spoiled: with FAULT, one value is infinite.
static void firing(const struct operation *o, const struct stream *s, struct vectors *v, int spoiled) {
    static float a[STREAM_TOKENS_MAX * ELEMENTS_MAX], y[STREAM_TOKENS_MAX * ELEMENTS_MAX];
    struct golden_fault fault = {0};
    int ntok = stream_tokens(s, v);
    size_t n = o->n ? o->n : 1 + (size_t)stream_below(v, ELEMENTS_MAX), all = n * (size_t)ntok;
    stream_values(v, all, 20, a);
    if (spoiled) stream_spoil(s, v, all, a);
    static float b[STREAM_TOKENS_MAX * ELEMENTS_MAX];
    stream_values(v, all, 20, b);
    for (size_t i = 0; o->run == golden_div && i < all; i++) // a zero divisor would fault
        if (g_flush(b[i]) == 0) b[i] = 0x1p127f;
    o->run(all, a, b, y, &fault);
    stream_vector(s, "a", ntok, n, a, 1);
    stream_vector(s, "b", ntok, n, b, 1);
    stream_vector(s, "y", ntok, n, y, 1);
}

int main(int argc, char **argv) {
    struct vectors v = vectors_start(argc, argv);
    struct stream s = stream_start(argc, argv);
    struct operation o = {golden_binaries[vectors_argument(argc, argv, "FUNCTION", 0)],
                          (size_t)vectors_argument(argc, argv, "N", 0)};
    for (int f = 0; f < FIRINGS; f++) firing(&o, &s, &v, f == FIRINGS / 2);
    return 0;
}
