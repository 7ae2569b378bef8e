// SPDX-License-Identifier: Apache-2.0
// Rewrites ConvTranspose. Its result consists of blocks of stride x stride elements. Element r of block q is a sum over
// elements q + d of the operand, so a convolution with one row for each element of a block and each channel computes
// the blocks. Then their elements are put in order, and elements beyond the end are dropped.
#include <string.h>

#include "gen/onnx/rewrite.h"

// PLACES: most dimensions of an image. MOST_WEIGHTS: most elements of the matrix of weights. MOST_REACH: largest
// stride, and most places of a patch along a dimension.
enum { PLACES = 2, MOST_WEIGHTS = 1 << 26, MOST_REACH = 4096 };

// How a dimension of the result depends on that of the operand. Element r of block q is the sum of the products of
// operand element q + d and tap t for all t and d with r + before = t * dilation + d * stride.
struct place {
    int64_t taps, stride, dilation, before; // before: elements that are cut from the start of the result
    int64_t first, last;                    // the range of d
    int64_t extent, blocks, out;            // elements of the operand, blocks that are computed, elements of the result
};

// The sizes of a ConvTranspose. places: dimensions of the image; rank: axes of the operand.
struct transposed {
    int places, rank;
    struct place place[PLACES];
    int64_t groups, in, out; // channels of the operand and of the result
};

static struct node *at(struct graph *g, int i) { return &g->node.items[i]; }
static const struct onnx_dims *dims(const struct graph *g, int v) { return &graph_value(g, v)->dims; }

static int64_t item(const struct node *n, const char *name, int i, int64_t preset) {
    const struct onnx_attribute *a = onnx_attribute_of(n->src, name);
    return a && (size_t)i < a->ints.count ? a->ints.items[i] : preset;
}

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

// Returns how many elements are cut from the start of the result along dimension i. all: number of elements before
// cutting; out: after cutting at both ends.
static int64_t cut_before(const struct node *n, int i, int64_t all, int64_t out) {
    const char *pad = onnx_string(n->src, "auto_pad", "NOTSET");
    int64_t total = all - out;
    bool given = !onnx_attribute_of(n->src, "output_shape") && strncmp(pad, "SAME", 4) != 0;
    if (given) return item(n, "pads", i, 0);
    return !strcmp(pad, "SAME_UPPER") ? floor_div(total, 2) : total - floor_div(total, 2);
}

// Returns struct place for dimension i of the image.
static struct place place_of(const struct graph *g, const struct node *n, int i) {
    const struct onnx_dims *x = dims(g, graph_in(n, 0)), *w = dims(g, graph_in(n, 1)), *y = dims(g, n->out.items[0]);
    struct place p = {.taps = w->dim[i + 2],
                      .stride = item(n, "strides", i, 1),
                      .dilation = item(n, "dilations", i, 1),
                      .extent = x->dim[i + 2],
                      .out = y->dim[i + 2]};
    int64_t reach = (p.taps - 1) * p.dilation;
    p.before = cut_before(n, i, p.stride * (p.extent - 1) + reach + 1 + item(n, "output_padding", i, 0), p.out);
    p.first = at_most(-floor_div(reach - p.before, p.stride), 0);
    p.last = at_least(floor_div(p.stride - 1 + p.before, p.stride), 0);
    p.blocks = at_least((p.out + p.stride - 1) / p.stride, p.extent - p.last);
    p.first = at_most(p.first, p.extent - p.blocks); // the padding after the operand must be shorter than a patch
    return p;
}

// Returns the element r of a block to which tap t of the file's weights contributes.
static int64_t element_of(const struct place *p, int64_t t) {
    int64_t r = (t * p->dilation - p->before) % p->stride;
    return r < 0 ? r + p->stride : r;
}

// Returns the index d - first of the operand element that tap t multiplies, which is its place in the weights of a row.
static int64_t tap_of(const struct place *p, int64_t t) {
    return (element_of(p, t) + p->before - t * p->dilation) / p->stride - p->first;
}

// Copies one tap of the file's weights, [channels of the operand][channels of a group of the result], to its place in
// the rows of one element of a block. taps: elements between two weights of a tap in the file.
static void copy_tap(const struct transposed *t, const float *from, int64_t taps, float *to, int64_t row) {
    int64_t own = t->out / t->groups, in_group = t->in / t->groups;
    for (int64_t c = 0; c < t->in; c++)
        for (int64_t o = 0; o < own; o++) to[(c / in_group * own + o) * row + c] = from[(c * own + o) * taps];
}

// Returns the weights of the convolution: a matrix of [elements of a block][channels of the result] rows and
// [places of a patch][channels of the operand] columns. w: the weights in the file. Returns NULL if the matrix is too
// large.
static const struct onnx_data *weights(struct graph *g, const struct transposed *t, const struct onnx_data *w) {
    struct place one = {.taps = 1, .stride = 1, .dilation = 1};
    const struct place *a = t->places > 1 ? &t->place[0] : &one, *b = &t->place[t->places - 1];
    int64_t high = a->last - a->first + 1, wide = b->last - b->first + 1, row = high * wide * t->in;
    struct onnx_dims to = {2, {a->stride * b->stride * t->out, row}};
    float *f;
    if (row > MOST_WEIGHTS / to.dim[0]) return NULL;
    struct onnx_data *d = data_floats(g->arena, &to, &f);
    memset(f, 0, (size_t)d->count * sizeof *f);
    for (int64_t tap = 0; tap < a->taps * b->taps; tap++) {
        int64_t i = tap / b->taps, j = tap % b->taps, r = element_of(a, i) * b->stride + element_of(b, j);
        float *to_row = f + r * t->out * row + (tap_of(a, i) * wide + tap_of(b, j)) * t->in;
        copy_tap(t, w->f + tap, a->taps * b->taps, to_row, row);
    }
    return d;
}

// Returns the bias of each row of the matrix, or NULL if there is none. b: the biases in the file, one for each
// channel.
static const struct onnx_data *biases(struct graph *g, const struct transposed *t, const struct onnx_data *b) {
    int64_t blocks = t->place[0].stride * (t->places > 1 ? t->place[1].stride : 1);
    float *f;
    if (!b) return NULL;
    struct onnx_data *d = data_floats(g->arena, &(struct onnx_dims){1, {blocks * t->out}}, &f);
    for (int64_t i = 0; i < d->count; i++) f[i] = b->f[i % t->out];
    return d;
}

// Returns the patches of the convolution: one for each block.
static const struct patch *patch_of(struct graph *g, const struct transposed *t) {
    struct patch *w = ARENA_NEW(g->arena, struct patch);
    *w = (struct patch){.places = t->places};
    for (int i = 0; i < t->places; i++) {
        const struct place *p = &t->place[i];
        w->size[i] = p->last - p->first + 1;
        w->stride[i] = w->dilation[i] = 1;
        w->pads[i] = -p->first;
        w->pads[i + t->places] = p->blocks - 1 + w->size[i] - p->extent + p->first;
    }
    return w;
}

// Adds a constant list of integers to the graph and returns its value.
static int constant_list(struct graph *g, const int64_t item[], int count) {
    struct onnx_data *d = ARENA_NEW(g->arena, struct onnx_data);
    int64_t *i = ARENA_ARRAY(g->arena, int64_t, (size_t)count);
    struct onnx_dims to = {1, {count}};
    memcpy(i, item, (size_t)count * sizeof *i);
    *d = (struct onnx_data){.type = ONNX_INT64, .dims = to, .count = count, .i = i};
    int v = graph_add_value(g, "", &to);
    graph_value(g, v)->constant = d;
    return v;
}

// Inserts a Slice of x before node i. It drops the elements after the end of the result, which the last blocks have.
// Returns its value.
static int add_cut(struct graph *g, int i, const struct transposed *t, int x) {
    static const struct onnx_node cut = {.name = "", .op = "Slice", .domain = ""};
    int64_t start[PLACES] = {0}, end[PLACES] = {0}, axes[PLACES] = {1, 2};
    struct onnx_dims to = *dims(g, x);
    for (int k = 0; k < t->places; k++) to.dim[k + 1] = end[k] = t->place[k].out;
    int v = graph_add_node(g, i, "Slice", x, &to);
    at(g, i)->src = &cut;
    const int lists[] = {constant_list(g, start, t->places), constant_list(g, end, t->places),
                         constant_list(g, axes, t->places)};
    for (size_t k = 0; k < COUNT_OF(lists); k++) VEC_PUSH(g->arena, at(g, i)->in, lists[k]);
    return v;
}

// Inserts nodes before node *i that put the elements of the blocks in order, and returns the last one's value. x is
// [1][blocks of each dimension][elements of a block, channels]. *i is then the new number of the node.
static int add_order(struct graph *g, int *i, const struct transposed *t, int x) {
    const struct place *a = &t->place[0], *b = &t->place[1];
    struct onnx_dims to = {3, {1, a->blocks * a->stride, t->out}};
    if (t->places > 1) {
        struct onnx_dims split = {6, {1, a->blocks, b->blocks, a->stride, b->stride, t->out}},
                         moved = {6, {1, a->blocks, a->stride, b->blocks, b->stride, t->out}};
        static const int order[] = {0, 1, 3, 2, 4, 5};
        x = graph_add_node(g, (*i)++, "View", x, &split);
        x = graph_add_node(g, *i, "Move", x, &moved);
        memcpy(at(g, (*i)++)->perm, order, sizeof order);
        to = (struct onnx_dims){4, {1, a->blocks * a->stride, b->blocks * b->stride, t->out}};
    }
    x = graph_add_node(g, (*i)++, "View", x, &to);
    bool whole = a->out == a->blocks * a->stride && (t->places == 1 || b->out == b->blocks * b->stride);
    return whole ? x : add_cut(g, (*i)++, t, x);
}

// Reads the sizes of a ConvTranspose. Returns false if it has more dimensions, a batch, or sizes that are not
// supported.
static bool read_places(const struct graph *g, const struct node *n, const struct onnx_data *w, struct transposed *t) {
    const struct onnx_dims *x = dims(g, graph_in(n, 0)), *y = dims(g, n->out.items[0]);
    *t = (struct transposed){.places = x->rank - 2,
                             .rank = x->rank,
                             .groups = onnx_int(n->src, "group", 1),
                             .in = x->dim[1],
                             .out = y->dim[1]};
    if (t->places < 1 || t->places > PLACES || x->dim[0] != 1 || w->dims.dim[0] != t->in || t->in % t->groups)
        return false;
    for (int i = 0; i < t->places; i++) {
        t->place[i] = place_of(g, n, i);
        if (t->place[i].stride > MOST_REACH || t->place[i].last - t->place[i].first >= MOST_REACH) return false;
    }
    return true;
}

bool rewrite_transposed(struct graph *g, int i) {
    struct node old = *at(g, i);
    const struct onnx_data *w = graph_constant(g, &old, 1), *b = graph_constant(g, &old, 2);
    struct transposed t;
    if (!w || !w->f || (graph_in(&old, 2) != NONE && (!b || !b->f)) || !read_places(g, &old, w, &t)) return false;
    const struct onnx_data *all = weights(g, &t, w);
    if (!all) return false;
    struct onnx_dims blocks = {t.rank, {1}};
    for (int k = 0; k < t.places; k++) blocks.dim[k + 1] = t.place[k].blocks;
    blocks.dim[t.rank - 1] = all->dims.dim[0];
    int x = rewrite_channels_last(g, i++, graph_in(&old, 0)), v = graph_add_node(g, i, "ConvLast", x, &blocks);
    at(g, i)->patch = patch_of(g, &t);
    at(g, i)->w = all, at(g, i)->b = biases(g, &t, b);
    i++;
    v = add_order(g, &i, &t, v);
    graph_set_in(g, at(g, i), v);
    rewrite_channels_first(at(g, i), t.rank);
    graph_say(g, at(g, i), "conv, and the order of elements");
    return true;
}
