// SPDX-License-Identifier: Apache-2.0
// Quantizes weights (docs/numerics.md section 4): rows of floats become int8, int16, int4 with group scales, or
// int4_asym with group scales and offsets. The results have the same bits with every C compiler that follows IEEE-754
// and does not contract operations.
#ifndef RILL_QUANTIZE_H
#define RILL_QUANTIZE_H

#include "gen/base/base.h"

// Formats of quantized weights: the values of enum spec_format, and int16, which only rows of a table use.
enum qformat { QFORMAT_INT8, QFORMAT_INT4, QFORMAT_INT4_ASYM, QFORMAT_INT16, QFORMATS };

enum {
    QUANTIZE_INT8_MAX = 127, // q in [-127, 127]
    QUANTIZE_INT16_MAX = 32767,
    QUANTIZE_INT4_MIN = -8, // q in [-8, 7]
    QUANTIZE_INT4_MAX = 7,
    QUANTIZE_GROUP_SCALE_MAX = 255,
    QUANTIZE_ASYM_GROUP = 32,              // columns of an int4_asym group
    QUANTIZE_ASYM_STEP = 8,                // unit of a group offset
    QUANTIZE_ASYM_OFFSET_MAX = 127,        // largest group offset; the smallest is -128
    QUANTIZE_ASYM_MAX = 8 * 255 + 8 * 128, // largest |group_scale * q + 8 * group_offset|
};

// The smallest row scale other than 0. Its product with 2^EXP_MIN is still a normal number for any EXP_MIN from -46 on;
// the default is -24. A row that would need a smaller scale becomes all zero.
#define QUANTIZE_MIN_ROW_SCALE 0x1p-80f

// A quantized matrix. int4: w[r][c] is about row_scale[r] * group_scale[r][c / group] * q[r][c]. int8 and int16 have no
// group scale. int4_asym: w[r][c] is about row_scale[r] * (group_scale * q[r][c] + 8 * group_offset).
struct qmatrix {
    int64_t rows, k;
    int64_t group;  // columns per group scale; int8, int16: 0
    int64_t groups; // group scales per row, ceil(k / group); int8, int16: 0
    enum qformat format;
    int8_t *q;            // [rows][k], one per element; NULL for int16
    int16_t *q16;         // [rows][k]; only int16
    float *row_scale;     // [rows], without 2^EXP_MIN; int4: may be negative
    uint8_t *group_scale; // [rows][groups], NULL for int8 and int16
    int8_t *group_offset; // [rows][groups]; only int4_asym
    float *bias;          // [rows] or NULL; set by the caller, the quantizer leaves it NULL
};

// Returns how many elements share a group scale: the design's `group` for int4, 32 for int4_asym, 0 (none) for int8 and
// int16.
int64_t quantize_group(enum qformat format, int64_t group);
int64_t quantize_bytes(enum qformat format);           // bytes of one stored element
const void *quantize_elements(const struct qmatrix *); // q or q16

// Quantizes w[rows][k], whose elements must be finite. Searches the scales with the least squared error of each group
// (int4, int4_asym) or row (int8); the scale of an int16 row follows from its largest element. `group` is as in
// quantize_group. mean_square[k] has, for each column, the mean square of the activations that the column multiplies.
// The squared errors of the column are multiplied by it; NULL: all columns count alike. For int16, mean_square has no
// effect. The result is in arena memory.
struct qmatrix quantize_weighed(struct arena *arena, const float *w, int64_t rows, int64_t k, enum qformat format,
                                int64_t group, const float *mean_square);
// With these, a matrix is quantized in pieces: quantize_room allocates the whole matrix, and quantize_place copies a
// piece, which quantize_weighed has made, to the rows from `first` on.
struct qmatrix quantize_room(struct arena *arena, int64_t rows, int64_t k, enum qformat format, int64_t group);
void quantize_place(struct qmatrix *whole, int64_t first, const struct qmatrix *piece);

#endif
