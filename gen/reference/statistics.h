// SPDX-License-Identifier: Apache-2.0
// The statistics of a calibration (calibrate.h): mean squares of the activations for each column of each weight matrix,
// with the checksums of the checkpoint and the graph to which they belong.
#ifndef RILL_STATISTICS_H
#define RILL_STATISTICS_H

#include "gen/reference/calibrate.h"

// The statistics of `rows` rows of a tensor from `row_offset` on, summed over all operations that multiply these rows.
struct statistics_entry {
    const char *tensor;
    int64_t rows, row_offset, k, count; // k: columns; count: vectors that were multiplied with these rows
    double *sum;                        // [k], squares of `count` vectors; used while measuring
    float *mean;                        // [k], mean squares; set by statistics_divide or read from a file
};

struct statistics {
    uint64_t checkpoint, graph; // checksums
    int64_t tokens;             // number of tokens of the text that were run
    const char *from;           // name of the text
    VEC(struct statistics_entry) entry;
};

// Returns the entry, or a new one with sums of 0.
struct statistics_entry *statistics_entry(struct statistics *, struct arena *, const char *tensor, int64_t rows,
                                          int64_t row_offset, int64_t k);
void statistics_divide(struct statistics *, struct arena *); // makes the means from the sums
// Returns a checksum of the graph: operations, how they are connected, names of weights, golden functions, and those
// attributes that hash_node lists. Formats, groups and the context are not part of it.
uint64_t statistics_graph(const struct oracle_graph *);

#endif
