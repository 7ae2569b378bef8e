// SPDX-License-Identifier: Apache-2.0
// Whole products for tests, composed of the dot products and dequantizations of gen/numerics/numerics.h as
// docs/numerics.md says. All functions record a value that leaves its format in *fault.
#ifndef GOLDEN_PRODUCTS_H
#define GOLDEN_PRODUCTS_H

#include "gen/numerics/numerics.h"

// Computes y[rows] = dequantize(W x). w[rows][k]; group_scale[rows][k / block], or NULL for none; stored_scale[rows];
// bias[rows], or NULL for zeros; xq[k] and xshift[k / block]: mantissas and exponents of x.
static inline void whole_product(size_t rows, size_t k, size_t block, const int8_t w[], const uint8_t group_scale[],
                                 const float stored_scale[], const float bias[], const int16_t xq[],
                                 const uint8_t xshift[], float y[], struct golden_fault *fault) {
    size_t groups = golden_block_count(k, block);
    for (size_t n = 0; n < rows; n++) {
        const uint8_t *scales = group_scale ? group_scale + n * groups : NULL;
        int128 acc = golden_dot(k, block, w + n * k, scales, xq, xshift);
        y[n] = golden_dequantize(acc, stored_scale[n], bias ? bias[n] : 0.0f, fault);
    }
}

// Computes raw[positions] = float(q . k_t) * 2^exp_min for a head of size hd. q[hd] is one mx block with exponent
// qshift; k[t] points at the hd key elements of position t.
static inline void whole_scores(size_t positions, size_t hd, const int16_t q[], uint8_t qshift, int exp_min,
                                const int8_t *const k[], float raw[], struct golden_fault *fault) {
    for (size_t t = 0; t < positions; t++)
        raw[t] = golden_dequantize_raw(golden_dot(hd, hd, k[t], NULL, q, &qshift), exp_min, fault);
}

// Returns the product of row d of the transposed V and the attention weights p, whose exponents are for blocks of 64
// positions: the sum of pq[t] * v[t][d] * 2^(exponent of t's block).
static inline int64_t value_dot(size_t positions, size_t d, const int16_t pq[], const uint8_t pshift[],
                                const int8_t *const v[]) {
    int64_t acc = 0;
    for (size_t t = 0; t < positions; t++)
        acc += (int64_t)(pq[t] * v[t][d]) * ((int64_t)1 << pshift[t / GOLDEN_P_BLOCK]);
    return acc;
}

// Computes o[hd] = (float(sum_t p_t v_t[d]) * 2^exp_min) * inv. pq[positions] and pshift[positions / 64] are mantissas
// and exponents of p; v[t] points at the hd value elements of position t. raw[hd], if not NULL, receives the result
// before the multiplication by inv.
static inline void whole_values(size_t positions, size_t hd, const int16_t pq[], const uint8_t pshift[], int exp_min,
                                const int8_t *const v[], float inv, float raw[], float o[],
                                struct golden_fault *fault) {
    for (size_t d = 0; d < hd; d++) {
        float y = golden_dequantize_raw(value_dot(positions, d, pq, pshift, v), exp_min, fault);
        if (raw) raw[d] = y;
        o[d] = g_mul(y, inv, fault);
    }
}

#endif
