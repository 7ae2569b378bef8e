// SPDX-License-Identifier: Apache-2.0
// Difference-constraint programs: start times s with s[to] - s[from] >= least, and the least weighted sum of such
// differences. The only place that knows a solver. The matrix is a network's, so the optimum is integral; it is checked
// again after rounding.
#ifndef RILL_LP_H
#define RILL_LP_H

#include "gen/base/base.h"

struct lp_row { // s[to] - s[from] >= least
    int from, to;
    int64_t least;
    double weight; // of s[to] - s[from] in the sum that is minimised
};

struct lp {
    struct arena *arena;
    int variables;
    struct lp_row *row;
    int rows;
    size_t row_capacity;
};

void lp_init(struct lp *, struct arena *, int variables);
void lp_add(struct lp *, int from, int to, int64_t least, double weight);
// The start times, s[0] = 0; NULL when no start times meet the rows (a circle of rows demands more than 0), or the sum
// has no least value.
int64_t *lp_solve(const struct lp *);

// Words that are in a stream at once, REFERENCE of StreamTensor (MICRO 2025): a firing of `words` words whose source
// gives the first `first` cycles after its start, then one every `interval`, the last by `length`; the target takes one
// every `target_interval`, from `delay` cycles after the source's start.
struct lp_stream {
    int64_t words, first, interval, length, target_interval, delay;
};
int64_t lp_max_words(const struct lp_stream *);

#endif
