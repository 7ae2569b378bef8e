// SPDX-License-Identifier: Apache-2.0
// Finds norms and functions that exporters write as several nodes, and makes one node of each. Also removes nodes that
// change nothing. rewrite_patterns runs before the rules that rewrite single nodes (rewrite.h).
#include <math.h>
#include <string.h>

#include "gen/onnx/rewrite.h"

bool rewrite_is_layout(const struct node *n) {
    static const char *const ops[] = {"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Transpose", "Move", "View"};
    for (size_t i = 0; i < COUNT_OF(ops); i++)
        if (graph_is(n, ops[i])) return true;
    return false;
}

static bool is_float(const struct graph *g, int v) { return v != NONE && onnx_type_is_float(graph_value(g, v)->type); }

// ---- nodes that change nothing ----

static bool same_shape(const struct graph *g, const struct node *n) {
    const struct value *x = graph_value(g, graph_in(n, 0)), *y = graph_value(g, n->out.items[0]);
    return x->shaped && y->shaped && graph_same_dims(&x->dims, &y->dims);
}

// Returns whether a Dropout has no effect, because its operand `training_mode` is absent or false.
static bool is_inference(const struct graph *g, const struct node *n) {
    const struct onnx_data *training = graph_constant(g, n, 2);
    return graph_in(n, 2) == NONE || (training && training->count == 1 && onnx_at(training, 0) == 0);
}

// Returns whether the node's operand can replace its result, as for a Dropout in inference or a Concat of one tensor. A
// Cast from one format of floats to another counts as well, because the design computes in formats of its own.
static bool changes_nothing(const struct graph *g, const struct node *n) {
    if (graph_in(n, 0) == NONE || n->out.count < 1) return false;
    if (graph_is(n, "Identity")) return true;
    if (graph_is(n, "Dropout"))
        return is_inference(g, n) && (n->out.count < 2 || !graph_value(g, n->out.items[1])->uses);
    if (graph_is(n, "Cast")) return is_float(g, graph_in(n, 0)) && onnx_type_is_float((int)onnx_int(n->src, "to", 0));
    if (graph_is(n, "Concat") || graph_is(n, "Sum") || graph_is(n, "Max") || graph_is(n, "Min") || graph_is(n, "Mean"))
        return n->in.count == 1;
    bool whole =
        graph_is(n, "Expand") || graph_is(n, "Reshape") || graph_is(n, "ReduceSum") || graph_is(n, "ReduceMean");
    return whole && same_shape(g, n);
}

static void drop(struct graph *g, struct node *n) {
    graph_say(g, n, "removed: it changes no value");
    n->gone = true;
    graph_replace(g, n->out.items[0], graph_in(n, 0));
}

// ---- norms ----

// Returns whether the constant is the number x. The tolerance is wider than the rounding of fp32.
static bool is_number(const struct onnx_data *d, double x) {
    return d && d->count == 1 && fabs(onnx_at(d, 0) - x) < 1e-6 * (1 + fabs(x));
}

// If a reduction joins the last axes of its operand and keeps them with extent 1 (`keepdims`), returns the first of
// these axes; otherwise NONE.
static int trailing(const struct graph *g, const struct node *n) {
    const struct value *x = graph_value(g, graph_in(n, 0));
    int axes[ONNX_MAX_RANK], first = ONNX_MAX_RANK, rank = x->dims.rank;
    int count = x->shaped ? graph_axes(g, n, 1, rank, axes) : -1;
    unsigned seen = 0;
    if (count < 1 || !onnx_int(n->src, "keepdims", 1)) return NONE;
    for (int i = 0; i < count; i++) seen |= 1u << axes[i], first = axes[i] < first ? axes[i] : first;
    return seen == (1u << rank) - (1u << first) ? first : NONE;
}

// Returns x if v is x - mean(x), otherwise NONE. The mean is over the axes from *axis on.
static int centered(const struct graph *g, int v, int *axis) {
    const struct node *sub = graph_maker(g, v, "Sub"),
                      *mean = sub ? graph_maker(g, graph_in(sub, 1), "ReduceMean") : NULL;
    if (!mean || graph_in(mean, 0) != graph_in(sub, 0)) return NONE;
    *axis = trailing(g, mean);
    return *axis == NONE ? NONE : graph_in(sub, 0);
}

// Returns whether a and b are the same value. Some exporters compute x - mean(x) twice; these two values count as the
// same.
static bool same_value(const struct graph *g, int a, int b) {
    int i, j;
    return a == b || (centered(g, a, &i) != NONE && centered(g, a, &i) == centered(g, b, &j) && i == j);
}

// Returns x if v is x^2, otherwise NONE.
static int squared(const struct graph *g, int v) {
    const struct node *pow = graph_maker(g, v, "Pow"), *mul = graph_maker(g, v, "Mul");
    if (pow && is_number(graph_constant(g, pow, 1), 2)) return graph_in(pow, 0);
    return mul && graph_in(mul, 0) == graph_in(mul, 1) ? graph_in(mul, 0) : NONE;
}

// The denominator of a norm: sqrt(mean(x^2) + eps), where the mean is over the axes from `axis` on.
struct spread {
    int of, axis; // of: the value x
    double eps;
};

// Returns whether v is the denominator of a norm, which *s then describes.
static bool is_spread(const struct graph *g, int v, struct spread *s) {
    const struct node *root = graph_maker(g, v, "Sqrt"), *sum = root ? graph_maker(g, graph_in(root, 0), "Add") : NULL;
    int mean = sum ? graph_in(sum, graph_constant(g, sum, 0) ? 1 : 0) : root ? graph_in(root, 0) : NONE;
    const struct onnx_data *eps = sum ? graph_constant(g, sum, graph_constant(g, sum, 0) ? 0 : 1) : NULL;
    const struct node *reduce = graph_maker(g, mean, "ReduceMean");
    if (!reduce || (sum && (!eps || eps->count != 1))) return false;
    s->of = squared(g, graph_in(reduce, 0));
    s->axis = trailing(g, reduce);
    s->eps = eps ? onnx_at(eps, 0) : 0;
    return s->of != NONE && s->axis != NONE;
}

// Returns whether v is 1 / (the denominator of a norm), which *s then describes.
static bool is_inverse(const struct graph *g, int v, struct spread *s) {
    const struct node *r = graph_maker(g, v, "Reciprocal"), *d = graph_maker(g, v, "Div");
    if (r) return is_spread(g, graph_in(r, 0), s);
    return d && is_number(graph_constant(g, d, 0), 1) && is_spread(g, graph_in(d, 1), s);
}

// Notes for the report that all nodes from which v is computed became `became`. Follows the operands back to x, through
// at most `depth` nodes.
static void absorb(struct graph *g, int v, int x, const char *became, int depth) {
    const struct node *n = v == x ? NULL : graph_maker(g, v, NULL);
    if (!n || depth == 0) return;
    graph_say(g, n, became);
    for (size_t i = 0; i < n->in.count; i++) absorb(g, n->in.items[i], x, became, depth - 1);
}

enum { DEEPEST = 12 }; // most nodes in a chain that absorb follows

// The node computes `base` / d, or `base` * (1 / d), where d is the denominator that *s describes. If base and d are
// made from one x, the function makes the node a norm of x. Returns whether it did.
static bool to_norm(struct graph *g, struct node *n, int base, const struct spread *s) {
    int axis, x = centered(g, base, &axis), from = x == NONE ? base : x;
    if (!same_value(g, base, s->of) || (x != NONE && axis != s->axis)) return false;
    absorb(g, n->out.items[0], from, x == NONE ? "rmsnorm (pattern)" : "layernorm (pattern)", DEEPEST);
    graph_set_in(g, n, from);
    n->op = x == NONE ? "RmsNorm" : "Norm";
    n->axis = s->axis;
    n->eps = s->eps;
    return true;
}

static bool find_norm(struct graph *g, struct node *n) {
    struct spread s;
    if (graph_is(n, "Div") && is_spread(g, graph_in(n, 1), &s)) return to_norm(g, n, graph_in(n, 0), &s);
    for (int i = 0; graph_is(n, "Mul") && i < 2; i++)
        if (is_inverse(g, graph_in(n, (size_t)i), &s)) return to_norm(g, n, graph_in(n, (size_t)!i), &s);
    return false;
}

// ---- functions: recognized by comparing values at some arguments ----

static double gelu_erf(double x) { return 0.5 * x * (1 + erf(x * 0.70710678118654752)); }
static double gelu_tanh(double x) { return 0.5 * x * (1 + tanh(0.79788456080286536 * (x + 0.044715 * x * x * x))); }
static double sigmoid(double x) { return 1 / (1 + exp(-x)); }
static double swish(double x) { return x * sigmoid(x); }
static double quick_gelu(double x) { return x * sigmoid(1.702 * x); }
static double hardswish(double x) { return x * fmin(fmax(x + 3, 0), 6) / 6; }
static double softplus(double x) { return log1p(exp(x)); }
static double mish(double x) { return x * tanh(softplus(x)); }

static const struct {
    const char *word;
    rewrite_function *f;
} functions[] = {{"gelu_erf", gelu_erf},   {"gelu_tanh", gelu_tanh}, {"swish", swish}, {"quick_gelu", quick_gelu},
                 {"hardswish", hardswish}, {"softplus", softplus},   {"mish", mish},   {"sigmoid", sigmoid}};

rewrite_function *rewrite_function_of(const char *word) {
    for (size_t i = 0; i < COUNT_OF(functions); i++)
        if (!strcmp(functions[i].word, word)) return functions[i].f;
    return NULL;
}

enum { MOST_STEPS = 200, MOST_INNER = 24 }; // most nodes that an evaluation visits; most values that are tried as x

// An evaluation of the part of the graph that computes one value from the value x, element by element.
struct cone {
    const struct graph *g;
    int x;     // a value of the graph
    double at; // the number that each element of x has in this evaluation
    int steps; // nodes that were visited
};

// Computes an element of value v. Returns false if v depends on more than x and constant numbers, or needs too many
// steps.
static bool evaluate(struct cone *c, int v, double *y) {
    double in[3];
    if (v == c->x) return *y = c->at, true;
    const struct onnx_data *d = v == NONE ? NULL : graph_value(c->g, v)->constant;
    if (d) return *y = d->count == 1 ? onnx_at(d, 0) : 0, d->count == 1;
    const struct node *n = graph_maker(c->g, v, NULL);
    if (!n || n->in.count > 3 || ++c->steps > MOST_STEPS) return false;
    for (size_t i = 0; i < n->in.count; i++)
        if (!evaluate(c, n->in.items[i], &in[i])) return false;
    return graph_compute(c->g, n, in, n->in.count, y);
}

// Some of these arguments are far from 0. They show whether the file clips the function to a range.
static const double places[] = {-300, -6, -4, -2.9, -2.2, -1.3, -0.6, -0.1, 0, 0.2, 0.7, 1.5, 2.2, 2.9, 3.5, 5, 300};

// Returns whether value v equals f(x) at all arguments in `places`. The tolerance allows for constants of few digits in
// the file. It is far below the largest difference between the two forms of GELU, which is 4e-4 at -2.9.
static bool agrees(const struct graph *g, int v, int x, rewrite_function *f) {
    for (size_t i = 0; i < COUNT_OF(places); i++) {
        struct cone c = {.g = g, .x = x, .at = places[i]};
        double y, want = f(places[i]);
        if (!evaluate(&c, v, &y) || !(fabs(y - want) <= 2e-5 * (1 + fabs(want)))) return false;
    }
    return true;
}

// Appends the values from which v is computed element by element to `inner`, each after the values that are computed
// from it on the path by which it was found. Returns the new count.
static int collect(const struct graph *g, int v, int inner[], int count) {
    const struct node *n = graph_maker(g, v, NULL);
    double in[3] = {0}, y;
    if (!n || n->in.count > 3 || !graph_compute(g, n, in, n->in.count, &y)) return count;
    for (size_t i = 0; i < n->in.count; i++) {
        int x = n->in.items[i], k = 0;
        if (x == NONE || graph_value(g, x)->constant || count == MOST_INNER) continue;
        while (k < count && inner[k] != x) k++;
        if (k < count) continue;
        inner[count++] = x;
        count = collect(g, x, inner, count);
    }
    return count;
}

static bool is_candidate(const struct graph *g, const struct node *n, int x) {
    const struct value *a = graph_value(g, x), *b = graph_value(g, n->out.items[0]);
    return a->shaped && b->shaped && graph_same_dims(&a->dims, &b->dims) && is_float(g, x);
}

// Rewrites the node if its result is a known function of one of the values from which the result is computed. The
// values are tried from the last one, which is usually the farthest, so that the operation replaces as many nodes as
// possible. Layout operators and nodes with one operand are not tried as the last node of a function, because
// function.c lowers such nodes (Sigmoid, Softplus) directly. So a function that ends with such a node, as Log(1 +
// Exp(x)), is not found. Returns whether it rewrote the node.
static bool find_function(struct graph *g, struct node *n) {
    int inner[MOST_INNER], count = n->out.count == 1 ? collect(g, n->out.items[0], inner, 0) : 0, v = n->out.items[0];
    bool single = rewrite_is_layout(n) || n->in.count < 2;
    for (int i = count - 1; i >= 0 && !single; i--)
        for (size_t f = 0; is_candidate(g, n, inner[i]) && f < COUNT_OF(functions); f++) {
            if (!agrees(g, v, inner[i], functions[f].f)) continue;
            absorb(g, v, inner[i], arena_printf(g->arena, "%s (pattern)", functions[f].word), DEEPEST);
            graph_set_in(g, n, inner[i]);
            n->op = "Function";
            n->word = functions[f].word;
            return true;
        }
    return false;
}

void rewrite_patterns(struct graph *g) {
    graph_count_uses(g);
    for (size_t i = 0; i < g->node.count; i++)
        if (!g->node.items[i].gone && changes_nothing(g, &g->node.items[i])) drop(g, &g->node.items[i]);
    for (size_t i = 0; i < g->node.count; i++) {
        struct node *n = &g->node.items[i];
        if (!n->gone && n->out.count && !find_norm(g, n)) find_function(g, n);
    }
    graph_count_uses(g);
}
