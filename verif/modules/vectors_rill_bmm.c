// SPDX-License-Identifier: Apache-2.0
// Prints firings for rill_bmm_tb. Each token has SUMS times ROWS sums of N products of random factors `a` and `b`. The
// sums of ROWS rows of `a` are made together and have the same factors `b`. In the middle firing, FAULT 1 makes one
// factor infinite, and FAULT 2 makes one product 2^23, which is too large for the sums.
#include "verif/modules/vectors_rill_stream.h"

enum { FIRINGS = 12, SUMS = 3 };

// Returns the sum of row r of the rows whose words alternate in a[].
static float sum_of(size_t n, size_t lanes, size_t rows, size_t r, const float a[], const float b[],
                    struct golden_fault *fault) {
    float *row = stream_alloc(n);
    for (size_t i = 0; i < n; i++) row[i] = a[(i / lanes * rows + r) * lanes + i % lanes];
    float sum = golden_bmm(n, row, 1, b, 1, fault);
    free(row);
    return sum;
}

// Prints a firing. spoiled: one of its products must raise the fault.
static void firing(size_t n, size_t rows, const struct stream *s, struct vectors *v, int ntok, int spoiled) {
    size_t sums = SUMS * (size_t)ntok, lanes = (size_t)s->lanes;
    float *a = stream_alloc(sums * rows * n), *b = stream_alloc(sums * n), *y = stream_alloc(sums * rows);
    struct golden_fault fault = {0};
    struct stream wide = *s, narrow = *s;
    wide.lanes = (int)(rows * lanes);
    narrow.lanes = (int)rows;
    stream_values(v, sums * rows * n, 6, a);
    stream_values(v, sums * n, 6, b);
    if (spoiled) {
        size_t at = (size_t)stream_below(v, (int)(sums * rows * n));
        a[at] = s->fault == 1 ? g_float(0x7f800000u) : 0x1p20f;
        b[at / (rows * lanes) * lanes + at % lanes] = 8;
    }
    for (size_t i = 0; i < sums * rows; i++)
        y[i] = sum_of(n, lanes, rows, i % rows, a + i / rows * rows * n, b + i / rows * n, &fault);
    stream_vector(&wide, "a", ntok, SUMS * rows * n, a, 1);
    stream_vector(s, "b", ntok, SUMS * n, b, 1);
    stream_vector(&narrow, "y", ntok, SUMS * rows, y, 1);
    free(a);
    free(b);
    free(y);
}

int main(int argc, char **argv) {
    struct vectors v = vectors_start(argc, argv);
    struct stream s = stream_start(argc, argv);
    size_t n = (size_t)vectors_argument(argc, argv, "N", 8), rows = (size_t)vectors_argument(argc, argv, "ROWS", 1);
    for (int f = 0; f < FIRINGS; f++)
        firing(n, rows, &s, &v, f ? stream_tokens(&s, &v) : s.tokens, s.fault && f == FIRINGS / 2);
    return 0;
}
