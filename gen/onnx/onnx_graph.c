// SPDX-License-Identifier: Apache-2.0
// Implements the basic functions of graph.h: look-ups in the graph, attributes with lists of axes, and the changes that
// rewriting makes. graph.h documents the functions.
#include "gen/onnx/graph.h"

#include <string.h>

bool graph_is(const struct node *n, const char *op) { return !strcmp(n->op, op); }

const struct onnx_data *graph_constant(const struct graph *g, const struct node *n, size_t i) {
    int v = graph_in(n, i);
    return v == NONE ? NULL : graph_value(g, v)->constant;
}

struct node *graph_maker(const struct graph *g, int v, const char *op) {
    int maker = v == NONE ? NONE : graph_value(g, v)->maker;
    struct node *n = maker == NONE ? NULL : &g->node.items[maker];
    return n && !n->gone && (!op || graph_is(n, op)) ? n : NULL;
}

int64_t graph_count(const struct graph *g, int v) {
    return graph_value(g, v)->shaped ? onnx_elements(&graph_value(g, v)->dims) : -1;
}

int graph_ints(const struct graph *g, int v, int64_t out[], int most) {
    const struct onnx_data *d = v == NONE ? NULL : graph_value(g, v)->constant;
    if (!d || !d->i || d->count > most) return -1;
    for (int64_t i = 0; i < d->count; i++) out[i] = d->i[i];
    return (int)d->count;
}

int graph_axis(int64_t axis, int rank) {
    if (axis < 0) axis += rank;
    return axis < 0 || axis >= rank ? NONE : (int)axis;
}

int graph_axes(const struct graph *g, const struct node *n, size_t operand, int rank, int axes[]) {
    int64_t raw[ONNX_MAX_RANK];
    const struct onnx_attribute *a = n->src ? onnx_attribute_of(n->src, "axes") : NULL;
    int count = 0;
    if (a) {
        if (a->ints.count > ONNX_MAX_RANK) return -1;
        for (size_t i = 0; i < a->ints.count; i++) raw[count++] = a->ints.items[i];
    } else if (graph_in(n, operand) != NONE) count = graph_ints(g, graph_in(n, operand), raw, ONNX_MAX_RANK);
    for (int i = 0; i < count; i++)
        if ((axes[i] = graph_axis(raw[i], rank)) == NONE) return -1;
    return count;
}

struct onnx_dims graph_squeezed(const struct onnx_dims *d) {
    struct onnx_dims out = {0};
    for (int i = 0; i < d->rank; i++)
        if (d->dim[i] != 1) out.dim[out.rank++] = d->dim[i];
    return out;
}

bool graph_same_dims(const struct onnx_dims *a, const struct onnx_dims *b) {
    return a->rank == b->rank && !memcmp(a->dim, b->dim, (size_t)a->rank * sizeof a->dim[0]);
}

// Makes the bounds of a Slice non-negative and limits them to the axis. With a negative step, an *end of -1 means that
// the slice includes element 0.
static void clamp_slice(int64_t extent, int64_t step, int64_t *start, int64_t *end) {
    int64_t low = step > 0 ? 0 : -1, high = step > 0 ? extent : extent - 1;
    if (*start < 0) *start += extent;
    if (*end < 0) *end += extent;
    *start = at_most(at_least(*start, step > 0 ? 0 : low), high);
    *end = at_most(at_least(*end, low), extent);
}

// Reads one of the lists of a Slice: an attribute in old files, an operand in others. Returns its length: 0 if it is
// not given, -1 if it is not constant.
static int slice_list(const struct graph *g, const struct node *n, const char *name, size_t operand, int64_t out[]) {
    const struct onnx_attribute *a = n->src ? onnx_attribute_of(n->src, name) : NULL;
    if (!a) return graph_in(n, operand) == NONE ? 0 : graph_ints(g, graph_in(n, operand), out, ONNX_MAX_RANK);
    if (a->ints.count > ONNX_MAX_RANK) return -1;
    for (size_t i = 0; i < a->ints.count; i++) out[i] = a->ints.items[i];
    return (int)a->ints.count;
}

bool graph_slice(const struct graph *g, const struct node *n, const struct onnx_dims *x, int64_t start[],
                 int64_t step[], struct onnx_dims *out) {
    int64_t from[ONNX_MAX_RANK], to[ONNX_MAX_RANK], axes[ONNX_MAX_RANK], by[ONNX_MAX_RANK];
    int count = slice_list(g, n, "starts", 1, from), ends = slice_list(g, n, "ends", 2, to),
        named = slice_list(g, n, "axes", 3, axes), steps = slice_list(g, n, "steps", 4, by);
    if (count < 1 || ends != count || (named && named != count) || (steps && steps != count)) return false;
    *out = *x;
    for (int i = 0; i < x->rank; i++) start[i] = 0, step[i] = 1;
    for (int i = 0; i < count; i++) {
        int axis = graph_axis(named ? axes[i] : i, x->rank);
        int64_t s = steps ? by[i] : 1, end = to[i];
        if (axis == NONE || s == 0 || s > INT32_MAX || s < -INT32_MAX) return false;
        start[axis] = from[i];
        step[axis] = s;
        clamp_slice(x->dim[axis], s, &start[axis], &end);
        int64_t len = s > 0 ? end - start[axis] : start[axis] - end, size = s > 0 ? s : -s;
        out->dim[axis] = len > 0 ? (len + size - 1) / size : 0;
    }
    return true;
}

bool graph_pads(const struct graph *g, const struct node *n, int rank, int64_t pads[]) {
    const struct onnx_attribute *a = onnx_attribute_of(n->src, "pads");
    int64_t axes[ONNX_MAX_RANK], given[2 * ONNX_MAX_RANK];
    int named = graph_in(n, 3) == NONE ? rank : graph_ints(g, graph_in(n, 3), axes, ONNX_MAX_RANK),
        count = a ? (int)a->ints.count : graph_ints(g, graph_in(n, 1), given, 2 * ONNX_MAX_RANK);
    if (named < 0 || count != 2 * named) return false;
    memset(pads, 0, 2 * (size_t)rank * sizeof *pads);
    for (int i = 0; i < named; i++) {
        int axis = graph_in(n, 3) == NONE ? i : graph_axis(axes[i], rank);
        if (axis == NONE) return false;
        for (int end = 0; end < 2; end++)
            pads[axis + end * rank] = a ? a->ints.items[i + end * named] : given[i + end * named];
    }
    return true;
}

bool graph_permutation(const struct graph *g, const struct node *n, int perm[]) {
    int rank = graph_value(g, graph_in(n, 0))->dims.rank;
    bool move = graph_is(n, "Move");
    if (!move && !graph_is(n, "Transpose")) return false;
    const struct onnx_attribute *a = n->src && !move ? onnx_attribute_of(n->src, "perm") : NULL;
    for (int i = 0; i < rank; i++) perm[i] = move ? n->perm[i] : a ? (int)a->ints.items[i] : rank - 1 - i;
    return true;
}

// ---- changes ----

int graph_add_value(struct graph *g, const char *name, const struct onnx_dims *dims) {
    struct value v = {.name = name, .type = ONNX_FLOAT, .shaped = true, .dims = *dims, .maker = NONE, .rows = NONE};
    VEC_PUSH(g->arena, g->value, v);
    return (int)g->value.count - 1;
}

// Sets `maker` of all values, after nodes have moved in the list.
static void renumber_makers(struct graph *g) {
    for (size_t i = 0; i < g->node.count; i++)
        for (size_t k = 0; !g->node.items[i].gone && k < g->node.items[i].out.count; k++)
            graph_value(g, g->node.items[i].out.items[k])->maker = (int)i;
}

int graph_add_node(struct graph *g, int before, const char *op, int in, const struct onnx_dims *dims) {
    struct node n = {.op = op, .number = g->node.items[before].number};
    const char *name = graph_value(g, g->node.items[before].out.items[0])->name;
    int out = graph_add_value(g, arena_printf(g->arena, "%s_%s", name, op), dims);
    VEC_PUSH(g->arena, n.in, in);
    VEC_PUSH(g->arena, n.out, out);
    VEC_PUSH(g->arena, g->node, n);
    memmove(&g->node.items[before + 1], &g->node.items[before], (g->node.count - 1 - (size_t)before) * sizeof n);
    g->node.items[before] = n;
    renumber_makers(g);
    return out;
}

void graph_set_in(struct graph *g, struct node *n, int in) {
    n->in.items = NULL;
    n->in.count = n->in.capacity = 0;
    VEC_PUSH(g->arena, n->in, in);
}

void graph_replace(struct graph *g, int old, int with) {
    for (size_t i = 0; i < g->node.count; i++)
        for (size_t k = 0; k < g->node.items[i].in.count; k++)
            if (g->node.items[i].in.items[k] == old) g->node.items[i].in.items[k] = with;
    for (size_t i = 0; i < g->output.count; i++)
        if (g->output.items[i] == old) g->output.items[i] = with;
}

static void use(struct graph *g, int v) {
    if (v != NONE) graph_value(g, v)->uses++;
}

static bool is_read(const struct graph *g, const struct node *n) {
    for (size_t k = 0; k < n->out.count; k++)
        if (graph_value(g, n->out.items[k])->uses) return true;
    return false;
}

void graph_count_uses(struct graph *g) {
    for (size_t i = 0; i < g->value.count; i++) g->value.items[i].uses = 0;
    for (size_t i = 0; i < g->output.count; i++) use(g, g->output.items[i]);
    for (size_t i = g->node.count; i-- > 0;) {
        struct node *n = &g->node.items[i];
        if (n->gone || !is_read(g, n)) n->gone = true;
        else
            for (size_t k = 0; k < n->in.count; k++) use(g, n->in.items[k]);
    }
}

void graph_say(struct graph *g, const struct node *n, const char *became) { g->fate[n->number].became = became; }
