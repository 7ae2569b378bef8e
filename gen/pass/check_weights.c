// SPDX-License-Identifier: Apache-2.0
// Part of infer-types: checks that all operations that read one tensor of weights need it in the same shape. Two uses
// read the same tensor if their names are equal. A name may be a pattern with `{layer}`, which gives one name for each
// repetition of its region (gen/ir/names.h).
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "gen/ir/names.h"
#include "gen/ir/ops.h"
#include "gen/pass/pass.h"

// The use of a tensor by an operation, and the shape that the tensor must have in the file. least[d]: extent[d] is a
// lower bound, because the operation reads a part of the tensor.
struct use {
    const char *name;
    struct loc loc;
    int node, rank;
    int64_t extent[2];
    bool least[2];
};

struct uses {
    const struct ir *ir;
    VEC(struct use) list;
};

// Whether one tensor can have the shapes that both uses need.
static bool fits(const struct use *a, const struct use *b) {
    if (a->rank != b->rank) return false;
    for (int d = 0; d < a->rank; d++) {
        int64_t x = a->extent[d], y = b->extent[d];
        if (a->least[d] && b->least[d]) continue;
        if (a->least[d] ? y < x : b->least[d] ? x < y : x != y) return false;
    }
    return true;
}

// before returns the length of the text before a pattern's first `{expression}`. behind returns the text after the
// pattern's last one.
static size_t before(const char *name) { return strcspn(name, "{"); }
static const char *behind(const char *name) { return strrchr(name, '}') + 1; }

static bool ends_with(const char *name, const char *tail) {
    size_t len = strlen(name), end = strlen(tail);
    return len >= end && !strcmp(name + len - end, tail);
}

// Whether the fixed text at both ends of the pattern agrees with the name. This quick test avoids most calls of
// names_in.
static bool may_come_to(const char *pattern, const char *name) {
    size_t head = before(pattern);
    return !strncmp(pattern, name, head) && ends_with(name + head, behind(pattern));
}

// Whether the pattern gives this name in one of its repetitions.
static bool comes_to(const struct ir *ir, const struct use *u, const char *name) {
    if (!names_repeat(u->name) || !may_come_to(u->name, name)) return false;
    struct arena_mark mark = arena_mark(ir->arena);
    bool found = false;
    for (int64_t i = 0; !found && i < ir->region[ir->node[u->node].region].repeat; i++)
        found = !strcmp(names_in(ir->arena, u->name, i), name);
    arena_release(ir->arena, mark);
    return found;
}

// Whether two patterns give a common name in any of their repetitions, as `w.{layer}` and `w.1{layer}` both give
// `w.10`.
static bool meet(const struct ir *ir, const struct use *a, const struct use *b) {
    if (!names_repeat(a->name) || !names_repeat(b->name)) return false;
    size_t least = before(a->name) < before(b->name) ? before(a->name) : before(b->name);
    if (strncmp(a->name, b->name, least) != 0 ||
        !(ends_with(a->name, behind(b->name)) || ends_with(b->name, behind(a->name))))
        return false;
    for (int64_t i = 0; i < ir->region[ir->node[b->node].region].repeat; i++)
        if (comes_to(ir, a, names_in(ir->arena, b->name, i))) return true;
    return false;
}

static bool same_tensor(const struct ir *ir, const struct use *a, const struct use *b) {
    return !strcmp(a->name, b->name) || comes_to(ir, a, b->name) || comes_to(ir, b, a->name) || meet(ir, a, b);
}

// Returns the shape as text for messages, such as `[at least 64, 768]`.
static const char *shape_of(const struct ir *ir, const struct use *u) {
    const char *text = "";
    for (int d = 0; d < u->rank; d++)
        text = arena_printf(ir->arena, "%s%s%s%lld", text, d ? ", " : "", u->least[d] ? "at least " : "",
                            (long long)u->extent[d]);
    return arena_printf(ir->arena, "[%s]", text);
}

// Adds the use of the tensor that the attribute `key` names, if the node has this attribute, and compares the shape
// with those of earlier uses of the tensor. u: the shape; this function sets the other fields. Returns false after an
// error.
static bool add(struct uses *s, int node, const char *key, struct use u, struct diag *diag) {
    const struct ir *ir = s->ir;
    const struct ir_attr *attr = ir_attr_find(&ir->node[node].attrs, key);
    if (!attr || attr->kind != IR_ATTR_STRING) return true;
    u.node = node;
    u.name = attr->s;
    u.loc = attr->loc.source ? attr->loc : ir->node[node].loc;
    for (size_t i = 0; i < s->list.count; i++) {
        const struct use *old = &s->list.items[i];
        if (!same_tensor(ir, old, &u) || fits(old, &u)) continue;
        diag_error(diag, u.loc, MSG_WEIGHT_SHAPES, u.name, shape_of(ir, &u), ir->node[node].name, shape_of(ir, old),
                   ir->node[old->node].name);
        diag_note(diag, old->loc, "`%s` uses it here; use another name for another tensor", ir->node[old->node].name);
        return false;
    }
    VEC_PUSH(ir->arena, s->list, u);
    return true;
}

// Adds the weight matrix and the bias of a product. A matrix with `transpose` is stored as [k][rows] in the file.
static bool add_product(struct uses *s, int n, struct diag *diag) {
    const struct ir_node *node = &s->ir->node[n];
    int64_t rows = ir_attr_int(&node->attrs, "rows", 0) + ir_attr_int(&node->attrs, "row_offset", 0),
            k = ir_vector_length(s->ir, node);
    struct use straight = {.rank = 2, .extent = {rows, k}, .least = {true, false}},
               turned = {.rank = 2, .extent = {k, rows}, .least = {false, true}};
    return add(s, n, "weight", ir_attr_int(&node->attrs, "transpose", 0) ? turned : straight, diag) &&
           add(s, n, "bias", (struct use){.rank = 1, .extent = {rows}, .least = {true}}, diag);
}

// Adds all tensors of weights that an operation reads. Returns false after an error.
static bool add_node(struct uses *s, int n, struct diag *diag) {
    const struct ir_node *node = &s->ir->node[n];
    int64_t rows = ir_attr_int(&node->attrs, "rows", 0), cols = ir_attr_int(&node->attrs, "cols", 0);
    bool own = node->op >= IR_OPS; // custom kernels name their attributes freely
    if (own ? ir_op_weights(s->ir, node->op) == IR_WEIGHTS_TABLE : ir_attr_find(&node->attrs, "cols") != NULL)
        return add(s, n, "weight", (struct use){.rank = 2, .extent = {rows, cols}, .least = {true}}, diag);
    if (!own && ir_attr_find(&node->attrs, "weight")) return add_product(s, n, diag);
    struct use vector = {.rank = 1, .extent = {ir_vector_length(s->ir, node)}};
    for (int v = 0; v < ir_param_vectors(s->ir, node); v++)
        if (!add(s, n, ir_param_name(s->ir, node, v), vector, diag)) return false;
    return true;
}

bool check_weights(const struct ir *ir, struct diag *diag) {
    struct uses s = {.ir = ir};
    bool ok = true;
    for (int n = 0; n < ir->nodes; n++) ok &= add_node(&s, n, diag);
    return ok;
}
