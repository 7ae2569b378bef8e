// SPDX-License-Identifier: Apache-2.0
#include "include/ops.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/ir/type_rules.h"

const struct ir_op_info ir_op_table[IR_OPS] = {
#define RILL_OP(id, name, ins, outs, attrs, kernel, ports, traits, weights, type, golden, doc)                         \
    {name, ins, outs, attrs, ports, traits, IR_WEIGHTS_##weights, type_##type, doc},
#include "include/ops.def"
#undef RILL_OP
};

static const struct ir_composite composites[] = {
#define RILL_COMPOSITE(name, ins, outs, attrs, steps, doc) {name, ins, outs, attrs, steps, doc},
#include "include/composites.def"
#undef RILL_COMPOSITE
};

int ir_spec_ops(void) { return IR_OPS + (int)COUNT_OF(composites); }

struct ir_composite ir_spec_op(int row) {
    if (row >= IR_OPS) return composites[row - IR_OPS];
    const struct ir_op_info *op = &ir_op_table[row];
    return (struct ir_composite){op->name, op->inputs, op->outputs, op->attributes, NULL, op->doc};
}

const struct ir_composite *ir_composite_find(const char *name) {
    for (size_t i = 0; i < COUNT_OF(composites); i++)
        if (!strcmp(composites[i].name, name)) return &composites[i];
    return NULL;
}

const struct ir_op_info *ir_op_of(const struct ir *ir, int op) {
    return op < IR_OPS ? &ir_op_table[op] : &ir->custom_op[op - IR_OPS];
}

int ir_op_find(const struct ir *ir, const char *name) {
    for (int op = 0; op < IR_OPS + ir->customs; op++)
        if (!strcmp(ir_op_of(ir, op)->name, name)) return op;
    return IR_NONE;
}

static enum ir_attr_kind attr_kind(char c) {
    return c == 'i' ? IR_ATTR_INT : c == 'f' ? IR_ATTR_FLOAT : c == 'l' ? IR_ATTR_LIST : IR_ATTR_STRING;
}

// Copies to the next of the marks, at most size - 1 characters; returns what follows.
static const char *copy_until(const char *p, const char *marks, char *to, size_t size) {
    size_t len = strcspn(p, marks);
    memcpy(to, p, len < size ? len : size - 1);
    return p + len;
}

int ir_attr_column(const char *p, struct ir_op_attr out[IR_MAX_OP_ATTRS]) {
    int count = 0;
    while (*p && count < IR_MAX_OP_ATTRS) {
        struct ir_op_attr *attr = &out[count++];
        memset(attr, 0, sizeof *attr);
        bool optional = *p == '?';
        p += optional;
        p = copy_until(p, ":", attr->name, sizeof attr->name) + 1;
        attr->kind = attr_kind(*p++);
        if (*p == '(') p = copy_until(p + 1, ")", attr->legal, sizeof attr->legal) + 1;
        attr->has_default = *p == '=';
        if (attr->has_default) p = copy_until(p + 1, " ", attr->text, sizeof attr->text);
        attr->required = !optional && !attr->has_default;
        while (*p == ' ') p++;
    }
    return count;
}

int ir_op_attrs(const struct ir *ir, int op, struct ir_op_attr out[IR_MAX_OP_ATTRS]) {
    return ir_attr_column(ir_op_of(ir, op)->attributes, out);
}

static bool number_fits(const struct ir_op_attr *attr, const struct ir_attr *value, struct diag *diag) {
    double v = attr->kind == IR_ATTR_INT ? (double)value->i : value->f;
    double low = strtod(attr->legal, NULL), high = strtod(strstr(attr->legal, "..") + 2, NULL);
    if (v >= low && v <= high) return true;
    if (attr->kind == IR_ATTR_INT)
        diag_error(diag, value->loc, "`%s` must be from %.0f to %.0f, not %lld", attr->name, low, high,
                   (long long)value->i);
    else diag_error(diag, value->loc, "`%s` must be from %g to %g, not %g", attr->name, low, high, v);
    diag_note(diag, value->loc,
              attr->kind == IR_ATTR_INT ? "the nearest legal value is %.0f" : "the nearest legal value is %g",
              v < low ? low : high);
    return false;
}

static bool word_fits(const struct ir_op_attr *attr, const struct ir_attr *value, struct diag *diag) {
    char first[sizeof attr->legal] = "";
    const char *second = copy_until(attr->legal, "|", first, sizeof first) + 1, *const words[] = {first,
                                                                                                  second}; // always two
    if (!strcmp(value->s, first) || !strcmp(value->s, second)) return true;
    diag_error(diag, value->loc, "`%s` must be %s or %s, not `%s`", attr->name, first, second, value->s);
    const char *near = diag_nearest_word(value->s, words, 2);
    if (near) diag_note(diag, value->loc, "did you mean `%s`?", near);
    return false;
}

bool ir_op_attr_check(const struct ir_op_attr *attr, const struct ir_attr *value, struct diag *diag) {
    if (!*attr->legal) return true;
    return attr->kind == IR_ATTR_STRING ? word_fits(attr, value, diag) : number_fits(attr, value, diag);
}

const char *ir_op_attr_legal(const struct ir_op_attr *attr, struct arena *arena) {
    char first[sizeof attr->legal] = "";
    if (!*attr->legal) return "";
    const char *rest = copy_until(attr->legal, attr->kind == IR_ATTR_STRING ? "|" : ".", first, sizeof first);
    return attr->kind == IR_ATTR_STRING ? arena_printf(arena, " %s or %s", first, rest + 1)
                                        : arena_printf(arena, " %s to %s", first, rest + 2);
}

const char *ir_op_port(const struct ir *ir, int op, int column, int index) {
    const char *p = ir_op_of(ir, op)->ports;
    for (; column > 0; column--) p = strchr(p, '|') + 1;
    for (;; index--) {
        while (*p == ' ') p++;
        size_t len = strcspn(p, " |");
        if (len == 0) return NULL;
        if (index == 0) return arena_strndup(ir->arena, p, len);
        p += len;
    }
}

bool ir_op_is(const struct ir *ir, int op, unsigned traits) { return ir_op_of(ir, op)->traits & traits; }

bool ir_node_is(const struct ir *ir, int node, unsigned traits) {
    return node != IR_NONE && ir_op_is(ir, ir->node[node].op, traits);
}

enum ir_weights ir_op_weights(const struct ir *ir, int op) { return ir_op_of(ir, op)->weights; }

int ir_param_vectors(const struct ir_node *node) {
    return (ir_attr_find(&node->attrs, "gamma") != NULL) + (ir_attr_find(&node->attrs, "beta") != NULL);
}
