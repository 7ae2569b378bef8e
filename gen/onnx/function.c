// SPDX-License-Identifier: Apache-2.0
// Writes elementwise operators of ONNX in the graph language. An operator for which the language has no operation is
// composed from others, such as Pow with a whole exponent from products. Functions that return a text return NULL, or
// the reason why the node cannot be written.
#include <math.h>
#include <string.h>

#include "gen/onnx/lower.h"

static double attr(const struct lower *l, const char *name, double preset) {
    return l->n->src ? onnx_float(l->n->src, name, preset) : preset;
}

static const char *unary(struct lower *l, const char *op, int t, int *out) { return lower_elementwise(l, op, t, out); }

// ---- activations ----

static const char *gelu(struct lower *l, int t, bool by_tanh, int *out) {
    const char *why = unary(l, "gelu", t, out);
    if (!why && !by_tanh) lower_attr(l, "approximate", "none");
    return why;
}

// Writes x * sigmoid(factor * x) as silu(factor * x) / factor.
static const char *swish(struct lower *l, int t, double factor, int *out) {
    const char *why = unary(l, "silu", lower_scaled(l, t, factor), out);
    if (!why) *out = lower_scaled(l, *out, 1 / factor);
    return why;
}

static const char *hard_sigmoid(struct lower *l, int t, int *out) {
    double alpha = attr(l, "alpha", 0.2), beta = attr(l, "beta", 0.5);
    if (alpha < 1e-6 || alpha > 1e6 || fabs(beta) > 1e6)
        return *out = lower_bounded(l, lower_plus(l, lower_scaled(l, t, alpha), beta), 0, 1), NULL;
    const char *why = unary(l, "hardsigmoid", t, out);
    lower_attr_float(l, "alpha", alpha);
    lower_attr_float(l, "beta", beta);
    return why;
}

// Writes max(x, 0) + slope * min(x, 0) with one slope.
static const char *leaky(struct lower *l, int t, double slope, int *out) {
    if (fabs(slope) > 1e6) return "a slope above 1e6";
    const char *why = unary(l, "leaky_relu", t, out);
    lower_attr_float(l, "slope", slope);
    return why;
}

// Writes max(x, 0) + slope * min(x, 0) with a constant slope for each element.
static const char *leaky_each(struct lower *l, int t, const struct onnx_data *slope, int *out) {
    int above = lower_bounded(l, t, 0, INFINITY), below = lower_bounded(l, t, -INFINITY, 0), slopes;
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

// Sets *x to a bound of Clip, which is operand i or an attribute. If neither is given, *x keeps its value, the default.
// A bound beyond 1e38 counts as infinite. Returns false if the operand is not one constant number.
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
    *out = lower_bounded(l, t, lo, hi);
    return NULL;
}

// Writes Max or Min. With a constant number this is a bound of the other operand, otherwise an operation on tensors.
static const char *extreme(struct lower *l, bool max, int *out) {
    const struct onnx_data *a = graph_constant(l->g, l->n, 0), *b = graph_constant(l->g, l->n, 1), *c = a ? a : b;
    if (l->n->in.count == 2 && c && c->count == 1) {
        double x = onnx_at(c, 0);
        *out = lower_bounded(l, lower_operand(l, a ? 1 : 0), max ? x : -INFINITY, max ? INFINITY : x);
        return NULL;
    }
    return lower_pairs(l, max ? "max" : "min", out);
}

// ---- two operands ----

const char *lower_in_shape(struct lower *l, size_t i, int like, int *t) {
    const struct onnx_dims *to = &graph_value(l->g, l->n->out.items[0])->dims;
    const struct onnx_data *d = graph_constant(l->g, l->n, i);
    if (d) d = lower_finite(l, data_as_floats(l->s->arena, d), graph_is(l->n, "Add") || graph_is(l->n, "Where"));
    if (graph_constant(l->g, l->n, i)) return d ? lower_constant(l, like, d, to, t) : "a constant that is infinite";
    *t = lower_repeat(l, lower_operand(l, i), &graph_value(l->g, graph_in(l->n, i))->dims, to);
    return NULL;
}

const char *lower_pairs(struct lower *l, const char *op, int *out) {
    size_t count = l->n->in.count, first = 0;
    int like = NONE;
    for (size_t i = 0; i < count; i++)
        if (graph_in(l->n, i) == NONE) return "an operand that is not given";
    while (first < count && graph_constant(l->g, l->n, first)) first++;
    const char *why = first == count ? "operands that are all constant" : lower_in_shape(l, first, NONE, &like);
    for (size_t i = 0; i < count && !why; i++) {
        int t = like;
        if (i != first) why = lower_in_shape(l, i, like, &t);
        if (!why) *out = i ? lower_two(l, op, *out, t) : t;
    }
    return why;
}

static const char *mean(struct lower *l, int *out) {
    const char *why = lower_pairs(l, "add", out);
    if (!why) *out = lower_scaled(l, *out, 1.0 / (double)l->n->in.count);
    return why;
}

// Writes Div. A constant number divided by a tensor becomes the number times the reciprocal.
static const char *quotient(struct lower *l, int *out) {
    const struct onnx_data *a = graph_constant(l->g, l->n, 0);
    if (!a || a->count != 1) return lower_pairs(l, "div", out);
    const char *why = unary(l, "reciprocal", lower_operand(l, 1), out);
    if (!why) *out = lower_scaled(l, *out, onnx_at(a, 0));
    return why;
}

enum { MOST_POWER = 64 }; // largest exponent that is written as products

// Returns x^e by repeated squaring; e > 0.
static int whole_power(struct lower *l, int t, int e) {
    int out = NONE;
    for (; e; e /= 2) {
        if (e & 1) out = out == NONE ? t : lower_two(l, "mul", out, t);
        if (e > 1) t = lower_two(l, "mul", t, t);
    }
    return out;
}

// Returns the exponent if it is constant and equal for all elements, and otherwise NAN.
static double exponent(const struct onnx_data *d) {
    for (int64_t i = 1; d && i < d->count; i++)
        if (onnx_at(d, i) != onnx_at(d, 0)) return NAN;
    return d && d->count ? onnx_at(d, 0) : NAN;
}

// Writes ln(x) as 2 ln(sqrt(x)), where 0 counts as 1e-38. For x below 0, the square root reports a fault at run time.
static const char *logarithm(struct lower *l, int t, int *out) {
    const char *why = unary(l, "sqrt", t, out);
    if (!why) why = unary(l, "log", lower_bounded(l, *out, 1e-19, INFINITY), out);
    if (!why) *out = lower_scaled(l, *out, 2);
    return why;
}

// Writes t^e. For a fractional e this is exp(e * ln(t)), except for square roots.
static const char *constant_power(struct lower *l, double e, int t, int *out) {
    double size = fabs(e);
    if (e == 0) return *out = lower_filled(l, t, 1), NULL;
    if (size == floor(size) && size <= MOST_POWER) *out = whole_power(l, t, (int)size);
    else if (size == 0.5) unary(l, "sqrt", t, out);
    else if (size < 1e-3 || size > 1e3) return "an exponent that is too large or too small";
    else {
        const char *why = logarithm(l, t, out);
        return why ? why : unary(l, "exp", lower_scaled(l, *out, e), out);
    }
    return e < 0 ? unary(l, "reciprocal", *out, out) : NULL;
}

// Writes Pow: by constant_power if the exponent is one constant number, otherwise as exp(ln(base) * exponent).
static const char *power(struct lower *l, int *out) {
    const struct node *n = l->n;
    const struct onnx_dims *to = &graph_value(l->g, n->out.items[0])->dims;
    double e = exponent(graph_constant(l->g, n, 1));
    int logs = NONE, exponents = NONE;
    if (isfinite(e) && !graph_constant(l->g, n, 0))
        return constant_power(l, e, lower_repeat(l, lower_operand(l, 0), &graph_value(l->g, n->in.items[0])->dims, to),
                              out);
    bool first = graph_constant(l->g, n, 0) != NULL; // index of the operand that is written first: not a constant
    const char *why = lower_in_shape(l, first, NONE, first ? &exponents : &logs);
    if (!why) why = lower_in_shape(l, !first, first ? exponents : logs, first ? &logs : &exponents);
    if (!why) why = logarithm(l, logs, &logs);
    return why ? why : unary(l, "exp", lower_two(l, "mul", logs, exponents), out);
}

// ---- by name ----

// Writes a function that rewrite_patterns has found, by its word.
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
             {"Cos", "cos"}};

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
