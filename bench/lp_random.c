// SPDX-License-Identifier: Apache-2.0
// Measures the time of the linear program for FIFO depths (gen/lp/lp.h) on a random graph with EDGES edges. Kernels are
// in topological order. An edge leads from a kernel to one of the next REACH kernels, so paths fork and meet again, and
// its weight is the width of a stream. Prints edges, kernels, milliseconds and the sum that was minimised.
// bench/gen.sh runs it.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "gen/lp/lp.h"

enum { REACH = 24, DELAYS = 200 }; // REACH: longest edge, in kernels; DELAYS: largest delay of an edge, in cycles

static uint64_t next(uint64_t *state) { // splitmix64
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv) {
    static const int widths[] = {32, 64, 256, 512, 1024};
    int edges = argc > 1 ? atoi(argv[1]) : 1000, kernels = edges * 2 / 3;
    if (edges < 3) return fprintf(stderr, "usage: lp_random EDGES [SEED]\n"), 2;
    uint64_t state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    struct arena arena;
    struct lp lp;
    arena_init(&arena);
    lp_init(&lp, &arena, kernels);
    for (int v = 1; v < kernels; v++) { // every kernel except the first reads an earlier one
        int from = v - 1 - (int)(next(&state) % (uint64_t)(v < REACH ? v : REACH));
        lp_add(&lp, from, v, (int64_t)(next(&state) % DELAYS) + 1, widths[next(&state) % COUNT_OF(widths)]);
    }
    while (lp.rows < edges) {
        int from = (int)(next(&state) % (uint64_t)(kernels - 1)), room = kernels - 1 - from;
        int to = from + 1 + (int)(next(&state) % (uint64_t)(room < REACH ? room : REACH));
        lp_add(&lp, from, to, (int64_t)(next(&state) % DELAYS) + 1, widths[next(&state) % COUNT_OF(widths)]);
    }
    double start = seconds();
    const int64_t *s = lp_solve(&lp);
    double took = seconds() - start, sum = 0;
    if (!s) return fprintf(stderr, "no solution\n"), 1;
    for (int r = 0; r < lp.rows; r++) sum += lp.row[r].weight * (double)(s[lp.row[r].to] - s[lp.row[r].from]);
    printf("%d %d %.1f %.0f\n", edges, kernels, took * 1e3, sum);
    arena_free(&arena);
    return 0;
}
