// SPDX-License-Identifier: Apache-2.0
// int4_asym: groups of 32 with a scale and an offset each. Every float operation is written in a fixed order.
#include "gen/pack/quantize_rows.h"

#include <math.h>

enum {
    LEVELS = QUANTIZE_INT4_MAX - QUANTIZE_INT4_MIN, // steps between the lowest and the highest
    OFFSET_SPAN = QUANTIZE_ASYM_STEP * QUANTIZE_ASYM_OFFSET_MAX,
    CANDIDATES = 12, // spans of a group tried, from the whole one down, in steps of 1/32
};

static float round_within(float x, float low, float high) {
    float r = nearbyintf(x);
    return r < low ? low : r > high ? high : r;
}

struct span {
    float width, middle;
};

static struct span span_of(const float *w, int64_t n) {
    float low = w[0], high = w[0];
    for (int64_t i = 1; i < n; i++) {
        low = w[i] < low ? w[i] : low;
        high = w[i] > high ? w[i] : high;
    }
    return (struct span){high - low, (low + high) * 0.5f};
}

static int64_t length(int64_t k, int64_t at) { return k - at < QUANTIZE_ASYM_GROUP ? k - at : QUANTIZE_ASYM_GROUP; }

// The least one at which every group's scale and offset fit. Level 0 is half a step above the middle of the levels.
static float row_scale_of(const float *w, int64_t k) {
    float most = 0;
    for (int64_t at = 0; at < k; at += QUANTIZE_ASYM_GROUP) {
        struct span s = span_of(w + at, length(k, at));
        float scale = s.width / (float)(LEVELS * QUANTIZE_GROUP_SCALE_MAX);
        float offset = (fabsf(s.middle) + s.width / (float)(2 * LEVELS)) / (float)OFFSET_SPAN;
        most = scale > most ? scale : most;
        most = offset > most ? offset : most;
    }
    return most;
}

// Scale and offset of a group for levels that span `width` about its middle, in units of the row scale.
struct fit {
    float step, offset, error;
};

static float level_of(float w, const struct fit *f) {
    return round_within((w - f->offset) / f->step, QUANTIZE_INT4_MIN, QUANTIZE_INT4_MAX);
}

static struct fit fit_width(const float *w, int64_t n, float row_scale, float middle, float width) {
    struct fit f = {.step = round_within(width / (row_scale * (float)LEVELS), 0, QUANTIZE_GROUP_SCALE_MAX)};
    float at = (middle / row_scale + f.step * 0.5f) / (float)QUANTIZE_ASYM_STEP;
    f.offset = (float)QUANTIZE_ASYM_STEP * round_within(at, -QUANTIZE_ASYM_OFFSET_MAX - 1, QUANTIZE_ASYM_OFFSET_MAX);
    for (int64_t i = 0; i < n; i++) {
        float unit = w[i] / row_scale, level = f.step > 0 ? level_of(unit, &f) : 0;
        float e = unit - (f.step * level + f.offset);
        f.error += e * e;
    }
    return f;
}

// The whole span, or a narrower one that clips its ends, by the least squared error.
static void quantize_group_asym(const float *w, int64_t n, float row_scale, uint8_t *scale, int8_t *offset, int8_t *q) {
    struct span s = span_of(w, n);
    struct fit best = fit_width(w, n, row_scale, s.middle, s.width);
    for (int i = 1; i < CANDIDATES; i++) {
        struct fit f = fit_width(w, n, row_scale, s.middle, s.width * (1.0f - (float)i * 0x1p-5f));
        if (f.error < best.error) best = f;
    }
    *scale = (uint8_t)best.step;
    *offset = (int8_t)(best.offset / (float)QUANTIZE_ASYM_STEP);
    for (int64_t i = 0; best.step > 0 && i < n; i++) q[i] = (int8_t)level_of(w[i] / row_scale, &best);
}

float quantize_row_asym(const float *w, int64_t k, uint8_t *scales, int8_t *offsets, int8_t *q) {
    float row_scale = row_scale_of(w, k);
    for (int64_t g = 0, at = 0; at < k; g++, at += QUANTIZE_ASYM_GROUP)
        quantize_group_asym(w + at, length(k, at), row_scale, &scales[g], &offsets[g], q + at);
    return row_scale;
}
