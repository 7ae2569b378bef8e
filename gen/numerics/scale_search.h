// SPDX-License-Identifier: Apache-2.0
// Scales of blocks of weights by what the weights are multiplied with: the squared error of each column counts as much
// as the mean square of the column's activations (docs/numerics.md section 4). One function for each block format.
#ifndef RILL_SCALE_SEARCH_H
#define RILL_SCALE_SEARCH_H

#include "gen/base/base.h"

// A block of a row. w ~ unit * scale * q; unit > 0.
struct search_block {
    const float *w, *importance; // [n]
    int64_t n;
    float unit;
};

struct search_choice {
    int scale;   // 0: all q are 0
    float error; // sum(importance * (w - w~)^2)
};

// int4, q in [-8, 7], scale from 0 to 255. first: a scale that is tried too, so that the choice is never worse.
struct search_choice search_int4(const struct search_block *, int first);

// The unit of a whole row by least squares, its scales and q given: sum(i w s q) / sum(i (s q)^2); 0: there is none.
// scales: [ceil(k / group)].
float search_unit(const float *w, const float *importance, const int8_t *q, int64_t k, int64_t group,
                  const uint8_t *scales);

// Mean squares of k columns so that their mean is 1. Columns that are hardly ever other than 0 keep a little: what they
// are in another text is not known.
void search_importance(const float *mean_square, int64_t k, float *importance);

#endif
