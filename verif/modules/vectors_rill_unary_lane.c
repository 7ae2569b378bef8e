// SPDX-License-Identifier: Apache-2.0
// Prints vectors for rill_unary_lane_tb. Each line has the hexadecimal words "x y fault": operand, expected result,
// and whether a fault is expected.
#include "verif/modules/vectors_rill_fp32.h"
#include "verif/modules/vectors_rill_unary.h"

static const struct vectors_operation *operation;

// Returns the operation of x.
static float value(float x, struct golden_fault *fault) {
    float y;
    golden_find_unary(operation->name)(1, operation->given, &x, &y, fault);
    return y;
}

int main(int argc, char **argv) {
    struct vectors v = vectors_start(argc, argv);
    operation = &vectors_operations[vectors_argument(argc, argv, "FUNCTION", 0)];
    // Half of the random operands have exponent fields within 6 of 127.
    vectors_all_unary(&v, value, 127, 6);
    return 0;
}
