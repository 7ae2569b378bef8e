// SPDX-License-Identifier: Apache-2.0
// Turns sums and elementwise products with constants into Affine nodes: y = x * w + b. Then folds these nodes into each
// other and into the weights of neighbouring products and norms, so that they cost no kernels. Also runs all rules of
// rewrite_products.
#include <math.h>
#include <string.h>

#include "gen/onnx/rewrite.h"

static struct node *at(struct graph *g, int i) { return &g->node.items[i]; }
static const struct onnx_dims *dims(const struct graph *g, int v) { return &graph_value(g, v)->dims; }

// These functions combine constants, which broadcast to each other. An operand of the first two may be NULL, which is
// an absent factor or summand.
static const struct onnx_data *multiply(struct graph *g, const struct onnx_data *a, const struct onnx_data *b) {
    return !a ? b : !b ? a : data_binary(g, "Mul", a, b);
}
static const struct onnx_data *sum(struct graph *g, const struct onnx_data *a, const struct onnx_data *b) {
    return !a ? b : !b ? a : data_binary(g, "Add", a, b);
}
static const struct onnx_data *inverse(struct graph *g, const struct onnx_data *d) {
    return data_binary(g, "Div", data_scalar(g->arena, 1), d);
}
static const struct onnx_data *negative(struct graph *g, const struct onnx_data *d) {
    return data_binary(g, "Mul", data_scalar(g->arena, -1), d);
}

// Returns the constant as a single number if all of its elements are equal, otherwise unchanged.
static const struct onnx_data *shortened(struct graph *g, const struct onnx_data *d) {
    for (int64_t i = 1; d && i < d->count; i++)
        if (d->f[i] != d->f[0]) return d;
    return d && d->count > 1 ? data_scalar(g->arena, (double)d->f[0]) : d;
}

// Turns the node into y = x * w + b, where w or b may be NULL (absent). Returns true, so that callers can return the
// result.
static bool to_affine(struct graph *g, struct node *n, int x, const struct onnx_data *w, const struct onnx_data *b) {
    graph_set_in(g, n, x);
    n->op = "Affine";
    n->w = shortened(g, w);
    n->b = shortened(g, b);
    return true;
}

// Turns a sum, difference, product or quotient with a constant into an Affine, if the result has the operand's shape.
static bool with_constant(struct graph *g, struct node *n) {
    const struct onnx_data *a = graph_constant(g, n, 0), *b = graph_constant(g, n, 1), *c = a ? a : b;
    int x = graph_in(n, a ? 1 : 0);
    if (n->in.count != 2 || !c || (a && b) || x == NONE || !c->f || !c->count || c->dims.rank > dims(g, x)->rank)
        return false;
    if (!graph_same_dims(dims(g, x), dims(g, n->out.items[0]))) return false;
    if (graph_is(n, "Add")) return to_affine(g, n, x, NULL, c);
    if (graph_is(n, "Mul")) return to_affine(g, n, x, c, NULL);
    if (graph_is(n, "Sub"))
        return a ? to_affine(g, n, x, data_scalar(g->arena, -1), c) : to_affine(g, n, x, NULL, negative(g, c));
    return graph_is(n, "Div") && !a && to_affine(g, n, x, inverse(g, c), NULL);
}

// Returns a constant d that has one element per channel, with extents by which it broadcasts along axis 1 of x. Returns
// NULL if d is not an fp32 constant, if it has another number of elements, or if x has no axis 1.
static const struct onnx_data *per_channel(struct graph *g, const struct onnx_data *d, const struct onnx_dims *x) {
    struct onnx_data *c = ARENA_NEW(g->arena, struct onnx_data);
    if (!d || !d->f || x->rank < 2 || d->count != x->dim[1]) return NULL;
    *c = *d;
    c->dims.rank = x->rank - 1;
    for (int i = 0; i < c->dims.rank; i++) c->dims.dim[i] = i ? 1 : d->count;
    return c;
}

// Turns a BatchNormalization of inference into an Affine: w = scale / sqrt(variance + epsilon), b = bias - mean * w.
static bool batch_norm(struct graph *g, struct node *n) {
    const struct onnx_dims *x = dims(g, graph_in(n, 0));
    const struct onnx_data *p[4], *eps = data_scalar(g->arena, onnx_float(n->src, "epsilon", 1e-5));
    struct node root = {.op = "Sqrt"};
    float *f;
    for (size_t i = 0; i < 4; i++)
        if (!(p[i] = per_channel(g, graph_constant(g, n, i + 1), x))) return false;
    if (onnx_int(n->src, "training_mode", 0)) return false;
    const struct onnx_data *var = sum(g, p[3], eps);
    struct onnx_data *deviation = data_floats(g->arena, &var->dims, &f);
    for (int64_t i = 0; i < var->count; i++) {
        double y = 0;
        graph_compute(g, &root, (const double[]){onnx_at(var, i)}, 1, &y);
        f[i] = (float)y;
    }
    const struct onnx_data *w = data_binary(g, "Div", p[0], deviation);
    return to_affine(g, n, graph_in(n, 0), w, sum(g, p[1], negative(g, multiply(g, p[2], w))));
}

// Returns the name of the initializer that is operand i, or NULL.
static const char *source(const struct graph *g, const struct node *n, size_t i) {
    int v = graph_in(n, i);
    return v == NONE ? NULL : graph_value(g, v)->source;
}

// Turns a norm operator of ONNX into Norm or RmsNorm. Returns false if its parameters are not constants, if its axis
// does not exist, or if a node reads a result after the first one.
static bool norm(struct graph *g, struct node *n, bool rms) {
    int rank = dims(g, graph_in(n, 0))->rank, axis = graph_axis(onnx_int(n->src, "axis", -1), rank);
    for (size_t i = 1; i < n->in.count; i++)
        if (!graph_constant(g, n, i) || !graph_constant(g, n, i)->f) return false;
    for (size_t i = 1; i < n->out.count; i++)
        if (graph_value(g, n->out.items[i])->uses) return false;
    if (axis == NONE) return false;
    n->w = graph_constant(g, n, 1);
    n->b = rms ? NULL : graph_constant(g, n, 2);
    n->w_name = source(g, n, 1), n->b_name = source(g, n, 2);
    n->eps = onnx_float(n->src, "epsilon", 1e-5);
    n->axis = axis;
    n->op = rms ? "RmsNorm" : "Norm";
    graph_set_in(g, n, graph_in(n, 0));
    graph_say(g, n, rms ? "rmsnorm" : "layernorm");
    return true;
}

// Turns an InstanceNormalization into a norm of each channel, followed by a factor and a summand for each channel.
static bool instance_norm(struct graph *g, int i) {
    struct node *n = at(g, i);
    struct onnx_dims x = *dims(g, graph_in(n, 0));
    const struct onnx_data *w = per_channel(g, graph_constant(g, n, 1), &x),
                           *b = per_channel(g, graph_constant(g, n, 2), &x);
    if (!w || !b || x.rank < 3) return false;
    double eps = onnx_float(n->src, "epsilon", 1e-5);
    int v = graph_add_node(g, i, "Norm", graph_in(n, 0), &x);
    at(g, i)->axis = 2;
    at(g, i)->eps = eps;
    to_affine(g, at(g, i + 1), v, w, b);
    graph_say(g, at(g, i + 1), "layernorm for each channel");
    return true;
}

bool rewrite_to_affine(struct graph *g, int i) {
    struct node *n = at(g, i);
    if (graph_in(n, 0) == NONE || !n->out.count || !graph_value(g, n->out.items[0])->shaped) return false;
    for (size_t k = 0; k < n->in.count; k++)
        if (n->in.items[k] != NONE && !graph_value(g, n->in.items[k])->shaped) return false;
    if (graph_is(n, "Neg")) return to_affine(g, n, graph_in(n, 0), data_scalar(g->arena, -1), NULL);
    if (graph_is(n, "BatchNormalization")) return n->src && batch_norm(g, n);
    if (graph_is(n, "LayerNormalization")) return norm(g, n, false);
    if (graph_is(n, "RMSNormalization") || graph_is(n, "SimplifiedLayerNormalization")) return norm(g, n, true);
    if (graph_is(n, "InstanceNormalization")) return instance_norm(g, i);
    return with_constant(g, n);
}

// ---- folding ----

// Returns whether the node is the only reader of its operand.
static bool alone(const struct graph *g, const struct node *n) { return graph_value(g, graph_in(n, 0))->uses == 1; }

// Returns whether a parameter is absent, is one number, or has `count` elements along the last axis of an operand with
// the extents x. Axes of extent 1 are ignored.
static bool along_last(const struct onnx_data *p, const struct onnx_dims *x, int64_t count) {
    int axis = NONE, last = NONE;
    if (!p || p->count == 1) return true;
    if (p->count != count) return false;
    for (int i = 0; i < p->dims.rank; i++)
        if (p->dims.dim[i] == count) axis = i + x->rank - p->dims.rank;
    for (int i = 0; i < x->rank; i++)
        if (x->dim[i] != 1) last = i;
    return axis == last;
}

// Returns the parameter as a vector of `count` elements.
static const struct onnx_data *spread(struct graph *g, const struct onnx_data *p, int64_t count) {
    return data_walk(g->arena, p, &(struct onnx_dims){1, {count}}, 0, (const int64_t[]){p->count == 1 ? 0 : 1});
}

// Returns the parameter as a matrix [rows][cols], with the same elements in the same order.
static const struct onnx_data *as_shape(struct graph *g, const struct onnx_data *p, int64_t rows, int64_t cols) {
    struct onnx_data *d = ARENA_NEW(g->arena, struct onnx_data);
    *d = *p;
    d->dims = (struct onnx_dims){2, {rows, cols}};
    return d;
}

// Returns whether the node is a layout operator that only adds, removes or moves axes of extent 1.
static bool is_alias(const struct graph *g, const struct node *n) {
    struct onnx_dims x = graph_squeezed(dims(g, graph_in(n, 0))), y = graph_squeezed(dims(g, n->out.items[0]));
    bool moves = graph_is(n, "Transpose") || graph_is(n, "Move");
    return rewrite_is_layout(n) && graph_same_dims(&x, &y) && (!moves || x.rank < 2);
}

// Returns the node whose result becomes v through layout operators alone. Returns NULL if there is none, or if v, the
// result or a value between them has several readers. any: the layout operators may reorder elements.
static struct node *behind(const struct graph *g, int v, bool any) {
    struct node *n = graph_maker(g, v, NULL);
    while (n && graph_value(g, v)->uses == 1 && (any ? rewrite_is_layout(n) : is_alias(g, n))) {
        v = graph_in(n, 0);
        n = graph_maker(g, v, NULL);
    }
    return n && graph_value(g, v)->uses == 1 ? n : NULL;
}

// Folds the factor and the summand of y = (W x + c) * w + b into W and c. Returns false if this is not possible, as do
// the other functions that fold.
static bool into_product(struct graph *g, struct node *n) {
    bool scalar = (!n->w || n->w->count == 1) && (!n->b || n->b->count == 1);
    struct node *p = behind(g, graph_in(n, 0), scalar);
    if (!p || (!graph_is(p, "Linear") && !graph_is(p, "ConvLast"))) return false;
    int64_t rows = p->w->dims.dim[0];
    const struct onnx_dims *x = dims(g, graph_in(n, 0));
    if (!scalar && (!along_last(n->w, x, rows) || !along_last(n->b, x, rows))) return false;
    const struct onnx_data *w = n->w ? spread(g, n->w, rows) : NULL, *b = n->b ? spread(g, n->b, rows) : NULL;
    p->b = sum(g, multiply(g, p->b, p->b ? w : NULL), b);
    if (w) p->w = data_binary(g, "Mul", p->w, as_shape(g, w, rows, 1));
    return true;
}

// Folds the factor and the summand of y = W (x * w + b) + c into W and c. *gone receives the Affine x * w + b.
static bool from_operand(struct graph *g, struct node *n, struct node **gone) {
    int64_t rows = n->w->dims.dim[0], k = n->w->dims.dim[1];
    struct node *a = behind(g, graph_in(n, 0), true), *near = graph_maker(g, graph_in(n, 0), "Affine");
    if (!a || !graph_is(a, "Affine")) return false;
    bool scalar = (!a->w || a->w->count == 1) && (!a->b || a->b->count == 1);
    if (!scalar &&
        (a != near || !along_last(a->w, dims(g, graph_in(a, 0)), k) || !along_last(a->b, dims(g, graph_in(a, 0)), k)))
        return false;
    if (!scalar && dims(g, graph_in(n, 0))->dim[dims(g, graph_in(n, 0))->rank - 1] != k) return false;
    if (a->b) {
        const struct onnx_data *b = spread(g, a->b, k);
        float *f;
        struct onnx_data *more = data_floats(g->arena, &(struct onnx_dims){1, {rows}}, &f);
        for (int64_t r = 0; r < rows; r++) {
            double s = 0;
            for (int64_t i = 0; i < k; i++) s += (double)n->w->f[r * k + i] * (double)b->f[i];
            f[r] = (float)s;
        }
        n->b = sum(g, n->b, more);
    }
    if (a->w) n->w = data_binary(g, "Mul", n->w, as_shape(g, spread(g, a->w, k), 1, k));
    *gone = a;
    return true;
}

// Returns a parameter, broadcast to all axes of a norm of x (the axes from `axis` on). Returns NULL if it also varies
// along other axes.
static const struct onnx_data *over_axes(struct graph *g, const struct onnx_data *p, const struct onnx_dims *x,
                                         int axis) {
    struct onnx_dims to = {x->rank - axis, {0}};
    int64_t stride[ONNX_MAX_RANK], k = 1;
    for (int i = 0; i < to.rank; i++) to.dim[i] = x->dim[axis + i];
    for (int i = p->dims.rank - 1; i >= 0; i--) {
        int d = i + to.rank - p->dims.rank;
        if (p->dims.dim[i] != 1 && d < 0) return NULL;
        if (d >= 0) stride[d] = p->dims.dim[i] == 1 ? 0 : k;
        k *= p->dims.dim[i];
    }
    for (int d = 0; d < to.rank - p->dims.rank; d++) stride[d] = 0;
    return data_walk(g->arena, p, &to, 0, stride);
}

// Folds the factor and the summand of y = (norm(x) * gamma + beta) * w + b into gamma and beta.
static bool into_norm(struct graph *g, struct node *n) {
    struct node *p = behind(g, graph_in(n, 0), false);
    bool rms = p && graph_is(p, "RmsNorm");
    if (!p || (!rms && !graph_is(p, "Norm")) || (rms && n->b)) return false;
    const struct onnx_dims *x = dims(g, graph_in(p, 0));
    if (!graph_same_dims(x, dims(g, graph_in(n, 0))) || onnx_elements(x) > MOST_TENSOR) return false;
    const struct onnx_data *w = n->w ? over_axes(g, n->w, x, p->axis) : NULL,
                           *b = n->b ? over_axes(g, n->b, x, p->axis) : NULL;
    if ((n->w && !w) || (n->b && !b)) return false;
    p->b = sum(g, multiply(g, p->b, p->b ? w : NULL), b);
    p->w = multiply(g, p->w, w);
    return true;
}

// Folds the factor and the summand of y = (x * v + c) * w + b into v and c.
static bool into_affine(struct graph *g, struct node *n) {
    struct node *p = graph_maker(g, graph_in(n, 0), "Affine");
    if (!p || !alone(g, n) || graph_count(g, n->out.items[0]) > MOST_TENSOR) return false;
    p->b = sum(g, multiply(g, p->b, p->b ? n->w : NULL), n->b);
    p->w = multiply(g, p->w, n->w);
    return true;
}

// Lets the readers of the node's result read its operand instead. became: what the report says about the node.
static void remove_node(struct graph *g, struct node *n, const char *became) {
    graph_say(g, n, became);
    n->gone = true;
    graph_replace(g, n->out.items[0], graph_in(n, 0));
}

bool rewrite_fold_affine(struct graph *g, int i) {
    struct node *n = at(g, i), *a = NULL;
    if (graph_is(n, "Linear") && from_operand(g, n, &a)) return remove_node(g, a, "folded into linear"), true;
    if (!graph_is(n, "Affine")) return false;
    if (into_product(g, n)) return remove_node(g, n, "folded into linear"), true;
    if (into_norm(g, n)) return remove_node(g, n, "folded into a norm"), true;
    return into_affine(g, n) ? remove_node(g, n, "folded"), true : false;
}

// ---- all rules, until nothing changes ----

// Applies a rule at a node. Returns whether the rule changed the graph.
typedef bool change(struct graph *, int node);
enum { MOST_ROUNDS = 64 }; // over all nodes; a graph that still changes then stays as it is

// Tries a rule on every node. Returns whether it changed any.
static bool apply(struct graph *g, change *rule) {
    bool changed = false;
    for (int i = 0; i < (int)g->node.count; i++) {
        if (at(g, i)->gone || !at(g, i)->out.count || !rule(g, i)) continue;
        changed = true;
        graph_count_uses(g);
    }
    return changed;
}

void rewrite_products(struct graph *g) {
    static change *const rules[] = {rewrite_to_conv,    rewrite_to_reduce,   rewrite_to_linear,  rewrite_to_product,
                                    rewrite_center,     rewrite_fold_scale,  rewrite_to_affine,  rewrite_carry_move,
                                    rewrite_join_moves, rewrite_fold_affine, rewrite_fold_order, rewrite_take_rows};
    graph_count_uses(g);
    bool changed = true;
    for (int round = 0; changed && round < MOST_ROUNDS; round++) {
        changed = false;
        for (size_t r = 0; r < COUNT_OF(rules); r++) changed |= apply(g, rules[r]);
    }
}
