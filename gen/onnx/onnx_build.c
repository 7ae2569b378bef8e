// SPDX-License-Identifier: Apache-2.0
// Builds the graph (graph.h) from the contents of an ONNX file (model.h): names become numbers of values, axes without
// an extent get one, and each node is folded as it is added, if its operands are constants.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gen/onnx/graph.h"

// ---- names ----

// A name of the file, and the number of its value.
struct name_row {
    const char *name; // NULL: a free row
    int value;
};
struct names {
    struct name_row *row; // a hash table with open addressing
    size_t size;          // a power of two, so large that rows stay free
};

// Returns the row of a name, or the free row for it.
static struct name_row *name_at(const struct names *t, const char *name) {
    size_t i = (size_t)bytes_hash(name, strlen(name)) & (t->size - 1);
    while (t->row[i].name && strcmp(t->row[i].name, name) != 0) i = (i + 1) & (t->size - 1);
    return &t->row[i];
}

// The state of building a graph. dim, set: what the user gives for axes and inputs (onnx.h).
struct building {
    struct graph *g;
    struct names names;
    struct graph_givens *dim, *set;
};

static int add_value(struct building *b, const char *name) {
    struct value v = {.name = name, .maker = NONE, .rows = NONE};
    VEC_PUSH(b->g->arena, b->g->value, v);
    return (int)b->g->value.count - 1;
}

// Adds a value that the file defines. Reports an error and returns NONE if it is defined twice.
static int define(struct building *b, const char *name) {
    struct name_row *row = name_at(&b->names, name);
    if (row->name) {
        diag_error(b->g->diag, b->g->model->loc, MSG_ONNX_TWICE, name);
        return NONE;
    }
    *row = (struct name_row){name, add_value(b, name)};
    return row->value;
}

// ---- inputs ----

// Returns what the user gives for a name, and marks it as used. Returns NULL if the user gives nothing.
static const struct graph_given *find_given(struct graph_givens *all, const char *name) {
    for (size_t i = 0; i < all->list.count; i++)
        if (!strcmp(all->list.items[i].name, name)) return all->list.items[i].used = true, &all->list.items[i];
    return NULL;
}

// Gives an extent to an axis that has none in the file: the user's value for its name, or 1 for axis 0, which is the
// batch. Returns false after an error: the user gives no value for another axis.
static bool bind_axis(struct building *b, const struct onnx_info *info, int axis, int64_t *extent) {
    const char *place = arena_printf(b->g->arena, "%s.%d", info->name, axis), *name = info->axis[axis];
    const struct graph_given *d = name ? find_given(b->dim, name) : NULL;
    if (d) return *extent = (int64_t)d->value, true;
    if (axis == 0) return b->g->dynamic = true, *extent = 1, true;
    bool named = name && *name && *name != '?'; // Paddle calls all open axes `?`
    diag_error(b->g->diag, b->g->model->loc, MSG_ONNX_AXIS, axis, info->name, named ? name : place);
    return false;
}

// Replaces an extent if the user gives one for this axis of this input (`input.axis`). Returns whether it did.
static bool replace_axis(struct building *b, const struct onnx_info *info, int axis, int64_t *extent) {
    const struct graph_given *d = find_given(b->dim, arena_printf(b->g->arena, "%s.%d", info->name, axis));
    if (d) *extent = (int64_t)d->value;
    return d;
}

static bool is_initializer(const struct onnx_model *m, const char *name) {
    for (size_t i = 0; i < m->initializer.count; i++)
        if (!strcmp(m->initializer.items[i].name, name)) return true;
    return false;
}

// Returns a constant of this type and shape, all of whose elements have the value, or NULL if it is too large.
static const struct onnx_data *filled(struct graph *g, int type, const struct onnx_dims *dims, double value) {
    float *f;
    int64_t count = onnx_elements(dims), *i;
    if (count > g->spare) return NULL;
    g->spare -= count;
    struct onnx_data *d = data_floats(g->arena, dims, &f);
    d->type = type;
    for (int64_t k = 0; k < count; k++) f[k] = (float)value;
    if (onnx_type_is_float(type)) return d;
    d->f = NULL, d->i = i = arena_alloc_dirty(g->arena, (size_t)count, sizeof *i);
    for (int64_t k = 0; k < count; k++) i[k] = (int64_t)value;
    return d;
}

// Adds an input of the file. If the user gives it a value, it becomes a constant. Returns false after an error.
static bool add_input(struct building *b, const struct onnx_info *info) {
    struct graph *g = b->g;
    if (is_initializer(g->model, info->name)) return true; // files of old versions list constants as inputs
    int v = define(b, info->name);
    if (v == NONE) return false;
    if (!info->shaped) return diag_error(g->diag, g->model->loc, MSG_ONNX_UNSHAPED, info->name), false;
    struct onnx_dims dims = info->dims;
    for (int d = 0; d < dims.rank; d++)
        if (!replace_axis(b, info, d, &dims.dim[d]) && dims.dim[d] < 0 && !bind_axis(b, info, d, &dims.dim[d]))
            return false;
    if (onnx_elements(&dims) < 1) return diag_error(g->diag, g->model->loc, MSG_ONNX_UNSHAPED, info->name), false;
    struct value *value = graph_value(g, v);
    value->type = info->type;
    value->dims = dims;
    value->shaped = true;
    const struct graph_given *given = find_given(b->set, info->name);
    if (given) value->constant = filled(g, info->type, &dims, given->value);
    else VEC_PUSH(g->arena, g->input, v);
    return !given || value->constant || (diag_error(g->diag, g->model->loc, MSG_ONNX_SET_SIZE, info->name), false);
}

// Adds an initializer, which allows folding to create four times as many further elements (graph.spare). Returns false
// after an error.
static bool add_constant(struct building *b, const struct onnx_tensor *t) {
    int v = define(b, t->name);
    if (v == NONE) return false;
    struct value *value = graph_value(b->g, v);
    value->constant = t->data;
    value->source = t->name;
    value->type = t->data->type;
    value->dims = t->data->dims;
    value->shaped = true;
    b->g->spare += 4 * t->data->count;
    return true;
}

static const char *first_unused(const struct graph_givens *all) {
    for (size_t i = 0; i < all->list.count; i++)
        if (!all->list.items[i].used) return all->list.items[i].name;
    return NULL;
}

static bool check_givens(struct building *b) {
    const char *dim = first_unused(b->dim), *set = first_unused(b->set);
    if (dim) diag_error(b->g->diag, b->g->model->loc, MSG_ONNX_NO_AXIS, dim);
    if (set) diag_error(b->g->diag, b->g->model->loc, MSG_ONNX_NO_INPUT, set);
    return !dim && !set;
}

// ---- nodes ----

// Returns whether some node of the file makes a value with this name.
static bool is_name(const struct building *b, const char *name) {
    for (size_t i = 0; i < b->g->model->node.count; i++)
        for (size_t k = 0; k < b->g->model->node.items[i].out.count; k++)
            if (!strcmp(b->g->model->node.items[i].out.items[k], name)) return true;
    return false;
}

// Sets *v to the value of an operand; an empty name gives NONE. If a node makes the value, this must be an earlier
// node: the format requires this order, which also excludes cycles. Returns false after an error.
static bool find_in(struct building *b, const struct onnx_node *src, const char *name, int *v) {
    if (!*name) return *v = NONE, true;
    struct name_row *row = name_at(&b->names, name);
    if (row->name) return *v = row->value, true;
    diag_error(b->g->diag, b->g->model->loc, is_name(b, name) ? MSG_ONNX_ORDER : MSG_ONNX_UNDEFINED, src->name, src->op,
               name);
    return false;
}

// Returns the operator's name. A domain other than ONNX's own is prepended, so that the operator is not recognized.
static const char *full_op(struct arena *arena, const struct onnx_node *src) {
    bool own = !*src->domain || !strcmp(src->domain, "ai.onnx");
    // Some producers put these operators into their own domains, with the meaning that ONNX gives them.
    bool known = !strcmp(src->domain, "com.microsoft") &&
                 (!strcmp(src->op, "Gelu") || !strcmp(src->op, "FastGelu") ||
                  !strcmp(src->op, "SimplifiedLayerNormalization") || !strcmp(src->op, "LayerNormalization"));
    bool qonnx = (!strcmp(src->domain, "qonnx.custom_op.general") || !strcmp(src->domain, "onnx.brevitas") ||
                  !strcmp(src->domain, "finn.custom_op.general")) &&
                 (!strcmp(src->op, "Quant") || !strcmp(src->op, "BipolarQuant"));
    return own || known || qonnx ? src->op : arena_printf(arena, "%s.%s", src->domain, src->op);
}

static bool add_node(struct building *b, int number);

// Lets result `name` of a node be the value that is called `inside` in the node's body.
static bool add_alias(struct building *b, const struct onnx_node *src, const char *name, const char *inside) {
    int v = NONE;
    struct name_row *row = name_at(&b->names, name);
    if (!*name) return true;
    if (!find_in(b, src, inside, &v)) return false;
    if (row->name) return diag_error(b->g->diag, b->g->model->loc, MSG_ONNX_TWICE, name), false;
    *row = (struct name_row){name, v};
    graph_value(b->g, v)->name = name;
    return true;
}

// Adds the nodes of a body in place of the node that the body belongs to.
static bool add_body(struct building *b, const struct onnx_node *src, const struct onnx_body *body) {
    bool ok = body->output.count >= src->out.count;
    if (!ok) diag_error(b->g->diag, b->g->model->loc, MSG_ONNX_NODE, src->name, src->op, "a body with fewer results");
    for (size_t i = 0; ok && i < body->initializer.count; i++) ok = add_constant(b, &body->initializer.items[i]);
    // Nodes of another depth are in bodies of this body's nodes, which add them.
    for (size_t i = body->first; ok && i < body->end; i++)
        ok = b->g->model->node.items[i].depth != body->depth || add_node(b, (int)i);
    for (size_t i = 0; ok && i < src->out.count; i++) ok = add_alias(b, src, src->out.items[i], body->output.items[i]);
    return ok;
}

// Returns the body that an `If` with a constant condition computes, or NULL if the node is something else.
static const struct onnx_body *chosen_body(struct building *b, const struct onnx_node *src) {
    struct name_row *row = !strcmp(src->op, "If") && src->in.count ? name_at(&b->names, src->in.items[0]) : NULL;
    const struct onnx_data *d = row && row->name ? graph_value(b->g, row->value)->constant : NULL;
    if (!d || d->count != 1) return NULL;
    const struct onnx_attribute *a = onnx_attribute_of(src, onnx_at(d, 0) != 0 ? "then_branch" : "else_branch");
    return a ? a->body : NULL;
}

// Adds a node of the file, or the nodes of its chosen body. Infers the shapes of its results and folds it if possible.
// Returns false after an error.
static bool add_node(struct building *b, int number) {
    struct graph *g = b->g;
    const struct onnx_node *src = &g->model->node.items[number];
    struct node n = {.src = src, .number = number, .op = full_op(g->arena, src)};
    const struct onnx_body *body = chosen_body(b, src);
    bool ok = true;
    g->fate[number].taken = true;
    if (body) return graph_say(g, &n, "its body"), add_body(b, src, body);
    for (size_t i = 0; ok && i < src->in.count; i++) {
        int v = NONE;
        ok = find_in(b, src, src->in.items[i], &v);
        VEC_PUSH(g->arena, n.in, v);
    }
    while (n.in.count && n.in.items[n.in.count - 1] == NONE) n.in.count--;
    for (size_t i = 0; ok && i < src->out.count; i++) {
        int v = *src->out.items[i] ? define(b, src->out.items[i]) : add_value(b, "");
        ok = v != NONE;
        if (ok) graph_value(g, v)->maker = (int)g->node.count;
        VEC_PUSH(g->arena, n.out, v);
    }
    if (!ok || !graph_infer(g, &n)) return false;
    n.gone = graph_fold(g, &n);
    if (n.gone) graph_say(g, &n, "a constant");
    VEC_PUSH(g->arena, g->node, n);
    return true;
}

static bool add_output(struct building *b, const struct onnx_info *info) {
    struct name_row *row = name_at(&b->names, info->name);
    if (!row->name) return diag_error(b->g->diag, b->g->model->loc, MSG_ONNX_NO_OUTPUT, info->name), false;
    VEC_PUSH(b->g->arena, b->g->output, row->value);
    VEC_PUSH(b->g->arena, b->g->output_name, info->name);
    return true;
}

static size_t count_names(const struct onnx_model *m) {
    size_t n = m->initializer.count + m->inner + m->input.count;
    for (size_t i = 0; i < m->node.count; i++) n += m->node.items[i].out.count;
    return n;
}

static bool add_all(struct building *b, const struct onnx_model *m) {
    bool ok = true;
    for (size_t i = 0; ok && i < m->initializer.count; i++) ok = add_constant(b, &m->initializer.items[i]);
    for (size_t i = 0; ok && i < m->input.count; i++) ok = add_input(b, &m->input.items[i]);
    ok = ok && check_givens(b);
    for (size_t i = 0; ok && i < m->node.count; i++) ok = m->node.items[i].depth > 0 || add_node(b, (int)i);
    for (size_t i = 0; ok && i < m->output.count; i++) ok = add_output(b, &m->output.items[i]);
    return ok;
}

struct graph *graph_build(const struct onnx_model *m, struct graph_givens *dims, struct graph_givens *values,
                          struct arena *arena, struct diag *diag) {
    struct graph *g = ARENA_NEW(arena, struct graph);
    *g = (struct graph){.arena = arena, .diag = diag, .model = m, .spare = (int64_t)1 << 26};
    g->fate = ARENA_ARRAY(arena, struct fate, m->node.count + 1);
    struct building b = {.g = g, .dim = dims, .set = values};
    b.names.size = (size_t)1 << u64_clog2(2 * count_names(m) + 2);
    b.names.row = ARENA_ARRAY(arena, struct name_row, b.names.size);
    return add_all(&b, m) ? g : NULL;
}
