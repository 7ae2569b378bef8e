// SPDX-License-Identifier: Apache-2.0
// Decides whether axis 0 of the inputs, the batch, counts rows. It does if no node mixes elements of different rows.
// The design then computes one row at a time, as one position of a request. Otherwise the whole inputs are one
// position.
#include <string.h>

#include "gen/onnx/rewrite.h"

enum { MIXED = -2 }; // the node mixes rows, or may mix them

static const struct onnx_dims *dims(const struct graph *g, int v) { return &graph_value(g, v)->dims; }
// Returns the axis of operand i that counts rows, or NONE.
static int rows_of(const struct graph *g, const struct node *n, size_t i) {
    int v = graph_in(n, i);
    return v == NONE ? NONE : graph_value(g, v)->rows;
}

// A tensor with the extents `from` is reshaped to `to`. Returns the axis of `to` that is the same as axis `axis` of
// `from`, or MIXED if there is none.
static int same_axis(const struct onnx_dims *from, int axis, const struct onnx_dims *to) {
    int64_t before = 1, at = 1;
    for (int i = 0; i < axis; i++) before *= from->dim[i];
    for (int i = 0; i < to->rank; at *= to->dim[i++])
        if (at == before && to->dim[i] == from->dim[axis]) return i;
    return MIXED;
}

// The functions rows_* return the axis that counts rows in the result of one kind of node, and MIXED if the node may
// mix elements of different rows. If no operand has rows, they return NONE, or else MIXED for MatMul and Attention.
// This one is for operands that broadcast.
static int rows_broadcast(const struct graph *g, const struct node *n) {
    int found = NONE, rank = dims(g, n->out.items[0])->rank;
    for (size_t i = 0; i < n->in.count; i++) {
        int own = dims(g, n->in.items[i])->rank, r = rows_of(g, n, i);
        if (r == NONE) continue;
        if (found != NONE && found != r + rank - own) return MIXED;
        found = r + rank - own;
    }
    // An operand that has no rows must be the same for all rows.
    for (size_t i = 0; found != NONE && i < n->in.count; i++) {
        const struct onnx_dims *d = dims(g, n->in.items[i]);
        int at = found - (rank - d->rank);
        if (rows_of(g, n, i) == NONE && at >= 0 && d->dim[at] != 1) return MIXED;
    }
    return found;
}

// This one is for MatMul, whose last two axes are those of the matrices. The rows must be the same axis before these
// two on both sides. If the right operand has no rows, they must be the rows of the left matrix or, if the right
// operand has at most two axes, an axis of the left operand before its last two.
static int rows_product(const struct graph *g, const struct node *n) {
    int a = rows_of(g, n, 0), b = rows_of(g, n, 1), left = dims(g, graph_in(n, 0))->rank,
        right = dims(g, graph_in(n, 1))->rank, rank = dims(g, n->out.items[0])->rank;
    if (b == NONE) return a == left - 1 || (a < left - 2 && right > 2) ? MIXED : a + rank - left;
    if (a == NONE || a - left != b - right || a >= left - 2) return MIXED;
    return a + rank - left;
}

// This one is for Attention, which keeps the entries of a batch apart. Axis 0 of Q, K and V must count the rows, and
// the mask must be the same for all entries.
static int rows_attention(const struct graph *g, const struct node *n) {
    const struct onnx_dims *mask = graph_in(n, 3) == NONE ? NULL : dims(g, graph_in(n, 3));
    for (size_t i = 0; i < n->in.count; i++)
        if (i < 3 ? rows_of(g, n, i) != 0 : rows_of(g, n, i) != NONE) return MIXED;
    return mask && mask->rank == 4 && mask->dim[0] != 1 ? MIXED : 0;
}

static int rows_transpose(const struct graph *g, const struct node *n) {
    int r = rows_of(g, n, 0), rank = dims(g, graph_in(n, 0))->rank;
    const struct onnx_attribute *perm = onnx_attribute_of(n->src, "perm");
    for (int i = 0; i < rank; i++)
        if ((perm ? perm->ints.items[i] : rank - 1 - i) == r) return i;
    return MIXED;
}

// Returns whether the node's operator is in a list of names between spaces.
static bool keeps(const struct node *n, const char *ops) {
    const char *at = strstr(ops, n->op);
    return at && at > ops && at[-1] == ' ' && at[strlen(n->op)] == ' ';
}

// Returns whether the node works along axis r, which counts the rows of an operand with `rank` axes.
static bool works_along(const struct graph *g, const struct node *n, int r, int rank) {
    int axes[ONNX_MAX_RANK], count;
    if (!strncmp(n->op, "Reduce", 6)) {
        count = graph_axes(g, n, 1, rank, axes);
        for (int i = 0; i < count; i++)
            if (axes[i] == r) return true;
        return count <= 0;
    }
    bool last = keeps(n, " Softmax LogSoftmax LayerNormalization RMSNormalization TopK Hardmax "),
         norm = keeps(n, " Norm RmsNorm LayerNormalization RMSNormalization ");
    int axis =
        n->src && !keeps(n, " Norm RmsNorm ") ? graph_axis(onnx_int(n->src, "axis", last ? -1 : 0), rank) : n->axis;
    return norm ? r >= axis : r == axis;
}

// Returns the axis that counts rows in a node's result, for all operators. Unknown operators may mix rows.
static int rows_of_result(const struct graph *g, const struct node *n) {
    int r = rows_of(g, n, 0), v = n->out.items[0];
    if (graph_in(n, 0) == NONE || !graph_value(g, v)->shaped) return MIXED;
    const struct onnx_dims *x = dims(g, graph_in(n, 0)), *y = dims(g, v);
    double in[3] = {0}, number;
    if (n->in.count <= 3 && graph_compute(g, n, in, n->in.count, &number)) return rows_broadcast(g, n);
    if (keeps(n, " Sum Max Min Mean PRelu Quant BipolarQuant ")) return rows_broadcast(g, n);
    if (graph_is(n, "MatMul")) return rows_product(g, n);
    if (graph_is(n, "Attention")) return rows_attention(g, n);
    if (graph_is(n, "Transpose")) return r == NONE ? NONE : rows_transpose(g, n);
    for (size_t i = 1; i < n->in.count && !graph_is(n, "Concat"); i++)
        if (rows_of(g, n, i) != NONE) return MIXED;
    if (r == NONE) return graph_is(n, "Concat") && rows_broadcast(g, n) != NONE ? MIXED : NONE;
    if (graph_is(n, "Gemm")) {
        const struct onnx_dims *c = graph_in(n, 2) == NONE ? NULL : dims(g, graph_in(n, 2));
        bool own = c && c->rank == 2 && c->dim[0] != 1; // a summand for each row
        return r == 0 && !own && !onnx_int(n->src, "transA", 0) ? 0 : MIXED;
    }
    if (rewrite_is_layout(n)) return same_axis(x, r, y);
    if (keeps(n, " Conv ConvTranspose MaxPool AveragePool GlobalAveragePool GlobalMaxPool BatchNormalization "
                 "InstanceNormalization LRN "
                 "DepthToSpace SpaceToDepth "))
        return r == 0 ? 0 : MIXED;
    if (keeps(n,
              " LayerNormalization RMSNormalization Norm RmsNorm Softmax LogSoftmax Concat Split ReduceMean ReduceSum "
              "ReduceMax ReduceMin ReduceL1 ReduceL2 ReduceSumSquare ReduceLogSum ReduceLogSumExp Gather ArgMax ArgMin "
              "TopK Hardmax "))
        return works_along(g, n, r, x->rank) ? MIXED : same_axis(x, r, y);
    if (keeps(n, " QuantizeLinear DequantizeLinear ")) {
        const struct onnx_data *scale = graph_constant(g, n, 1);
        return scale && (scale->count == 1 || graph_axis(onnx_int(n->src, "axis", 1), x->rank) != r) ? r : MIXED;
    }
    return keeps(n, " Clip LeakyRelu Elu Selu Celu Gelu HardSigmoid Function Cast CastLike Dropout Shrink Swish ")
               ? r
               : MIXED;
}

// Sets the axis of rows of all values. Returns NULL if no node mixes rows, otherwise a node that may mix them.
static const struct node *follow(struct graph *g) {
    for (size_t i = 0; i < g->input.count; i++) graph_value(g, g->input.items[i])->rows = 0;
    for (size_t i = 0; i < g->node.count; i++) {
        const struct node *n = &g->node.items[i];
        if (n->gone || !n->out.count) continue;
        int r = rows_of_result(g, n);
        if (r == MIXED) return n;
        for (size_t k = 0; k < n->out.count; k++) graph_value(g, n->out.items[k])->rows = r;
    }
    return NULL;
}

// Returns the extent of axis 0 that all inputs have; 0 if they differ.
static int64_t common_extent(const struct graph *g) {
    int64_t n = 0;
    for (size_t i = 0; i < g->input.count; i++) {
        const struct onnx_dims *d = dims(g, g->input.items[i]);
        if (!d->rank || (n && d->dim[0] != n)) return 0;
        n = d->dim[0];
    }
    return n;
}

static bool outputs_have_rows(const struct graph *g) {
    for (size_t i = 0; i < g->output.count; i++)
        if (graph_value(g, g->output.items[i])->rows != 0) return false;
    return true;
}

// Gives the axis of rows the extent 1 in all values.
static void make_one(struct graph *g) {
    for (size_t i = 0; i < g->value.count; i++) {
        struct value *v = graph_value(g, (int)i);
        if (v->shaped && !v->constant && v->rows >= 0) v->dims.dim[v->rows] = 1;
    }
}

void rewrite_rows(struct graph *g) {
    int64_t n = common_extent(g);
    g->batched = n == 1;
    if (n <= 1) return;
    const struct node *mixer = follow(g);
    g->batched = !mixer && outputs_have_rows(g);
    if (g->batched) make_one(g);
    else
        g->mixer = mixer ? arena_printf(g->arena, "%s `%s`", mixer->op, mixer->src ? mixer->src->name : "")
                         : "an output that has no rows";
}
