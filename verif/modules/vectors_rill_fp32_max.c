// SPDX-License-Identifier: Apache-2.0
// Prints vectors for rill_fp32_max_tb. Each line has the hexadecimal words "a b y fault": operands, expected result,
// and whether a fault is expected.
#include "verif/modules/vectors_rill_fp32.h"

int main(int argc, char **argv) {
    struct vectors v = vectors_start(argc, argv);
    vectors_all_corners(g_max);
    for (int i = 0; i < v.count; i++) {
        float a = vectors_value(&v, 127, 127);
        float b = i & 1 ? vectors_value(&v, 127, 127) : vectors_value(&v, (int)(g_bits(a) >> 23 & 255), 0);
        vectors_print_binary(g_max, a, b);
    }
    return 0;
}
