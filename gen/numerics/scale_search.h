// SPDX-License-Identifier: Apache-2.0
// Searches scales of blocks of weights for the least squared error, in which each column counts as much as the mean
// square of its activations (docs/numerics.md section 4).
#ifndef RILL_SCALE_SEARCH_H
#define RILL_SCALE_SEARCH_H

#include "gen/base/base.h"

// A block of a row: w ~ unit * scale * q, unit > 0.
struct search_block {
    const float *w, *importance; // [n]
    int64_t n;
    float unit;
};

struct search_choice {
    int scale;   // 0: all q are 0
    float error; // sum(importance * (w - w~)^2)
};

// Searches int4 scales: q in [-8, 7], scale 0 to 255. `first` is tried as well, so the choice is never worse.
struct search_choice search_int4(const struct search_block *, int first);

// Returns the least-squares unit of a whole row for given scales and q: sum(i w s q) / sum(i (s q)^2); 0 if there is
// none. scales: [ceil(k / group)].
float search_unit(const float *w, const float *importance, const int8_t *q, int64_t k, int64_t group,
                  const uint8_t *scales);

// Scales the mean squares of k columns to a mean of 1. Columns that are nearly always 0 keep a small importance,
// because their values in other texts are unknown.
void search_importance(const float *mean_square, int64_t k, float *importance);

#endif
