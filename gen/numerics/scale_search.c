// SPDX-License-Identifier: Apache-2.0
// Searches scales (scale_search.h) coarsely, then one by one around the best one. Each coarse candidate is also refined
// by least squares: its q are kept, and the best scale for them is tried. The result is refined in this way until the
// error stops falling. Every float operation is in a fixed order, so that every machine makes the same bits.
#include "gen/numerics/scale_search.h"

#include <math.h>

#include "gen/numerics/quantize.h"

enum {
    COARSE_STEP = 8, // scales between two candidates of the first search
    SMALLEST = 8,    // the first search ends at the full scale divided by this
    MOST_TURNS = 8,  // most rounds of least squares
};

#define LEAST_IMPORTANCE 0x1p-10f // least importance of a column; the mean importance is 1

// Rounds to the nearest integer, ties to even, for |x| < 2^22.
static inline float round_even(float x) {
    const float big = 0x1.8p23f;
    return (x + big) - big;
}

// Returns q for a weight: w / scale, rounded and limited to int4.
static inline float code(float w, float inverse) {
    float x = w * inverse;
    x = x < QUANTIZE_INT4_MIN ? QUANTIZE_INT4_MIN : x > QUANTIZE_INT4_MAX ? QUANTIZE_INT4_MAX : x;
    return round_even(x);
}

static inline float total(const float sum[8]) {
    return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

// Returns the squared error of a block at this scale, weighted by importance. Eight partial sums let the compiler use
// vector instructions without reordering the sum.
static float error_of(const struct search_block *b, int scale) {
    float s = b->unit * (float)scale, inverse = scale ? 1.0f / s : 0, sum[8] = {0};
    int64_t i = 0;
    for (; i + 8 <= b->n; i += 8)
        for (int j = 0; j < 8; j++) {
            float e = b->w[i + j] - s * code(b->w[i + j], inverse);
            sum[j] += b->importance[i + j] * (e * e);
        }
    for (; i < b->n; i++) {
        float e = b->w[i] - s * code(b->w[i], inverse);
        sum[0] += b->importance[i] * (e * e);
    }
    return total(sum);
}

static void try_scale(struct search_choice *best, const struct search_block *b, int scale) {
    if (scale < 0 || scale > QUANTIZE_GROUP_SCALE_MAX) return;
    float error = error_of(b, scale);
    if (error < best->error) *best = (struct search_choice){scale, error};
}

static int nearest_scale(float ratio) {
    return ratio < QUANTIZE_GROUP_SCALE_MAX ? (int)round_even(ratio) : QUANTIZE_GROUP_SCALE_MAX;
}

// Returns the scale with the least squared error for the q that `scale` makes: sum(importance * w * q) /
// sum(importance * q^2), in units. Returns 0 if all q are 0. `scale` must not be 0.
static int refined(const struct search_block *b, int scale) {
    float inverse = 1.0f / (b->unit * (float)scale), product = 0, square = 0;
    for (int64_t i = 0; i < b->n; i++) {
        float q = code(b->w[i], inverse), weighed = b->importance[i] * q;
        product += weighed * b->w[i];
        square += weighed * q;
    }
    return square > 0 && product > 0 ? nearest_scale(product / (square * b->unit)) : 0;
}

// Returns the least scale at which the largest weight is not clipped at 7, at most 255.
static int full_scale(const struct search_block *b) {
    float most = 0;
    for (int64_t i = 0; i < b->n; i++) most = fabsf(b->w[i]) > most ? fabsf(b->w[i]) : most;
    float ratio = ceilf(most / (b->unit * QUANTIZE_INT4_MAX));
    return ratio < QUANTIZE_GROUP_SCALE_MAX ? (int)ratio : QUANTIZE_GROUP_SCALE_MAX;
}

// Repeats least squares until the error stops falling.
static void refine(struct search_choice *best, const struct search_block *b) {
    for (int turn = 0, before = 0; turn < MOST_TURNS && best->scale > 0 && best->scale != before; turn++) {
        before = best->scale;
        try_scale(best, b, refined(b, before));
    }
}

// Tries small scales as well, because a column of high importance may have weights far below the largest one.
struct search_choice search_int4(const struct search_block *b, int first) {
    struct search_choice best = {0, INFINITY};
    // If there are few scales, the first search tries every one.
    int full = full_scale(b), step = full > 4 * COARSE_STEP ? COARSE_STEP : 1;
    for (int scale = full; scale >= full / SMALLEST; scale -= step) {
        try_scale(&best, b, scale);
        if (scale > 0) try_scale(&best, b, refined(b, scale));
    }
    int centre = best.scale;
    for (int d = 1; d < step; d++) {
        try_scale(&best, b, centre - d);
        try_scale(&best, b, centre + d);
    }
    try_scale(&best, b, first);
    refine(&best, b);
    return best;
}

float search_unit(const float *w, const float *importance, const int8_t *q, int64_t k, int64_t group,
                  const uint8_t *scales) {
    float product = 0, square = 0;
    for (int64_t i = 0; i < k; i++) {
        float level = (float)scales[i / group] * (float)q[i], weighed = importance[i] * level;
        product += weighed * w[i];
        square += weighed * level;
    }
    return square > 0 && product > 0 ? product / square : 0;
}

void search_importance(const float *mean_square, int64_t k, float *importance) {
    double sum = 0;
    for (int64_t i = 0; i < k; i++) sum += mean_square[i];
    double by = sum > 0 ? (double)k / sum : 0;
    for (int64_t i = 0; i < k; i++) {
        float share = (float)(mean_square[i] * by);
        importance[i] = share > LEAST_IMPORTANCE ? share : LEAST_IMPORTANCE;
    }
}
