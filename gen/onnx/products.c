// SPDX-License-Identifier: Apache-2.0
// Turns products with constant matrices (MatMul, Gemm) into Linear nodes: weights [rows][k], a bias, and layout nodes
// around them if needed. Then folds neighbouring nodes into the weights: reordered operands, and parts of results.
#include <string.h>

#include "gen/onnx/rewrite.h"

static struct node *at(struct graph *g, int i) { return &g->node.items[i]; }
static const struct onnx_dims *dims(const struct graph *g, int v) { return &graph_value(g, v)->dims; }
static const char *source(const struct graph *g, const struct node *n, size_t i) {
    int v = graph_in(n, i);
    return v == NONE ? NULL : graph_value(g, v)->source;
}

// Returns a constant as a matrix, without leading extents of 1. Returns NULL if it is not an fp32 constant or not a
// matrix.
static const struct onnx_data *matrix(struct graph *g, const struct onnx_data *d) {
    struct onnx_data *m = ARENA_NEW(g->arena, struct onnx_data);
    if (!d || !d->f || d->dims.rank < 2) return NULL;
    for (int i = 0; i < d->dims.rank - 2; i++)
        if (d->dims.dim[i] != 1) return NULL;
    *m = *d;
    m->dims = (struct onnx_dims){2, {d->dims.dim[d->dims.rank - 2], d->dims.dim[d->dims.rank - 1]}};
    return m;
}

static void to_linear(struct graph *g, struct node *n, int x, const struct onnx_data *w, const char *name) {
    graph_set_in(g, n, x);
    n->op = "Linear";
    n->w = w;
    n->w_name = name;
}

// Returns a vector, which a MatMul treats as a column, as the weights [1][k] of a Linear.
static const struct onnx_data *as_column(struct graph *g, const struct onnx_data *d) {
    struct onnx_data *m = ARENA_NEW(g->arena, struct onnx_data);
    *m = *d;
    m->dims = (struct onnx_dims){2, {1, d->count}};
    return m;
}

static struct onnx_dims swapped(struct onnx_dims d) {
    int64_t last = d.dim[d.rank - 1];
    d.dim[d.rank - 1] = d.dim[d.rank - 2];
    d.dim[d.rank - 2] = last;
    return d;
}

// Puts a Move of the last two axes before a node; returns its value.
static int add_swap(struct graph *g, int before, int x, const struct onnx_dims *dims) {
    int v = graph_add_node(g, before, "Move", x, dims), *perm = at(g, before)->perm;
    for (int i = 0; i < dims->rank; i++) perm[i] = i < dims->rank - 2 ? i : 2 * dims->rank - 3 - i;
    return v;
}

// Rewrites W x with a constant W. A Linear multiplies rows, so x is transposed before the Linear, and the result is
// transposed back. Returns false if x is a vector.
static bool matmul_from_left(struct graph *g, int i, const struct onnx_data *w, const char *name) {
    int x = graph_in(at(g, i), 1);
    struct onnx_dims d = *dims(g, x), y = *dims(g, at(g, i)->out.items[0]);
    if (d.rank < 2 || y.rank < 2) return false;
    y = swapped(y);
    d = swapped(d);
    int turned = add_swap(g, i, x, &d), product = graph_add_node(g, i + 1, "Linear", turned, &y);
    to_linear(g, at(g, i + 1), turned, w, name);
    graph_set_in(g, at(g, i + 2), product);
    at(g, i + 2)->op = "Move";
    memcpy(at(g, i + 2)->perm, at(g, i)->perm, sizeof at(g, i)->perm);
    graph_say(g, at(g, i + 2), "linear");
    return true;
}

static bool matmul(struct graph *g, int i) {
    struct node *n = at(g, i);
    const struct onnx_data *a = graph_constant(g, n, 0), *b = graph_constant(g, n, 1), *m = matrix(g, b);
    if (a && !b) return (m = matrix(g, a)) && matmul_from_left(g, i, m, source(g, n, 0));
    if (m) to_linear(g, n, graph_in(n, 0), data_transposed(g->arena, m), source(g, n, 1));
    else if (b && b->f && b->dims.rank == 1) to_linear(g, n, graph_in(n, 0), as_column(g, b), source(g, n, 1));
    else return false;
    return true;
}

static const struct onnx_data *scaled(struct graph *g, const struct onnx_data *d, double by) {
    return by == 1 ? d : data_binary(g, "Mul", d, data_scalar(g->arena, by));
}

// Returns the summand of a Gemm as a vector, if it is the same for all rows; otherwise NULL.
static const struct onnx_data *bias_of(struct graph *g, const struct onnx_data *c, int64_t rows) {
    struct onnx_dims to = {1, {rows}};
    if (c->count != 1 && (c->count != rows || c->dims.dim[c->dims.rank - 1] != rows)) return NULL;
    return data_walk(g->arena, c, &to, 0, (const int64_t[]){c->count == 1 ? 0 : 1});
}

// Turns a Gemm whose summand c cannot be a bias into a Linear, followed by an Add.
static void add_after(struct graph *g, int i, int c) {
    struct onnx_dims y = *dims(g, at(g, i)->out.items[0]);
    int x = graph_in(at(g, i), 0), product = graph_add_node(g, i, "Linear", x, &y);
    struct node *n = at(g, i + 1), *first = at(g, i);
    const struct onnx_node *src = n->src;
    to_linear(g, first, x, n->w, n->w_name);
    graph_set_in(g, n, product);
    VEC_PUSH(g->arena, n->in, c);
    n->op = "Add";
    n->src = src;
}

// Turns a Gemm with constant weights (operand 1) into a Linear. alpha is folded into the weights, and beta into the
// summand. Returns false if the weights are not constant, if operand 0 is constant, or if a summand that is not
// constant has a beta other than 1.
static bool gemm(struct graph *g, int i) {
    struct node *n = at(g, i);
    const struct onnx_data *b = matrix(g, graph_constant(g, n, 1)), *c = graph_constant(g, n, 2);
    double alpha = onnx_float(n->src, "alpha", 1), beta = onnx_float(n->src, "beta", 1);
    int summand = graph_in(n, 2), x = graph_in(n, 0);
    const char *name = source(g, n, 1), *bias = source(g, n, 2);
    if (!b || graph_value(g, x)->constant || (summand != NONE && !c && beta != 1)) return false;
    if (!onnx_int(n->src, "transB", 0)) b = data_transposed(g->arena, b);
    if (onnx_int(n->src, "transA", 0)) {
        struct onnx_dims d = swapped(*dims(g, x));
        x = add_swap(g, i++, x, &d);
        n = at(g, i);
    }
    to_linear(g, n, x, scaled(g, b, alpha), name);
    if (summand == NONE || beta == 0) return true;
    if (c) n->b = bias_of(g, scaled(g, c, beta), b->dims.dim[0]);
    if (n->b) n->b_name = bias;
    else if (!c || beta == 1) add_after(g, i, summand);
    else {
        int sum = graph_add_value(g, "summand", &c->dims);
        graph_value(g, sum)->constant = scaled(g, c, beta);
        add_after(g, i, sum);
    }
    return true;
}

bool rewrite_to_linear(struct graph *g, int i) {
    struct node *n = at(g, i);
    int v = graph_in(n, 0);
    bool changed = false;
    if (!n->src || v == NONE || !graph_value(g, v)->shaped || !graph_value(g, n->out.items[0])->shaped) return false;
    if (graph_is(n, "MatMul")) changed = matmul(g, i);
    else if (graph_is(n, "Gemm")) changed = gemm(g, i);
    if (changed && !g->fate[at(g, i)->number].became) graph_say(g, at(g, i), "linear");
    return changed;
}

// ---- the order of the operand ----

// Value v has the elements of `root` in another order. Returns the index in `root` of each element of v, in fp32, which
// is exact up to MOST_EXACT.
static const struct onnx_data *order_of(struct graph *g, int v, int root) {
    float *f;
    struct onnx_data *d = data_floats(g->arena, dims(g, root), &f);
    if (v == root) {
        for (int64_t i = 0; i < d->count; i++) f[i] = (float)i;
        return d;
    }
    const struct node *n = graph_maker(g, v, NULL);
    *d = *order_of(g, graph_in(n, 0), root);
    int perm[ONNX_MAX_RANK];
    if (graph_permutation(g, n, perm)) {
        int64_t own[ONNX_MAX_RANK] = {0}, stride[ONNX_MAX_RANK], k = 1;
        for (int i = d->dims.rank - 1; i >= 0; i--) own[i] = k, k *= d->dims.dim[i];
        for (int i = 0; i < d->dims.rank; i++) stride[i] = own[perm[i]];
        return data_walk(g->arena, d, dims(g, v), 0, stride);
    }
    d->dims = *dims(g, v);
    return d;
}

enum { MOST_EXACT = 1 << 24 }; // integers up to this one are exact in fp32

// If the elements of the operand are reordered before a product that sums over all of them, reorders the columns of the
// weights instead.
bool rewrite_fold_order(struct graph *g, int i) {
    struct node *n = at(g, i);
    int x = graph_in(n, 0), root = x;
    bool moved = false;
    float *f;
    if (!graph_is(n, "Linear") || n->w->dims.dim[1] != graph_count(g, x) || n->w->dims.dim[1] > MOST_EXACT)
        return false;
    for (struct node *m; (m = graph_maker(g, root, NULL)) && rewrite_is_layout(m) && graph_value(g, root)->uses == 1;) {
        moved |= graph_is(m, "Transpose") || graph_is(m, "Move");
        root = graph_in(m, 0);
    }
    if (!moved) return false;
    const struct onnx_data *order = order_of(g, x, root);
    struct onnx_data *w = data_floats(g->arena, &n->w->dims, &f);
    int64_t k = w->dims.dim[1];
    for (int64_t e = 0; e < w->count; e++) f[e / k * k + (int64_t)order->f[e % k]] = n->w->f[e];
    struct onnx_dims to = *dims(g, x);
    int view = graph_add_node(g, i, "View", root, &to);
    n = at(g, i + 1);
    graph_set_in(g, n, view);
    n->w = w;
    return true;
}

// ---- parts of a product's result ----

// Returns `rows` rows of a matrix, or elements of a vector: first, first + step, ...
static const struct onnx_data *some_rows(struct graph *g, const struct onnx_data *d, int64_t first, int64_t step,
                                         int64_t rows) {
    struct onnx_dims to = d->dims;
    int64_t k = d->dims.rank > 1 ? d->dims.dim[1] : 1;
    to.dim[0] = rows;
    return data_walk(g->arena, d, &to, first * k, (const int64_t[]){step * k, 1});
}

// Adds a Linear at the end of the list of nodes that makes result `output` of node i from some rows of `of`.
static void take(struct graph *g, int i, size_t output, const struct node *of, int64_t first, int64_t step,
                 int64_t rows) {
    struct node part = {.op = "Linear", .number = at(g, i)->number};
    VEC_PUSH(g->arena, part.in, graph_in(of, 0));
    VEC_PUSH(g->arena, part.out, at(g, i)->out.items[output]);
    part.w = some_rows(g, of->w, first, step, rows);
    part.b = of->b ? some_rows(g, of->b, first, step, rows) : NULL;
    part.w_name = of->w_name ? arena_printf(g->arena, "%s.%zu", of->w_name, output) : NULL;
    part.b_name = of->b_name ? arena_printf(g->arena, "%s.%zu", of->b_name, output) : NULL;
    VEC_PUSH(g->arena, g->node, part);
}

// If a Split cuts a product's result along its last axis, makes a product for each part from the matching rows of the
// weights. These nodes replace the Split.
static bool split_linear(struct graph *g, int i) {
    struct node *n = at(g, i), *of = graph_maker(g, graph_in(n, 0), "Linear");
    struct onnx_dims x = *dims(g, graph_in(n, 0));
    int last = x.rank - 1, parts = (int)n->out.count;
    if (!of || graph_axis(onnx_int(n->src, "axis", 0), x.rank) != last) return false;
    struct node whole = *of;
    size_t end = g->node.count;
    for (int64_t first = 0, p = 0; p < parts; p++) {
        int64_t rows = dims(g, at(g, i)->out.items[p])->dim[last];
        take(g, i, (size_t)p, &whole, first, 1, rows);
        first += rows;
    }
    struct node *copy = ARENA_ARRAY(g->arena, struct node, (size_t)parts);
    memcpy(copy, &g->node.items[end], (size_t)parts * sizeof *copy);
    memmove(&g->node.items[i + parts], &g->node.items[i + 1], (end - (size_t)i - 1) * sizeof *copy);
    memcpy(&g->node.items[i], copy, (size_t)parts * sizeof *copy);
    g->node.count--;
    for (size_t k = 0; k < g->node.count; k++)
        for (size_t o = 0; !g->node.items[k].gone && o < g->node.items[k].out.count; o++)
            graph_value(g, g->node.items[k].out.items[o])->maker = (int)k;
    return true;
}

// If a Slice cuts a product's result along its last axis, makes the Slice a product with the matching rows of the
// weights.
static bool slice_linear(struct graph *g, int i) {
    struct node *n = at(g, i), *of = graph_maker(g, graph_in(n, 0), "Linear");
    struct onnx_dims x = *dims(g, graph_in(n, 0)), y;
    int64_t start[ONNX_MAX_RANK], step[ONNX_MAX_RANK];
    if (!of || !graph_slice(g, n, &x, start, step, &y)) return false;
    for (int k = 0; k < x.rank - 1; k++)
        if (x.dim[k] != y.dim[k] || step[k] != 1) return false;
    int last = x.rank - 1;
    n->w = some_rows(g, of->w, start[last], step[last], y.dim[last]);
    n->b = of->b ? some_rows(g, of->b, start[last], step[last], y.dim[last]) : NULL;
    n->w_name = of->w_name, n->b_name = of->b_name;
    n->op = "Linear";
    graph_set_in(g, n, graph_in(of, 0));
    return true;
}

bool rewrite_take_rows(struct graph *g, int i) {
    struct node *n = at(g, i);
    bool split = graph_is(n, "Split"), changed = false;
    if (!n->src || !(split || graph_is(n, "Slice"))) return false;
    for (size_t o = 0; o < n->out.count; o++)
        if (graph_count(g, n->out.items[o]) < 1) return false;
    changed = split ? split_linear(g, i) : slice_linear(g, i);
    if (changed) graph_say(g, at(g, i), "linear, with a part of the rows");
    return changed;
}
