// SPDX-License-Identifier: Apache-2.0
// Turns rewritten nodes into operations of the graph language. Has the operations that most nodes need; lower.h lists
// the files with the other operators. Functions that write a node return NULL, or the reason why it cannot be written.
#include "gen/onnx/lower.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "gen/ir/ops.h"
#include "gen/onnx/rewrite.h"

// ---- tensors ----

// Adds a tensor in the default shape of a value: without extents of 1, and with at most SPEC_MAX_RANK dimensions.
static int add_tensor(struct lower *l, const char *hint, const struct onnx_dims *dims) {
    struct spec_tensor t = {.name = hint, .maker = NONE};
    struct onnx_dims d = graph_squeezed(dims);
    for (; d.rank > SPEC_MAX_RANK; d.rank--) { // joins the two outermost dimensions
        d.dim[0] *= d.dim[1];
        memmove(d.dim + 1, d.dim + 2, (size_t)(d.rank - 2) * sizeof d.dim[0]);
    }
    if (!d.rank) d = (struct onnx_dims){1, {1}};
    t.rank = d.rank;
    memcpy(t.dim, d.dim, (size_t)d.rank * sizeof t.dim[0]);
    VEC_PUSH(l->s->arena, l->s->tensor, t);
    return (int)l->s->tensor.count - 1;
}

static struct spec_tensor *tensor(struct lower *l, int t) { return &l->s->tensor.items[t]; }

int lower_emit(struct lower *l, const char *op, int ins, const int in[], int rank, const int64_t dim[]) {
    struct spec_op o = {.op = op, .ins = ins, .number = l->n->number};
    struct spec_tensor t = {.name = l->hint, .rank = rank, .maker = (int)l->s->op.count};
    memcpy(t.dim, dim, (size_t)rank * sizeof *dim);
    for (int i = 0; i < ins; i++) o.in[i] = in[i];
    o.out = (int)l->s->tensor.count;
    VEC_PUSH(l->s->arena, l->s->tensor, t);
    VEC_PUSH(l->s->arena, l->s->op, o);
    return o.out;
}

static struct spec_attr *new_attr(struct lower *l, const char *key) {
    struct spec_op *o = &l->s->op.items[l->s->op.count - 1];
    if (o->attrs == SPEC_MAX_ATTRS) base_fatal("onnx: more than %d attributes of `%s`", SPEC_MAX_ATTRS, o->op);
    o->attr[o->attrs] = (struct spec_attr){.key = key};
    return &o->attr[o->attrs++];
}

void lower_attr(struct lower *l, const char *key, const char *text) { new_attr(l, key)->text = text; }
void lower_attr_int(struct lower *l, const char *key, int64_t x) {
    lower_attr(l, key, arena_printf(l->s->arena, "%" PRId64, x));
}
// Writes the number with as few digits as still give the same fp32 number when read back.
void lower_attr_float(struct lower *l, const char *key, double x) {
    const char *text = NULL;
    for (int digits = 1; digits <= 9; digits++) {
        text = arena_printf(l->s->arena, "%.*g", digits, x);
        float back;
        if (sscanf(text, "%f", &back) == 1 && back == (float)x) break;
    }
    lower_attr(l, key, text);
}
void lower_attr_weight(struct lower *l, const char *key, const struct onnx_data *d, const char *source) {
    struct spec_attr *a = new_attr(l, key);
    a->weight = d;
    a->source = source ? source : arena_printf(l->s->arena, "%s.%s", l->hint, key);
}

static int reshape(struct lower *l, int t, int rank, const int64_t dim[]) {
    const char *text = "[";
    for (int i = 0; i < rank; i++) text = arena_printf(l->s->arena, "%s%s%" PRId64, text, i ? ", " : "", dim[i]);
    int out = lower_emit(l, "reshape", 1, &t, rank, dim);
    lower_attr(l, "shape", arena_printf(l->s->arena, "%s]", text));
    return out;
}

int lower_view(struct lower *l, int t, int rank, const int64_t dim[]) {
    const struct spec_tensor *x = tensor(l, t);
    bool same = x->rank == rank && !memcmp(x->dim, dim, (size_t)rank * sizeof *dim);
    return same ? t : reshape(l, t, rank, dim);
}

int lower_view_like(struct lower *l, int t, const struct onnx_dims *dims) {
    int like = add_tensor(l, "", dims);
    struct spec_tensor want = *tensor(l, like);
    l->s->tensor.count--;
    return lower_view(l, t, want.rank, want.dim);
}

int lower_rows(struct lower *l, int t, int64_t k) {
    const struct spec_tensor *x = tensor(l, t);
    int64_t count = 1;
    if (x->dim[x->rank - 1] == k && k > 1) return t;
    for (int i = 0; i < x->rank; i++) count *= x->dim[i];
    return count == k ? lower_view(l, t, 1, &k) : lower_view(l, t, 2, (const int64_t[]){count / k, k});
}

// Returns the tensor of a value. The result of an unsupported node becomes an input, so that later nodes are checked as
// well.
int lower_value(struct lower *l, int v) {
    if (l->tensor_of[v] == NONE)
        l->tensor_of[v] = add_tensor(l, graph_value(l->g, v)->name, &graph_value(l->g, v)->dims);
    return l->tensor_of[v];
}
int lower_operand(struct lower *l, size_t i) { return lower_value(l, graph_in(l->n, i)); }

// Returns whether the graph language has the operation. function.c also names operations that the language may lack.
static bool is_operation(const char *op) {
    for (int i = 0; i < ir_spec_ops(); i++)
        if (!strcmp(ir_spec_op(i).name, op)) return true;
    return false;
}

const char *lower_elementwise(struct lower *l, const char *op, int in, int *out) {
    struct spec_tensor x = *tensor(l, in);
    if (!is_operation(op)) return arena_printf(l->s->arena, "needs the operation `%s`", op);
    *out = lower_emit(l, op, 1, &in, x.rank, x.dim);
    return NULL;
}

int lower_two(struct lower *l, const char *op, int a, int b) {
    struct spec_tensor x = *tensor(l, a);
    b = lower_view(l, b, x.rank, x.dim);
    return lower_emit(l, op, 2, (const int[]){a, b}, x.rank, x.dim);
}

// Bounds `like` to c from both sides, so that all elements of the result are c.
int lower_filled(struct lower *l, int like, double c) {
    int out = NONE;
    lower_elementwise(l, "clip", like, &out);
    lower_attr_float(l, "lo", c);
    lower_attr_float(l, "hi", c);
    return out;
}
int lower_number(struct lower *l, const char *function, int t, double x) {
    int out = NONE;
    lower_elementwise(l, "scalar", t, &out);
    lower_attr(l, "function", function);
    lower_attr_float(l, "value", x);
    return out;
}
int lower_scaled(struct lower *l, int t, double by) { return by == 1 ? t : lower_number(l, "mul", t, by); }
int lower_plus(struct lower *l, int t, double c) { return c == 0 ? t : lower_number(l, "add", t, c); }

int lower_bounded(struct lower *l, int t, double lo, double hi) {
    int out = NONE;
    lower_elementwise(l, "clip", t, &out);
    if (isfinite(lo)) lower_attr_float(l, "lo", lo);
    if (isfinite(hi)) lower_attr_float(l, "hi", hi);
    return out;
}

// ---- layouts ----

// Sets extent[] to the extents of the operand's axes, and order[] to the order in which a Transpose or Move puts them.
// Axes of extent 1 are left out. Returns the number of the others.
static int moved_axes(const struct graph *g, const struct node *n, int64_t extent[], int order[]) {
    const struct onnx_dims *x = &graph_value(g, graph_in(n, 0))->dims;
    int place[ONNX_MAX_RANK], perm[ONNX_MAX_RANK], count = 0, kept = 0;
    for (int i = 0; i < x->rank; i++) {
        place[i] = kept;
        if (x->dim[i] != 1) extent[kept++] = x->dim[i];
    }
    if (!graph_permutation(g, n, perm)) return 0;
    for (int i = 0; i < x->rank; i++)
        if (x->dim[perm[i]] != 1) order[count++] = place[perm[i]];
    return count;
}

// Joins axes that stay neighbours in the new order. Returns the number of axes that remain.
static int join_axes(int count, int64_t extent[], int order[]) {
    for (int i = 0; i + 1 < count;) {
        if (order[i + 1] != order[i] + 1) {
            i++;
            continue;
        }
        int a = order[i];
        extent[a] *= extent[a + 1];
        memmove(&extent[a + 1], &extent[a + 2], (size_t)(count - a - 2) * sizeof *extent);
        memmove(&order[i + 1], &order[i + 2], (size_t)(count - i - 2) * sizeof *order);
        count--;
        for (int k = 0; k < count; k++) order[k] -= order[k] > a;
    }
    return count;
}

// Adds a `transpose` of at most three axes.
static int transpose(struct lower *l, int t, int rank, const int64_t dim[], const int perm[]) {
    int64_t to[SPEC_MAX_RANK];
    const char *text = "[";
    t = lower_view(l, t, rank, dim);
    for (int i = 0; i < rank; i++) to[i] = dim[perm[i]];
    for (int i = 0; i < rank; i++) text = arena_printf(l->s->arena, "%s%s%d", text, i ? ", " : "", perm[i]);
    int out = lower_emit(l, "transpose", 1, &t, rank, to);
    lower_attr(l, "perm", arena_printf(l->s->arena, "%s]", text));
    return out;
}

// Returns how many of the last axes are already in the new order, so that they need not be moved.
static int in_order(int count, const int order[]) {
    int kept = count ? 1 : 0;
    while (kept < count && order[count - kept - 1] < order[count - kept]) kept++;
    return kept;
}

// Reorders more than three axes: moves one axis after the other to the front, the last one first.
static int move_axes(struct lower *l, int t, int count, const int64_t extent[], const int order[]) {
    int now[ONNX_MAX_RANK];
    for (int i = 0; i < count; i++) now[i] = i;
    for (int i = count - in_order(count, order) - 1; i >= 0; i--) {
        int at = 0;
        int64_t dim[3] = {1, extent[order[i]], 1};
        while (now[at] != order[i]) dim[0] *= extent[now[at++]];
        for (int k = at + 1; k < count; k++) dim[2] *= extent[now[k]];
        if (dim[0] > 1) t = transpose(l, t, dim[2] > 1 ? 3 : 2, dim, (const int[]){1, 0, 2});
        memmove(&now[1], &now[0], (size_t)at * sizeof *now);
        now[0] = order[i];
    }
    return t;
}

int lower_reorder(struct lower *l, int t, int count, const int64_t extent[], const int order[]) {
    int64_t x[ONNX_MAX_RANK];
    int by[ONNX_MAX_RANK];
    memcpy(x, extent, (size_t)count * sizeof *x);
    memcpy(by, order, (size_t)count * sizeof *by);
    count = join_axes(count, x, by);
    if (count > SPEC_MAX_RANK) return move_axes(l, t, count, x, by);
    return count > 1 ? transpose(l, t, count, x, by) : t;
}

int lower_turned(struct lower *l, int t, const struct onnx_dims *d) {
    int64_t extent[] = {d->dim[0], d->dim[1], d->dim[2]};
    bool moves = extent[0] > 1 && extent[1] > 1;
    struct onnx_dims to = {3, {extent[1], extent[0], extent[2]}};
    if (moves) t = lower_reorder(l, t, extent[2] > 1 ? 3 : 2, extent, (const int[]){1, 0, 2});
    return lower_view_like(l, t, &to);
}

static const char *lower_layout(struct lower *l, int *out) {
    int64_t extent[ONNX_MAX_RANK];
    int order[ONNX_MAX_RANK], t = lower_operand(l, 0);
    const struct onnx_dims *dims = &graph_value(l->g, l->n->out.items[0])->dims;
    bool moves = graph_is(l->n, "Transpose") || graph_is(l->n, "Move");
    if (moves) t = lower_reorder(l, t, moved_axes(l->g, l->n, extent, order), extent, order);
    *out = moves ? lower_view_like(l, t, dims) : t; // an operation that needs another shape adds the reshape itself
    return NULL;
}

// ---- nodes ----

static const char *lower_linear(struct lower *l, int *out) {
    const struct node *n = l->n;
    int64_t rows = n->w->dims.dim[0], k = n->w->dims.dim[1];
    int t = lower_rows(l, lower_operand(l, 0), k);
    struct spec_tensor x = *tensor(l, t);
    x.dim[x.rank - 1] = rows;
    *out = lower_emit(l, "linear", 1, &t, x.rank, x.dim);
    lower_attr_int(l, "rows", rows);
    lower_attr_weight(l, "weight", n->w, n->w_name);
    if (n->b) lower_attr_weight(l, "bias", n->b, n->b_name);
    return NULL;
}

void lower_attr_list(struct lower *l, const char *key, const int64_t item[], int count, int64_t preset) {
    const char *text = "[";
    bool told = preset < 0;
    for (int i = 0; i < count; i++) {
        text = arena_printf(l->s->arena, "%s%s%" PRId64, text, i ? ", " : "", item[i]);
        told |= item[i] != preset;
    }
    if (told) lower_attr(l, key, arena_printf(l->s->arena, "%s]", text));
}

void lower_attr_patch(struct lower *l, const struct patch *w) {
    lower_attr_list(l, "size", w->size, w->places, -1);
    lower_attr_list(l, "stride", w->stride, w->places, 1);
    lower_attr_list(l, "dilation", w->dilation, w->places, 1);
    lower_attr_list(l, "pads", w->pads, 2 * w->places, 0);
}

// Writes a convolution over the last `places` axes and the channels after them. Axes before these have extent 1 and are
// left out.
static const char *lower_conv(struct lower *l, int *out) {
    const struct node *n = l->n;
    const struct patch *w = n->patch;
    const struct onnx_dims *x = &graph_value(l->g, graph_in(n, 0))->dims,
                           *y = &graph_value(l->g, n->out.items[0])->dims;
    if (lower_is_wide(l)) {
        *out = lower_wide(l);
        return NULL;
    }
    int rank = w->places + 1, first = x->rank - rank, t = lower_view(l, lower_operand(l, 0), rank, x->dim + first);
    *out = lower_emit(l, "conv", 1, &t, rank, y->dim + first);
    lower_attr_int(l, "rows", n->w->dims.dim[0]);
    lower_attr_patch(l, w);
    lower_attr_weight(l, "weight", n->w, n->w_name);
    if (n->b) lower_attr_weight(l, "bias", n->b, n->b_name);
    return NULL;
}

static const struct onnx_data *filled(struct lower *l, int64_t count, float x) {
    float *f;
    struct onnx_data *d = data_floats(l->s->arena, &(struct onnx_dims){1, {count}}, &f);
    for (int64_t i = 0; i < count; i++) f[i] = x;
    return d;
}

static const struct onnx_data *as_vector(struct lower *l, const struct onnx_data *d, int64_t count, float preset) {
    if (!d) return filled(l, count, preset);
    return data_walk(l->s->arena, d, &(struct onnx_dims){1, {count}}, 0, (const int64_t[]){d->count == 1 ? 0 : 1});
}

enum { MOST_NORM = 65536 }; // most elements over which a norm works

const char *lower_plain_norm(struct lower *l, int t, int64_t k, double eps, int *out) {
    if (k > MOST_NORM) return "a norm over more than 65536 elements";
    t = lower_rows(l, t, k);
    struct spec_tensor x = *tensor(l, t);
    *out = lower_emit(l, "layernorm", 1, &t, x.rank, x.dim);
    if (x.rank > 1) lower_attr_int(l, "along", x.rank - 1);
    lower_attr_float(l, "eps", eps);
    lower_attr_weight(l, "gamma", filled(l, k, 1), "ones");
    lower_attr_weight(l, "beta", filled(l, k, 0), "zeros");
    return NULL;
}

// Writes a norm over the axes from n->axis on, which have k elements. The operand becomes rows of k elements, each of
// which is normed. An epsilon below 1e-12 becomes 1e-12.
static const char *lower_norm(struct lower *l, int *out) {
    const struct node *n = l->n;
    const struct onnx_dims *dims = &graph_value(l->g, graph_in(n, 0))->dims;
    bool rms = graph_is(n, "RmsNorm");
    int64_t k = 1;
    for (int i = n->axis; i < dims->rank; i++) k *= dims->dim[i];
    if (k > MOST_NORM) return "a norm over more than 65536 elements";
    if ((n->w && n->w->count != 1 && n->w->count != k) || (n->b && n->b->count != 1 && n->b->count != k))
        return "a norm whose parameters vary along other axes";
    if (!(n->eps <= 1)) return "a norm with an epsilon of more than 1";
    int t = lower_rows(l, lower_operand(l, 0), k);
    struct spec_tensor x = *tensor(l, t);
    *out = lower_emit(l, rms ? "rmsnorm" : "layernorm", 1, &t, x.rank, x.dim);
    if (x.rank > 1) lower_attr_int(l, "along", x.rank - 1);
    lower_attr_float(l, "eps", n->eps < 1e-12 ? 1e-12 : n->eps);
    lower_attr_weight(l, "gamma", as_vector(l, n->w, k, 1), n->w_name);
    if (!rms) lower_attr_weight(l, "beta", as_vector(l, n->b, k, 0), n->b_name);
    return NULL;
}

static bool are_rows_equal(const struct onnx_data *d, int64_t row) {
    for (int64_t i = row; i < d->count; i++)
        if (d->f[i] != d->f[i - row]) return false;
    return true;
}

// Makes a tensor with these constant elements, in the shape of `like`. The graph language has no operation for
// constants, so a layer norm with gamma = 0 makes the tensor: its result is exactly beta. beta is one row if all rows
// are equal, otherwise it has all elements. If these are too many for a norm, the tensor of the elements in d is made
// and then repeated.
const char *lower_constant(struct lower *l, int like, const struct onnx_data *d, const struct onnx_dims *dims,
                           int *out) {
    struct spec_tensor x = *tensor(l, like);
    const struct onnx_data *all = data_broadcast(l->s->arena, d, dims);
    int64_t n = x.dim[x.rank - 1];
    if (x.rank > 1 && !are_rows_equal(all, n)) n = all->count;
    if (n > MOST_NORM && d->count <= MOST_NORM) {
        const char *why = lower_number_tensor(l, like, d, out);
        if (!why) *out = lower_view(l, lower_repeat(l, *out, &d->dims, dims), x.rank, x.dim);
        return why;
    }
    if (n > MOST_NORM) return "a constant of more than 65536 different elements";
    int zero = lower_rows(l, lower_filled(l, like, 0), n);
    struct spec_tensor rows = *tensor(l, zero);
    *out = lower_emit(l, "layernorm", 1, &zero, rows.rank, rows.dim);
    if (rows.rank > 1) lower_attr_int(l, "along", rows.rank - 1);
    lower_attr_weight(l, "gamma", filled(l, n, 0), "zeros");
    lower_attr_weight(l, "beta", as_vector(l, all, n, 0), NULL);
    return NULL;
}

// Returns a tensor with these extents and any elements. `any`: a tensor of the graph, from which it is made.
static int any_tensor(struct lower *l, int any, const struct onnx_dims *dims) {
    int64_t along[SPEC_MAX_RANK], one = 1;
    int rank = tensor(l, any)->rank;
    for (int i = 0; i < rank; i++) along[i] = i;
    int t = lower_emit(l, "reduce", 1, &any, 1, &one);
    lower_attr(l, "kind", "max");
    lower_attr_list(l, "along", along, rank, -1);
    return lower_repeat(l, t, &(struct onnx_dims){1, {1}}, dims);
}

const char *lower_number_tensor(struct lower *l, int any, const struct onnx_data *d, int *out) {
    if (d->count > MOST_NORM) return "a constant of more than 65536 elements";
    return lower_constant(l, any_tensor(l, any, &d->dims), d, &d->dims, out);
}

int lower_zeros(struct lower *l, int any, const struct onnx_dims *dims) {
    return lower_filled(l, any_tensor(l, any, dims), 0);
}

// Returns whether only Softmax nodes read the node's result. Then adding -1e38 hides an element as minus infinity does.
static bool is_of_softmax(const struct lower *l) {
    int v = l->n->out.items[0], readers = 0;
    for (size_t i = 0; i < l->g->node.count; i++) {
        const struct node *n = &l->g->node.items[i];
        for (size_t k = 0; !n->gone && k < n->in.count; k++) {
            if (n->in.items[k] != v) continue;
            if (!graph_is(n, "Softmax")) return false;
            readers++;
        }
    }
    return readers > 0 && readers == graph_value(l->g, v)->uses;
}

const struct onnx_data *lower_finite(struct lower *l, const struct onnx_data *d, bool mask) {
    float *f;
    bool hides = mask && is_of_softmax(l);
    struct onnx_data *out = data_floats(l->s->arena, &d->dims, &f);
    for (int64_t i = 0; i < d->count; i++) {
        f[i] = hides && d->f[i] < -1e38f ? -1e38f : d->f[i];
        if (!isfinite(f[i]) || fabsf(f[i]) > 1e38f) return NULL;
    }
    return out;
}

// Writes one half of an Affine: a sum or a product with a constant.
static const char *with_constant(struct lower *l, const char *op, const struct onnx_data *d, int *t) {
    bool sum = !strcmp(op, "add");
    int c;
    if (!d) return NULL;
    if (!(d = lower_finite(l, d, sum))) return "a constant that is infinite";
    if (d->count == 1) return *t = sum ? lower_plus(l, *t, onnx_at(d, 0)) : lower_scaled(l, *t, onnx_at(d, 0)), NULL;
    const char *why = lower_constant(l, *t, d, &graph_value(l->g, l->n->out.items[0])->dims, &c);
    if (!why) *t = lower_two(l, op, *t, c);
    return why;
}

static const char *lower_affine(struct lower *l, int *out) {
    const struct onnx_data *w = l->n->w, *b = l->n->b;
    *out = lower_operand(l, 0);
    if (w && w->count == 1 && onnx_at(w, 0) == -1 && !b) return lower_elementwise(l, "neg", *out, out);
    const char *why = with_constant(l, "mul", w, out);
    return why ? why : with_constant(l, "add", b, out);
}

static bool is_float_type(int type) { return type == 0 || onnx_type_is_float(type); }

static bool is_one_of(const struct node *n, const char *ops) {
    const char *at = strstr(ops, n->op);
    return at && at > ops && at[-1] == ' ' && at[strlen(n->op)] == ' ';
}

// Returns whether the operator gives the same results for integers as for fp32 numbers, which represent integers in a
// design.
static bool takes_integers(const struct node *n) {
    return rewrite_is_layout(n) || is_one_of(n, " Linear ConvLast Centered Affine ArgMax ArgMin TopK Cast CastLike "
                                                "Equal Less Greater LessOrEqual GreaterOrEqual Where "
                                                "Slice Split Concat Gather Compress Expand Tile Add Sub Max Min "
                                                "QuantizeLinear DequantizeLinear DynamicQuantizeLinear ");
}

// Returns whether a value with elements of this type can be a tensor.
static bool is_legal_type(const struct node *n, const struct value *x) {
    if (is_float_type(x->type) || x->type == ONNX_BOOL) return true;
    return onnx_type_bytes(x->type) > 0 && takes_integers(n);
}

// Returns the reason to refuse the node independently of its operator: a type or shape that a tensor cannot have.
// Returns NULL if there is none.
static const char *unfit(struct lower *l) {
    const struct node *n = l->n;
    for (size_t i = 0; i < n->in.count + n->out.count; i++) {
        int v = i < n->in.count ? n->in.items[i] : n->out.items[i - n->in.count];
        const struct value *x = v == NONE ? NULL : graph_value(l->g, v);
        if (!x || x->constant || (i >= n->in.count && !x->uses)) continue;
        if (!is_legal_type(n, x))
            return arena_printf(l->s->arena, "`%s` has elements of %s", x->name, onnx_type_name(x->type));
        if (!x->shaped && i >= n->in.count)
            return i == n->in.count ? "the graph language has no operation for it"
                                    : arena_printf(l->s->arena, "its result `%s` is read", x->name);
        if (!x->shaped) return arena_printf(l->s->arena, "the shape of `%s` is not known", x->name);
        if (onnx_elements(&x->dims) < 1) return arena_printf(l->s->arena, "`%s` is empty", x->name);
        if (onnx_elements(&x->dims) > MOST_TENSOR)
            return arena_printf(l->s->arena, "`%s` has more than 16777216 elements", x->name);
    }
    return NULL;
}

static const struct onnx_dims *input_dims(const struct lower *l) { return &graph_value(l->g, graph_in(l->n, 0))->dims; }
static const struct onnx_dims *output_dims(const struct lower *l) {
    return &graph_value(l->g, l->n->out.items[0])->dims;
}

// Writes a node; *out is the tensor of its first result. Operators that no earlier line handles are elementwise.
static const char *lower_node(struct lower *l, int *out) {
    const struct node *n = l->n;
    if (graph_is(n, "If") || graph_is(n, "Loop") || graph_is(n, "Scan"))
        return graph_is(n, "If") ? "a condition that is not constant" : "control flow; export the graph without it";
    const char *why = unfit(l);
    if (why) return why;
    if (rewrite_is_layout(n)) return lower_layout(l, out);
    if (graph_is(n, "Linear")) return lower_linear(l, out);
    if (graph_is(n, "ConvLast")) return lower_conv(l, out);
    if (graph_is(n, "Norm") || graph_is(n, "RmsNorm")) return lower_norm(l, out);
    if (graph_is(n, "Affine")) return lower_affine(l, out);
    if (graph_is(n, "PoolLast")) return lower_pool(l, out);
    if (graph_is(n, "Reduce")) return lower_reduce(l, out);
    if (graph_is(n, "Softmax") || graph_is(n, "LogSoftmax")) return lower_softmax(l, out);
    if (graph_is(n, "Product") || graph_is(n, "MatMul")) return lower_product(l, out);
    if (graph_is(n, "Gemm")) return lower_gemm(l, out);
    if (graph_is(n, "Attention")) return lower_attention(l, out);
    if (graph_is(n, "Expand")) return *out = lower_repeat(l, lower_operand(l, 0), input_dims(l), output_dims(l)), NULL;
    if (graph_is(n, "Tile")) return lower_tile(l, out);
    if (lower_parts(l, out, &why) || lower_composed(l, out, &why) || lower_recurrent(l, out, &why)) return why;
    if (lower_truth(l, out, &why) || lower_indices(l, out, &why) || lower_rounding(l, out, &why)) return why;
    return lower_function(l, out);
}

// Lowers the node. If it cannot be written, notes the reason and removes everything that was added for it.
static void lower_one(struct lower *l, int *missing) {
    int out = NONE;
    size_t ops = l->s->op.count, tensors = l->s->tensor.count;
    struct fate *fate = &l->g->fate[l->n->number];
    l->hint = graph_value(l->g, l->n->out.items[0])->name;
    const char *why = lower_node(l, &out);
    if (why) {
        l->s->op.count = ops;
        fate->missing = why;
        ++*missing;
        for (size_t i = 0; i < l->g->value.count; i++)
            if (l->tensor_of[i] >= (int)tensors) l->tensor_of[i] = NONE;
        l->s->tensor.count = tensors;
        return;
    }
    l->tensor_of[l->n->out.items[0]] = out;
    if (!fate->became)
        fate->became = l->s->op.count > ops ? l->s->op.items[l->s->op.count - 1].op : "the order of elements";
}

// ---- inputs and outputs ----

static bool in_range(const struct graph *g, int v, int first, int end) {
    int maker = graph_value(g, v)->maker;
    return maker >= first && maker < end;
}

static bool is_read_in(const struct graph *g, int v, int first, int end) {
    for (int i = first; i < end; i++)
        for (size_t o = 0; !g->node.items[i].gone && o < g->node.items[i].in.count; o++)
            if (g->node.items[i].in.items[o] == v) return true;
    return false;
}

static void add_input(struct lower *l, int v) {
    struct spec_port p = {lower_value(l, v), v, graph_value(l->g, v)->name};
    VEC_PUSH(l->s->arena, l->s->input, p);
}

static bool is_output(const struct graph *g, int v) {
    for (size_t i = 0; i < g->output.count; i++)
        if (g->output.items[i] == v) return true;
    return false;
}

// Adds the inputs of nodes first to end - 1: the inputs of the file that they read, in the file's order, then other
// values that they read but do not make. whole: the nodes are the whole file.
static void add_inputs(struct lower *l, int first, int end, bool whole) {
    const struct graph *g = l->g;
    for (size_t k = 0; k < g->input.count; k++) {
        int v = g->input.items[k];
        if (is_read_in(g, v, first, end) || (whole && is_output(g, v))) add_input(l, v);
    }
    for (int i = first; i < end; i++)
        for (size_t o = 0; !g->node.items[i].gone && o < g->node.items[i].in.count; o++) {
            int v = g->node.items[i].in.items[o];
            if (v == NONE || l->tensor_of[v] != NONE || graph_value(g, v)->constant || in_range(g, v, first, end))
                continue;
            if (graph_value(g, v)->shaped) add_input(l, v);
        }
}

// Returns the tensor of an output. A reshape is added if no operation makes the tensor, or if it already is an output.
static int as_output(struct lower *l, int v) {
    int t = lower_view_like(l, lower_value(l, v), &graph_value(l->g, v)->dims);
    bool taken = tensor(l, t)->maker == NONE;
    for (size_t i = 0; i < l->s->output.count; i++) taken |= l->s->output.items[i].tensor == t;
    if (!taken) return t;
    struct spec_tensor x = *tensor(l, t);
    return reshape(l, t, x.rank, x.dim);
}

static bool is_read_outside(const struct graph *g, int v, int first, int end) {
    return is_read_in(g, v, 0, first) || is_read_in(g, v, end, (int)g->node.count);
}

static void add_output(struct lower *l, int v, const char *name) {
    l->hint = name;
    struct spec_port p = {as_output(l, v), v, name};
    tensor(l, p.tensor)->name = name;
    VEC_PUSH(l->s->arena, l->s->output, p);
}

// Adds the outputs of nodes first to end - 1: outputs of the file, then values that nodes outside of this part read.
static void add_outputs(struct lower *l, int first, int end, bool whole) {
    const struct graph *g = l->g;
    for (size_t i = 0; i < g->output.count; i++) {
        int v = g->output.items[i];
        bool ours = whole ? !graph_value(g, v)->constant : in_range(g, v, first, end);
        if (ours) add_output(l, v, g->output_name.items[i]);
    }
    for (int i = first; i < end && !whole; i++)
        for (size_t o = 0; !g->node.items[i].gone && o < g->node.items[i].out.count; o++) {
            int v = g->node.items[i].out.items[o];
            if (is_read_outside(g, v, first, end) && !is_output(g, v)) add_output(l, v, graph_value(g, v)->name);
        }
}

struct spec *spec_lower(struct graph *g, int first, int end, int *missing) {
    struct spec *s = ARENA_NEW(g->arena, struct spec);
    struct lower l = {.g = g, .s = s, .tensor_of = ARENA_ARRAY(g->arena, int, g->value.count + 1)};
    *s = (struct spec){.arena = g->arena};
    *missing = 0;
    for (size_t i = 0; i < g->value.count; i++) l.tensor_of[i] = NONE;
    bool whole = first == 0 && end == (int)g->node.count;
    add_inputs(&l, first, end, whole);
    for (int i = first; i < end; i++) {
        l.n = &g->node.items[i];
        if (!l.n->gone && l.n->out.count) lower_one(&l, missing);
    }
    if (*missing) return s;
    l.n = &(struct node){.op = ""};
    add_outputs(&l, first, end, whole);
    return s;
}
