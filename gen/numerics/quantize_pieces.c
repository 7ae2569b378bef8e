// SPDX-License-Identifier: Apache-2.0
// Allocates quantized matrices and assembles them from pieces of rows, so that the floats of a large matrix need not be
// in memory at the same time. Every row is quantized by itself, so the pieces have the bits of the whole matrix.
#include <string.h>

#include "gen/numerics/quantize.h"

int64_t quantize_bytes(enum qformat format) { return format == QFORMAT_INT16 ? 2 : 1; }

const void *quantize_elements(const struct qmatrix *m) { return m->q16 ? (const void *)m->q16 : m->q; }

struct qmatrix quantize_room(struct arena *arena, int64_t rows, int64_t k, enum qformat format, int64_t group) {
    size_t elements;
    if (rows < 1 || k < 1 || (format == QFORMAT_INT4 && group < 1) || !size_mul((size_t)rows, (size_t)k, &elements))
        base_fatal("quantize: %lld x %lld, group %lld", (long long)rows, (long long)k, (long long)group);
    struct qmatrix m = {.rows = rows, .k = k, .format = format};
    m.group = group = quantize_group(format, group);
    if (group) {
        m.groups = (int64_t)u64_div_ceil((uint64_t)k, (uint64_t)group);
        m.group_scale = ARENA_ARRAY(arena, uint8_t, (size_t)(rows * m.groups));
        if (format == QFORMAT_INT4_ASYM) m.group_offset = ARENA_ARRAY(arena, int8_t, (size_t)(rows * m.groups));
    }
    if (format == QFORMAT_INT16) m.q16 = ARENA_ARRAY(arena, int16_t, elements);
    else m.q = ARENA_ARRAY(arena, int8_t, elements);
    m.row_scale = ARENA_ARRAY(arena, float, (size_t)rows);
    return m;
}

void quantize_place(struct qmatrix *whole, int64_t first, const struct qmatrix *piece) {
    if (first + piece->rows > whole->rows || piece->k != whole->k || piece->format != whole->format ||
        piece->groups != whole->groups)
        base_fatal("quantize: a piece that does not fit");
    size_t elements = (size_t)(piece->rows * piece->k);
    if (whole->q16) memcpy(whole->q16 + first * whole->k, piece->q16, elements * sizeof *whole->q16);
    else memcpy(whole->q + first * whole->k, piece->q, elements);
    memcpy(whole->row_scale + first, piece->row_scale, (size_t)piece->rows * sizeof(float));
    if (whole->groups)
        memcpy(whole->group_scale + first * whole->groups, piece->group_scale, (size_t)(piece->rows * whole->groups));
    if (whole->group_offset)
        memcpy(whole->group_offset + first * whole->groups, piece->group_offset, (size_t)(piece->rows * whole->groups));
}
