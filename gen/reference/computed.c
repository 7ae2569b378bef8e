// SPDX-License-Identifier: Apache-2.0
// Tables that the oracle computes because no checkpoint has them: the cosines and sines of rotary embedding. Written
// from docs/numerics.md section 9 alone, so that it does not share errors with the compiler.
#include <math.h>

#include "gen/reference/weights.h"

static const double turn = 6.283185307179586476925286766559; // a full turn in radians

bool oracle_is_computed(const struct oracle_node *n) { return n->op == ORACLE_ROPE_TABLE; }

static double clamp(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

// Returns the share (0 to 1) by which frequency i of the d / 2 frequencies is scaled: 0 keeps it, 1 divides it by the
// factor. Between the indices `first` and `last` the share grows linearly.
static double yarn_share(const struct oracle_rope *r, double d, double i) {
    double base = 2 * log(r->theta), size = (double)r->original;
    double first = floor(d * log(size / (r->beta_fast * turn)) / base),
           last = ceil(d * log(size / (r->beta_slow * turn)) / base);
    if (first < 0) first = 0;
    if (last > d - 1) last = d - 1;
    if (first == last) last = first + 0.001;
    return clamp((i - first) / (last - first), 0, 1);
}

// Keeps frequencies that turn often within the original context, divides those that turn seldom by the factor, and
// blends the two between low_freq and high_freq turns.
static double llama3(const struct oracle_rope *r, double f) {
    double wavelength = turn / f, turns = (double)r->original / wavelength;
    if (turns > r->high_freq) return f;
    if (turns < r->low_freq) return f / r->factor;
    double s = (turns - r->low_freq) / (r->high_freq - r->low_freq);
    double slow = (1 - s) * f / r->factor, fast = s * f;
    return slow + fast;
}

// Returns the angle in radians by which pair i of a head turns per position.
static double frequency(const struct oracle_rope *r, int64_t d, int64_t i) {
    double f = pow(r->theta, -2.0 * (double)i / (double)d), share;
    switch ((enum oracle_scaling)r->scaling) {
    case ORACLE_UNSCALED: break;
    case ORACLE_SCALED_LINEAR: return f / r->factor;
    case ORACLE_LLAMA3: return llama3(r, f);
    case ORACLE_YARN: share = yarn_share(r, (double)d, (double)i); return f / r->factor * share + f * (1 - share);
    }
    return f;
}

// Returns the factor of all cosines and sines.
static double magnitude(const struct oracle_rope *r) {
    if (r->scaling != ORACLE_YARN) return 1;
    return r->attention != 0 ? r->attention : 0.1 * log(r->factor) + 1;
}

// Returns the table in arena memory. Row p holds the cosines of all d / 2 angles at position p, then their sines.
const float *oracle_computed(struct arena *arena, const struct oracle_node *n) {
    int64_t d = n->cols;
    double *f = ARENA_ARRAY(arena, double, (size_t)d), m = magnitude(&n->rope);
    float *table = ARENA_ARRAY(arena, float, (size_t)(n->rows * d)), *at = table;
    for (int64_t i = 0; i < d / 2; i++) f[i] = frequency(&n->rope, d, i);
    for (int64_t p = 0; p < n->rows; p++) {
        for (int64_t i = 0; i < d / 2; i++) *at++ = (float)(m * cos((double)p * f[i]));
        for (int64_t i = 0; i < d / 2; i++) *at++ = (float)(m * sin((double)p * f[i]));
    }
    return table;
}
