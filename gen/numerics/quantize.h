// SPDX-License-Identifier: Apache-2.0
// Weight quantization (docs/numerics.md section 4): float rows to int8, or to int4 with
// group scales, or with group scales and offsets. Deterministic:
// the same bits from every compiler that follows IEEE-754 without contraction.
#ifndef RILL_QUANTIZE_H
#define RILL_QUANTIZE_H

#include "gen/base/base.h"

// As enum spec_format; beyond it what rows of a table alone have.
enum qformat { QFORMAT_INT8, QFORMAT_INT4, QFORMAT_INT4_ASYM, QFORMAT_INT16, QFORMATS };

enum {
    QUANTIZE_INT8_MAX = 127, // q in [-127, 127]
    QUANTIZE_INT16_MAX = 32767,
    QUANTIZE_INT4_MIN = -8, // q in [-8, 7]
    QUANTIZE_INT4_MAX = 7,
    QUANTIZE_GROUP_SCALE_MAX = 255,
    QUANTIZE_ASYM_GROUP = 32,              // columns of an int4_asym group
    QUANTIZE_ASYM_STEP = 8,                // what a group offset counts
    QUANTIZE_ASYM_OFFSET_MAX = 127,        // int8, from -128
    QUANTIZE_ASYM_MAX = 8 * 255 + 8 * 128, // largest |group_scale * q + 8 * group_offset|
};

// No row scale but 0 is smaller: the product with 2^EXP_MIN must stay a normal number. Rows below it are all zero.
#define QUANTIZE_MIN_ROW_SCALE 0x1p-80f

// A quantized matrix: w[r][c] ~ row_scale[r] * group_scale[r][c / group] * q[r][c] (int8, int16: without the group
// scale). int4_asym: row_scale[r] * (group_scale * q[r][c] + 8 * group_offset).
struct qmatrix {
    int64_t rows, k;
    int64_t group;  // columns per group scale; int8, int16: 0
    int64_t groups; // group scales per row, ceil(k / group); int8, int16: 0
    enum qformat format;
    int8_t *q;            // [rows][k], one per element; NULL for int16
    int16_t *q16;         // [rows][k], int16 alone
    float *row_scale;     // [rows], without 2^EXP_MIN; int4: may be negative
    uint8_t *group_scale; // [rows][groups], NULL for int8 and int16
    int8_t *group_offset; // [rows][groups], int4_asym alone
    float *bias;          // [rows] or NULL; the quantizer leaves it NULL, it belongs to the caller
};

// Elements that share a group scale: of int4 the design's `group`; of int8 and int16 none, 0.
int64_t quantize_group(enum qformat format, int64_t group);
int64_t quantize_bytes(enum qformat format);           // of an element as it is kept
const void *quantize_elements(const struct qmatrix *); // q or q16

// w[rows][k], all finite. Scales are searched for the least squared error of each group (int4, int4_asym) or row
// (int8); int16 rows reach their largest element. group: as quantize_group.
// The squared error of a column counts as much as mean_square[k], of what it is multiplied with (NULL: all alike);
// int16 rows do not depend on it.
struct qmatrix quantize_weighed(struct arena *arena, const float *w, int64_t rows, int64_t k, enum qformat format,
                                int64_t group, const float *mean_square);
// A matrix in pieces: room for the whole, and the rows of one from `first` on.
struct qmatrix quantize_room(struct arena *arena, int64_t rows, int64_t k, enum qformat format, int64_t group);
void quantize_place(struct qmatrix *whole, int64_t first, const struct qmatrix *piece);

#endif
