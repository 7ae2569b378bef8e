// SPDX-License-Identifier: Apache-2.0
// Prints vectors for rill_dequantize_tb: lines "acc scale bias y fault", hexadecimal, with the results of
// golden_dequantize. With FAULT=1, some scales and biases are corner values, which may be infinite or NaN, and some
// results overflow.
#include "gen/numerics/numerics.h"
#include "verif/modules/vectors_rill_fp32.h"

// Prints one line. wide: bits of acc above 64.
static void line(int128 acc, int wide, float scale, float bias) {
    struct golden_fault fault = {0};
    float y = golden_dequantize(acc, scale, bias, &fault);
    if (wide) printf("%" PRIx64, (uint64_t)(acc >> 64) & ((UINT64_C(1) << wide) - 1));
    printf("%016" PRIx64 " %08" PRIx32 " %08" PRIx32 " %08" PRIx32 " %d\n", (uint64_t)acc, g_bits(scale), g_bits(bias),
           g_bits(y), fault.raised);
}

// Returns an accumulator of up to 64 + `wide` bits. Half of those with more than 26 bits are at or next to the middle
// between two fp32 values.
static int128 any_acc(struct vectors *v, int wide) {
    uint64_t r = vectors_random(v);
    int width = (int)(vectors_random(v) % (uint64_t)(64 + wide)), low = width > wide ? width - wide : 0;
    int128 acc = (int128)(r & ((UINT64_C(1) << low) - 1)) << (width - low);
    if (r >> 62 & 1 && width > 26)
        acc = ((int128)((r & 0xffffff) * 2 + 1) << (width - 25)) + (int64_t)(r >> 30 & 3) - 1;
    return r >> 63 ? -acc : acc;
}

// Returns 0, a bias that cancels acc * scale up to two units in the last place, or any value.
static float any_bias(struct vectors *v, int128 acc, float scale) {
    struct golden_fault fault = {0};
    float product = golden_dequantize(acc, scale, 0.0f, &fault);
    uint64_t r = vectors_random(v) % 8;
    if (r == 0) return 0.0f;
    if (r < 4 && !fault.raised && product != 0.0f) return g_float((g_bits(product) ^ 0x80000000u) + (uint32_t)r - 1);
    return vectors_value(v, 127, 40);
}

int main(int argc, char **argv) {
    struct vectors v = vectors_start(argc, argv);
    int wide = (int)vectors_argument(argc, argv, "ACC_W", 64) - 64; // bits above 64
    bool faults = vectors_argument(argc, argv, "FAULT", 0) != 0;
    const int64_t corner[] = {0,          1,         -1,        127,       -128,          0xffffff,        0x1000001,
                              -0x1000001, 0x1000003, INT64_MAX, INT64_MIN, INT64_MIN + 1, INT64_C(1) << 62};
    for (size_t i = 0; i < sizeof corner / sizeof corner[0]; i++) {
        line(corner[i] * ((int128)1 << wide), wide, 0x1p-24f, 0.0f);
        line(corner[i] * ((int128)1 << wide), wide, -0x1p-36f, 0.0f);
        line(corner[i] * ((int128)1 << wide), wide, 0x1.fffffep-40f, -1.0f);
        line(corner[i] * ((int128)1 << wide), wide, 0x1p-126f, 0x1p-126f);
        line(corner[i] * ((int128)1 << wide), wide, 0.0f, -0.0f);
    }
    for (int i = 0; i < v.count; i++) {
        int128 acc = any_acc(&v, wide);
        float scale = vectors_value(&v, 103, i % 4 == 0 ? 100 : 20);
        float bias = any_bias(&v, acc, scale);
        if (faults && i % 16 == 3) scale = vectors_corner_value((int)(vectors_random(&v) % VECTORS_CORNERS));
        if (faults && i % 16 == 7) bias = vectors_corner_value((int)(vectors_random(&v) % VECTORS_CORNERS));
        if (faults && i % 16 == 11) scale = vectors_value(&v, 190, 20);
        line(acc, wide, scale, bias);
    }
    return 0;
}
