// SPDX-License-Identifier: Apache-2.0
// Prints vectors "x top zero q" for rill_mx_lane_tb, hexadecimal. x: fp32. top: exponent field of the block's largest
// value. zero: 1 if the block is zero; then q is 0. q: expected mantissa, X_BITS bits.
//
// The directed part has, for each exponent distance from 0 to X_BITS, values on both sides of each kind of rounding
// border, and values with a single bit below the rounding bit. Random values follow: top is 0 to 12 above the exponent
// field of x, except that every 23rd x has exponent field 0.
#include "gen/numerics/numerics.h"
#include "verif/modules/vectors_rill_fp32.h"

static int bits; // width of a mantissa: X_BITS

// Prints a line with the expected mantissa.
static void print_case(float x, int top, int zero) {
    struct golden_fault fault = {0};
    int q = zero ? 0 : (int)g_fix_clamp(x, 125 + bits - top, golden_mx_limit(bits), &fault);
    printf("%08" PRIx32 " %02x %d %03x\n", g_bits(x), (unsigned)top, zero, (unsigned)q & ((1u << bits) - 1));
}

// Prints a significand of 24 bits, with both signs, whose exponent is `distance` below that of the block. Skips values
// outside 24 bits.
static void print_significand(int64_t significand, int distance) {
    const int top = 130;
    if (significand < 1 << 23 || significand >= 1 << 24) return;
    for (uint32_t sign = 0; sign < 2; sign++)
        print_case(g_float(sign << 31 | (uint32_t)(top - distance) << 23 | ((uint32_t)significand & 0x7fffff)), top, 0);
}

// Prints the values around two borders, `whole` and `whole` + half. half: weight of the rounding bit. whole: a multiple
// of 2 * half.
static void print_borders(int64_t whole, int64_t half, int distance) {
    for (int64_t d = -1; d <= 1; d++) {
        print_significand(whole + d, distance);
        print_significand(whole + half + d, distance);
    }
    for (int64_t bit = 1; bit < half; bit *= 2) {
        print_significand(whole + bit, distance);
        print_significand(whole + half + bit, distance);
    }
}

// Prints the directed part (see above).
static void print_directed(void) {
    for (int distance = 0; distance <= bits; distance++) {
        int64_t half = INT64_C(1) << (24 - bits + distance), least = INT64_C(1) << 23, most = INT64_C(1) << 24;
        for (int64_t k = 0; k < 3; k++) {
            print_borders(least + 2 * k * half, half, distance);
            print_borders(most - 2 * k * half, half, distance);
        }
        print_borders(0, half, distance); // the smallest nonzero result, and values that round to 0
    }
}

int main(int argc, char **argv) {
    struct vectors v = vectors_start(argc, argv);
    bits = (int)vectors_argument(argc, argv, "X_BITS", 8);
    print_directed();
    for (int i = 0; i < v.count; i++) {
        int top = 20 + (int)(vectors_random(&v) % 200), distance = (int)(vectors_random(&v) % 13), zero = i % 17 == 0;
        float x = vectors_value(&v, i % 23 ? top - distance : 0, 0);
        if (i % 5 == 0) // few significant bits: ties
            x = g_float(g_bits(x) & 0xfff00000u);
        print_case(x, top, zero);
    }
    return 0;
}
