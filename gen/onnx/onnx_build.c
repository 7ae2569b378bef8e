// SPDX-License-Identifier: Apache-2.0
// Builds the graph from the messages of an ONNX file: names become numbers, axes get extents, constants are folded.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gen/onnx/graph.h"

// ---- names ----

struct name_row {
    const char *name;
    int value;
};
struct names {
    struct name_row *row; // a hash table with open addressing
    size_t size;
};

static struct name_row *name_at(const struct names *t, const char *name) {
    size_t i = (size_t)bytes_hash(name, strlen(name)) & (t->size - 1);
    while (t->row[i].name && strcmp(t->row[i].name, name) != 0) i = (i + 1) & (t->size - 1);
    return &t->row[i];
}

struct building {
    struct graph *g;
    struct names names;
    struct graph_dim *dim;
    size_t dims;
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

static struct graph_dim *find_dim(struct building *b, const char *name) {
    for (size_t i = 0; i < b->dims; i++)
        if (!strcmp(b->dim[i].name, name)) return &b->dim[i];
    return NULL;
}

// Gives an extent to an axis that has none in the file.
static bool bind_axis(struct building *b, const struct onnx_info *info, int axis, int64_t *extent) {
    const char *place = arena_printf(b->g->arena, "%s.%d", info->name, axis), *name = info->axis[axis];
    struct graph_dim *d = find_dim(b, place);
    if (!d && name) d = find_dim(b, name);
    if (d) d->used = true;
    if (d) return *extent = d->extent, true;
    if (axis == 0) return b->g->dynamic = true, *extent = 1, true;
    bool named = name && *name && *name != '?'; // Paddle calls all open axes `?`
    diag_error(b->g->diag, b->g->model->loc, MSG_ONNX_AXIS, axis, info->name, named ? name : place);
    return false;
}

static bool is_initializer(const struct onnx_model *m, const char *name) {
    for (size_t i = 0; i < m->initializer.count; i++)
        if (!strcmp(m->initializer.items[i].name, name)) return true;
    return false;
}

static bool add_input(struct building *b, const struct onnx_info *info) {
    struct graph *g = b->g;
    if (is_initializer(g->model, info->name)) return true; // files of old versions list constants as inputs
    int v = define(b, info->name);
    if (v == NONE) return false;
    if (!info->shaped) return diag_error(g->diag, g->model->loc, MSG_ONNX_UNSHAPED, info->name), false;
    struct onnx_dims dims = info->dims;
    for (int d = 0; d < dims.rank; d++)
        if (dims.dim[d] < 0 && !bind_axis(b, info, d, &dims.dim[d])) return false;
    if (onnx_elements(&dims) < 1) return diag_error(g->diag, g->model->loc, MSG_ONNX_UNSHAPED, info->name), false;
    struct value *value = graph_value(g, v);
    value->type = info->type;
    value->dims = dims;
    value->shaped = true;
    VEC_PUSH(g->arena, g->input, v);
    return true;
}

static bool add_constant(struct building *b, const struct onnx_tensor *t) {
    int v = define(b, t->name);
    if (v == NONE) return false;
    struct value *value = graph_value(b->g, v);
    value->constant = t->data;
    value->source = t->name;
    value->type = t->data->type;
    value->dims = t->data->dims;
    value->shaped = true;
    return true;
}

static bool check_dims(struct building *b) {
    for (size_t i = 0; i < b->dims; i++) {
        if (b->dim[i].used) continue;
        diag_error(b->g->diag, b->g->model->loc, MSG_ONNX_NO_AXIS, b->dim[i].name);
        return false;
    }
    return true;
}

// ---- nodes ----

static bool is_name(const struct building *b, const char *name) {
    for (size_t i = 0; i < b->g->model->node.count; i++)
        for (size_t k = 0; k < b->g->model->node.items[i].out.count; k++)
            if (!strcmp(b->g->model->node.items[i].out.items[k], name)) return true;
    return false;
}

// Finds an operand, which an earlier node must make. The format requires this order, which also excludes cycles.
static bool find_in(struct building *b, const struct onnx_node *src, const char *name, int *v) {
    if (!*name) return *v = NONE, true;
    struct name_row *row = name_at(&b->names, name);
    if (row->name) return *v = row->value, true;
    diag_error(b->g->diag, b->g->model->loc, is_name(b, name) ? MSG_ONNX_ORDER : MSG_ONNX_UNDEFINED, src->name, src->op,
               name);
    return false;
}

static const char *full_op(struct arena *arena, const struct onnx_node *src) {
    bool own = !*src->domain || !strcmp(src->domain, "ai.onnx");
    // Some producers put these operators into their own domains, with the meaning that ONNX gives them.
    bool known = !strcmp(src->domain, "com.microsoft") &&
                 (!strcmp(src->op, "Gelu") || !strcmp(src->op, "FastGelu") ||
                  !strcmp(src->op, "SimplifiedLayerNormalization") || !strcmp(src->op, "LayerNormalization"));
    return own || known ? src->op : arena_printf(arena, "%s.%s", src->domain, src->op);
}

static bool add_node(struct building *b, int number) {
    struct graph *g = b->g;
    const struct onnx_node *src = &g->model->node.items[number];
    struct node n = {.src = src, .number = number, .op = full_op(g->arena, src)};
    bool ok = true;
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
    size_t n = m->initializer.count + m->input.count;
    for (size_t i = 0; i < m->node.count; i++) n += m->node.items[i].out.count;
    return n;
}

static bool add_all(struct building *b, const struct onnx_model *m) {
    bool ok = true;
    for (size_t i = 0; ok && i < m->initializer.count; i++) ok = add_constant(b, &m->initializer.items[i]);
    for (size_t i = 0; ok && i < m->input.count; i++) ok = add_input(b, &m->input.items[i]);
    ok = ok && check_dims(b);
    for (size_t i = 0; ok && i < m->node.count; i++) ok = add_node(b, (int)i);
    for (size_t i = 0; ok && i < m->output.count; i++) ok = add_output(b, &m->output.items[i]);
    return ok;
}

struct graph *graph_build(const struct onnx_model *m, struct graph_dim *dims, size_t count, struct arena *arena,
                          struct diag *diag) {
    struct graph *g = ARENA_NEW(arena, struct graph);
    *g = (struct graph){.arena = arena, .diag = diag, .model = m, .spare = (int64_t)1 << 26};
    g->fate = ARENA_ARRAY(arena, struct fate, m->node.count + 1);
    struct building b = {.g = g, .dim = dims, .dims = count};
    b.names.size = (size_t)1 << u64_clog2(2 * count_names(m) + 2);
    b.names.row = ARENA_ARRAY(arena, struct name_row, b.names.size);
    for (size_t i = 0; i < m->initializer.count; i++) g->spare += 4 * m->initializer.items[i].data->count;
    return add_all(&b, m) ? g : NULL;
}
