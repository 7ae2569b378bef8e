// SPDX-License-Identifier: Apache-2.0
// Shared by tests of quantized weights: quantizes a matrix with all columns equally important, and converts it back to
// floats.
#ifndef RILL_TEST_QUANTIZE_FIXTURE_H
#define RILL_TEST_QUANTIZE_FIXTURE_H

#include "gen/numerics/quantize.h"

// Quantizes w[rows][k]. The result is allocated in the arena. group: elements of a group of a row, which share a scale,
// in the formats that have groups.
static inline struct qmatrix quantize_matrix(struct arena *arena, const float *w, int64_t rows, int64_t k,
                                             enum qformat format, int64_t group) {
    return quantize_weighed(arena, w, rows, k, format, group, NULL);
}

// Converts a row to out[k]: row scale times mantissa. In formats with groups, the mantissa is first multiplied by the
// group's scale, and in int4_asym its offset is added.
static inline void quantize_row_to_float(const struct qmatrix *m, int64_t row, float *out) {
    for (int64_t i = 0; i < m->k; i++) {
        float scale = m->row_scale[row];
        int64_t q = m->q16 ? m->q16[row * m->k + i] : m->q[row * m->k + i],
                at = m->groups ? row * m->groups + i / m->group : 0;
        if (m->format == QFORMAT_INT4) scale *= (float)m->group_scale[at];
        if (m->format == QFORMAT_INT4_ASYM) q = q * m->group_scale[at] + QUANTIZE_ASYM_STEP * m->group_offset[at];
        out[i] = scale * (float)q;
    }
}

#endif
