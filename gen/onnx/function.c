// SPDX-License-Identifier: Apache-2.0
// Writes elementwise operators of ONNX in the graph language. If the language has no operation of that name, composes
// the operator from others, provided that this is exact.
#include <math.h>
#include <string.h>

#include "gen/onnx/lower.h"

static double attr(const struct lower *l, const char *name, double preset) {
    return l->n->src ? onnx_float(l->n->src, name, preset) : preset;
}

static int clip(struct lower *l, int t, double lo, double hi) {
    int out = NONE;
    lower_elementwise(l, "clip", t, &out);
    if (isfinite(lo)) lower_attr_float(l, "lo", lo);
    if (isfinite(hi)) lower_attr_float(l, "hi", hi);
    return out;
}

static const char *unary(struct lower *l, const char *op, int t, int *out) { return lower_elementwise(l, op, t, out); }

// ---- activations ----

static const char *gelu(struct lower *l, int t, bool by_tanh, int *out) {
    const char *why = unary(l, "gelu", t, out);
    if (!why && !by_tanh) lower_attr(l, "approximate", "none");
    return why;
}

static const char *swish(struct lower *l, int t, double factor, int *out) {
    const char *why = unary(l, "silu", lower_scaled(l, t, factor), out);
    if (!why) *out = lower_scaled(l, *out, 1 / factor);
    return why;
}

static const char *hard_sigmoid(struct lower *l, int t, int *out) {
    double alpha = attr(l, "alpha", 0.2), beta = attr(l, "beta", 0.5);
    if (alpha < 1e-6 || alpha > 1e6 || fabs(beta) > 1e6)
        return *out = clip(l, lower_plus(l, lower_scaled(l, t, alpha), beta), 0, 1), NULL;
    const char *why = unary(l, "hardsigmoid", t, out);
    lower_attr_float(l, "alpha", alpha);
    lower_attr_float(l, "beta", beta);
    return why;
}

// max(x, 0) + slope * min(x, 0)
static const char *leaky(struct lower *l, int t, double slope, int *out) {
    if (fabs(slope) > 1e6) return "a slope above 1e6";
    const char *why = unary(l, "leaky_relu", t, out);
    lower_attr_float(l, "slope", slope);
    return why;
}

static const char *leaky_each(struct lower *l, int t, const struct onnx_data *slope, int *out) {
    int above = clip(l, t, 0, INFINITY), below = clip(l, t, -INFINITY, 0), slopes;
    const char *why = lower_constant(l, t, slope, &graph_value(l->g, l->n->out.items[0])->dims, &slopes);
    if (!why) *out = lower_two(l, "add", above, lower_two(l, "mul", below, slopes));
    return why;
}

static const char *prelu(struct lower *l, int t, int *out) {
    const struct onnx_data *slope = graph_constant(l->g, l->n, 1);
    if (!slope || !slope->f) return "a slope that is not constant";
    for (int64_t i = 1; i < slope->count; i++)
        if (onnx_at(slope, i) != onnx_at(slope, 0)) return leaky_each(l, t, slope, out);
    return slope->count ? leaky(l, t, onnx_at(slope, 0), out) : "a slope without a value";
}

// ---- bounds ----

static bool bound(const struct lower *l, size_t i, const char *name, double *x) {
    const struct onnx_data *d = graph_constant(l->g, l->n, i);
    if (graph_in(l->n, i) != NONE && (!d || d->count != 1)) return false;
    *x = d ? onnx_at(d, 0) : attr(l, name, *x);
    if (fabs(*x) > 1e38) *x = *x < 0 ? -INFINITY : INFINITY;
    return true;
}

static const char *clipped(struct lower *l, int t, int *out) {
    double lo = -INFINITY, hi = INFINITY;
    if (!bound(l, 1, "min", &lo) || !bound(l, 2, "max", &hi)) return "bounds that are not constant";
    *out = clip(l, t, lo, hi);
    return NULL;
}

// Writes Max or Min: with a number as a bound, with two tensors as an operation.
static const char *extreme(struct lower *l, bool max, int *out) {
    const struct onnx_data *a = graph_constant(l->g, l->n, 0), *b = graph_constant(l->g, l->n, 1), *c = a ? a : b;
    if (l->n->in.count == 2 && c && c->count == 1) {
        double x = onnx_at(c, 0);
        *out = clip(l, lower_operand(l, a ? 1 : 0), max ? x : -INFINITY, max ? INFINITY : x);
        return NULL;
    }
    return lower_pairs(l, max ? "max" : "min", out);
}

// ---- two operands ----

static bool same_elements(const struct lower *l, int a, int b) {
    struct onnx_dims x = graph_squeezed(&graph_value(l->g, a)->dims), y = graph_squeezed(&graph_value(l->g, b)->dims);
    return graph_same_dims(&x, &y);
}

// Gets operand i in the shape of the result. like: an operand that already has this shape; NONE for the first one.
static const char *in_shape(struct lower *l, size_t i, int like, int *t) {
    const struct onnx_dims *to = &graph_value(l->g, l->n->out.items[0])->dims;
    const struct onnx_data *d = graph_constant(l->g, l->n, i);
    if (d && !d->f) return "a constant of integers";
    if (d) return lower_constant(l, like, d, to, t);
    *t = lower_repeat(l, lower_operand(l, i), &graph_value(l->g, graph_in(l->n, i))->dims, to);
    return NULL;
}

// Repeats the operands to the shape of the result, and combines them from left to right.
const char *lower_pairs(struct lower *l, const char *op, int *out) {
    size_t count = l->n->in.count, first = 0;
    int like = NONE;
    for (size_t i = 0; i < count; i++)
        if (graph_in(l->n, i) == NONE) return "an operand that is not given";
    while (first < count && graph_constant(l->g, l->n, first)) first++;
    const char *why = first == count ? "operands that are all constant" : in_shape(l, first, NONE, &like);
    for (size_t i = 0; i < count && !why; i++) {
        int t = like;
        if (i != first) why = in_shape(l, i, like, &t);
        if (!why) *out = i ? lower_two(l, op, *out, t) : t;
    }
    return why;
}

static const char *mean(struct lower *l, int *out) {
    const char *why = lower_pairs(l, "add", out);
    if (!why) *out = lower_scaled(l, *out, 1.0 / (double)l->n->in.count);
    return why;
}

static const char *quotient(struct lower *l, int *out) {
    const struct onnx_data *a = graph_constant(l->g, l->n, 0);
    if (!a || a->count != 1) return lower_pairs(l, "div", out);
    const char *why = unary(l, "reciprocal", lower_operand(l, 1), out);
    if (!why) *out = lower_scaled(l, *out, onnx_at(a, 0));
    return why;
}

static const char *power(struct lower *l, int *out) {
    const struct onnx_data *d = graph_constant(l->g, l->n, 1);
    double e = d && d->count ? onnx_at(d, 0) : 0;
    for (int64_t i = 1; d && i < d->count; i++)
        if (onnx_at(d, i) != e) e = 0;
    if (!d || graph_constant(l->g, l->n, 0) || !same_elements(l, graph_in(l->n, 0), l->n->out.items[0]))
        return "an exponent that is not a constant number";
    int t = lower_operand(l, 0);
    if (e == 1) return *out = t, NULL;
    if (e == 0.5) return unary(l, "sqrt", t, out);
    if (e == -1) return unary(l, "reciprocal", t, out);
    if (e != 2 && e != 3 && e != 4) return "an exponent other than 2, 3, 4, 1/2 and -1";
    *out = lower_two(l, "mul", t, t);
    if (e > 2) *out = lower_two(l, "mul", *out, e == 3 ? t : *out);
    return NULL;
}

// ---- by name ----

static const char *by_word(struct lower *l, const char *word, int t, int *out) {
    if (!strcmp(word, "gelu_erf")) return gelu(l, t, false, out);
    if (!strcmp(word, "gelu_tanh")) return gelu(l, t, true, out);
    if (!strcmp(word, "swish")) return swish(l, t, 1, out);
    if (!strcmp(word, "quick_gelu")) return swish(l, t, 1.702, out);
    if (!strcmp(word, "hardswish")) return unary(l, "hardswish", t, out);
    if (!strcmp(word, "sigmoid")) return unary(l, "sigmoid", t, out);
    if (strcmp(word, "mish") != 0) return unary(l, word, t, out);
    const char *why = unary(l, "softplus", t, out);
    if (!why) why = unary(l, "tanh", *out, out);
    if (!why) *out = lower_two(l, "mul", t, *out);
    return why;
}

static const struct {
    const char *onnx, *op;
} names[] = {{"Erf", "erf"},
             {"Exp", "exp"},
             {"Log", "log"},
             {"Sqrt", "sqrt"},
             {"Neg", "neg"},
             {"Sin", "sin"},
             {"Reciprocal", "reciprocal"},
             {"Softplus", "softplus"},
             {"Cos", "cos"},
             {"Floor", "floor"},
             {"Ceil", "ceil"},
             {"Round", "round"},
             {"Sign", "sign"}};

static const char *named(struct lower *l, int *out) {
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (graph_is(l->n, names[i].onnx)) return unary(l, names[i].op, lower_operand(l, 0), out);
    return "the graph language has no operation for it";
}

static const char *binary(struct lower *l, int *out) {
    const struct node *n = l->n;
    if (graph_is(n, "Add") || graph_is(n, "Sum")) return lower_pairs(l, "add", out);
    if (graph_is(n, "Mean")) return mean(l, out);
    if (graph_is(n, "Mul")) return lower_pairs(l, "mul", out);
    if (graph_is(n, "Sub")) return lower_pairs(l, "sub", out);
    if (graph_is(n, "Div")) return quotient(l, out);
    if (graph_is(n, "Pow")) return power(l, out);
    if (graph_is(n, "Max") || graph_is(n, "Min")) return extreme(l, graph_is(n, "Max"), out);
    return named(l, out);
}

const char *lower_function(struct lower *l, int *out) {
    const struct node *n = l->n;
    const char *approximate = n->src ? onnx_string(n->src, "approximate", "none") : "none";
    int v = graph_in(n, 0), t;
    if (v == NONE || graph_value(l->g, v)->constant || n->in.count > 1) {
        if (v == NONE || (!graph_is(n, "Clip") && !graph_is(n, "PRelu"))) return binary(l, out);
    }
    if (graph_value(l->g, v)->constant) return binary(l, out);
    t = lower_value(l, v);
    if (graph_is(n, "Function")) return by_word(l, n->word, t, out);
    if (graph_is(n, "Relu")) return unary(l, "relu", t, out);
    if (graph_is(n, "Tanh")) return unary(l, "tanh", t, out);
    if (graph_is(n, "Sigmoid")) return unary(l, "sigmoid", t, out);
    if (graph_is(n, "Gelu")) return gelu(l, t, !strcmp(approximate, "tanh"), out);
    if (graph_is(n, "Swish")) return swish(l, t, attr(l, "alpha", 1), out);
    if (graph_is(n, "Mish")) return by_word(l, "mish", t, out);
    if (graph_is(n, "HardSigmoid")) return hard_sigmoid(l, t, out);
    if (graph_is(n, "HardSwish")) return unary(l, "hardswish", t, out);
    if (graph_is(n, "LeakyRelu")) return leaky(l, t, attr(l, "alpha", 0.01), out);
    if (graph_is(n, "PRelu")) return prelu(l, t, out);
    if (graph_is(n, "Abs")) return unary(l, "abs", t, out);
    if (graph_is(n, "Clip")) return clipped(l, t, out);
    return named(l, out);
}
