// SPDX-License-Identifier: Apache-2.0
// Rewrites convolutions, pooling, DepthToSpace and SpaceToDepth. In ONNX the axis of channels comes before those of
// places (rows and columns of an image); in the graph language it comes last. A Move (a Transpose made by rewriting) on
// each side of a convolution converts between the two orders. Moves are carried from the operands of elementwise
// operators to their results, so that most of them meet another Move and cancel.
#include <string.h>

#include "gen/onnx/lower.h"
#include "gen/onnx/rewrite.h"

static struct node *at(struct graph *g, int i) { return &g->node.items[i]; }
static const struct onnx_dims *dims(const struct graph *g, int v) { return &graph_value(g, v)->dims; }

// Returns item i of an attribute that is a list, or `preset` if it is absent.
static int64_t item(const struct node *n, const char *name, int i, int64_t preset) {
    const struct onnx_attribute *a = onnx_attribute_of(n->src, name);
    return a && (size_t)i < a->ints.count ? a->ints.items[i] : preset;
}

// ---- the patches ----

// Reads stride, dilation and padding of patches with this size (struct patch in graph.h).
static struct patch *patch_of(struct graph *g, const struct node *n, const int64_t size[]) {
    struct patch *w = ARENA_NEW(g->arena, struct patch);
    const struct onnx_dims *x = dims(g, graph_in(n, 0)), *y = dims(g, n->out.items[0]);
    const char *pad = onnx_string(n->src, "auto_pad", "NOTSET");
    w->places = x->rank - 2;
    for (int i = 0; i < w->places; i++) {
        w->size[i] = size[i], w->stride[i] = item(n, "strides", i, 1), w->dilation[i] = item(n, "dilations", i, 1);
        int64_t reach = (size[i] - 1) * w->dilation[i] + 1,
                all = (y->dim[i + 2] - 1) * w->stride[i] + reach - x->dim[i + 2];
        bool same = !strncmp(pad, "SAME", 4);
        if (all < 0) all = 0;
        w->pads[i] = same ? (!strcmp(pad, "SAME_LOWER") ? all - all / 2 : all / 2) : item(n, "pads", i, 0);
        // With `ceil_mode` the last patch may extend beyond the padding.
        w->pads[i + w->places] =
            same ? all - w->pads[i] : at_least(item(n, "pads", i + w->places, 0), all - w->pads[i]);
    }
    return w;
}

// If a batch has several signals of one dimension, changes the patches w so that the signals are the rows of one image.
// A patch then has one row.
static void add_batch(struct graph *g, const struct node *n, struct patch *w) {
    if (dims(g, graph_in(n, 0))->dim[0] == 1) return;
    w->places = 2;
    w->size[1] = w->size[0], w->stride[1] = w->stride[0], w->dilation[1] = w->dilation[0];
    w->pads[3] = w->pads[1], w->pads[1] = w->pads[0];
    w->size[0] = w->stride[0] = w->dilation[0] = 1;
    w->pads[0] = w->pads[2] = 0;
}

enum { MOST_WEIGHTS = 1 << 26 }; // most elements of rearranged weights

// Reorders weights from [rows][channels of a group][places] to [rows][places][channels]. A row is the filter of one
// output channel; it gets the weight 0 for channels of other groups. Returns NULL if the sizes do not fit or are too
// large.
static const struct onnx_data *arranged(struct graph *g, const struct onnx_data *w, int64_t channels) {
    int64_t rows = w->dims.dim[0], own = w->dims.dim[1], places = w->count ? w->count / (rows * own) : 0;
    int64_t groups = places ? channels / own : 0, per_group = groups ? rows / groups : 0;
    struct onnx_dims to = {2, {rows, places * channels}};
    float *f;
    bool whole = per_group && groups * own == channels && groups * per_group == rows;
    if (!whole || rows > MOST_WEIGHTS / (places * channels)) return NULL;
    struct onnx_data *d = data_floats(g->arena, &to, &f);
    memset(f, 0, (size_t)d->count * sizeof *f);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < own; c++)
            for (int64_t p = 0; p < places; p++)
                f[(r * places + p) * channels + r / per_group * own + c] = w->f[(r * own + c) * places + p];
    return d;
}

// Returns the extents after the channels (axis 1) have moved to the end.
static struct onnx_dims channels_last(const struct onnx_dims *d) {
    struct onnx_dims to = {d->rank, {d->dim[0]}};
    for (int i = 2; i < d->rank; i++) to.dim[i - 1] = d->dim[i];
    to.dim[d->rank - 1] = d->dim[1];
    return to;
}

int rewrite_channels_last(struct graph *g, int i, int x) {
    struct onnx_dims to = channels_last(dims(g, x));
    int v = graph_add_node(g, i, "Move", x, &to), *perm = at(g, i)->perm;
    perm[0] = 0;
    for (int k = 1; k < to.rank; k++) perm[k] = k < to.rank - 1 ? k + 1 : 1;
    return v;
}

void rewrite_channels_first(struct node *n, int x_rank) {
    n->op = "Move";
    n->perm[0] = 0;
    for (int k = 1; k < x_rank; k++) n->perm[k] = k == 1 ? x_rank - 1 : k - 1;
}

// Replaces node i by a Move, a ConvLast, and a Move back, which are then nodes i to i + 2. became: text for the report.
static void to_conv(struct graph *g, int i, const struct patch *patch, const struct onnx_data *w,
                    const struct onnx_data *b, const char *became) {
    struct node old = *at(g, i);
    struct onnx_dims y = channels_last(dims(g, old.out.items[0]));
    int x = rewrite_channels_last(g, i, graph_in(&old, 0)), v = graph_add_node(g, i + 1, "ConvLast", x, &y);
    struct node *n = at(g, i + 1), *back = at(g, i + 2);
    n->patch = patch;
    n->w = w, n->b = b;
    n->w_name = graph_in(&old, 1) == NONE ? NULL : graph_value(g, graph_in(&old, 1))->source;
    n->b_name = graph_in(&old, 2) == NONE ? NULL : graph_value(g, graph_in(&old, 2))->source;
    graph_set_in(g, back, v);
    rewrite_channels_first(back, y.rank);
    graph_say(g, back, became);
}

// Returns whether the operand is one image (a batch of 1), or signals of one dimension.
static bool fits(const struct graph *g, const struct node *n) {
    int rank = dims(g, graph_in(n, 0))->rank;
    return rank == 3 || (rank == 4 && dims(g, graph_in(n, 0))->dim[0] == 1);
}

// Turns a Conv with constant weights into a ConvLast. Groups become zeros in the weights. Returns false for other
// convolutions.
static bool convolution(struct graph *g, int i) {
    struct node *n = at(g, i);
    const struct onnx_data *w = graph_constant(g, n, 1), *b = graph_constant(g, n, 2), *all;
    if (!w || !w->f || (graph_in(n, 2) != NONE && (!b || !b->f)) || !fits(g, n)) return false;
    bool grouped = onnx_int(n->src, "group", 1) != 1;
    all = arranged(g, w, dims(g, graph_in(n, 0))->dim[1]);
    if (!all) return false;
    struct patch *patch = patch_of(g, n, w->dims.dim + 2);
    add_batch(g, n, patch);
    to_conv(g, i, patch, all, b, grouped ? "conv, with zeros between groups" : "conv");
    return true;
}

// ---- pooling ----

// Returns how many elements of a patch the mean counts along dimension k, where x has `extent` elements and the patch
// has the index `place`. Padding is counted if the node has `count_include_pad`.
static int64_t counted(const struct node *n, const struct patch *w, int k, int64_t extent, int64_t place) {
    bool all = onnx_int(n->src, "count_include_pad", 0);
    int64_t end = all ? extent + item(n, "pads", k + w->places, 0) : extent, count = 0;
    if (strncmp(onnx_string(n->src, "auto_pad", "NOTSET"), "SAME", 4) == 0 && all)
        end = extent + w->pads[k + w->places];
    for (int64_t tap = 0; tap < w->size[k]; tap++) {
        int64_t at = place * w->stride[k] - w->pads[k] + tap * w->dilation[k];
        count += at < end && (all || at >= 0);
    }
    return count;
}

// Returns the factor of the mean for every place of the result: 1 / (number of counted elements). Returns NULL if all
// elements of every patch are counted, so that a plain mean is right.
static const struct onnx_data *factors(struct graph *g, const struct node *n, const struct patch *w) {
    const struct onnx_dims *x = dims(g, graph_in(n, 0)), *y = dims(g, n->out.items[0]);
    struct onnx_dims to = {w->places + 2, {1, 1, 1, 1}};
    for (int k = 0; k < w->places; k++) to.dim[k + 1] = y->dim[k + 2];
    float *f;
    struct onnx_data *d = data_floats(g->arena, &to, &f);
    int64_t wide = to.dim[w->places], size = w->size[0] * (w->places > 1 ? w->size[1] : 1);
    bool same = true;
    for (int64_t i = 0; i < d->count; i++) {
        int64_t count = counted(n, w, w->places - 1, x->dim[w->places + 1], i % wide);
        if (w->places > 1) count *= counted(n, w, 0, x->dim[2], i / wide);
        same &= count == size;
        f[i] = 1 / (float)at_least(count, 1);
    }
    return same ? NULL : d;
}

// Turns a pooling into a PoolLast. If padding makes the number of counted elements differ between places, a mean
// becomes a sum times a factor for each place.
static bool pool(struct graph *g, int i) {
    struct node *n = at(g, i);
    int64_t size[ONNX_MAX_RANK];
    const struct onnx_attribute *kernel = onnx_attribute_of(n->src, "kernel_shape");
    bool max = graph_is(n, "MaxPool"), indices = n->out.count > 1 && graph_value(g, n->out.items[1])->uses;
    if (!fits(g, n) || !kernel || indices) return false;
    if ((int)kernel->ints.count != dims(g, graph_in(n, 0))->rank - 2) return false;
    for (size_t k = 0; k < kernel->ints.count; k++) size[k] = kernel->ints.items[k];
    struct patch *patch = patch_of(g, n, size);
    const struct onnx_data *w = max ? NULL : factors(g, n, patch);
    add_batch(g, n, patch);
    n->out.count = 1;
    to_conv(g, i, patch, w, NULL, max || !w ? "patch and reduce" : "patch, reduce, and a factor for each place");
    at(g, i + 1)->op = "PoolLast";
    at(g, i + 1)->word = max ? "max" : w ? "sum" : "mean";
    return true;
}

// ---- depth and space ----

// Writes DepthToSpace or SpaceToDepth as a view with six axes, a Move, and a view.
static bool depth(struct graph *g, int i) {
    struct node *n = at(g, i);
    struct onnx_dims x = *dims(g, graph_in(n, 0));
    int64_t b = onnx_int(n->src, "blocksize", 1), c = x.dim[1], h = x.dim[2], w = x.dim[3];
    bool deep = graph_is(n, "SpaceToDepth"), crd = !strcmp(onnx_string(n->src, "mode", "DCR"), "CRD");
    if (x.rank != 4 || (deep ? h % b || w % b : c % (b * b))) return false;
    struct onnx_dims split = {6, {x.dim[0], b, b, c / (b * b), h, w}}, moved = {6, {0}};
    static const int dcr_order[] = {0, 3, 4, 1, 5, 2}, crd_order[] = {0, 1, 4, 2, 5, 3},
                     deep_order[] = {0, 3, 5, 1, 2, 4}, deep_crd_order[] = {0, 1, 3, 5, 2, 4};
    const int *order = deep ? crd ? deep_crd_order : deep_order : crd ? crd_order : dcr_order;
    if (deep) split = (struct onnx_dims){6, {x.dim[0], c, h / b, b, w / b, b}};
    else if (crd) split = (struct onnx_dims){6, {x.dim[0], c / (b * b), b, b, h, w}};
    for (int k = 0; k < 6; k++) moved.dim[k] = split.dim[order[k]];
    int view = graph_add_node(g, i, "View", graph_in(n, 0), &split),
        move = graph_add_node(g, i + 1, "Move", view, &moved);
    memcpy(at(g, i + 1)->perm, order, 6 * sizeof *order);
    graph_set_in(g, at(g, i + 2), move);
    at(g, i + 2)->op = "View";
    graph_say(g, at(g, i + 2), "the order of elements");
    return true;
}

bool rewrite_to_conv(struct graph *g, int i) {
    struct node *n = at(g, i);
    int x = graph_in(n, 0);
    if (!n->src || x == NONE || !graph_value(g, x)->shaped || !graph_value(g, n->out.items[0])->shaped) return false;
    if (graph_is(n, "Conv")) return convolution(g, i);
    if (graph_is(n, "ConvTranspose")) return rewrite_transposed(g, i);
    if (graph_is(n, "AveragePool") || graph_is(n, "MaxPool")) return pool(g, i);
    return (graph_is(n, "DepthToSpace") || graph_is(n, "SpaceToDepth")) && depth(g, i);
}

// ---- moves ----

static bool same_move(const struct node *a, const struct node *b, int rank) {
    return a && b && !memcmp(a->perm, b->perm, (size_t)rank * sizeof a->perm[0]);
}

// Returns the Move that makes an operand of the node, if equal Moves also make all other operands. Constants of one
// element do not count. Returns NULL if the Moves differ, or if an operand is a larger constant or the result of
// another operator.
static struct node *common_move(const struct graph *g, const struct node *n) {
    struct node *found = NULL;
    int rank = dims(g, n->out.items[0])->rank;
    for (size_t k = 0; k < n->in.count; k++) {
        int v = n->in.items[k];
        if (v == NONE || (graph_value(g, v)->constant && graph_value(g, v)->constant->count == 1)) continue;
        struct node *m = graph_value(g, v)->constant ? NULL : graph_maker(g, v, "Move");
        if (!m || dims(g, v)->rank != rank || (found && !same_move(m, found, rank))) return NULL;
        found = m;
    }
    return found;
}

// Returns whether the node converts between floats and integers with one scale and at most one zero point.
static bool is_conversion(const struct graph *g, const struct node *n) {
    bool named = graph_is(n, "QuantizeLinear") || graph_is(n, "Centered") || graph_is(n, "DequantizeLinear");
    for (size_t i = 1; named && i < n->in.count; i++) {
        const struct onnx_data *d = graph_constant(g, n, i);
        named = d && d->count == 1;
    }
    return named;
}

// Returns whether the node is elementwise: an Affine, a conversion, or an operator that graph_compute knows.
static bool is_elementwise(const struct graph *g, const struct node *n) {
    double in[3] = {0}, y;
    if (graph_is(n, "Affine") || is_conversion(g, n)) return true;
    return n->in.count <= 3 && n->out.count == 1 && graph_compute(g, n, in, n->in.count, &y);
}

// Reorders a constant that is combined with the result of a Move, so that it can be combined with the operand instead.
static const struct onnx_data *moved_constant(struct graph *g, const struct onnx_data *d, const int perm[], int rank) {
    struct onnx_dims to = {.rank = rank};
    int64_t stride[ONNX_MAX_RANK], k = 1;
    if (!d || d->count == 1) return d;
    for (int i = rank - 1; i >= 0; i--) {
        int own = i - (rank - d->dims.rank);
        to.dim[perm[i]] = own >= 0 ? d->dims.dim[own] : 1;
        stride[perm[i]] = k;
        k *= to.dim[perm[i]];
    }
    return data_walk(g->arena, d, &to, 0, stride);
}

// Lets elementwise node i read the operands of the Moves that make its operands, and puts one Move like these after it.
static void carry_behind(struct graph *g, int i, const struct node *move) {
    struct node old = *at(g, i), by = *move;
    struct onnx_dims y = *dims(g, old.out.items[0]), x = y;
    for (int k = 0; k < y.rank; k++) x.dim[by.perm[k]] = y.dim[k];
    int v = graph_add_node(g, i, old.op, graph_in(&by, 0), &x);
    struct node *n = at(g, i), *last = at(g, i + 1);
    graph_value(g, v)->type = graph_value(g, old.out.items[0])->type;
    for (size_t k = 0; k < old.in.count; k++) {
        struct node *m = old.in.items[k] == NONE ? NULL : graph_maker(g, old.in.items[k], "Move");
        if (k == 0) n->in.count = 0;
        VEC_PUSH(g->arena, n->in, m ? graph_in(m, 0) : old.in.items[k]);
    }
    n->src = old.src, n->word = old.word;
    n->w = moved_constant(g, old.w, by.perm, x.rank), n->b = moved_constant(g, old.b, by.perm, x.rank);
    graph_set_in(g, last, v);
    last->op = "Move";
    last->w = last->b = NULL;
    memcpy(last->perm, by.perm, sizeof by.perm);
}

bool rewrite_carry_move(struct graph *g, int i) {
    const struct node *n = at(g, i), *m = is_elementwise(g, n) ? common_move(g, n) : NULL;
    if (!m) return false;
    carry_behind(g, i, m);
    return true;
}

// Joins a Move with the Move that makes its operand. They become one Move, or cancel.
bool rewrite_join_moves(struct graph *g, int i) {
    struct node *n = at(g, i), *first = graph_is(n, "Move") ? graph_maker(g, graph_in(n, 0), "Move") : NULL;
    int order[ONNX_MAX_RANK], rank = first ? dims(g, graph_in(n, 0))->rank : 0;
    bool none = true;
    if (!first) return false;
    for (int k = 0; k < rank; k++) order[k] = first->perm[n->perm[k]], none &= order[k] == k;
    memcpy(n->perm, order, (size_t)rank * sizeof *order);
    graph_set_in(g, n, graph_in(first, 0));
    if (none) {
        n->gone = true;
        graph_replace(g, n->out.items[0], graph_in(n, 0));
    }
    return true;
}
