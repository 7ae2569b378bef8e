// SPDX-License-Identifier: Apache-2.0
// Prints firings of HEADS heads each for rill_rope_tb, with a row of ROTARY cosines and sines (any values) for each
// token.
#include "verif/modules/vectors_rill_stream.h"

enum { FIRINGS = 8 };

struct sizes {
    size_t heads, head, rotary; // heads of a firing; elements of a head; elements of a head that are rotated
    int beside;                 // PAIRS: 1: the two elements of a pair are neighbours
};

// Prints a firing. spoiled: with FAULT, one value is infinite.
static void firing(const struct stream *s, struct vectors *v, const struct sizes *z, int ntok, int spoiled) {
    size_t n = z->heads * z->head, all = n * (size_t)ntok;
    float *x = stream_alloc(all), *y = stream_alloc(all), *row = stream_alloc(z->rotary * (size_t)ntok);
    struct golden_fault fault = {0};
    stream_values(v, all, 20, x);
    stream_values(v, z->rotary * (size_t)ntok, 3, row);
    if (spoiled) stream_spoil(s, v, all, x);
    for (int t = 0; t < ntok; t++)
        for (size_t h = 0; h < z->heads; h++)
            golden_rope(z->head, z->rotary, z->beside, row + (size_t)t * z->rotary, x + (size_t)t * n + h * z->head,
                        y + (size_t)t * n + h * z->head, &fault);
    stream_vector(s, "row", ntok, z->rotary, row, 1);
    stream_vector(s, "x", ntok, n, x, 1);
    stream_vector(s, "y", ntok, n, y, 1);
    free(x);
    free(y);
    free(row);
}

int main(int argc, char **argv) {
    struct vectors v = vectors_start(argc, argv);
    struct stream s = stream_start(argc, argv);
    struct sizes z = {(size_t)vectors_argument(argc, argv, "HEADS", 1), (size_t)vectors_argument(argc, argv, "HEAD", 2),
                      (size_t)vectors_argument(argc, argv, "ROTARY", 2), (int)vectors_argument(argc, argv, "PAIRS", 0)};
    for (int f = 0; f < FIRINGS; f++)
        firing(&s, &v, &z, f ? stream_tokens(&s, &v) : s.tokens, s.fault && f == FIRINGS / 2);
    return 0;
}
