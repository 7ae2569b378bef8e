// SPDX-License-Identifier: Apache-2.0
// Computes elementwise operators of ONNX on numbers, to fold constants and to recognize functions by their values.
#include <math.h>
#include <string.h>

#include "gen/onnx/rewrite.h"

static double relu(double x) { return x > 0 ? x : 0; }
static double sigmoid(double x) { return 1 / (1 + exp(-x)); }
static double softplus(double x) { return log1p(exp(x)); }
static double mish(double x) { return x * tanh(softplus(x)); }
static double softsign(double x) { return x / (1 + fabs(x)); }
static double hardswish(double x) { return x * fmin(fmax(x / 6 + 0.5, 0), 1); }
static double negative(double x) { return -x; }
static double reciprocal(double x) { return 1 / x; }
static double sign(double x) { return (x > 0) - (x < 0); }
static double is_zero(double x) { return x == 0; }
static double same(double x) { return x; }

static const struct {
    const char *op;
    double (*f)(double);
} unary[] = {
    {"Relu", relu},
    {"Sigmoid", sigmoid},
    {"Tanh", tanh},
    {"Erf", erf},
    {"Exp", exp},
    {"Log", log},
    {"Sqrt", sqrt},
    {"Abs", fabs},
    {"Neg", negative},
    {"Reciprocal", reciprocal},
    {"Softplus", softplus},
    {"Mish", mish},
    {"Softsign", softsign},
    {"Floor", floor},
    {"Ceil", ceil},
    {"Round", rint},
    {"HardSwish", hardswish},
    {"Sign", sign},
    {"Not", is_zero},
    {"Sin", sin},
    {"Cos", cos},
    {"Identity", same},
    {"Dropout", same},
};

static double add(double a, double b) { return a + b; }
static double subtract(double a, double b) { return a - b; }
static double multiply(double a, double b) { return a * b; }
static double divide(double a, double b) { return a / b; }
static double equal(double a, double b) { return a == b; }
static double less(double a, double b) { return a < b; }
static double greater(double a, double b) { return a > b; }
static double less_equal(double a, double b) { return a <= b; }
static double greater_equal(double a, double b) { return a >= b; }
static double both(double a, double b) { return a != 0 && b != 0; }
static double either(double a, double b) { return a != 0 || b != 0; }
static double unequal(double a, double b) { return (a != 0) != (b != 0); }

static const struct {
    const char *op;
    double (*f)(double, double);
} binary[] = {
    {"Add", add},
    {"Sub", subtract},
    {"Mul", multiply},
    {"Div", divide},
    {"Pow", pow},
    {"Max", fmax},
    {"Min", fmin},
    {"Equal", equal},
    {"Less", less},
    {"Greater", greater},
    {"LessOrEqual", less_equal},
    {"GreaterOrEqual", greater_equal},
    {"And", both},
    {"Or", either},
    {"Xor", unequal},
    {"Sum", add},
};

static double gelu(const struct node *n, double x) {
    // The constants are sqrt(2 / pi) and sqrt(1 / 2).
    if (!strcmp(onnx_string(n->src, "approximate", "none"), "tanh"))
        return 0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
    return 0.5 * x * (1 + erf(x * 0.7071067811865476));
}

// Computes an operator with attributes, or a Function node, by which patterns.c replaces a function that the file
// computes in several nodes. Returns false if the node has another operator.
static bool compute_shaped(const struct node *n, double x, double *y) {
    const char *op = n->op;
    if (!strcmp(op, "Function")) return *y = rewrite_function_of(n->word)(x), true;
    if (!n->src) return false;
    if (!strcmp(op, "Gelu")) *y = gelu(n, x);
    else if (!strcmp(op, "LeakyRelu")) *y = x < 0 ? onnx_float(n->src, "alpha", 0.01) * x : x;
    else if (!strcmp(op, "ThresholdedRelu")) *y = x > onnx_float(n->src, "alpha", 1) ? x : 0;
    else if (!strcmp(op, "Elu")) *y = x < 0 ? onnx_float(n->src, "alpha", 1) * expm1(x) : x;
    else if (!strcmp(op, "Swish")) *y = x * sigmoid(onnx_float(n->src, "alpha", 1) * x);
    else if (!strcmp(op, "HardSigmoid"))
        *y = fmin(fmax(onnx_float(n->src, "alpha", 0.2) * x + onnx_float(n->src, "beta", 0.5), 0), 1);
    else return false;
    return true;
}

// Computes Where or Clip. The bounds of Clip are operands, or attributes in old files. Returns false if the node has
// another operator.
static bool compute_three(const struct node *n, const double in[], size_t count, double *y) {
    if (!strcmp(n->op, "Where") && count == 3) return *y = in[0] != 0 ? in[1] : in[2], true;
    if (strcmp(n->op, "Clip") != 0 || count < 1) return false;
    double low = count > 1 ? in[1] : n->src ? onnx_float(n->src, "min", -INFINITY) : -INFINITY;
    double high = count > 2 ? in[2] : n->src ? onnx_float(n->src, "max", INFINITY) : INFINITY;
    *y = fmin(fmax(in[0], low), high);
    return true;
}

// An operator of one operand may have further operands, which are ignored, as the ratio of Dropout. An operator of two
// operands must have exactly two, so a Max, Min or Sum of more is not computed.
bool graph_compute(const struct graph *g, const struct node *n, const double in[], size_t count, double *y) {
    (void)g;
    for (size_t i = 0; i < COUNT_OF(unary); i++)
        if (!strcmp(n->op, unary[i].op)) return count >= 1 ? *y = unary[i].f(in[0]), true : false;
    for (size_t i = 0; i < COUNT_OF(binary); i++)
        if (!strcmp(n->op, binary[i].op)) return count == 2 ? *y = binary[i].f(in[0], in[1]), true : false;
    return compute_three(n, in, count, y) || (count == 1 && compute_shaped(n, in[0], y));
}
