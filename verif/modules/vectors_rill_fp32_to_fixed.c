// SPDX-License-Identifier: Apache-2.0
// Prints vectors for rill_fp32_to_fixed_tb. Each line has the hexadecimal words "a y overflow fault". y is a * 2^FRAC,
// rounded to a two's complement integer of WIDTH bits. overflow: 1 if y does not fit and saturates. fault: 1 if a is
// not finite.
#include "verif/modules/vectors_rill_fp32.h"

// Prints a line. g_fix reports an overflow as a fault of the kind GOLDEN_FAULT_FIXED.
static void print(float a, int frac, int width) {
    struct golden_fault fault = {0};
    uint64_t y = (uint64_t)g_fix(a, frac, width, &fault);
    y = width < 64 ? y & (((uint64_t)1 << width) - 1) : y;
    bool overflow = fault.raised && fault.kind == GOLDEN_FAULT_FIXED;
    printf("%08" PRIx32 " %016" PRIx64 " %d %d\n", g_bits(a), y, overflow, fault.raised && !overflow);
}

int main(int argc, char **argv) {
    struct vectors v = vectors_start(argc, argv);
    int width = (int)vectors_argument(argc, argv, "WIDTH", 44), frac = (int)vectors_argument(argc, argv, "FRAC", 0);
    for (int i = 0; i < VECTORS_CORNERS; i++) print(vectors_corner_value(i), frac, width);
    for (int i = 0; i < v.count; i++) {
        float a = vectors_value(&v, 127 - frac + width / 2, width / 2 + 4);
        if (i & 1) { // a * 2^frac is k + 1/2 or a neighbour of it
            int k = (int)(vectors_random(&v) % ((uint64_t)1 << (width < 23 ? width : 22)));
            struct golden_fault ignored = {0};
            a = g_ldexp((float)k + 0.5f, -frac, &ignored);
            a = g_float((g_bits(a) + (uint32_t)(i / 2 % 3) - 1) ^ (uint32_t)(i & 2) << 30);
        }
        print(a, frac, width);
    }
    return 0;
}
