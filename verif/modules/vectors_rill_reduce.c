// SPDX-License-Identifier: Apache-2.0
// Prints firings for rill_reduce_tb: GROUPS groups of random values, and their results. The middle firing has an
// infinity with FAULT 1, or a value of 2^23, which is too large for the sums, with FAULT 2.
#include "verif/modules/vectors_rill_stream.h"

enum { FIRINGS = 12, PLAIN = 0x35800000 /* bits of 2^-20 */ };

struct shape {
    int function;               // of golden_reduce
    size_t groups, count, keep; // a group has `keep` results, each of `count` elements
};

// Returns the shape that the arguments give. The module sums integers in units of 2^-20, so a plain sum has SCALE 2^-20
// (PLAIN), and any other SCALE makes a mean. GOLDEN_MEAN is GOLDEN_SUM + 1.
static struct shape shape_of(int argc, char **argv) {
    long n = vectors_argument(argc, argv, "N", 0), function = vectors_argument(argc, argv, "FUNCTION", 0);
    bool mean = vectors_argument(argc, argv, "SCALE", PLAIN) != PLAIN;
    long lanes = vectors_argument(argc, argv, "LANES", 1);
    return (struct shape){(int)function + mean, (size_t)vectors_argument(argc, argv, "GROUPS", 1),
                          (size_t)(n ? n : vectors_argument(argc, argv, "ROUNDS", 1)),
                          (size_t)(n ? 1 : lanes * vectors_argument(argc, argv, "WORDS", 1))};
}

// Prints a firing. spoiled: one value must raise the fault.
static void firing(const struct shape *p, const struct stream *s, struct vectors *v, int ntok, int spoiled) {
    size_t keep = p->groups * p->keep, n = keep * p->count;
    float *x = stream_alloc(n * (size_t)ntok), *y = stream_alloc(keep * (size_t)ntok);
    struct golden_fault fault = {0};
    struct stream narrow = *s; // a vector is reduced to one element, which comes in a word with one lane
    if (p->keep == 1) narrow.lanes = 1;
    stream_values(v, n * (size_t)ntok, 12, x);
    if (spoiled) x[stream_below(v, (int)n * ntok)] = s->fault == 1 ? g_float(0x7f800000u) : 0x1p23f;
    for (size_t i = 0; i < keep * (size_t)ntok; i++) {
        // Result i is number i % keep of group i / keep. Its elements are `keep` apart.
        const float *from = x + i / p->keep * p->count * p->keep + i % p->keep;
        y[i] = golden_reduce(p->function, p->count, p->keep, from, &fault);
    }
    stream_vector(s, "x", ntok, n, x, 1);
    stream_vector(&narrow, "y", ntok, keep, y, 1);
    free(x);
    free(y);
}

int main(int argc, char **argv) {
    struct vectors v = vectors_start(argc, argv);
    struct stream s = stream_start(argc, argv);
    struct shape p = shape_of(argc, argv);
    for (int f = 0; f < FIRINGS; f++)
        firing(&p, &s, &v, f ? stream_tokens(&s, &v) : s.tokens, s.fault && f == FIRINGS / 2);
    return 0;
}
