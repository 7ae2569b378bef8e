// SPDX-License-Identifier: Apache-2.0
// Quantizes a row to int4_asym: groups of 32 weights, each with a scale and an offset. Every float operation is written
// in a fixed order, so that every machine makes the same bits.
#include "gen/numerics/quantize_rows.h"

#include <math.h>

enum {
    LEVELS = QUANTIZE_INT4_MAX - QUANTIZE_INT4_MIN,              // steps between the lowest and the highest level
    OFFSET_SPAN = QUANTIZE_ASYM_STEP * QUANTIZE_ASYM_OFFSET_MAX, // largest offset, in units of the row scale
    FEWEST = 8,      // fewest steps of a grid that is tried; a grid of fewer steps is also a grid of twice as many
    CANDIDATES = 12, // spans tried for a group, from the whole span down, in steps of 1/32
    MOST_TURNS = 8,  // most rounds of least squares
};

static float round_within(float x, float low, float high) {
    float r = nearbyintf(x);
    return r < low ? low : r > high ? high : r;
}

// The range of some weights: the largest minus the smallest, and the middle between the two.
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

// ---- weights that were already quantized ----

#define GRID_ERROR 0x1p-20f // share of the largest weight: covers two roundings with a margin

// Returns whether each weight is within `error` of low + i * step for an integer i.
static bool fits_grid(const float *w, int64_t n, float low, float step, float error) {
    for (int64_t i = 0; i < n; i++) {
        float level = nearbyintf((w[i] - low) / step);
        if (fabsf(w[i] - (low + level * step)) > error) return false;
    }
    return true;
}

// Returns the number of steps of an even grid with at most 16 levels on which all weights of a group already are.
// Groups of Q4_0, Q4_1 and Q4_K have such a grid. Returns 0 if there is none.
static int grid_of(const float *w, int64_t n, const struct span *s) {
    float low = s->middle - s->width * 0.5f, most = fabsf(s->middle) + s->width * 0.5f, error = most * GRID_ERROR;
    // A step must be much larger than the error, or any weights would fit.
    for (int steps = FEWEST; steps <= LEVELS; steps++)
        if (s->width > (float)steps * error * 64 && fits_grid(w, n, low, s->width / (float)steps, error)) return steps;
    return 0;
}

// Returns the number of weights of the group that begins at `at`. The last group may be short.
static int64_t length(int64_t k, int64_t at) { return k - at < QUANTIZE_ASYM_GROUP ? k - at : QUANTIZE_ASYM_GROUP; }

// Returns the smallest row scale at which the scale and the offset of every group are within their ranges. The offset
// is the value of level 0, which is half a step above the middle of the levels -8 to 7.
static float row_scale_of(const float *w, int64_t k) {
    float most = 0;
    for (int64_t at = 0; at < k; at += QUANTIZE_ASYM_GROUP) {
        struct span s = span_of(w + at, length(k, at));
        int steps = grid_of(w + at, length(k, at), &s);
        float scale = s.width / (float)((steps ? steps : LEVELS) * QUANTIZE_GROUP_SCALE_MAX);
        float offset = (fabsf(s.middle) + s.width / (float)(2 * LEVELS)) / (float)OFFSET_SPAN;
        most = scale > most ? scale : most;
        most = offset > most ? offset : most;
    }
    return most;
}

// Step (group scale) and offset of a group, in units of the row scale, and the squared error that they leave.
struct fit {
    float step, offset, error;
};

// Returns the level (-8 to 7) of a weight in units of the row scale.
static float level_of(float w, const struct fit *f) {
    return round_within((w - f->offset) / f->step, QUANTIZE_INT4_MIN, QUANTIZE_INT4_MAX);
}

// The weights of a group, and the row scale in whose units they are quantized. importance NULL: all columns count
// alike.
struct group {
    const float *w, *importance; // [n]
    int64_t n;
    float row_scale;
};

static float counts(const struct group *g, int64_t i) { return g->importance ? g->importance[i] : 1; }

static float round_step(float step) { return round_within(step, 0, QUANTIZE_GROUP_SCALE_MAX); }

static float round_offset(float offset) {
    float at = offset / (float)QUANTIZE_ASYM_STEP;
    return (float)QUANTIZE_ASYM_STEP * round_within(at, -QUANTIZE_ASYM_OFFSET_MAX - 1, QUANTIZE_ASYM_OFFSET_MAX);
}

// Returns the fit with this step and offset, and its error.
static struct fit fit_of(const struct group *g, float step, float offset) {
    struct fit f = {.step = step, .offset = offset};
    for (int64_t i = 0; i < g->n; i++) {
        float unit = g->w[i] / g->row_scale, level = f.step > 0 ? level_of(unit, &f) : 0;
        float e = unit - (f.step * level + f.offset);
        f.error += counts(g, i) * (e * e);
    }
    return f;
}

// Returns the fit whose 16 levels span `width` about `middle`. Level 0 is half a step above the middle of the levels.
static struct fit fit_width(const struct group *g, float middle, float width) {
    float step = round_step(width / (g->row_scale * (float)LEVELS));
    return fit_of(g, step, round_offset(middle / g->row_scale + step * 0.5f));
}

// Returns the fit whose step and offset have the least squared error for the levels that `f` gives to the weights.
static struct fit refined(const struct group *g, const struct fit *f) {
    float all = 0, l = 0, ll = 0, u = 0, lu = 0;
    for (int64_t i = 0; i < g->n; i++) {
        float unit = g->w[i] / g->row_scale, level = level_of(unit, f), c = counts(g, i);
        all += c;
        l += c * level;
        ll += c * (level * level);
        u += c * unit;
        lu += c * (level * unit);
    }
    float spread = all * ll - l * l;
    if (!(spread > 0)) return *f;
    float step = round_step((all * lu - l * u) / spread);
    return step > 0 ? fit_of(g, step, round_offset((u - step * l) / all)) : *f;
}

// Sets *at to the level of the lowest weight if a grid needs no offset. first: the lowest weight, in steps of the grid.
// Returns false if the grid needs an offset or does not fit the levels.
static bool begins_at(float first, int steps, int *at) {
    *at = (int)nearbyintf(round_within(first, QUANTIZE_INT4_MIN, QUANTIZE_INT4_MAX));
    return fabsf(first - (float)*at) < 0x1p-8f && *at + steps <= QUANTIZE_INT4_MAX;
}

// Returns the fit of weights that are on a grid of `steps` steps. If the grid needs no offset, its integers are the
// levels. Otherwise the levels may begin anywhere from -8 on, and the offset makes up for it; the beginning with the
// least error is chosen.
static struct fit fit_grid(const struct group *g, const struct span *s, int steps) {
    float width = s->width / g->row_scale, step = width / (float)steps, low = s->middle / g->row_scale - width * 0.5f;
    struct fit best = {.error = INFINITY};
    int at;
    if (begins_at(low / step, steps, &at)) return fit_of(g, round_step(step), 0);
    for (at = QUANTIZE_INT4_MIN; at + steps <= QUANTIZE_INT4_MAX; at++) {
        struct fit f = fit_of(g, round_step(step), round_offset(low - step * (float)at));
        if (f.error < best.error) best = f;
    }
    return best;
}

// Returns the fit with the least squared error. Tries the whole span and narrower spans that clip its ends, and refines
// the best of them by least squares. If the weights are on a grid, the fit of the grid is used unless it is worse.
static struct fit best_fit(const struct group *g) {
    struct span s = span_of(g->w, g->n);
    struct fit best = fit_width(g, s.middle, s.width);
    for (int i = 1; i < CANDIDATES; i++) {
        struct fit f = fit_width(g, s.middle, s.width * (1.0f - (float)i * 0x1p-5f));
        if (f.error < best.error) best = f;
    }
    for (int turn = 0; turn < MOST_TURNS && best.step > 0; turn++) {
        struct fit f = refined(g, &best);
        if (!(f.error < best.error)) break;
        best = f;
    }
    int steps = grid_of(g->w, g->n, &s);
    struct fit kept = steps ? fit_grid(g, &s, steps) : best;
    return kept.error <= best.error ? kept : best;
}

static void quantize_group_asym(const struct group *g, uint8_t *scale, int8_t *offset, int8_t *q) {
    struct fit best = best_fit(g);
    *scale = (uint8_t)best.step;
    *offset = (int8_t)(best.offset / (float)QUANTIZE_ASYM_STEP);
    for (int64_t i = 0; best.step > 0 && i < g->n; i++) q[i] = (int8_t)level_of(g->w[i] / g->row_scale, &best);
}

float quantize_row_asym(const float *w, const float *importance, int64_t k, uint8_t *scales, int8_t *offsets,
                        int8_t *q) {
    float row_scale = row_scale_of(w, k);
    for (int64_t g = 0, at = 0; at < k; g++, at += QUANTIZE_ASYM_GROUP) {
        struct group group = {w + at, importance ? importance + at : NULL, length(k, at), row_scale};
        quantize_group_asym(&group, &scales[g], &offsets[g], q + at);
    }
    return row_scale;
}
