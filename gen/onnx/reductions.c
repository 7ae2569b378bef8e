// SPDX-License-Identifier: Apache-2.0
// Writes operators that join elements or repeat them: reductions, pooling, softmax, broadcasting.
#include <string.h>

#include "gen/onnx/lower.h"
#include "gen/onnx/rewrite.h"

// "Joined" axes are those that a reduction removes by joining their elements to one. MOST_SUMMED limits the elements of
// a sum, and the elements after the last joined axis.
enum { MOST_SUMMED = 65536 };

// ---- repetition ----

// Returns the product of x[from] to x[to - 1].
static int64_t product(const int64_t x[], int from, int to) {
    int64_t n = 1;
    for (int i = from; i < to; i++) n *= x[i];
    return n;
}

// Turns [before][after] into [before][times][after] by repeating each run of `after` elements.
static int expand(struct lower *l, int t, int64_t before, int64_t times, int64_t after) {
    int64_t from[3], to[3];
    int rank = 0, own = 0;
    if (before > 1) from[own++] = to[rank++] = before;
    if (before > 1) from[own++] = 1;
    to[rank++] = times;
    if (after > 1) from[own++] = to[rank++] = after;
    if (!own) from[own++] = 1;
    t = lower_view(l, t, own, from);
    t = lower_emit(l, "expand", 1, &t, rank, to);
    lower_attr_list(l, "shape", to, rank, -1);
    return t;
}

int lower_repeat(struct lower *l, int t, const struct onnx_dims *from, const struct onnx_dims *to) {
    int64_t now[ONNX_MAX_RANK];
    for (int i = 0; i < to->rank; i++) now[i] = i < to->rank - from->rank ? 1 : from->dim[i - (to->rank - from->rank)];
    for (int i = 0; i < to->rank; i++) {
        int end = i;
        while (end < to->rank && now[end] == 1) end++;
        int64_t times = product(to->dim, i, end);
        if (times > 1) t = expand(l, t, product(now, 0, i), times, product(now, end, to->rank));
        for (; i < end; i++) now[i] = to->dim[i];
    }
    return lower_view_like(l, t, to);
}

// Repeats the whole tensor along one axis after the other.
const char *lower_tile(struct lower *l, int *out) {
    const struct onnx_dims *x = &graph_value(l->g, graph_in(l->n, 0))->dims,
                           *y = &graph_value(l->g, l->n->out.items[0])->dims;
    *out = lower_operand(l, 0);
    for (int i = x->rank - 1; i >= 0; i--) {
        int64_t times = y->dim[i] / x->dim[i];
        if (times > 1)
            *out = expand(l, *out, product(x->dim, 0, i), times,
                          product(x->dim, i, i + 1) * product(y->dim, i + 1, x->rank));
    }
    *out = lower_view_like(l, *out, y);
    return NULL;
}

// ---- reductions ----

static const struct {
    const char *onnx, *word;
} words[] = {{"ReduceMax", "max"},
             {"ReduceMin", "min"},
             {"ReduceSum", "sum"},
             {"ReduceMean", "mean"},
             {"ReduceL1", "l1"},
             {"ReduceL2", "l2"},
             {"ReduceLogSum", "logsum"},
             {"ReduceLogSumExp", "logsumexp"},
             {"GlobalMaxPool", "max"},
             {"GlobalAveragePool", "mean"},
             {"ReduceSumSquare", "squares"}};

// Returns the axes of a reduction as a mask, where bit i is axis i. Returns -1 if they are not known.
static int axes_of(const struct graph *g, const struct node *n, int rank) {
    int axes[ONNX_MAX_RANK], count = strncmp(n->op, "Global", 6) ? graph_axes(g, n, 1, rank, axes) : 0, mask = 0;
    if (!strncmp(n->op, "Global", 6)) return ((1 << rank) - 1) & ~3;
    if (count == 0) return onnx_int(n->src, "noop_with_empty_axes", 0) ? 0 : (1 << rank) - 1;
    for (int k = 0; k < count; k++) mask |= 1 << axes[k];
    return count < 0 ? -1 : mask;
}

// Lets a reduction read the operand of the Move before it, if the axes that remain keep their order.
static bool read_before_move(struct graph *g, struct node *n) {
    const struct node *move = graph_maker(g, graph_in(n, 0), "Move");
    const struct onnx_dims *x = &graph_value(g, graph_in(n, 0))->dims;
    int mask = 0, last = -1;
    if (!move) return false;
    for (int k = 0; k < x->rank; k++) {
        if (n->axis >> k & 1) mask |= 1 << move->perm[k];
        else if (x->dim[k] > 1 && move->perm[k] < last) return false;
        else if (x->dim[k] > 1) last = move->perm[k];
    }
    n->axis = mask;
    graph_set_in(g, n, graph_in(move, 0));
    return true;
}

bool rewrite_to_reduce(struct graph *g, int i) {
    struct node *n = &g->node.items[i];
    int v = graph_in(n, 0);
    if (graph_is(n, "Reduce")) return read_before_move(g, n);
    if (!n->src || v == NONE || !graph_value(g, v)->shaped) return false;
    for (size_t k = 0; k < COUNT_OF(words); k++) {
        if (!graph_is(n, words[k].onnx)) continue;
        int mask = axes_of(g, n, graph_value(g, v)->dims.rank);
        if (mask < 0) return false;
        n->axis = mask;
        n->op = "Reduce";
        n->word = words[k].word;
        graph_set_in(g, n, v);
        return true;
    }
    return false;
}

// The axes of a reduction's operand, without those of extent 1. Adjacent axes that the reduction joins are folded into
// one, and so are adjacent axes that it keeps. Bit i of `mask`: axis i is joined.
struct folded {
    int count, mask;
    int64_t extent[ONNX_MAX_RANK];
};

static struct folded fold(const struct onnx_dims *x, int mask) {
    struct folded f = {0};
    for (int i = 0; i < x->rank; i++) {
        int joined = mask >> i & 1;
        if (x->dim[i] == 1) continue;
        if (f.count && (f.mask >> (f.count - 1) & 1) == joined) f.extent[f.count - 1] *= x->dim[i];
        else {
            f.mask |= joined << f.count;
            f.extent[f.count++] = x->dim[i];
        }
    }
    return f;
}

// Moves the joined axes to the end, so that at most two axes remain in *f. Returns the reordered tensor.
static int joined_last(struct lower *l, int t, struct folded *f) {
    int order[ONNX_MAX_RANK], count = 0;
    int64_t extent[2] = {1, 1};
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < f->count; i++)
            if ((f->mask >> i & 1) == pass) order[count++] = i, extent[pass] *= f->extent[i];
    t = lower_reorder(l, t, f->count, f->extent, order);
    *f = (struct folded){
        extent[0] > 1 ? 2 : 1, extent[0] > 1 ? 2 : 1, {extent[0] > 1 ? extent[0] : extent[1], extent[1]}};
    return t;
}

// Returns the reason why a reduction is too large, or NULL. A kind that begins with `s` is a sum.
static const char *check(const char *kind, const struct folded *f) {
    int64_t joined = 1, inside = 1;
    for (int i = 0; i < f->count; i++)
        if (f->mask >> i & 1) joined *= f->extent[i], inside = 1;
        else inside *= f->extent[i];
    if (joined > MOST_SUMMED && (*kind == 's' || !strcmp(kind, "mean"))) return "a sum of more than 65536 elements";
    return joined > 1 && inside > MOST_SUMMED ? "more than 65536 elements inside the reduced axes" : NULL;
}

// Writes one `reduce` of a tensor with at most SPEC_MAX_RANK axes. Without joined axes there is nothing to do.
static int reduce(struct lower *l, int t, const char *kind, const struct folded *f) {
    int64_t along[ONNX_MAX_RANK], dim[ONNX_MAX_RANK] = {1};
    int joined = 0, rank = 0;
    for (int i = 0; i < f->count; i++)
        if (f->mask >> i & 1) along[joined++] = i;
        else dim[rank++] = f->extent[i];
    if (!joined) return t;
    t = lower_view(l, t, f->count, f->extent);
    t = lower_emit(l, "reduce", 1, &t, rank ? rank : 1, dim);
    lower_attr(l, "kind", kind);
    lower_attr_list(l, "along", along, joined, joined == 1 && along[0] == f->count - 1 ? along[0] : -1);
    return t;
}

// Repeats a result of `reduce` to the shape of its operand.
static int spread(struct lower *l, int t, const struct folded *f) {
    struct onnx_dims from = {.rank = f->count}, to = {.rank = f->count};
    for (int i = 0; i < f->count; i++) {
        to.dim[i] = f->extent[i];
        from.dim[i] = f->mask >> i & 1 ? 1 : f->extent[i];
    }
    return lower_repeat(l, t, &from, &to);
}

// Returns x minus its largest element along the joined axes; *largest gets that element.
static int below_largest(struct lower *l, int t, const struct folded *f, int *largest) {
    t = lower_view(l, t, f->count, f->extent);
    *largest = reduce(l, t, "max", f);
    return lower_two(l, "sub", t, spread(l, *largest, f));
}

// Writes ln(sum(exp(x))). The largest element is subtracted before exp and added afterwards, so that exp cannot
// overflow.
static const char *log_sum_exp(struct lower *l, int t, const struct folded *f, int *out) {
    int largest;
    const char *why = lower_elementwise(l, "exp", below_largest(l, t, f, &largest), out);
    if (!why) why = lower_elementwise(l, "log", reduce(l, *out, "sum", f), out);
    if (!why) *out = lower_two(l, "add", *out, largest);
    return why;
}

const char *lower_reduce_of(struct lower *l, int t, const struct onnx_dims *x, int mask, const char *kind, int *out) {
    struct folded f = fold(x, mask);
    const char *why = NULL;
    if (!f.count) f = (struct folded){1, mask != 0, {1}};
    if (f.count > SPEC_MAX_RANK) t = joined_last(l, t, &f);
    if (!(why = check(kind, &f))) *out = reduce(l, t, kind, &f);
    return why;
}

const char *lower_reduce(struct lower *l, int *out) {
    const struct node *n = l->n;
    const char *word = n->word, *why = NULL;
    const char *kind = !strcmp(word, "max") || !strcmp(word, "min") || !strcmp(word, "mean") ? word : "sum";
    struct folded f = fold(&graph_value(l->g, graph_in(n, 0))->dims, n->axis);
    int t = lower_operand(l, 0);
    if (!f.count) f = (struct folded){1, n->axis != 0, {1}};
    if (f.count > SPEC_MAX_RANK) t = joined_last(l, t, &f);
    if ((why = check(kind, &f))) return why;
    if (!strcmp(word, "logsumexp")) why = log_sum_exp(l, t, &f, &t);
    else {
        if (!strcmp(word, "l1")) why = lower_elementwise(l, "abs", t, &t);
        if (!strcmp(word, "l2") || !strcmp(word, "squares")) t = lower_two(l, "mul", t, t);
        t = reduce(l, t, kind, &f);
        if (!strcmp(word, "l2")) why = lower_elementwise(l, "sqrt", t, &t);
        if (!strcmp(word, "logsum")) why = lower_elementwise(l, "log", t, &t);
    }
    *out = t;
    return why;
}

// ---- softmax ----

// Writes the softmax of a tensor with the extents x, or its logarithm. Bit i of `mask`: the sums are along axis i.
const char *lower_softmax_of(struct lower *l, int t, const struct onnx_dims *x, int mask, bool log, int *out) {
    int largest, e;
    struct folded f = fold(x, mask);
    const char *why = f.mask ? check("sum", &f) : NULL;
    if (!f.mask) return *out = lower_filled(l, t, !log), NULL;
    if (why) return why;
    t = below_largest(l, t, &f, &largest);
    why = lower_elementwise(l, "exp", t, &e);
    int sum = why ? NONE : reduce(l, e, "sum", &f);
    if (!why) why = lower_elementwise(l, log ? "log" : "reciprocal", sum, &sum);
    if (!why) *out = lower_view_like(l, lower_two(l, log ? "sub" : "mul", log ? t : e, spread(l, sum, &f)), x);
    return why;
}

const char *lower_softmax(struct lower *l, int *out) {
    const struct onnx_dims *x = &graph_value(l->g, graph_in(l->n, 0))->dims;
    bool old = l->g->model->opset < 13; // one softmax over all axes from `axis` on
    int axis = graph_axis(onnx_int(l->n->src, "axis", old ? 1 : -1), x->rank);
    if (axis == NONE) return "no such axis";
    return lower_softmax_of(l, lower_operand(l, 0), x, old ? ((1 << x->rank) - 1) & ~((1 << axis) - 1) : 1 << axis,
                            graph_is(l->n, "LogSoftmax"), out);
}

// ---- pooling ----

// Writes pooling as `patch`, which copies the elements of each patch, and a `reduce` of each channel.
const char *lower_pool(struct lower *l, int *out) {
    const struct node *n = l->n;
    const struct patch *w = n->patch;
    const struct onnx_dims *x = &graph_value(l->g, graph_in(n, 0))->dims,
                           *y = &graph_value(l->g, n->out.items[0])->dims;
    int64_t taps[3], channels = x->dim[x->rank - 1];
    int rank = w->places + 1, first = x->rank - rank, t = lower_view(l, lower_operand(l, 0), rank, x->dim + first),
        factors;
    memcpy(taps, y->dim + first, (size_t)w->places * sizeof *taps);
    taps[w->places] = channels * product(w->size, 0, w->places);
    t = lower_emit(l, "patch", 1, &t, rank, taps);
    lower_attr_patch(l, w);
    if (!strcmp(n->word, "max")) lower_attr(l, "pad", "-3.4e38");
    t = lower_emit(l, "reduce", 1, &t, rank, y->dim + first);
    lower_attr(l, "kind", n->word);
    lower_attr_int(l, "every", channels);
    *out = t;
    if (channels > MOST_SUMMED) return "more than 65536 channels";
    const char *why = n->w ? lower_constant(l, t, n->w, y, &factors) : NULL;
    if (n->w && !why) *out = lower_two(l, "mul", t, factors);
    return why;
}
