// SPDX-License-Identifier: Apache-2.0
// Prints vectors for rill_fp32_compare_tb. Each line has the hexadecimal words "a b less equal fault": operands,
// expected results, and whether a fault is expected.
#include "verif/modules/vectors_rill_fp32.h"

static void print(float a, float b) {
    struct golden_fault fault = {0};
    bool less = g_less(a, b, &fault), equal = !less && !g_less(b, a, &fault);
    printf("%08" PRIx32 " %08" PRIx32 " %d %d %d\n", g_bits(a), g_bits(b), less, equal, fault.raised);
}

int main(int argc, char **argv) {
    struct vectors v = vectors_start(argc, argv);
    for (int i = 0; i < VECTORS_CORNERS; i++) {
        for (int j = 0; j < VECTORS_CORNERS; j++) print(vectors_corner_value(i), vectors_corner_value(j));
    }
    for (int i = 0; i < v.count; i++) {
        float a = vectors_value(&v, 127, 127);
        print(a, i & 1 ? vectors_value(&v, 127, 127) : vectors_value(&v, (int)(g_bits(a) >> 23 & 255), 0));
    }
    return 0;
}
