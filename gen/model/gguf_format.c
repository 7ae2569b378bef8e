// SPDX-License-Identifier: Apache-2.0
// Decodes the block formats of GGUF tensors to fp32. Products and sums round in the order of ggml's code, so the values
// equal those of llama.cpp bit by bit.
#include <string.h>

#include "gen/model/gguf.h"
#include "gen/model/safetensors.h"

enum { SUPER = 256 }; // weights of a block of the K formats

static float f16_at(const uint8_t *p) { return safetensors_from_f16((uint16_t)(p[0] | p[1] << 8)); }

static uint32_t u32_at(const uint8_t *p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void dequantize_f32(const uint8_t *block, float *out) {
    uint32_t bits = u32_at(block);
    memcpy(out, &bits, sizeof bits);
}

static void dequantize_f16(const uint8_t *block, float *out) { *out = f16_at(block); }

static void dequantize_bf16(const uint8_t *block, float *out) {
    *out = safetensors_from_bf16((uint16_t)(block[0] | block[1] << 8));
}

// ---- blocks of 32 weights ----

// A block has a scale d, in the formats Q4_1 and Q5_1 also a minimum m, and the weights as integers. Q8_0 has a byte
// per weight. In the other formats, byte i has weight i in its low nibble and weight 16 + i in its high nibble, and the
// 5-bit formats have the fifth bits in 4 bytes before the nibbles.
static int nibble(const uint8_t *q, int i) { return i < 16 ? q[i] & 15 : q[i - 16] >> 4; }
static int fifth(const uint8_t *high, int i) { return (int)(u32_at(high) >> i & 1) << 4; }

static void dequantize_q4_0(const uint8_t *block, float *out) {
    float d = f16_at(block);
    for (int i = 0; i < 32; i++) out[i] = d * (float)(nibble(block + 2, i) - 8);
}

static void dequantize_q4_1(const uint8_t *block, float *out) {
    float d = f16_at(block), m = f16_at(block + 2);
    for (int i = 0; i < 32; i++) out[i] = d * (float)nibble(block + 4, i) + m;
}

static void dequantize_q5_0(const uint8_t *block, float *out) {
    float d = f16_at(block);
    for (int i = 0; i < 32; i++) out[i] = d * (float)((nibble(block + 6, i) | fifth(block + 2, i)) - 16);
}

static void dequantize_q5_1(const uint8_t *block, float *out) {
    float d = f16_at(block), m = f16_at(block + 2);
    for (int i = 0; i < 32; i++) out[i] = d * (float)(nibble(block + 8, i) | fifth(block + 4, i)) + m;
}

static void dequantize_q8_0(const uint8_t *block, float *out) {
    float d = f16_at(block);
    for (int i = 0; i < 32; i++) out[i] = (float)(int8_t)block[2 + i] * d;
}

// ---- blocks of 256 weights: eight groups of 32 with six-bit scales and minima (Q4_K, Q5_K), or sixteen groups of 16
// with int8 scales (Q6_K) ----

// These return the six-bit scale and minimum of group g from the 12 bytes at s. For groups 0 to 3, the scales are in
// the low bits of bytes 0 to 3 and the minima in those of bytes 4 to 7. For groups 4 to 7, the low four bits are in the
// low (scales) and high (minima) nibbles of bytes 8 to 11, and the upper two bits in the top bits of bytes 0 to 3
// (scales) and 4 to 7 (minima).
static int group_scale(const uint8_t *s, int g) { return g < 4 ? s[g] & 63 : (s[g + 4] & 15) | s[g - 4] >> 6 << 4; }
static int group_min(const uint8_t *s, int g) { return g < 4 ? s[g + 4] & 63 : s[g + 4] >> 4 | s[g] >> 6 << 4; }

// Returns the nibble of weight i. Weights 64 j .. 64 j + 31 are the low nibbles of 32 bytes; the next 32 weights are
// the high nibbles of these bytes.
static int paired_nibble(const uint8_t *q, int i) {
    int byte = q[i / 64 * 32 + i % 32];
    return i % 64 < 32 ? byte & 15 : byte >> 4;
}

static void dequantize_q4_k(const uint8_t *block, float *out) {
    const uint8_t *scales = block + 4, *q = block + 16;
    for (int i = 0; i < SUPER; i++) {
        float d = f16_at(block) * (float)group_scale(scales, i / 32);
        float m = f16_at(block + 2) * (float)group_min(scales, i / 32);
        out[i] = d * (float)paired_nibble(q, i) - m;
    }
}

static void dequantize_q5_k(const uint8_t *block, float *out) {
    const uint8_t *scales = block + 4, *high = block + 16, *q = block + 48;
    for (int i = 0; i < SUPER; i++) {
        float d = f16_at(block) * (float)group_scale(scales, i / 32);
        float m = f16_at(block + 2) * (float)group_min(scales, i / 32);
        int bit = high[i % 32] >> (i / 32) & 1;
        out[i] = d * (float)(paired_nibble(q, i) | bit << 4) - m;
    }
}

// Each half of a block has 128 weights in quarters of 32. The low four bits of the weights are first the low nibbles of
// two runs of 32 bytes, then their high nibbles. The upper two bits of each weight are stored separately.
static void dequantize_q6_k(const uint8_t *block, float *out) {
    const uint8_t *low = block, *high = block + 128;
    const int8_t *scales = (const int8_t *)block + 192;
    for (int i = 0; i < SUPER; i++) {
        int half = i / 128, quarter = i % 128 / 32, at = i % 32;
        int byte = low[half * 64 + quarter % 2 * 32 + at];
        int four = quarter < 2 ? byte & 15 : byte >> 4, two = high[half * 32 + at] >> (2 * quarter) & 3;
        float d = f16_at(block + 208) * (float)scales[i / 16];
        out[i] = d * (float)((four | two << 4) - 32);
    }
}

static const struct gguf_format formats[] = {
    {GGUF_F32, "F32", 1, 4, dequantize_f32},          {GGUF_F16, "F16", 1, 2, dequantize_f16},
    {GGUF_BF16, "BF16", 1, 2, dequantize_bf16},       {GGUF_Q4_0, "Q4_0", 32, 18, dequantize_q4_0},
    {GGUF_Q4_1, "Q4_1", 32, 20, dequantize_q4_1},     {GGUF_Q5_0, "Q5_0", 32, 22, dequantize_q5_0},
    {GGUF_Q5_1, "Q5_1", 32, 24, dequantize_q5_1},     {GGUF_Q8_0, "Q8_0", 32, 34, dequantize_q8_0},
    {GGUF_Q4_K, "Q4_K", SUPER, 144, dequantize_q4_k}, {GGUF_Q5_K, "Q5_K", SUPER, 176, dequantize_q5_k},
    {GGUF_Q6_K, "Q6_K", SUPER, 210, dequantize_q6_k},
};

const struct gguf_format *gguf_format(uint32_t type) {
    for (size_t i = 0; i < COUNT_OF(formats); i++)
        if ((uint32_t)formats[i].type == type) return &formats[i];
    return NULL;
}

void gguf_row(const struct gguf_tensor *t, int64_t row, float out[]) {
    int64_t blocks = t->cols / t->format->weights;
    const uint8_t *from = t->blocks + row * blocks * t->format->bytes;
    for (int64_t b = 0; b < blocks; b++)
        t->format->dequantize(from + b * t->format->bytes, out + b * t->format->weights);
}
