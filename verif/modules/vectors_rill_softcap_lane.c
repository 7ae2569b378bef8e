// SPDX-License-Identifier: Apache-2.0
// Prints vectors for rill_softcap_lane_tb. Each line has the hexadecimal words "x y fault": operand, expected result,
// and whether a fault is expected.
#include "gen/numerics/numerics.h"
#include "verif/modules/vectors_rill_fp32.h"

// Returns x with the cap of the bench, 30.
static float capped(float x, struct golden_fault *fault) {
    return g_softcap(x, golden_softcap_slope(30), golden_softcap_gain(30), fault);
}

int main(int argc, char **argv) {
    struct vectors v = vectors_start(argc, argv);
    // Half of the random operands have exponent fields within 6 of 127.
    vectors_all_unary(&v, capped, 127, 6);
    return 0;
}
