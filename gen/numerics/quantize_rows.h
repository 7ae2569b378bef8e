// SPDX-License-Identifier: Apache-2.0
// Quantizes one row; one function per format. The caller has scaled the row to a largest weight in [0.5, 1).
#ifndef RILL_QUANTIZE_ROWS_H
#define RILL_QUANTIZE_ROWS_H

#include "gen/numerics/quantize.h"

// Quantizes w[k], not all zero, to scales and offsets of ceil(k / 32) groups and q[k], which must be zeros before the
// call. Returns the row scale.
float quantize_row_asym(const float *w, const float *importance, int64_t k, uint8_t *scales, int8_t *offsets,
                        int8_t *q);

#endif
