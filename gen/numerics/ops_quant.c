// SPDX-License-Identifier: Apache-2.0
// Computes block quantization, exact dot products of integers, and embedding (numerics.h). The dot products are the
// plain versions, with which tests compare the fast ones of dot.h that the replay and the oracle use.
#include "gen/numerics/numerics.h"

size_t golden_block_count(size_t n, size_t block) { return (n + block - 1) / block; }

static float largest_magnitude(size_t n, const float x[], struct golden_fault *fault) {
    float most = 0.0f;
    for (size_t i = 0; i < n; i++) most = g_max(most, g_abs(x[i]), fault);
    return most;
}

int64_t golden_mx_limit(int bits) { return ((int64_t)1 << (bits - 1)) - 1; }
int golden_mx_shift_max(int bits) { return 31 + 8 - bits; }

// Quantizes one block, x[n] -> q[n], and returns its shift.
static uint8_t quantize_block(size_t n, int bits, int exp_min, const float x[], int16_t q[],
                              struct golden_fault *fault) {
    float most = largest_magnitude(n, x, fault);
    int e = (int)(g_bits(most) >> 23) - 127 - (bits - 2);
    if (most == 0.0f || (bits == 8 && e < exp_min)) { // an 8-bit block below the floor becomes zero
        memset(q, 0, n * sizeof *q);
        return 0;
    }
    if (e < exp_min) e = exp_min; // with more than 8 bits, a block below the floor gets small mantissas, not zeros
    if (e > exp_min + golden_mx_shift_max(bits)) golden_fault_raise(fault, GOLDEN_FAULT_EXPONENT);
    for (size_t i = 0; i < n; i++) q[i] = (int16_t)g_fix_clamp(x[i], -e, golden_mx_limit(bits), fault);
    return (uint8_t)((e - exp_min) & 31); // stays within 5 bits after a fault
}

void golden_quantize_mx(size_t n, size_t block, int bits, int exp_min, const float x[], int16_t q[], uint8_t shift[],
                        struct golden_fault *fault) {
    for (size_t b = 0; b * block < n; b++) {
        size_t first = b * block, length = n - first < block ? n - first : block;
        shift[b] = quantize_block(length, bits, exp_min, x + first, q + first, fault);
    }
}

int128 golden_dot(size_t k, size_t block, const int8_t w[], const uint8_t group_scale[], const int16_t xq[],
                  const uint8_t xshift[]) {
    int128 acc = 0;
    for (size_t b = 0; b * block < k; b++) {
        size_t end = k - b * block < block ? k : (b + 1) * block;
        int32_t sum = 0; // fits: 32768 * 128 * 511 < 2^31
        for (size_t i = b * block; i < end; i++) sum += w[i] * xq[i];
        acc += (int128)sum * (group_scale ? group_scale[b] : 1) * ((int64_t)1 << xshift[b]);
    }
    return acc;
}

int128 golden_dot_asym(size_t k, size_t block, const int8_t w[], const uint8_t group_scale[],
                       const int8_t group_offset[], const int16_t xq[], const uint8_t xshift[]) {
    int128 acc = 0;
    for (size_t i = 0; i < k; i++) {
        size_t g = i / GOLDEN_ASYM_GROUP;
        int64_t weight = group_scale[g] * w[i] + GOLDEN_ASYM_STEP * group_offset[g];
        acc += weight * xq[i] * ((int64_t)1 << xshift[i / block]);
    }
    return acc;
}

float golden_dequantize(int128 acc, float stored_row_scale, float bias, struct golden_fault *fault) {
    return g_add(g_mul(g_from_int128(acc), stored_row_scale, fault), bias, fault);
}

float golden_dequantize_raw(int128 acc, int exp_min, struct golden_fault *fault) {
    return g_ldexp(g_from_int128(acc), exp_min, fault);
}

float golden_stored_scale(float row_scale, int exp_min, struct golden_fault *fault) {
    return g_ldexp(row_scale, exp_min, fault);
}

void golden_embed(size_t k, size_t block, const int8_t q[], const uint8_t group_scale[], float row_scale, float y[],
                  struct golden_fault *fault) {
    for (size_t i = 0; i < k; i++) {
        float scale = row_scale;
        if (group_scale) scale = g_mul(row_scale, g_from_int64(group_scale[i / block]), fault);
        y[i] = g_mul(scale, g_from_int64(q[i]), fault);
    }
}

void golden_embed_int16(size_t k, const int16_t q[], float row_scale, float y[], struct golden_fault *fault) {
    for (size_t i = 0; i < k; i++) y[i] = g_mul(row_scale, g_from_int64(q[i]), fault);
}
