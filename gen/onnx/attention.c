// SPDX-License-Identifier: Apache-2.0
// Writes products of two tensors of which neither is a matrix of weights (MatMul, Gemm), and ONNX's Attention, which
// has two such products. Products with constant weights are in products.c.
#include <math.h>
#include <string.h>

#include "gen/onnx/lower.h"
#include "gen/onnx/rewrite.h"

enum { MOST_SUMMED = 65536 };       // most products in a sum
static const double hidden = -1e38; // added to scores that a mask hides, in place of minus infinity

static const struct onnx_dims *dims_of(const struct lower *l, size_t i) {
    return &graph_value(l->g, graph_in(l->n, i))->dims;
}

// ---- products ----

// If the second operand is transposed before the product, lets the product read the tensor before the transposition
// (`axis` = 1). Other axes that the transposition moves stay moved. Returns whether it changed the node.
static bool read_transposed(struct graph *g, int i) {
    struct node *n = &g->node.items[i];
    const struct node *move = graph_maker(g, graph_in(n, 1), NULL);
    struct onnx_dims d = graph_value(g, graph_in(n, 1))->dims;
    int perm[ONNX_MAX_RANK], last = d.rank - 1;
    bool none = true;
    if (!move || graph_value(g, graph_in(n, 1))->uses != 1 || last < 1 || !graph_permutation(g, move, perm) ||
        perm[last] == last)
        return false;
    int from = graph_in(move, 0), inner = perm[last];
    int64_t extent = d.dim[last];
    perm[last] = perm[last - 1], perm[last - 1] = inner;
    d.dim[last] = d.dim[last - 1], d.dim[last - 1] = extent;
    for (int k = 0; k <= last; k++) none &= perm[k] == k;
    int v = none ? from : graph_add_node(g, i, "Move", from, &d);
    if (!none) memcpy(g->node.items[i].perm, perm, sizeof perm);
    n = &g->node.items[i + !none];
    n->in.items[1] = v;
    n->axis = 1;
    return true;
}

bool rewrite_to_product(struct graph *g, int i) {
    struct node *n = &g->node.items[i];
    if (graph_is(n, "Product")) return !n->axis && read_transposed(g, i);
    if (!n->src || !graph_is(n, "MatMul") || n->in.count != 2) return false;
    for (size_t k = 0; k < 2; k++)
        if (graph_in(n, k) == NONE || !graph_value(g, graph_in(n, k))->shaped || graph_constant(g, n, k)) return false;
    if (!graph_value(g, n->out.items[0])->shaped) return false;
    n->op = "Product";
    graph_say(g, n, "bmm");
    n->axis = 0;
    return true;
}

// The factors of a product as the operation `bmm` has them: [m][k] and [k][n], or [n][k] if it is `turned`.
struct factors {
    int a, b;
    int64_t batches, m, n, k;
    bool turned;
};

// Adds a `bmm`. Returns NULL, or the reason why it cannot be built.
static const char *multiply(struct lower *l, const struct factors *f, int *out) {
    bool one = f->batches == 1;
    int64_t a[] = {f->batches, f->m, f->k}, b[] = {f->batches, f->turned ? f->n : f->k, f->turned ? f->k : f->n},
            y[] = {f->batches, f->m, f->n};
    if (f->k > MOST_SUMMED) return "a sum of more than 65536 products";
    int in[] = {lower_view(l, f->a, one ? 2 : 3, a + one), lower_view(l, f->b, one ? 2 : 3, b + one)};
    *out = lower_emit(l, "bmm", 2, in, one ? 2 : 3, y + one);
    if (f->turned) lower_attr_int(l, "transpose", 1);
    return NULL;
}

// Returns the product of the first `end` extents.
static int64_t product(const struct onnx_dims *d, int end) {
    int64_t n = 1;
    for (int i = 0; i < end; i++) n *= d->dim[i];
    return n;
}

// Sets *t to operand i as a tensor. If the operand is a constant, the tensor is made. Returns NULL, or the reason why
// this is not possible.
static const char *factor(struct lower *l, size_t i, int *t) {
    const struct onnx_data *d = graph_constant(l->g, l->n, i);
    int other = graph_in(l->n, !i);
    if (!d) return *t = lower_operand(l, i), NULL;
    if (!d->f) return "a constant of integers";
    return lower_number_tensor(l, lower_value(l, other), d, t);
}

// Writes a MatMul as ONNX defines it: axes before the last two broadcast, and a vector is a row (left factor) or a
// column (right factor). Also writes a Product, whose right factor may be transposed.
const char *lower_product(struct lower *l, int *out) {
    struct onnx_dims a = *dims_of(l, 0), b = *dims_of(l, 1), batch = *&graph_value(l->g, l->n->out.items[0])->dims;
    struct factors f = {.turned = graph_is(l->n, "Product") && l->n->axis};
    const char *why = factor(l, 0, &f.a);
    if (!why) why = factor(l, 1, &f.b);
    if (why) return why;
    batch.rank -= (a.rank > 1) + (b.rank > 1);
    if (a.rank == 1) a = (struct onnx_dims){2, {1, a.dim[0]}};
    if (b.rank == 1) b = (struct onnx_dims){2, {b.dim[0], 1}};
    f.m = a.dim[a.rank - 2], f.k = a.dim[a.rank - 1], f.n = b.dim[b.rank - (f.turned ? 2 : 1)];
    f.batches = product(&batch, batch.rank);
    if (product(&b, b.rank - 2) == 1) f.m *= f.batches, f.batches = 1;
    else {
        struct onnx_dims all = batch;
        all.rank += 2;
        memcpy(all.dim + batch.rank, a.dim + a.rank - 2, 2 * sizeof *a.dim);
        f.a = lower_repeat(l, f.a, &a, &all);
        memcpy(all.dim + batch.rank, b.dim + b.rank - 2, 2 * sizeof *b.dim);
        f.b = lower_repeat(l, f.b, &b, &all);
    }
    why = multiply(l, &f, out);
    if (!why) *out = lower_view_like(l, *out, &graph_value(l->g, l->n->out.items[0])->dims);
    return why;
}

// Reorders the axes of a tensor, leaving out those of extent 1.
static int reorder(struct lower *l, int t, const struct onnx_dims *d, const int perm[]) {
    int64_t extent[ONNX_MAX_RANK];
    int place[ONNX_MAX_RANK], order[ONNX_MAX_RANK], kept = 0, count = 0;
    for (int i = 0; i < d->rank; i++) {
        place[i] = kept;
        if (d->dim[i] > 1) extent[kept++] = d->dim[i];
    }
    for (int i = 0; i < d->rank; i++)
        if (d->dim[perm[i]] > 1) order[count++] = place[perm[i]];
    return lower_reorder(l, t, count, extent, order);
}

// Writes a Gemm of two tensors: alpha * A B + beta * C, where A or B may be transposed.
const char *lower_gemm(struct lower *l, int *out) {
    const struct onnx_node *src = l->n->src;
    const struct onnx_dims *a = dims_of(l, 0), *y = &graph_value(l->g, l->n->out.items[0])->dims;
    double alpha = onnx_float(src, "alpha", 1), beta = onnx_float(src, "beta", 1);
    struct factors f = {.batches = 1, .m = y->dim[0], .n = y->dim[1], .turned = onnx_int(src, "transB", 0) != 0};
    const char *why = factor(l, 0, &f.a);
    int c = NONE;
    if (!why) why = factor(l, 1, &f.b);
    if (why) return why;
    f.k = a->dim[onnx_int(src, "transA", 0) ? 0 : 1];
    if (onnx_int(src, "transA", 0)) f.a = reorder(l, f.a, a, (const int[]){1, 0});
    why = multiply(l, &f, out);
    if (why) return why;
    *out = lower_view_like(l, lower_scaled(l, *out, alpha), y);
    if (graph_in(l->n, 2) == NONE || beta == 0) return NULL;
    const struct onnx_data *d = graph_constant(l->g, l->n, 2);
    if (d) why = lower_constant(l, *out, d, y, &c);
    else c = lower_repeat(l, lower_operand(l, 2), dims_of(l, 2), y);
    if (!why) *out = lower_two(l, "add", *out, lower_scaled(l, c, beta));
    return why;
}

// ---- attention ----

// Sizes of an attention: `q` query positions in `heads` heads, `t` key positions in `kv_heads` heads, queries and keys
// of `k` elements, values of `v` elements. scale: factor of the scores; cap: their soft cap, 0: none.
struct attention {
    int64_t batch, heads, kv_heads, q, t, k, v;
    double scale, cap;
};

// Returns operand i as [batch][heads][rows][elements], and sets *rows and *elements. An operand with three axes is
// [batch][rows][heads * elements] in the file.
static int heads_of(struct lower *l, size_t i, int64_t heads, int64_t *rows, int64_t *elements) {
    const struct onnx_dims *d = dims_of(l, i);
    int t = lower_operand(l, i);
    *rows = d->dim[d->rank - 2];
    *elements = d->rank == 3 ? d->dim[2] / heads : d->dim[3];
    if (d->rank == 4) return t;
    return reorder(l, t, &(struct onnx_dims){4, {d->dim[0], *rows, heads, *elements}}, (const int[]){0, 2, 1, 3});
}

// Sets *mask to the constant that is added to the scores. It combines the node's constant mask, causality and the
// window. *mask becomes NULL if nothing is added. Returns NULL, or the reason why the node cannot be written.
static const char *mask_of(struct lower *l, const struct attention *a, const struct onnx_data **mask) {
    const struct onnx_data *d = graph_constant(l->g, l->n, 3);
    bool causal = onnx_int(l->n->src, "is_causal", 0) != 0;
    int64_t left = onnx_int(l->n->src, "left_window_size", -1), right = onnx_int(l->n->src, "right_window_size", -1);
    struct onnx_dims to = {4, {a->batch, a->heads, a->q, a->t}}, small = {2, {a->q, a->t}};
    float *f;
    bool seen = false; // whether the query of the current row of scores sees a key
    *mask = NULL;
    if (causal) right = 0;
    if (!d && left < 0 && right < 0) return NULL;
    if (d && (d->dims.rank > 4 || d->dims.dim[d->dims.rank - 1] != a->t)) return "a mask for some of the keys only";
    if (!d) to = small;
    else if (d->dims.rank == 2 || d->count == a->q * a->t) to = small;
    struct onnx_data *m = data_floats(l->s->arena, &to, &f);
    const struct onnx_data *all = d ? data_broadcast(l->s->arena, d, &to) : NULL;
    for (int64_t i = 0; i < m->count; i++) {
        double x = !all ? 0 : all->f ? onnx_at(all, i) : onnx_at(all, i) != 0 ? 0 : hidden;
        int64_t ahead = i % a->t - i / a->t % a->q; // position of the key minus position of the query
        if ((left >= 0 && ahead < -left) || (right >= 0 && ahead > right)) x = hidden;
        f[i] = (float)(x < hidden ? hidden : x);
        seen |= x > hidden;
        if (i % a->t < a->t - 1) continue;
        if (!seen) return "a query that sees no key";
        seen = false;
    }
    *mask = m;
    return NULL;
}

// Adds the masks to the scores: first a mask that the graph computes, if there is one, then the constant of mask_of.
static const char *add_mask(struct lower *l, const struct attention *a, int *scores) {
    const struct onnx_dims all = {4, {a->batch, a->heads, a->q, a->t}};
    const struct onnx_data *mask;
    int m, v = graph_in(l->n, 3);
    const char *why = mask_of(l, a, &mask);
    if (!why && v != NONE && !graph_constant(l->g, l->n, 3)) {
        m = lower_repeat(l, lower_operand(l, 3), dims_of(l, 3), &all);
        *scores = lower_two(l, "add", *scores, m);
    }
    if (why || !mask) return why;
    why = lower_constant(l, *scores, mask, &all, &m);
    if (!why) *scores = lower_two(l, "add", *scores, m);
    return why;
}

// Reads the sizes of the node into *a, and its operands into the factors of Q K^T (*qk) and of the product with the
// values (*pv). Returns NULL, or the reason why the node cannot be written.
static const char *read_attention(struct lower *l, struct attention *a, struct factors *qk, struct factors *pv) {
    const struct onnx_node *src = l->n->src;
    const struct onnx_dims *q = dims_of(l, 0), *k = dims_of(l, 1);
    int64_t rows;
    for (size_t i = 0; i < 3; i++)
        if (graph_constant(l->g, l->n, i)) return "attention to constants";
    for (size_t i = 4; i < l->n->in.count; i++)
        if (graph_in(l->n, i) != NONE) return "attention to a cache, or to a number of keys that is computed";
    a->batch = q->dim[0];
    a->heads = q->rank == 4 ? q->dim[1] : onnx_int(src, "q_num_heads", 0);
    a->kv_heads = k->rank == 4 ? k->dim[1] : onnx_int(src, "kv_num_heads", 0);
    if (a->heads < 1 || a->kv_heads < 1 || a->heads % a->kv_heads) return "heads that do not fit each other";
    qk->a = heads_of(l, 0, a->heads, &a->q, &a->k);
    qk->b = heads_of(l, 1, a->kv_heads, &a->t, &a->k);
    pv->b = heads_of(l, 2, a->kv_heads, &rows, &a->v);
    a->scale = onnx_float(src, "scale", 1 / sqrt((double)a->k));
    a->cap = onnx_float(src, "softcap", 0);
    return NULL;
}

// Writes softmax(cap(Q K^T * scale) + mask) V. The query heads that share a key head become rows of one product.
const char *lower_attention(struct lower *l, int *out) {
    struct attention a;
    struct factors qk = {.turned = true}, pv = {0};
    int p = NONE;
    const char *why = read_attention(l, &a, &qk, &pv);
    if (why) return why;
    int64_t rows = a.heads / a.kv_heads * a.q;
    qk.batches = pv.batches = a.batch * a.kv_heads;
    qk.m = pv.m = rows, qk.n = pv.k = a.t, qk.k = a.k, pv.n = a.v;
    why = multiply(l, &qk, &p);
    if (why) return why;
    p = lower_scaled(l, p, a.scale);
    if (a.cap != 0) {
        why = lower_elementwise(l, "softcap", p, &p);
        lower_attr_float(l, "cap", a.cap);
    }
    if (!why) why = add_mask(l, &a, &p);
    if (!why) why = lower_softmax_of(l, p, &(struct onnx_dims){2, {qk.batches * rows, a.t}}, 2, false, &pv.a);
    if (!why) why = multiply(l, &pv, &p);
    if (why) return why;
    if (graph_value(l->g, l->n->out.items[0])->dims.rank == 3)
        p = reorder(l, p, &(struct onnx_dims){4, {a.batch, a.heads, a.q, a.v}}, (const int[]){0, 2, 1, 3});
    *out = lower_view_like(l, p, &graph_value(l->g, l->n->out.items[0])->dims);
    return NULL;
}
