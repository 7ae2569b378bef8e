// SPDX-License-Identifier: Apache-2.0
// Prints vectors for rill_scale_tb. A vector consists of HEADS firings, each with one scalar per token. With FAULT, one
// value of each firing of the middle vector is infinite.
#include "verif/modules/vectors_rill_stream.h"

enum { VECTORS = 12, CHUNKS_MAX = 10, ELEMENTS_MAX = CHUNKS_MAX * 32 };

// Prints a firing. last: it is the last one of its vector, so y gets tlast. spoiled: with FAULT, one value is infinite.
static void firing(const struct stream *s, struct vectors *v, int ntok, size_t n, int last, int spoiled) {
    static float x[STREAM_TOKENS_MAX * ELEMENTS_MAX], y[STREAM_TOKENS_MAX * ELEMENTS_MAX], factor[STREAM_TOKENS_MAX];
    struct golden_fault fault = {0};
    stream_values(v, n * (size_t)ntok, 30, x);
    if (spoiled) stream_spoil(s, v, n * (size_t)ntok, x);
    for (int t = 0; t < ntok; t++) {
        factor[t] = vectors_value(v, 127, 20);
        golden_scale(n, factor[t], x + (size_t)t * n, y + (size_t)t * n, &fault);
        printf("s %08" PRIx32, g_bits(factor[t]));
        stream_mark(s, t, ntok, 1);
    }
    stream_vector(s, "x", ntok, n, x, 1);
    stream_vector(s, "y", ntok, n, y, last);
}

int main(int argc, char **argv) {
    struct vectors v = vectors_start(argc, argv);
    struct stream s = stream_start(argc, argv);
    int heads = (int)vectors_argument(argc, argv, "HEADS", 1);
    for (int k = 0; k < VECTORS; k++) {
        int ntok = stream_tokens(&s, &v);
        size_t n = (size_t)((1 + stream_below(&v, CHUNKS_MAX)) * s.lanes);
        for (int h = 0; h < heads; h++) firing(&s, &v, ntok, n, h == heads - 1, k == VECTORS / 2);
    }
    return 0;
}
