// SPDX-License-Identifier: Apache-2.0
// Fast versions of golden_dot and golden_dot_asym, and the weighted sum of attention, written for vector instructions
// (dot.c). All values are exact integers, so the order of the sums does not change the result.
#ifndef RILL_DOT_H
#define RILL_DOT_H

#include <stdint.h>

#include "gen/numerics/fp32.h"

// Returns the same integer as golden_dot (numerics.h), with the same arguments; k <= GOLDEN_K_MAX.
int128 dot_product(int64_t k, int64_t block, const int8_t w[], const uint8_t group_scale[], const int16_t x[],
                   const uint8_t shift[]);
// Returns the same integer as golden_dot_asym. sums[ceil(k / 32)] has the sum of the 32 mantissas of each group.
// dot_group_sums computes these sums, once for all rows of a matrix.
int128 dot_product_asym(int64_t k, int64_t block, const int8_t w[], const uint8_t group_scale[],
                        const int8_t group_offset[], const int16_t x[], const int32_t sums[], const uint8_t shift[]);
void dot_group_sums(int64_t k, const int16_t x[], int32_t sums[]);
// Computes acc[d] = sum over all positions t of p[t] * v[t * stride + d] * 2^shift[t / block], for d < dims. p and
// shift are the attention weights in block floating point, v[positions][stride] are the values. stride: elements from
// one position to the next, at least dims. sum[dims] is scratch memory.
void dot_weighted_sum(int64_t positions, int64_t block, const int16_t p[], const uint8_t shift[], int64_t dims,
                      int64_t stride, const int8_t v[], int32_t sum[], int128 acc[]);

#endif
