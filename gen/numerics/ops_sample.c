// SPDX-License-Identifier: Apache-2.0
// Draws a token (docs/numerics.md section 10). The list of the k largest elements is kept as the RTL keeps it: sorted,
// where a new element is inserted after the elements that equal it. gen/reference/draw.c is the oracle's separate
// version.
#include "gen/numerics/sample.h"

#include <stdbool.h>

#include "gen/numerics/numerics.h"

enum { ROUNDS = 20, MOST_LIST = 64 }; // rounds of Threefry; largest top_k of any design

void golden_threefry(const uint32_t key[2], const uint32_t counter[2], uint32_t out[2]) {
    static const int rotation[] = {13, 15, 26, 6, 17, 29, 16, 24};
    const uint32_t k[] = {key[0], key[1], 0x1bd11bda ^ key[0] ^ key[1]};
    uint32_t a = counter[0] + k[0], b = counter[1] + k[1];
    for (uint32_t r = 0; r < ROUNDS; r++) {
        int left = rotation[r % 8];
        a += b;
        b = (b << left | b >> (32 - left)) ^ a;
        if (r % 4 != 3) continue;
        uint32_t group = r / 4 + 1;
        a += k[group % 3];
        b += k[(group + 1) % 3] + group;
    }
    out[0] = a, out[1] = b;
}

uint32_t golden_random(uint64_t seed, int64_t position, uint32_t id) {
    uint32_t key[] = {(uint32_t)seed, (uint32_t)(seed >> 32)}, counter[] = {id >> 1, (uint32_t)position}, out[2];
    golden_threefry(key, counter, out);
    return out[id & 1];
}

// Returns whether the bits are those of +0 or of a positive normal number of at most `most`.
static bool is_legal(uint32_t bits, float most) { return bits == 0 || (bits >= 0x00800000u && bits <= g_bits(most)); }

// Returns whether the design accepts the settings. most: its largest top_k. min_p needs a top_k.
static bool settings_legal(const struct sampling *s, int64_t most) {
    return is_legal(s->inverse, GOLDEN_FP32_MAX) && is_legal(s->min_p, 1.0f) && s->top_k <= most &&
           (s->top_k || !s->min_p);
}

// The choice so far. any: an id was considered; then `id` has the score `best`.
struct choice {
    const struct sampling *s;
    int64_t position;
    bool any;
    float best;
    size_t id;
};

// Keeps the id with the largest sum of logit and noise; among equal sums, the lowest id.
static void consider(struct choice *c, float z, size_t id, struct golden_fault *fault) {
    float score = g_add(z, g_gumbel(golden_random(c->s->seed, c->position, (uint32_t)id)), fault);
    bool more = !c->any || g_less(c->best, score, fault) || (!g_less(score, c->best, fault) && id < c->id);
    if (!more) return;
    c->any = true;
    c->best = score;
    c->id = id;
}

// Lists the indices of the k largest elements. Returns the length, which is less than k if n is.
static size_t list_largest(size_t n, const float x[], size_t k, size_t list[], struct golden_fault *fault) {
    size_t length = 0;
    for (size_t i = 0; i < n; i++) {
        size_t at = length;
        while (at > 0 && g_less(x[list[at - 1]], x[i], fault)) at--;
        if (at == k) continue;
        length += length < k;
        for (size_t j = length - 1; j > at; j--) list[j] = list[j - 1];
        list[at] = i;
    }
    return length;
}

// Considers the listed elements whose probability, relative to the largest, is at least min_p. Positive floats have the
// order of their bits.
static void choose_of_list(struct choice *c, size_t n, const float x[], struct golden_fault *fault) {
    size_t list[MOST_LIST] = {0}, length = list_largest(n, x, c->s->top_k, list, fault);
    float inverse = g_float(c->s->inverse), most = g_mul_sat(x[list[0]], inverse, fault);
    for (size_t i = 0; i < length; i++) {
        float z = g_mul_sat(x[list[i]], inverse, fault);
        if (g_bits(g_exp(g_sub(z, most, fault), fault)) >= c->s->min_p) consider(c, z, list[i], fault);
    }
}

size_t golden_sample(size_t n, const float x[], const struct sampling *s, int64_t most, int64_t position,
                     struct golden_fault *fault) {
    if (!settings_legal(s, most < MOST_LIST ? most : MOST_LIST)) {
        golden_fault_raise(fault, GOLDEN_FAULT_DOMAIN);
        return 0;
    }
    if (s->inverse == 0) return golden_argmax(n, x, fault);
    struct choice c = {.s = s, .position = position};
    if (s->top_k) choose_of_list(&c, n, x, fault);
    else
        for (size_t i = 0; i < n; i++) consider(&c, g_mul_sat(x[i], g_float(s->inverse), fault), i, fault);
    return c.id;
}
