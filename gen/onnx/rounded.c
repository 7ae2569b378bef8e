// SPDX-License-Identifier: Apache-2.0
// Writes operators that round: Round, Floor, Ceil, and the conversions between floats and integers in quantized files.
// Rounding is composed from fp32 additions, because the graph language has none.
#include <math.h>
#include <string.h>

#include "gen/onnx/lower.h"

// ---- rounding ----

// Adding `magic` (1.5 * 2^23) to a number of at most `most` (2^22) in magnitude rounds it to an integer, because fp32
// has no fraction bits at that size. The rounding is to nearest, ties to even. Larger numbers are left as they are, so
// a number between 2^22 and 2^23 may keep a fraction of 1/2.
static const double magic = 12582912, most = 4194304;

int lower_rounded(struct lower *l, int t) {
    int small = lower_bounded(l, t, -most, most);
    int whole = lower_plus(l, lower_plus(l, small, magic), -magic);
    return lower_two(l, "add", whole, lower_two(l, "sub", t, small));
}

// Limits to integer bounds of at most `most` in magnitude, rounds to the nearest integer, and adds an integer. This is
// the same as rounding first, and takes fewer operations.
static int rounded_within(struct lower *l, int t, double lo, double hi, double plus) {
    return lower_plus(l, lower_plus(l, lower_bounded(l, t, lo, hi), magic), plus - magic);
}

// Rounds, then subtracts 1 where the result is above the number.
static int floor_of(struct lower *l, int t) {
    int whole = lower_rounded(l, t);
    return lower_two(l, "sub", whole, lower_positive(l, lower_two(l, "sub", whole, t)));
}

// Rounds towards 0.
int lower_truncated(struct lower *l, int t) {
    int above = floor_of(l, lower_bounded(l, t, 0, INFINITY)),
        below = floor_of(l, lower_bounded(l, lower_scaled(l, t, -1), 0, INFINITY));
    return lower_two(l, "sub", above, below);
}

static const char *rounding(struct lower *l, int *out) {
    int t = lower_operand(l, 0);
    if (graph_is(l->n, "Round")) *out = lower_rounded(l, t);
    else if (graph_is(l->n, "Floor")) *out = floor_of(l, t);
    else *out = lower_scaled(l, floor_of(l, lower_scaled(l, t, -1)), -1);
    return NULL;
}

// ---- quantized files ----

// Gives the range of an integer type. Returns false if it is neither int8 nor uint8.
static bool range_of(int type, double *lo, double *hi) {
    *lo = type == ONNX_UINT8 ? 0 : -128;
    *hi = type == ONNX_UINT8 ? 255 : 127;
    return type == ONNX_UINT8 || type == ONNX_INT8;
}

// Returns operand i, a scale or zero point, in a shape that broadcasts to operand 0: one number, or one for each index
// along the attribute `axis`. Returns NULL if it is not constant, or has another shape.
static const struct onnx_data *parameter(struct lower *l, size_t i) {
    const struct onnx_data *d = graph_constant(l->g, l->n, i);
    const struct onnx_dims *x = &graph_value(l->g, graph_in(l->n, 0))->dims;
    int axis = graph_axis(onnx_int(l->n->src, "axis", 1), x->rank);
    if (!d || d->count == 1) return d ? data_as_floats(l->s->arena, d) : NULL;
    if (d->dims.rank != 1 || axis == NONE || d->count != x->dim[axis]) return NULL;
    struct onnx_data *out = ARENA_NEW(l->s->arena, struct onnx_data);
    *out = *data_as_floats(l->s->arena, d);
    out->dims.rank = x->rank - axis;
    for (int k = 0; k < out->dims.rank; k++) out->dims.dim[k] = k ? 1 : d->count;
    return out;
}

// Applies `op` with a constant to the tensor *t, or leaves *t unchanged if d is NULL.
static const char *with_parameter(struct lower *l, const char *op, const struct onnx_data *d, int *t) {
    int c;
    if (!d) return NULL;
    if (!lower_finite(l, d, false)) return "a parameter that is infinite";
    if (d->count == 1) return *t = lower_number(l, op, *t, onnx_at(d, 0)), NULL;
    const char *why = lower_constant(l, *t, d, &graph_value(l->g, graph_in(l->n, 0))->dims, &c);
    if (!why) *t = lower_two(l, op, *t, c);
    return why;
}

static const char *read_parameters(struct lower *l, const struct onnx_data **scale, const struct onnx_data **zero) {
    *scale = parameter(l, 1), *zero = parameter(l, 2);
    if (!*scale || (graph_in(l->n, 2) != NONE && !*zero)) return "a scale that is not constant, or one for each block";
    for (int64_t i = 0; i < (*scale)->count; i++)
        if (!(onnx_at(*scale, i) > 0)) return "a scale of 0";
    return NULL;
}

// Writes QuantizeLinear: x / scale, rounded, plus the zero point, limited to the range of the type. A Centered
// subtracts the zero point again, so it adds none.
static const char *quantize(struct lower *l, int *out) {
    const struct onnx_data *scale, *zero;
    double lo, hi;
    const char *why = read_parameters(l, &scale, &zero);
    if (!range_of(graph_value(l->g, l->n->out.items[0])->type, &lo, &hi)) return "a type other than int8 and uint8";
    *out = lower_operand(l, 0);
    if (!why) why = with_parameter(l, "div", scale, out);
    if (why) return why;
    if (!zero || zero->count == 1) {
        double z = zero ? onnx_at(zero, 0) : 0;
        return *out = rounded_within(l, *out, lo - z, hi - z, graph_is(l->n, "Centered") ? 0 : z), NULL;
    }
    *out = lower_rounded(l, *out);
    why = with_parameter(l, "add", zero, out);
    if (!why) *out = lower_bounded(l, *out, lo, hi);
    return why;
}

static const char *dequantize(struct lower *l, int *out) {
    const struct onnx_data *scale, *zero;
    const char *why = read_parameters(l, &scale, &zero);
    *out = lower_operand(l, 0);
    if (!why) why = with_parameter(l, "sub", zero, out);
    if (!why) why = with_parameter(l, "mul", scale, out);
    return why;
}

// Writes QONNX's Quant: quantizes to integers, whose width in bits is operand 3 (`bitwidth`), and converts back.
static const char *quant(struct lower *l, int *out) {
    const struct onnx_data *p[4] = {0};
    double lo, hi;
    const char *why = NULL;
    for (size_t i = 1; i < 4; i++)
        if (!(p[i] = graph_constant(l->g, l->n, i))) return "a parameter that is not constant";
        else p[i] = data_as_floats(l->s->arena, p[i]);
    if (!graph_quant_range(l->n, p[3], &lo, &hi)) return "a `bitwidth` or `rounding_mode` that is not supported";
    *out = lower_operand(l, 0);
    bool no_zero = p[2]->count == 1 && onnx_at(p[2], 0) == 0;
    why = with_parameter(l, "div", p[1], out);
    if (!why && !no_zero) why = with_parameter(l, "add", p[2], out);
    if (!why) *out = rounded_within(l, *out, lo, hi, 0);
    if (!why && !no_zero) why = with_parameter(l, "sub", p[2], out);
    return why ? why : with_parameter(l, "mul", p[1], out);
}

// Writes QONNX's BipolarQuant: 1 for numbers from 0 on, -1 for numbers below 0, times a scale.
static const char *bipolar(struct lower *l, int *out) {
    const struct onnx_data *scale = graph_constant(l->g, l->n, 1);
    if (!scale) return "a scale that is not constant";
    int below = lower_positive(l, lower_scaled(l, lower_operand(l, 0), -1));
    *out = lower_plus(l, lower_scaled(l, below, -2), 1);
    return with_parameter(l, "mul", data_as_floats(l->s->arena, scale), out);
}

// Repeats one number to the shape of the operand.
static int spread(struct lower *l, int number) {
    return lower_repeat(l, number, &(struct onnx_dims){1, {1}}, &graph_value(l->g, graph_in(l->n, 0))->dims);
}

// Writes DynamicQuantizeLinear, which quantizes to uint8 with a scale and a zero point from the operand's range. If all
// elements are 0, the scale is 0, and the division by it is a fault at run time.
static const char *quantize_any(struct lower *l, int *out) {
    const struct onnx_dims *x = &graph_value(l->g, graph_in(l->n, 0))->dims;
    int t = lower_operand(l, 0), all = (1 << x->rank) - 1, least, largest;
    const char *why = lower_reduce_of(l, t, x, all, "min", &least);
    if (!why) why = lower_reduce_of(l, t, x, all, "max", &largest);
    if (why) return why;
    least = lower_bounded(l, least, -INFINITY, 0);
    int scale = lower_two(l, "sub", lower_bounded(l, largest, 0, INFINITY), least);
    scale = lower_number(l, "div", scale, 255);
    int zero = lower_bounded(l, lower_two(l, "div", lower_scaled(l, least, -1), scale), 0, 255);
    zero = lower_rounded(l, zero);
    t = lower_rounded(l, lower_two(l, "div", t, spread(l, scale)));
    *out = lower_bounded(l, lower_two(l, "add", t, spread(l, zero)), 0, 255);
    if (l->n->out.count > 1) l->tensor_of[l->n->out.items[1]] = scale;
    if (l->n->out.count > 2) l->tensor_of[l->n->out.items[2]] = zero;
    return NULL;
}

static const struct {
    const char *onnx;
    const char *(*lower)(struct lower *, int *);
} table[] = {{"Round", rounding},
             {"Floor", rounding},
             {"Ceil", rounding},
             {"QuantizeLinear", quantize},
             {"Centered", quantize},
             {"DequantizeLinear", dequantize},
             {"Quant", quant},
             {"BipolarQuant", bipolar},
             {"DynamicQuantizeLinear", quantize_any}};

bool lower_rounding(struct lower *l, int *out, const char **why) {
    for (size_t i = 0; i < COUNT_OF(table); i++) {
        if (!graph_is(l->n, table[i].onnx) || graph_constant(l->g, l->n, 0)) continue;
        *why = table[i].lower(l, out);
        return true;
    }
    return false;
}
