// SPDX-License-Identifier: Apache-2.0
// Computes sums of products of integers. The replay and the oracle spend nearly all their time here, so the inner loops
// are plain loops over 16-bit factors, which compilers turn into multiply-and-add vector instructions.
// tests/unit/test_golden.c compares the results with those of golden_dot (ops_quant.c).
#include "gen/numerics/dot.h"

#include <string.h>

#include "gen/numerics/numerics.h"
#include "gen/numerics/wide.h"

// Returns the sum of n products. It fits 32 bits for n <= GOLDEN_K_MAX: 32768 * 128 * 511 < 2^31.
static int32_t block_sum(int64_t n, const int8_t w[], const int16_t x[]) {
    int32_t sum = 0;
    for (int64_t i = 0; i < n; i++) sum += (int16_t)w[i] * x[i];
    return sum;
}

WIDE int128 dot_product(int64_t k, int64_t block, const int8_t w[], const uint8_t group_scale[], const int16_t x[],
                        const uint8_t shift[]) {
    int128 acc = 0;
    for (int64_t b = 0, at = 0; at < k; b++, at += block) {
        int64_t sum = block_sum(k - at < block ? k - at : block, w + at, x + at);
        acc += (int128)(sum * (group_scale ? group_scale[b] : 1)) * ((int64_t)1 << shift[b]);
    }
    return acc;
}

void dot_group_sums(int64_t k, const int16_t x[], int32_t sums[]) {
    for (int64_t i = 0; i < k; i++)
        sums[i / GOLDEN_ASYM_GROUP] = (i % GOLDEN_ASYM_GROUP ? sums[i / GOLDEN_ASYM_GROUP] : 0) + x[i];
}

WIDE int128 dot_product_asym(int64_t k, int64_t block, const int8_t w[], const uint8_t group_scale[],
                             const int8_t group_offset[], const int16_t x[], const int32_t sums[],
                             const uint8_t shift[]) {
    int128 acc = 0;
    for (int64_t g = 0, at = 0; at < k; g++, at += GOLDEN_ASYM_GROUP) {
        int64_t sum = block_sum(k - at < GOLDEN_ASYM_GROUP ? k - at : GOLDEN_ASYM_GROUP, w + at, x + at);
        int64_t term = group_scale[g] * sum + GOLDEN_ASYM_STEP * group_offset[g] * (int64_t)sums[g];
        acc += term * ((int64_t)1 << shift[at / block]);
    }
    return acc;
}

// Adds the products of one attention weight p with the n values of its position.
static void add_row(int64_t n, int16_t p, const int8_t v[], int32_t sum[]) {
    for (int64_t i = 0; i < n; i++) sum[i] += p * (int16_t)v[i];
}

WIDE void dot_weighted_sum(int64_t positions, int64_t block, const int16_t p[], const uint8_t shift[], int64_t dims,
                           int64_t stride, const int8_t v[], int32_t sum[], int128 acc[]) {
    memset(acc, 0, sizeof *acc * (size_t)dims);
    for (int64_t b = 0; b * block < positions; b++) {
        int64_t end = (b + 1) * block < positions ? (b + 1) * block : positions;
        memset(sum, 0, sizeof *sum * (size_t)dims);
        for (int64_t t = b * block; t < end; t++) add_row(dims, p[t], v + t * stride, sum);
        for (int64_t d = 0; d < dims; d++) acc[d] += sum[d] * ((int64_t)1 << shift[b]);
    }
}
