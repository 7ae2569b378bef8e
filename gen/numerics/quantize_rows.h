// SPDX-License-Identifier: Apache-2.0
// One row of a format each, scaled to a largest weight in [0.5, 1) before.
#ifndef RILL_QUANTIZE_ROWS_H
#define RILL_QUANTIZE_ROWS_H

#include "gen/numerics/quantize.h"

// w[k], not all zero; scales and offsets of ceil(k / 32) groups, q[k] (zeros before). Returns the row scale.
float quantize_row_asym(const float *w, const float *importance, int64_t k, uint8_t *scales, int8_t *offsets,
                        int8_t *q);

#endif
