// SPDX-License-Identifier: Apache-2.0
// Mean squares of columns, with what they are of.
#ifndef RILL_STATISTICS_H
#define RILL_STATISTICS_H

#include "gen/reference/calibrate.h"

// Of these rows of a tensor, whoever multiplies them.
struct statistics_entry {
    const char *tensor;
    int64_t rows, row_offset, k, count;
    double *sum; // while it is measured
    float *mean; // [k]
};

struct statistics {
    uint64_t checkpoint, graph; // checksums
    int64_t tokens;
    const char *from; // the text's name
    VEC(struct statistics_entry) entry;
};

// The entry, or a new one with sums of 0.
struct statistics_entry *statistics_entry(struct statistics *, struct arena *, const char *tensor, int64_t rows,
                                          int64_t row_offset, int64_t k);
void statistics_divide(struct statistics *, struct arena *);
// Of all that decides what products multiply; formats, groups and the context do not.
uint64_t statistics_graph(const struct oracle_graph *);

#endif
