// SPDX-License-Identifier: Apache-2.0
// Prints vectors for rill_fp32_mul_tb. Each line has the hexadecimal words "a b y fault": operands, expected product,
// and whether a fault is expected. All pairs of corner values come first, then random pairs, whose products are near 1
// or near an end of the range. SATURATE selects g_mul_sat, as in the module.
#include "verif/modules/vectors_rill_fp32.h"

int main(int argc, char **argv) {
    struct vectors v = vectors_start(argc, argv);
    vectors_binary *mul = vectors_argument(argc, argv, "SATURATE", 0) ? g_mul_sat : g_mul;
    // Sums of the exponent fields of a and b. The field of the product is about 127 less.
    static const int sum_of_fields[] = {127, 127, 254, 381};
    vectors_all_corners(mul);
    for (int i = 0; i < v.count; i++) {
        float a = vectors_value(&v, 127, 126);
        int field = (int)(g_bits(a) >> 23 & 255);
        vectors_print_binary(mul, a, vectors_value(&v, sum_of_fields[i & 3] - field, 2));
    }
    // Products within a few ulp of 2^-126, the smallest normal number.
    for (uint32_t i = 0; i < 2000; i++) {
        float a = g_float(0x3f800000u + (uint32_t)(vectors_random(&v) & 0x7fffff));
        float b = g_float(g_bits((float)(0x1p-100 / (double)a)) - (26u << 23) + i % 5 - 2);
        vectors_print_binary(mul, a, b);
        vectors_print_binary(mul, g_float(g_bits(a) - (20u << 23)), g_float(g_bits(b) + (20u << 23)));
    }
    return 0;
}
