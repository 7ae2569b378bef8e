// SPDX-License-Identifier: Apache-2.0
// Prints vectors for rill_silu_lane_tb. Each line has the hexadecimal words "x y fault": operand, expected result, and
// whether a fault is expected.
#include "gen/numerics/numerics.h"
#include "verif/modules/vectors_rill_fp32.h"

static float silu(float x, struct golden_fault *fault) {
    float y;
    golden_silu(1, &x, &y, fault);
    return y;
}

int main(int argc, char **argv) {
    struct vectors v = vectors_start(argc, argv);
    // Half of the random operands have exponent fields within 6 of 127, that is, magnitudes near 1.
    vectors_all_unary(&v, silu, 127, 6);
    return 0;
}
