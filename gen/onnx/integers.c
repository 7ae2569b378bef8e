// SPDX-License-Identifier: Apache-2.0
// Lets products read the integers of quantized files. A DequantizeLinear before a product multiplies integers by a
// scale. These rules move the scale into the weights of the product. The activations of a design hold the integers
// exactly, but would have to round their products with the scale.
#include <string.h>

#include "gen/onnx/rewrite.h"

static struct node *at(struct graph *g, int i) { return &g->node.items[i]; }
static const struct onnx_dims *dims(const struct graph *g, int v) { return &graph_value(g, v)->dims; }

// ---- zero points ----

// Returns the zero point of a QuantizeLinear or DequantizeLinear if there is one for all elements, or NULL.
static const struct onnx_data *one_zero(const struct graph *g, const struct node *n) {
    const struct onnx_data *d = graph_constant(g, n, 2);
    return d && d->count == 1 ? d : NULL;
}

// If a DequantizeLinear subtracts the zero point that the QuantizeLinear before it adds, removes both steps: the
// QuantizeLinear becomes a Centered. The padding of a convolution is then 0 in the integers as well.
bool rewrite_center(struct graph *g, int i) {
    struct node *n = at(g, i), *q = graph_maker(g, graph_in(n, 0), "QuantizeLinear");
    if (!graph_is(n, "DequantizeLinear") || !q || graph_value(g, q->out.items[0])->uses != 1) return false;
    const struct onnx_data *a = one_zero(g, q), *b = one_zero(g, n);
    if (!a || !b || onnx_at(a, 0) != onnx_at(b, 0) || onnx_at(a, 0) == 0) return false;
    q->op = "Centered";
    n->in.count = 2;
    return true;
}

// Returns a zero point as fp32 summands: one for all elements, or one for each element of the last axis. Sets *none if
// they are all 0 or the node has no zero point. Returns NULL then, and if the zero point is not constant or has another
// number of elements than the scale.
static const struct onnx_data *summands(struct graph *g, const struct node *n, int64_t count, bool *none) {
    const struct onnx_data *d = graph_constant(g, n, 2);
    *none = graph_in(n, 2) == NONE;
    if (!d || d->count != count) return NULL;
    *none = true;
    for (int64_t i = 0; i < d->count; i++) *none &= onnx_at(d, i) == 0;
    return *none ? NULL : data_binary(g, "Mul", data_as_floats(g->arena, d), data_scalar(g->arena, -1));
}

// ---- scales ----

// Returns whether the scale of a DequantizeLinear can become a factor of the weights of product n: one number, or for a
// Linear that reads the result directly, one for each column of its weights.
static bool fits_weights(struct graph *g, const struct node *n, const struct node *from, const struct onnx_data *scale,
                         bool direct) {
    const struct onnx_dims *x = dims(g, graph_in(from, 0));
    int axis = graph_axis(onnx_int(from->src, "axis", 1), x->rank);
    if (!scale || !scale->f || onnx_int(from->src, "block_size", 0)) return false;
    for (int64_t i = 0; i < scale->count; i++)
        if (!(scale->f[i] > 1e-18F && scale->f[i] < 1e18F)) return false;
    return scale->count == 1 || (direct && graph_is(n, "Linear") && scale->dims.rank == 1 && axis == x->rank - 1 &&
                                 scale->count == x->dim[axis] && scale->count == n->w->dims.dim[1]);
}

// Returns the constant as a row, which broadcasts to the rows of a matrix.
static const struct onnx_data *as_row(struct graph *g, const struct onnx_data *d) {
    struct onnx_data *row = ARENA_NEW(g->arena, struct onnx_data);
    *row = *d;
    row->dims = (struct onnx_dims){2, {1, d->count}};
    return row;
}

// Moves the scale of the DequantizeLinear before product i into its weights. Layout operators may be between the two.
// The product then reads the integers. If there is a zero point, an Affine subtracts it before. Other readers of the
// DequantizeLinear still read its result.
bool rewrite_fold_scale(struct graph *g, int i) {
    struct node *n = at(g, i);
    bool none, product = graph_is(n, "Linear") || graph_is(n, "ConvLast");
    int reader = i;
    for (struct node *m; product && (m = graph_maker(g, graph_in(at(g, reader), 0), NULL)) && rewrite_is_layout(m);) {
        if (graph_value(g, m->out.items[0])->uses != 1) return false;
        reader = graph_value(g, m->out.items[0])->maker;
    }
    struct node *from = product ? graph_maker(g, graph_in(at(g, reader), 0), "DequantizeLinear") : NULL;
    const struct onnx_data *scale = from ? graph_constant(g, from, 1) : NULL;
    if (!from || !fits_weights(g, n, from, scale, reader == i)) return false;
    const struct onnx_data *zero = summands(g, from, scale->count, &none);
    if (!zero && !none) return false;
    n->w = data_binary(g, "Mul", n->w, scale->count == 1 ? data_scalar(g->arena, onnx_at(scale, 0)) : as_row(g, scale));
    int x = graph_in(from, 0);
    if (graph_value(g, from->out.items[0])->uses == 1) graph_say(g, from, "folded into the weights");
    if (zero) {
        struct onnx_dims d = *dims(g, x);
        x = graph_add_node(g, reader, "Affine", x, &d);
        at(g, reader++)->b = zero;
    }
    graph_set_in(g, at(g, reader), x);
    return true;
}
