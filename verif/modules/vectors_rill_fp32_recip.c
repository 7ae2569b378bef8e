// SPDX-License-Identifier: Apache-2.0
// Prints vectors for rill_fp32_recip_tb. Each line has the hexadecimal words "a y fault": operand, expected result,
// and whether a fault is expected.
#include "verif/modules/vectors_rill_fp32.h"

int main(int argc, char **argv) {
    struct vectors v = vectors_start(argc, argv);
    // Half of the random operands have exponent fields within 20 of 127.
    vectors_all_unary(&v, g_recip, 127, 20);
    return 0;
}
