// SPDX-License-Identifier: Apache-2.0
// Quantizes one row to int4_asym (quantize_asym.c). quantize_weights.c calls this, and quantizes the other formats
// itself. The caller has scaled the row by a power of two so that its largest magnitude is in [0.5, 1).
#ifndef RILL_QUANTIZE_ROWS_H
#define RILL_QUANTIZE_ROWS_H

#include "gen/numerics/quantize.h"

// Quantizes w[k], not all zero, to int4_asym: scales and offsets of ceil(k / 32) groups, and q[k], which must be zeros
// before the call. importance[k] is as in scale_search.h; NULL: all columns count alike. Returns the row scale.
float quantize_row_asym(const float *w, const float *importance, int64_t k, uint8_t *scales, int8_t *offsets,
                        int8_t *q);

#endif
