// SPDX-License-Identifier: Apache-2.0
// The operations of rill_unary with their attributes, for the benches of rill_unary and of its lane. The index is the
// parameter FUNCTION. unary_functions.vh has the constants A and B of the same operations.
#ifndef VECTORS_RILL_UNARY_H
#define VECTORS_RILL_UNARY_H

#include <math.h>

#include "gen/numerics/numerics.h"

static const struct vectors_operation {
    const char *name;
    double given[GOLDEN_UNARY_ATTRIBUTES]; // NAN: the attribute is not given
} vectors_operations[] = {
    {"sigmoid", {NAN, NAN}},  {"tanh", {NAN, NAN}},       {"erf", {NAN, NAN}},         {"gelu", {1, NAN}},
    {"exp", {NAN, NAN}},      {"log", {NAN, NAN}},        {"sqrt", {NAN, NAN}},        {"reciprocal", {NAN, NAN}},
    {"softplus", {NAN, NAN}}, {"leaky_relu", {0.1, NAN}}, {"hardsigmoid", {0.2, 0.5}}, {"hardswish", {NAN, NAN}},
};

#endif
