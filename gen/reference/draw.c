// SPDX-License-Identifier: Apache-2.0
// Draws a token at random, for the oracle. Written from docs/numerics.md section 10 alone, so that it does not share
// errors with gen/numerics/ops_sample.c, which the replay uses.
#include "gen/numerics/numerics.h"
#include "gen/reference/execute.h"

// Rotates the bits of x to the left.
static uint32_t turn(uint32_t x, int left) { return x << left | x >> (32 - left); }

// The Threefry-2x32 generator: 20 rounds in five groups of four. The key is added before the first group and after each
// group.
static uint64_t threefry(uint64_t key, uint64_t counter) {
    static const int by[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
    uint32_t low = (uint32_t)key, high = (uint32_t)(key >> 32), keys[3] = {low, high, low ^ high ^ 0x1bd11bdau};
    uint32_t x = (uint32_t)counter + low, y = (uint32_t)(counter >> 32) + high;
    for (unsigned i = 1; i <= 5; i++) {
        for (int j = 0; j < 4; j++) x += y, y = turn(y, by[(i - 1) % 2][j]) ^ x;
        x += keys[i % 3], y += keys[(i + 1) % 3] + i;
    }
    return (uint64_t)y << 32 | x;
}

// Returns the noise of an id at a position. Ids 2i and 2i + 1 take the two halves of one random number.
static float noise(const struct sampling *s, int64_t position, int64_t id) {
    uint64_t two = threefry(s->seed, (uint64_t)position << 32 | (uint64_t)(id / 2));
    return g_gumbel(id % 2 ? (uint32_t)(two >> 32) : (uint32_t)two);
}

// Whether element i comes before element j in the order of falling logits, in which equal logits keep their order.
static bool before(const float x[], int64_t i, int64_t j, struct golden_fault *fault) {
    return g_less(x[j], x[i], fault) || (i < j && !g_less(x[i], x[j], fault));
}

// Returns the element that follows `last` in the order of falling logits, or -1 if there is none. last -1: returns the
// first element of all.
static int64_t next_largest(const float x[], int64_t n, int64_t last, struct golden_fault *fault) {
    int64_t next = -1;
    for (int64_t i = 0; i < n; i++) {
        bool behind = last < 0 || before(x, last, i, fault);
        if (behind && (next < 0 || before(x, i, next, fault))) next = i;
    }
    return next;
}

// The choice so far.
struct draw {
    const struct step *s;
    int64_t chosen; // index; -1: none yet
    float best;     // its score
};

// Makes token i the choice if its score (scaled logit z plus noise) is the largest so far. Among equal scores, the
// lowest id wins.
static void consider(struct draw *d, int64_t i, float z) {
    struct golden_fault *fault = d->s->fault;
    float score = g_add(z, noise(&d->s->run->sampling, d->s->position, i), fault);
    bool equal = d->chosen >= 0 && !g_less(d->best, score, fault) && !g_less(score, d->best, fault);
    if (d->chosen >= 0 && (equal ? i > d->chosen : g_less(score, d->best, fault))) return;
    d->best = score;
    d->chosen = i;
}

// Draws from the top_k largest logits, without those whose probability is below min_p times the largest one.
static void draw_of_list(struct draw *d, const float x[], int64_t n) {
    const struct sampling *how = &d->s->run->sampling;
    float inverse = g_float(how->inverse), largest = 0;
    int64_t i = -1;
    for (uint32_t k = 0; k < how->top_k && (i = next_largest(x, n, i, d->s->fault)) >= 0; k++) {
        float z = g_mul_sat(x[i], inverse, d->s->fault);
        if (k == 0) largest = z;
        if (g_exp(g_sub(z, largest, d->s->fault), d->s->fault) >= g_float(how->min_p)) consider(d, i, z);
    }
}

// Whether the settings are not legal: a number is neither 0 nor a positive normal number in its range, or min_p is
// given without top_k.
static bool refused(const struct sampling *s) {
    float inverse = g_float(s->inverse), least = g_float(s->min_p);
    bool numbers = g_is_finite(inverse) && !(s->inverse >> 31) && (inverse == 0 || inverse >= 0x1p-126f) &&
                   !(s->min_p >> 31) && least <= 1 && (least == 0 || least >= 0x1p-126f);
    return !numbers || (s->min_p && !s->top_k);
}

uint32_t oracle_draw(const struct step *s) {
    const float *x = s->in[0]->v.f32;
    int64_t n = oracle_count(&s->in[0]->v);
    const struct sampling *how = &s->run->sampling;
    struct draw d = {s, -1, 0};
    if (refused(how)) golden_fault_raise(s->fault, GOLDEN_FAULT_DOMAIN);
    else if (!how->inverse) d.chosen = (int64_t)golden_argmax((size_t)n, x, s->fault);
    else if (how->top_k) draw_of_list(&d, x, n);
    else
        for (int64_t i = 0; i < n; i++) consider(&d, i, g_mul_sat(x[i], g_float(how->inverse), s->fault));
    return d.chosen < 0 ? 0 : (uint32_t)d.chosen;
}
