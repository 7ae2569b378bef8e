// SPDX-License-Identifier: Apache-2.0
// Searches the scales of int4 groups with the least squared error, in which each column is weighted by the mean square
// of its activations (docs/numerics.md section 4). quantize_weights.c uses it if there are such statistics.
#ifndef RILL_SCALE_SEARCH_H
#define RILL_SCALE_SEARCH_H

#include "gen/base/base.h"

// One group of a row. Each of its weights is approximated by unit * scale * q. unit: the row scale, above 0.
struct search_block {
    const float *w, *importance; // [n]
    int64_t n;
    float unit;
};

// A group scale and the error with it.
struct search_choice {
    int scale;   // 0: all q are 0
    float error; // sum(importance * (w - unit * scale * q)^2)
};

// Returns the best group scale of those that it tries: q in [-8, 7], scale 0 to 255. `first` is one of them.
struct search_choice search_int4(const struct search_block *, int first);

// Returns the row scale with the least squared error for given group scales s and q: sum(importance * w * s * q) /
// sum(importance * (s * q)^2). Returns 0 if this scale is not above 0. scales: [ceil(k / group)].
float search_unit(const float *w, const float *importance, const int8_t *q, int64_t k, int64_t group,
                  const uint8_t *scales);

// Scales the mean squares of k columns to a mean of 1. Columns that are nearly always 0 keep a small importance,
// because their values in other texts are unknown.
void search_importance(const float *mean_square, int64_t k, float *importance);

#endif
