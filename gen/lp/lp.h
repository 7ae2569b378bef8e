// SPDX-License-Identifier: Apache-2.0
// Solves difference-constraint programs: finds start times s with s[to] - s[from] >= least that minimise a weighted sum
// of such differences. The sizing of FIFOs uses these programs (gen/timing/firings.c). The constraint matrix is that of
// a network, so the optimum is integral. The rounded result is still checked against every row. Only lp.c and mip.c use
// GLPK, the solver's library.
#ifndef RILL_LP_H
#define RILL_LP_H

#include "gen/base/base.h"

struct lp_row { // s[to] - s[from] >= least
    int from, to;
    int64_t least;
    double weight; // weight of s[to] - s[from] in the minimised sum
};

struct lp {
    struct arena *arena;
    int variables; // start times s[0] to s[variables - 1]
    struct lp_row *row;
    int rows;
    size_t row_capacity;
};

// Begins a program without rows. variables: at least 1. All memory is in the arena.
void lp_init(struct lp *, struct arena *, int variables);
// Adds a row. from, to: 0 to variables - 1. The weight may be 0; the row is then only a bound.
void lp_add(struct lp *, int from, int to, int64_t least, double weight);
// Returns the start times in arena memory, with s[0] = 0. Returns NULL if no start times satisfy the rows (the lower
// bounds along a cycle of rows add up to more than 0) or if the sum has no minimum. A solution that violates a row
// after rounding is an internal error, which ends the program.
int64_t *lp_solve(const struct lp *);

// A firing (one run of a kernel) on a stream between two kernels, as StreamTensor (MICRO 2025) describes it. All times
// are in cycles after the source's start. The source sends `words` words: the first one at `first`, then one every
// `interval` cycles, the last one by cycle `length`. The target takes one word every `target_interval` cycles, from
// `delay` on. Both intervals are at least 1.
struct lp_stream {
    int64_t words, first, interval, length, target_interval, delay;
};
// Returns the most words that are in the stream at once: 0 to `words`.
int64_t lp_max_words(const struct lp_stream *);

#endif
