// SPDX-License-Identifier: Apache-2.0
// Prints vectors for rill_fp32_add_tb. Each line has the hexadecimal words "a b y fault": operands, expected sum, and
// whether a fault is expected. All pairs of corner values come first, then random pairs, in which a is near 1 or
// anywhere in the range, and the exponent of b is at most 1 or at most 27 away from that of a. Some pairs nearly
// cancel.
#include "verif/modules/vectors_rill_fp32.h"

int main(int argc, char **argv) {
    struct vectors v = vectors_start(argc, argv);
    vectors_all_corners(g_add);
    for (int i = 0; i < v.count; i++) {
        float a = vectors_value(&v, 127, i & 1 ? 127 : 10);
        int field = (int)(g_bits(a) >> 23 & 255);
        float b = vectors_value(&v, field, i & 2 ? 1 : 27);
        if (i % 8 == 0) // nearly equal magnitudes
            b = g_neg(g_float(g_bits(a) ^ (1u << (i / 8 % 23))));
        vectors_print_binary(g_add, a, b);
    }
    return 0;
}
