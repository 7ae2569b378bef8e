// SPDX-License-Identifier: Apache-2.0
// Writes operators of ONNX that are composed from several operations of the graph language: some activations, norms
// along axes, and rotary embedding.
#include <math.h>
#include <string.h>

#include "gen/onnx/lower.h"

static const struct onnx_dims *in_dims(const struct lower *l, size_t i) {
    return &graph_value(l->g, graph_in(l->n, i))->dims;
}
static double attr(const struct lower *l, const char *name, double preset) {
    return l->n->src ? onnx_float(l->n->src, name, preset) : preset;
}
static int unary(struct lower *l, const char *op, int t) {
    int out = NONE;
    lower_elementwise(l, op, t, &out);
    return out;
}

// ---- activations ----

// Writes Elu, Selu or Celu as scale * (max(x, 0) + alpha * (exp(min(x, 0) / width) - 1)). The functions of `table`
// return NULL, or the reason why the node cannot be written.
static const char *elu(struct lower *l, int *out) {
    bool selu = graph_is(l->n, "Selu"), celu = graph_is(l->n, "Celu");
    double alpha = attr(l, "alpha", selu ? 1.67326319217681884765625 : 1),
           scale = selu ? attr(l, "gamma", 1.05070102214813232421875) : 1, width = celu ? alpha : 1;
    int t = lower_operand(l, 0), above = unary(l, "relu", t), below = unary(l, "clip", t);
    lower_attr_float(l, "hi", 0);
    if (width == 0) return "a width of 0";
    below = lower_plus(l, unary(l, "exp", lower_scaled(l, below, 1 / width)), -1);
    *out = lower_scaled(l, lower_two(l, "add", above, lower_scaled(l, below, alpha)), scale);
    return NULL;
}

// Writes x / (1 + |x|).
static const char *softsign(struct lower *l, int *out) {
    int t = lower_operand(l, 0);
    *out = lower_two(l, "div", t, lower_plus(l, unary(l, "abs", t), 1));
    return NULL;
}

// Writes a * sigmoid(alpha * a) * b.
static const char *swiglu(struct lower *l, int *out) {
    int a = lower_operand(l, 0);
    if (!graph_same_dims(in_dims(l, 0), in_dims(l, 1))) return "operands of different shapes";
    *out = lower_two(l, "mul", lower_two(l, "mul", a, unary(l, "sigmoid", lower_scaled(l, a, attr(l, "alpha", 1)))),
                     lower_operand(l, 1));
    return NULL;
}

// ---- norms ----

// Writes x / (sum of |x|) or x / sqrt(sum of x^2), with sums along an axis.
static const char *lp_norm(struct lower *l, int *out) {
    const struct onnx_dims *x = in_dims(l, 0);
    int64_t p = onnx_int(l->n->src, "p", 2);
    int axis = graph_axis(onnx_int(l->n->src, "axis", -1), x->rank), t = lower_operand(l, 0);
    if (axis == NONE || (p != 1 && p != 2)) return "a norm of this kind";
    struct onnx_dims one = *x;
    one.dim[axis] = 1;
    int parts = p == 1 ? unary(l, "abs", t) : lower_two(l, "mul", t, t), sum;
    const char *why = lower_reduce_of(l, parts, x, 1 << axis, "sum", &sum);
    if (why) return why;
    if (p == 2) sum = unary(l, "sqrt", sum);
    sum = lower_bounded(l, sum, 1e-37, INFINITY); // so that a vector of zeros gives zeros
    *out = lower_two(l, "div", t, lower_repeat(l, sum, &one, x));
    return NULL;
}

// Writes (x - mean) / sqrt(variance + 1e-9), with mean and variance along the axes.
static const char *mean_variance(struct lower *l, int *out) {
    const struct onnx_dims *x = in_dims(l, 0);
    struct onnx_dims one = *x;
    const struct onnx_attribute *a = onnx_attribute_of(l->n->src, "axes");
    static const int64_t usual[] = {0, 2, 3};
    size_t count = a ? a->ints.count : COUNT_OF(usual);
    int mask = 0, t = lower_operand(l, 0), mean, spread;
    for (size_t i = 0; i < count; i++) {
        int axis = graph_axis(a ? a->ints.items[i] : usual[i], x->rank);
        if (axis == NONE) return "no such axis";
        mask |= 1 << axis;
        one.dim[axis] = 1;
    }
    const char *why = lower_reduce_of(l, t, x, mask, "mean", &mean);
    if (why) return why;
    t = lower_two(l, "sub", t, lower_repeat(l, mean, &one, x));
    why = lower_reduce_of(l, lower_two(l, "mul", t, t), x, mask, "mean", &spread);
    if (why) return why;
    spread = unary(l, "sqrt", lower_plus(l, spread, 1e-9));
    *out = lower_two(l, "div", t, lower_repeat(l, spread, &one, x));
    return NULL;
}

// Writes a norm of each group of channels, then a factor and a summand for each channel.
static const char *group_norm(struct lower *l, int *out) {
    const struct onnx_dims *x = in_dims(l, 0);
    int64_t groups = onnx_int(l->n->src, "num_groups", 1), channels = x->rank > 1 ? x->dim[1] : 0, all = 1;
    const struct onnx_data *scale = graph_constant(l->g, l->n, 1), *bias = graph_constant(l->g, l->n, 2);
    int factors, summands, t;
    for (int i = 1; i < x->rank; i++) all *= x->dim[i];
    if (groups < 1 || channels % groups || !scale || !bias || scale->count != channels || bias->count != channels)
        return "a norm whose parameters are not one constant for each channel";
    const char *why = lower_plain_norm(l, lower_operand(l, 0), all / groups, attr(l, "epsilon", 1e-5), &t);
    if (why) return why;
    struct onnx_dims each = {.rank = x->rank - 1, .dim = {channels}};
    for (int i = 1; i < each.rank; i++) each.dim[i] = 1;
    struct onnx_data s = *scale, b = *bias;
    s.dims = b.dims = each;
    t = lower_view_like(l, t, x);
    why = lower_constant(l, t, &s, x, &factors);
    if (!why) why = lower_constant(l, t, &b, x, &summands);
    if (!why) *out = lower_two(l, "add", lower_two(l, "mul", t, factors), summands);
    return why;
}

// Writes x / (bias + alpha / size * s)^beta, where s is the sum of the squares of `size` neighbouring channels.
static const char *local_response(struct lower *l, int *out) {
    const struct onnx_dims *x = in_dims(l, 0);
    int64_t size = onnx_int(l->n->src, "size", 1), inside = 1;
    double bias = attr(l, "bias", 1), beta = attr(l, "beta", 0.75), alpha = attr(l, "alpha", 1e-4);
    int t = lower_operand(l, 0);
    for (int i = 2; i < x->rank; i++) inside *= x->dim[i];
    if (x->rank < 2 || x->dim[0] != 1) return "a batch that is not one row at a time";
    if (size < 1 || bias <= 0 || inside > 65536) return "a norm of this kind";
    struct patch w = {1, {size}, {1}, {1}, {(size - 1) / 2, size / 2}};
    int64_t dim[] = {x->dim[1], inside}, taps[] = {x->dim[1], size * inside};
    int s = lower_view(l, lower_two(l, "mul", t, t), 2, dim);
    s = lower_emit(l, "patch", 1, &s, 2, taps);
    lower_attr_patch(l, &w);
    s = lower_emit(l, "reduce", 1, &s, 2, dim);
    lower_attr(l, "kind", "sum");
    lower_attr_int(l, "every", inside);
    s = unary(l, "log", lower_plus(l, lower_scaled(l, s, alpha / (double)size), bias));
    *out = lower_two(l, "mul", t, unary(l, "exp", lower_scaled(l, s, -beta)));
    return NULL;
}

// ---- rotary embedding ----

// Returns the constant cosines or sines (`operand`) of each position and pair: [batch][positions][pairs]. If operand 3
// (the position numbers) is constant, it selects the row of each position. Returns NULL if they are not constant, or if
// their sizes do not fit.
static const struct onnx_data *angles(struct lower *l, size_t operand, int64_t batch, int64_t positions,
                                      int64_t pairs) {
    const struct onnx_data *d = graph_constant(l->g, l->n, operand), *at = graph_constant(l->g, l->n, 3);
    struct onnx_dims dims = {3, {batch, positions, pairs}};
    float *f;
    if (!d || !d->f || d->dims.dim[d->dims.rank - 1] != pairs) return NULL;
    if (!at) return d->count == batch * positions * pairs && graph_in(l->n, 3) == NONE ? d : NULL;
    struct onnx_data *out = data_floats(l->s->arena, &dims, &f);
    for (int64_t i = 0; i < out->count; i++) {
        double row = onnx_at(at, i / pairs % at->count);
        if (row < 0 || row >= (double)(d->count / pairs)) return NULL;
        f[i] = d->f[(int64_t)row * pairs + i % pairs];
    }
    return out;
}

// Returns the first or the second elements of all pairs. interleaved: the two elements of a pair are neighbours.
// Otherwise all first elements precede all second ones.
static int half(struct lower *l, int t, const struct onnx_dims *x, int64_t pairs, bool second, bool interleaved) {
    int64_t n = x->dim[x->rank - 1], before = onnx_elements(x) / n;
    return interleaved ? lower_part(l, t, before, n, 1, second, pairs, 2)
                       : lower_part(l, t, before, n, 1, second ? pairs : 0, pairs, 1);
}

// Writes RotaryEmbedding: each pair (a, b) becomes (a * cos - b * sin, a * sin + b * cos). Elements after the pairs
// (`rotary_embedding_dim`) stay as they are.
static const char *rotary(struct lower *l, int *out) {
    struct onnx_dims x = *in_dims(l, 0);
    int64_t heads = onnx_int(l->n->src, "num_heads", 0), some = onnx_int(l->n->src, "rotary_embedding_dim", 0);
    bool interleaved = onnx_int(l->n->src, "interleaved", 0) != 0, four = x.rank == 4;
    if (!four && (x.rank != 3 || heads < 1 || x.dim[2] % heads)) return "heads that do not fit the operand";
    if (!four) x = (struct onnx_dims){4, {x.dim[0], x.dim[1], heads, x.dim[2] / heads}};
    int64_t n = x.dim[3], pairs = (some ? some : n) / 2, before = onnx_elements(&x) / n, rows[] = {before, pairs};
    const struct onnx_data *angle[2];
    struct onnx_dims wide = x;
    wide.dim[3] = pairs;
    int t = lower_operand(l, 0), part[2], turned[2], given = four ? 2 : 1;
    for (int i = 0; i < 2; i++) {
        angle[i] = angles(l, 1 + (size_t)i, x.dim[0], x.dim[given], pairs);
        if (!angle[i]) return "angles that are not constant";
        struct onnx_data d = *angle[i];
        d.dims = (struct onnx_dims){4, {x.dim[0], four ? 1 : x.dim[1], four ? x.dim[2] : 1, pairs}};
        part[i] = lower_view(l, half(l, t, &x, pairs, i == 1, interleaved), 2, rows);
        int c;
        const char *why = lower_constant(l, part[0], &d, &wide, &c);
        if (why) return why;
        turned[i] = c;
    }
    int c = turned[0], s = turned[1];
    int real = lower_two(l, "sub", lower_two(l, "mul", part[0], c), lower_two(l, "mul", part[1], s)),
        imaginary = lower_two(l, "add", lower_two(l, "mul", part[0], s), lower_two(l, "mul", part[1], c));
    *out = interleaved ? lower_joined(l, real, imaginary, before * pairs, 1, 1, 1)
                       : lower_joined(l, real, imaginary, before, pairs, pairs, 1);
    if (2 * pairs < n)
        *out = lower_joined(l, *out, lower_part(l, t, before, n, 1, 2 * pairs, n - 2 * pairs, 1), before, 2 * pairs,
                            n - 2 * pairs, 1);
    *out = lower_view_like(l, *out, in_dims(l, 0));
    return NULL;
}

static const struct {
    const char *onnx;
    const char *(*lower)(struct lower *, int *);
} table[] = {{"Elu", elu},
             {"Selu", elu},
             {"Celu", elu},
             {"Softsign", softsign},
             {"SwiGLU", swiglu},
             {"LpNormalization", lp_norm},
             {"MeanVarianceNormalization", mean_variance},
             {"GroupNormalization", group_norm},
             {"LRN", local_response},
             {"RotaryEmbedding", rotary}};

bool lower_composed(struct lower *l, int *out, const char **why) {
    for (size_t i = 0; i < COUNT_OF(table); i++) {
        if (!l->n->src || !graph_is(l->n, table[i].onnx)) continue;
        *why = graph_constant(l->g, l->n, 0) ? "a constant operand" : table[i].lower(l, out);
        return true;
    }
    return false;
}
