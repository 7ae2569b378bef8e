// SPDX-License-Identifier: Apache-2.0
// Writes operators with truth values: comparisons, logic, conversions, choices between tensors, and functions with
// thresholds. In a design, truth values are the fp32 numbers 0 and 1.
#include <math.h>
#include <string.h>

#include "gen/onnx/lower.h"

static double attr(const struct lower *l, const char *name, double preset) {
    return l->n->src ? onnx_float(l->n->src, name, preset) : preset;
}

// ---- comparisons ----

// Returns 0 where t is 0, and 1 where it is above 0; t must not be negative. The smallest positive fp32 number of a
// design is 1.2e-38, because subnormal results become 0, so its product with 1e38 exceeds 1. The first bound keeps the
// product finite.
static int saturated(struct lower *l, int t) {
    return lower_bounded(l, lower_scaled(l, lower_bounded(l, t, -INFINITY, 1), 1e38), -INFINITY, 1);
}

int lower_positive(struct lower *l, int t) { return saturated(l, lower_bounded(l, t, 0, INFINITY)); }
int lower_not(struct lower *l, int t) { return lower_number(l, "rsub", t, 1); }

// Returns 1 where t is not 0, else 0.
static int differs(struct lower *l, int t) {
    int magnitude = NONE;
    lower_elementwise(l, "abs", t, &magnitude);
    return saturated(l, magnitude);
}

// Writes a comparison, by the sign of the difference of the operands.
static const char *compare(struct lower *l, int *out) {
    const struct node *n = l->n;
    const char *why = lower_pairs(l, "sub", out);
    if (why) return why;
    if (graph_is(n, "Greater")) *out = lower_positive(l, *out);
    else if (graph_is(n, "Equal")) *out = lower_not(l, differs(l, *out));
    else if (graph_is(n, "LessOrEqual")) *out = lower_not(l, lower_positive(l, *out));
    else {
        *out = lower_positive(l, lower_scaled(l, *out, -1));
        if (graph_is(n, "GreaterOrEqual")) *out = lower_not(l, *out);
    }
    return NULL;
}

// ---- logic ----

static const char *logic(struct lower *l, int *out) {
    const struct node *n = l->n;
    if (graph_is(n, "Not")) return *out = lower_not(l, lower_operand(l, 0)), NULL;
    const char *why = lower_pairs(l, graph_is(n, "And") ? "mul" : graph_is(n, "Or") ? "max" : "sub", out);
    if (!why && graph_is(n, "Xor")) why = lower_elementwise(l, "abs", *out, out);
    return why;
}

// Converts between floats, integers and truth values.
static const char *cast(struct lower *l, int *out) {
    int from = graph_value(l->g, graph_in(l->n, 0))->type, to = graph_value(l->g, l->n->out.items[0])->type;
    bool whole = from == ONNX_BOOL || (from && !onnx_type_is_float(from));
    *out = lower_operand(l, 0);
    if (to == ONNX_BOOL && from != ONNX_BOOL) *out = differs(l, *out);
    else if (whole || onnx_type_is_float(to)) graph_say(l->g, l->n, "nothing");
    else *out = lower_truncated(l, *out);
    return NULL;
}

// ---- choices ----

// Sets *out to a tensor with the elements of operand i where the truth values in `when` are 1, and with 0 elsewhere.
static const char *where_part(struct lower *l, size_t i, int when, int *out) {
    const struct onnx_data *d = graph_constant(l->g, l->n, i);
    int t;
    if (d && d->count == 1) {
        d = lower_finite(l, data_as_floats(l->s->arena, d), true);
        return d ? (*out = lower_number(l, "mul", when, onnx_at(d, 0)), NULL) : "a constant that is infinite";
    }
    const char *why = lower_in_shape(l, i, when, &t);
    if (!why) *out = lower_two(l, "mul", t, when);
    return why;
}

// Writes Where as the sum of two results of where_part.
static const char *where(struct lower *l, int *out) {
    int like = NONE, when, a, b;
    size_t first = 0;
    while (first < 3 && graph_constant(l->g, l->n, first)) first++;
    const char *why = first == 3 ? "operands that are all constant" : lower_in_shape(l, first, NONE, &like);
    if (!why) why = first ? lower_in_shape(l, 0, like, &when) : (when = like, NULL);
    if (!why) why = where_part(l, 1, when, &a);
    if (!why) why = where_part(l, 2, lower_not(l, when), &b);
    if (!why) *out = lower_two(l, "add", a, b);
    return why;
}

// ---- activations with a threshold ----

static const char *sign(struct lower *l, int *out) {
    int t = lower_operand(l, 0), above = lower_positive(l, t), below = lower_positive(l, lower_scaled(l, t, -1));
    return *out = lower_two(l, "sub", above, below), NULL;
}

static const char *thresholded(struct lower *l, int *out) {
    int t = lower_operand(l, 0);
    return *out = lower_two(l, "mul", t, lower_positive(l, lower_plus(l, t, -attr(l, "alpha", 1)))), NULL;
}

// Writes Shrink: x - bias where x is above lambd, x + bias where x is below -lambd, and 0 between them.
static const char *shrink(struct lower *l, int *out) {
    double bias = attr(l, "bias", 0), lambd = attr(l, "lambd", 0.5);
    int t = lower_operand(l, 0), above = lower_positive(l, lower_plus(l, t, -lambd)),
        below = lower_positive(l, lower_plus(l, lower_scaled(l, t, -1), -lambd));
    above = lower_two(l, "mul", lower_plus(l, t, -bias), above);
    below = lower_two(l, "mul", lower_plus(l, t, bias), below);
    return *out = lower_two(l, "add", above, below), NULL;
}

static const struct {
    const char *ops;
    const char *(*lower)(struct lower *, int *);
} table[] = {{" Equal Less Greater LessOrEqual GreaterOrEqual ", compare},
             {" Not And Or Xor ", logic},
             {" Cast CastLike ", cast},
             {" Where ", where},
             {" Sign ", sign},
             {" ThresholdedRelu ", thresholded},
             {" Shrink ", shrink}};

bool lower_truth(struct lower *l, int *out, const char **why) {
    const char *word = arena_printf(l->s->arena, " %s ", l->n->op);
    for (size_t i = 0; i < COUNT_OF(table); i++) {
        if (!strstr(table[i].ops, word)) continue;
        *why = table[i].lower(l, out);
        return true;
    }
    return false;
}
