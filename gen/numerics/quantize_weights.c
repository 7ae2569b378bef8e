// SPDX-License-Identifier: Apache-2.0
// Quantizes weights (quantize.h) to int8 and int4 with a search for the best scales, and to int16. int4_asym is in
// quantize_asym.c. Every float operation is written in a fixed order, so that every machine makes the same bits.
#include "gen/numerics/quantize_rows.h"

#include <math.h>
#include <string.h>

#include "gen/numerics/scale_search.h"

enum {
    INT8_CANDIDATES = 16, // row scales that are tried: max / 127, and less by 1/64 of that for each further one
    INT8_WEIGHED = 48,    // as INT8_CANDIDATES, if columns are weighted by their activations
    COARSE_STEP = 8,      // group scales between two candidates of the first search
};

// A refined row scale below this share of the first one is not used, so that row scales stay above
// QUANTIZE_MIN_ROW_SCALE (least_row).
#define LEAST_REFINED 0.875f

// Rounds to the nearest integer, ties to even, for |x| < 2^22.
static inline float round_even(float x) {
    const float big = 0x1.8p23f;
    return (x + big) - big;
}

static inline float clamp(float x, float low, float high) { return x < low ? low : x > high ? high : x; }

static float largest(const float *w, int64_t n) {
    float max = 0;
    for (int64_t i = 0; i < n; i++) max = fabsf(w[i]) > max ? fabsf(w[i]) : max;
    return max;
}

// Returns the sum of the squared errors if w[n] is stored as scale * q, with q in [low, high] and scale > 0. With
// by_importance, each column's error is multiplied by its importance. Eight partial sums let the compiler use vector
// instructions without reordering the sum.
static inline float error_of(const float *w, bool by_importance, const float *importance, int64_t n, float scale,
                             float low, float high) {
    float sum[8] = {0}, inverse = 1.0f / scale;
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int j = 0; j < 8; j++) {
            float e = w[i + j] - scale * round_even(clamp(w[i + j] * inverse, low, high));
            sum[j] += by_importance ? importance[i + j] * (e * e) : e * e;
        }
    for (; i < n; i++) {
        float e = w[i] - scale * round_even(clamp(w[i] * inverse, low, high));
        sum[0] += by_importance ? importance[i] * (e * e) : e * e;
    }
    return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

// These two are not inlined, because the compiler would not vectorize their loops inside the loop of a search.
__attribute__((noinline)) static float scale_error(const float *w, int64_t n, float scale, float low, float high) {
    return error_of(w, false, NULL, n, scale, low, high);
}
__attribute__((noinline)) static float weighed_error(const float *w, const float *importance, int64_t n, float scale,
                                                     float low, float high) {
    return error_of(w, true, importance, n, scale, low, high);
}

// Computes q as error_of does, so that the stored values have the error that was measured.
static void round_to_scale(const float *w, int64_t n, float scale, float low, float high, int8_t *q) {
    float inverse = 1.0f / scale;
    for (int64_t i = 0; i < n; i++) q[i] = (int8_t)round_even(clamp(w[i] * inverse, low, high));
}

// ---- int8 ----

static float int8_error(const float *w, const float *importance, int64_t k, float scale) {
    const float limit = QUANTIZE_INT8_MAX;
    return importance ? weighed_error(w, importance, k, scale, -limit, limit) : scale_error(w, k, scale, -limit, limit);
}

// Weights of a quantized file are integers times a scale, rounded to fp32. A quotient by this scale then differs from
// an integer by less than this.
#define WHOLE 0x1p-13f

static bool is_whole(const float *w, int64_t k, float scale) {
    float inverse = 1.0f / scale;
    for (int64_t i = 0; i < k; i++) {
        float x = w[i] * inverse;
        if (!(fabsf(x - round_even(x)) <= WHOLE)) return false;
    }
    return true;
}

// Returns the largest scale of which all weights are multiples. Returns 0 if max / 127, which is tried first, is such a
// scale, or if there is none of at least max / 128. (With max / 128 the largest weight is stored as 127.)
static float common_scale(const float *w, int64_t k, float max) {
    if (is_whole(w, k, max / (float)QUANTIZE_INT8_MAX)) return 0;
    for (int most = 1; most <= QUANTIZE_INT8_MAX + 1; most++)
        if (is_whole(w, k, max / (float)most)) return max / (float)most;
    return 0;
}

// Writes q[k] and returns the row scale with the least error.
static float quantize_row_int8(const float *w, const float *importance, int64_t k, int8_t *q) {
    const float limit = QUANTIZE_INT8_MAX;
    float full = largest(w, k) / limit, best = full, least = int8_error(w, importance, k, full);
    int candidates = importance ? INT8_WEIGHED : INT8_CANDIDATES;
    float common = common_scale(w, k, full * limit);
    if (common > 0 && int8_error(w, importance, k, common) < least) {
        round_to_scale(w, k, common, -limit, limit, q);
        return common;
    }
    for (int i = 1; i < candidates; i++) {
        float scale = full * (1.0f - (float)i * 0x1p-6f);
        float error = int8_error(w, importance, k, scale);
        if (error < least) least = error, best = scale;
    }
    round_to_scale(w, k, best, -limit, limit, q);
    return best;
}

// ---- int16 ----

static float quantize_row_int16(const float *w, int64_t k, int16_t *q) {
    const float limit = QUANTIZE_INT16_MAX;
    float scale = largest(w, k) / limit, inverse = 1.0f / scale;
    for (int64_t i = 0; i < k; i++) q[i] = (int16_t)round_even(clamp(w[i] * inverse, -limit, limit));
    return scale;
}

// ---- int4 ----

static float group_error(const float *w, int64_t n, float row_scale, int group_scale) {
    if (group_scale == 0) {
        float sum = 0;
        for (int64_t i = 0; i < n; i++) sum += w[i] * w[i];
        return sum;
    }
    return scale_error(w, n, row_scale * (float)group_scale, QUANTIZE_INT4_MIN, QUANTIZE_INT4_MAX);
}

// A group scale and the squared error with it.
struct choice {
    int scale;
    float error;
};

static void try_scale(struct choice *best, const float *w, int64_t n, float row_scale, int scale) {
    if (scale < 0 || scale > QUANTIZE_GROUP_SCALE_MAX) return;
    float error = group_error(w, n, row_scale, scale);
    if (error < best->error) *best = (struct choice){scale, error};
}

// Returns the best group scale for w[n]. Tries every eighth scale from the full one down to a third of it, then all
// scales around the best of them. If the full scale is small, all scales are tried at once.
static struct choice search_group(const float *w, int64_t n, float row_scale) {
    struct choice best = {0, INFINITY};
    float ratio = largest(w, n) / (row_scale * QUANTIZE_INT4_MAX);
    int full = (int)ceilf(ratio < QUANTIZE_GROUP_SCALE_MAX ? ratio : (float)QUANTIZE_GROUP_SCALE_MAX);
    int step = full > 4 * COARSE_STEP ? COARSE_STEP : 1;
    for (int scale = full; scale >= full / 3; scale -= step) try_scale(&best, w, n, row_scale, scale);
    int centre = best.scale;
    for (int d = 1; d < step; d++) {
        try_scale(&best, w, n, row_scale, centre - d);
        try_scale(&best, w, n, row_scale, centre + d);
    }
    return best;
}

// Searches with importances. The best scale without importances is tried as well.
static struct choice search_weighed(const float *w, const float *importance, int64_t n, float row_scale) {
    struct search_block block = {w, importance, n, row_scale};
    struct search_choice best = search_int4(&block, search_group(w, n, row_scale).scale);
    return (struct choice){best.scale, best.error};
}

// Finds the group scales of a row and returns the sum of the squared errors. importance NULL: all columns count alike.
static float search_row(const float *w, const float *importance, int64_t k, int64_t group, float row_scale,
                        uint8_t *scales) {
    float sum = 0;
    for (int64_t at = 0; at < k; at += group) {
        int64_t n = k - at < group ? k - at : group;
        struct choice best =
            importance ? search_weighed(w + at, importance + at, n, row_scale) : search_group(w + at, n, row_scale);
        *scales++ = (uint8_t)best.scale;
        sum += best.error;
    }
    return sum;
}

static void round_row(const float *w, int64_t k, int64_t group, float row_scale, const uint8_t *scales, int8_t *q) {
    for (int64_t at = 0; at < k; at += group, scales++)
        if (*scales > 0)
            round_to_scale(w + at, k - at < group ? k - at : group, row_scale * (float)*scales, QUANTIZE_INT4_MIN,
                           QUANTIZE_INT4_MAX, q + at);
}

// Quantizes an int4 row and returns its row scale. q is in [-8, 7], so a row may have a smaller error with its signs
// reversed; its row scale is then negative. The first row scale gives the group with the largest weight a group scale
// of 255, so that the scales of all other groups are in range. row[2][k] holds w and -w. scales[2][groups] is written
// for both; the scales of the result come first.
static float quantize_row_int4(const float *row, const float *importance, int64_t k, int64_t group, int64_t groups,
                               uint8_t *scales, int8_t *q) {
    float row_scale = largest(row, k) / (float)(QUANTIZE_INT4_MAX * QUANTIZE_GROUP_SCALE_MAX);
    float error = search_row(row, importance, k, group, row_scale, scales);
    bool turned = search_row(row + k, importance, k, group, row_scale, scales + groups) < error;
    const float *w = turned ? row + k : row;
    if (turned) memcpy(scales, scales + groups, (size_t)groups);
    round_row(w, k, group, row_scale, scales, q);
    float refined = importance ? search_unit(w, importance, q, k, group, scales) : 0;
    if (refined > row_scale * LEAST_REFINED) round_row(w, k, group, row_scale = refined, scales, q);
    return turned ? -row_scale : row_scale;
}

// ---- interface ----

int64_t quantize_group(enum qformat format, int64_t group) {
    return format == QFORMAT_INT4 ? group : format == QFORMAT_INT4_ASYM ? QUANTIZE_ASYM_GROUP : 0;
}

// Returns a limit: a row whose largest weight is below it becomes all zero, because its row scale could fall below
// QUANTIZE_MIN_ROW_SCALE. A row scale is at least the largest weight divided by the factor below, which is the largest
// integer weight of the format. int8 has the factor of int4, because its search tries scales below max / 127.
static float least_row(enum qformat format) {
    return QUANTIZE_MIN_ROW_SCALE * (format == QFORMAT_INT16 ? QUANTIZE_INT16_MAX
                                     : format == QFORMAT_INT4_ASYM
                                         ? QUANTIZE_ASYM_MAX
                                         : QUANTIZE_GROUP_SCALE_MAX * (QUANTIZE_INT4_MAX + 1));
}

// Quantizes a scaled row in the matrix's format and returns its row scale.
static float quantize_scaled(const float *work, const float *importance, struct qmatrix *m, int64_t row,
                             uint8_t *scales) {
    if (m->format == QFORMAT_INT16) return quantize_row_int16(work, m->k, m->q16 + row * m->k);
    int8_t *q = m->q + row * m->k;
    switch (m->format) {
    case QFORMAT_INT4: return quantize_row_int4(work, importance, m->k, m->group, m->groups, scales, q);
    case QFORMAT_INT4_ASYM:
        return quantize_row_asym(work, importance, m->k, scales, m->group_offset + row * m->groups, q);
    case QFORMAT_INT8:
    default: return quantize_row_int8(work, importance, m->k, q);
    }
}

// Scales the row by a power of two to a largest magnitude in [0.5, 1), so that squares neither overflow nor vanish,
// then quantizes it. work[2][k] and scales[2][groups] are scratch memory.
static void quantize_row(const float *w, const float *importance, struct qmatrix *m, int64_t row, float *work,
                         uint8_t *scales) {
    int64_t k = m->k;
    int exponent;
    float max = largest(w, k);
    if (max < least_row(m->format)) return; // all zero
    frexpf(max, &exponent);
    for (int64_t i = 0; i < k; i++) {
        work[i] = ldexpf(w[i], -exponent);
        work[k + i] = -work[i];
    }
    m->row_scale[row] = ldexpf(quantize_scaled(work, importance, m, row, scales), exponent);
    if (m->groups) memcpy(m->group_scale + row * m->groups, scales, (size_t)m->groups);
}

struct qmatrix quantize_weighed(struct arena *arena, const float *w, int64_t rows, int64_t k, enum qformat format,
                                int64_t group, const float *mean_square) {
    struct qmatrix m = quantize_room(arena, rows, k, format, group);
    struct arena_mark mark = arena_mark(arena);
    float *importance = mean_square ? ARENA_ARRAY(arena, float, (size_t)k) : NULL;
    if (mean_square) search_importance(mean_square, k, importance);
    float *work = ARENA_ARRAY(arena, float, (size_t)(2 * k));
    uint8_t *scales = ARENA_ARRAY(arena, uint8_t, (size_t)(2 * m.groups));
    for (int64_t r = 0; r < rows; r++) quantize_row(w + r * k, importance, &m, r, work, scales);
    arena_release(arena, mark);
    return m;
}
