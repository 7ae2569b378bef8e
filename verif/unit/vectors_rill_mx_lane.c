// SPDX-License-Identifier: Apache-2.0
// Lines "x top zero q" for rill_mx_lane_tb: the exponent field `top` of the block's largest value, 0 to 12 above that
// of x.
#include "../golden/ops.h"
#include "vectors_rill_fp32.h"

int main(int argc, char **argv) {
    struct vectors v = vectors_start(argc, argv);
    for (int i = 0; i < v.count; i++) {
        struct golden_fault fault = {0};
        int top = 20 + (int)(vectors_random(&v) % 200), distance = (int)(vectors_random(&v) % 13), zero = i % 17 == 0;
        float x = vectors_value(&v, i % 23 ? top - distance : 0, 0);
        if (i % 5 == 0) // few significant bits: ties
            x = g_float(g_bits(x) & 0xfff00000u);
        int q = zero ? 0 : (int)g_fix_clamp(x, 133 - top, GOLDEN_MX_LIMIT, &fault);
        printf("%08" PRIx32 " %02x %d %02x\n", g_bits(x), (unsigned)top, zero, (unsigned)q & 0xff);
    }
    return 0;
}
