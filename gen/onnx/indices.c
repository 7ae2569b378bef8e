// SPDX-License-Identifier: Apache-2.0
// Writes operators that find the largest or smallest elements along an axis: ArgMax, ArgMin, TopK, Hardmax. The graph
// language has no such operation, so they are composed from maxima and elementwise operations. Indices are fp32
// numbers.
#include <math.h>
#include <string.h>

#include "gen/onnx/lower.h"

enum { MOST_INDEX = 65536, MOST_TOP = 32 }; // most elements along the axis; most results of TopK

// A search along one axis of a tensor, which is seen as [before][extent][inside].
struct search {
    struct onnx_dims whole, one; // extents of the tensor, and the same with the axis reduced to 1
    int rank[2];                 // tensors: results of ranks() for `first` = false and true; NONE: not made yet
};

static struct search search_of(const struct onnx_dims *x, int axis) {
    struct search s = {{3, {1, x->dim[axis], 1}}, {0}, {NONE, NONE}};
    for (int i = 0; i < axis; i++) s.whole.dim[0] *= x->dim[i];
    for (int i = axis + 1; i < x->rank; i++) s.whole.dim[2] *= x->dim[i];
    s.one = s.whole;
    s.one.dim[1] = 1;
    return s;
}

// Reduces the axis to its largest element.
static const char *largest_of(struct lower *l, const struct search *s, int t, int *out) {
    return lower_reduce_of(l, t, &s->whole, 2, "max", out);
}

static int spread(struct lower *l, const struct search *s, int t) { return lower_repeat(l, t, &s->one, &s->whole); }

// Sets *out to a constant tensor in the shape of tensor `like` that has the numbers 1, 2, 3, ... along the axis. first:
// the numbers fall, so that the first index has the largest one. Returns NULL, or the reason why it cannot be made.
static const char *ranks(struct lower *l, struct search *s, int like, bool first, int *out) {
    int64_t n = s->whole.dim[1];
    float *f;
    struct onnx_data *d = data_floats(l->s->arena, &(struct onnx_dims){2, {n, 1}}, &f);
    for (int64_t i = 0; i < n; i++) f[i] = (float)(first ? n - i : i + 1);
    const char *why = s->rank[first] == NONE ? lower_constant(l, like, d, &s->whole, &s->rank[first]) : NULL;
    *out = s->rank[first];
    return why;
}

// Tensors about the largest element along the axis.
struct found {
    int value, rank, marks; // the element, its number by `ranks`, and a tensor with 1 at its place and 0 elsewhere
};

// Finds the largest element along the axis. If several are equal, it finds the first one if `first`, otherwise the
// last.
static const char *find(struct lower *l, struct search *s, int t, bool first, struct found *f) {
    int rank, scores;
    const char *why = largest_of(l, s, t, &f->value);
    if (why) return why;
    int gap = lower_two(l, "sub", spread(l, s, f->value), t);
    why = ranks(l, s, t, first, &rank);
    if (!why) scores = lower_two(l, "mul", lower_not(l, lower_positive(l, gap)), rank);
    if (!why) why = largest_of(l, s, scores, &f->rank);
    if (!why) // the scores are whole numbers, so all others are below the largest one by 1 or more
        f->marks = lower_bounded(l, lower_plus(l, lower_two(l, "sub", scores, spread(l, s, f->rank)), 1), 0, INFINITY);
    return why;
}

// Converts a number of ranks() to the index that has it.
static int index_of(struct lower *l, const struct search *s, int rank, bool first) {
    return first ? lower_number(l, "rsub", rank, (double)s->whole.dim[1]) : lower_plus(l, rank, -1);
}

// Starts a search in operand 0, which becomes the tensor *t. smallest: *t has the negated elements.
static const char *begin(struct lower *l, int64_t axis, bool smallest, struct search *s, int *t) {
    const struct onnx_dims *x = &graph_value(l->g, graph_in(l->n, 0))->dims;
    int at = graph_axis(axis, x->rank);
    if (at == NONE) return "no such axis";
    *s = search_of(x, at);
    if (s->whole.dim[1] > MOST_INDEX) return "more than 65536 elements along the axis";
    *t = lower_view_like(l, lower_operand(l, 0), &s->whole);
    if (smallest) *t = lower_scaled(l, *t, -1);
    return NULL;
}

static const struct onnx_dims *result(const struct lower *l, size_t i) {
    return &graph_value(l->g, l->n->out.items[i])->dims;
}

static const char *arg(struct lower *l, int *out) {
    struct search s;
    struct found f = {NONE, NONE, NONE};
    bool first = !onnx_int(l->n->src, "select_last_index", 0);
    int t;
    const char *why = begin(l, onnx_int(l->n->src, "axis", 0), graph_is(l->n, "ArgMin"), &s, &t);
    if (!why) why = find(l, &s, t, first, &f);
    if (!why) *out = lower_view_like(l, index_of(l, &s, f.rank, first), result(l, 0));
    return why;
}

static const char *hardmax(struct lower *l, int *out) {
    struct search s;
    struct found f = {NONE, NONE, NONE};
    int t;
    if (l->g->model->opset < 13) return "a Hardmax of an opset below 13";
    const char *why = begin(l, onnx_int(l->n->src, "axis", -1), false, &s, &t);
    if (!why) why = find(l, &s, t, true, &f);
    if (!why) *out = lower_view_like(l, f.marks, result(l, 0));
    return why;
}

// Appends a plane (one result of TopK for each [before][inside]) to the `number` planes in *all.
static void append(struct lower *l, const struct search *s, int *all, int plane, int64_t number) {
    *all = number ? lower_joined(l, *all, plane, s->whole.dim[0], number, 1, s->whole.dim[2]) : plane;
}

// Writes TopK. Finds one element after the other. Before the next search, 1e38 is subtracted from the element that was
// found, so that it is not found again.
static const char *top(struct lower *l, int *out) {
    struct search s;
    struct found f = {NONE, NONE, NONE};
    int64_t k;
    int t, values = NONE, indices = NONE;
    bool smallest = !onnx_int(l->n->src, "largest", 1);
    const char *why = begin(l, onnx_int(l->n->src, "axis", -1), smallest, &s, &t);
    if (!why && graph_ints(l->g, graph_in(l->n, 1), &k, 1) != 1) why = "a number of results that is not constant";
    if (!why && (k < 1 || k > MOST_TOP || k > s.whole.dim[1])) why = "more than 32 results";
    for (int64_t i = 0; !why && i < k; i++) {
        if (i) t = lower_two(l, "sub", t, lower_scaled(l, f.marks, 1e38));
        why = find(l, &s, t, true, &f);
        if (why) return why;
        append(l, &s, &values, f.value, i);
        append(l, &s, &indices, index_of(l, &s, f.rank, true), i);
    }
    if (why) return why;
    *out = lower_view_like(l, smallest ? lower_scaled(l, values, -1) : values, result(l, 0));
    l->tensor_of[l->n->out.items[1]] = lower_view_like(l, indices, result(l, 1));
    return NULL;
}

bool lower_indices(struct lower *l, int *out, const char **why) {
    bool is_arg = graph_is(l->n, "ArgMax") || graph_is(l->n, "ArgMin");
    if (is_arg) *why = arg(l, out);
    else if (graph_is(l->n, "Hardmax")) *why = hardmax(l, out);
    else if (graph_is(l->n, "TopK") && l->n->out.count == 2) *why = top(l, out);
    else return false;
    return true;
}
