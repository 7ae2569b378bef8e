// SPDX-License-Identifier: Apache-2.0
// Builds the table of operations from ops.def and the table of composites from composites.def, and looks up rows and
// their properties (gen/ir/ops.h).
#include "gen/ir/ops.h"

#include <string.h>

#include "gen/ir/type_rules.h"

const struct ir_op_info ir_op_table[IR_OPS] = {
#define RILL_OP(id, name, ins, outs, attrs, kernel, ports, traits, weights, type, golden, doc)                         \
    {name, ins, outs, attrs, ports, traits, IR_WEIGHTS_##weights, type_##type, doc},
#include "include/ops.def"
#undef RILL_OP
};

static const struct ir_composite composites[] = {
#define RILL_COMPOSITE(name, ins, outs, attrs, steps, rule, doc) {name, ins, outs, attrs, steps, rule, doc},
#include "include/composites.def"
#undef RILL_COMPOSITE
};

int ir_spec_ops(void) { return IR_OPS + (int)COUNT_OF(composites); }

struct ir_composite ir_spec_op(int row) {
    if (row >= IR_OPS) return composites[row - IR_OPS];
    const struct ir_op_info *op = &ir_op_table[row];
    return (struct ir_composite){op->name, op->inputs, op->outputs, op->attributes, NULL, NULL, op->doc};
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

bool ir_fills(const struct ir *ir, const struct ir_node *node) {
    int function = ir_attr_choice(&node->attrs, "function", SPEC_ADD);
    // Multiplication or division by a positive value keeps +0. A clip whose bounds exclude 0 does not.
    bool scales = (function == SPEC_MUL || function == SPEC_DIV) && ir_attr_float(&node->attrs, "value", 0) > 0;
    bool bounds = ir_attr_float(&node->attrs, "lo", -1) > 0 || ir_attr_float(&node->attrs, "hi", 1) < 0;
    return (ir_op_is(ir, node->op, OP_FILLS) && !scales) || bounds;
}

int ir_param_vectors(const struct ir *ir, const struct ir_node *node) {
    if (node->op >= IR_OPS) return ir->custom[node->op - IR_OPS].vectors;
    return (ir_attr_find(&node->attrs, "gamma") != NULL) + (ir_attr_find(&node->attrs, "beta") != NULL);
}

const char *ir_param_name(const struct ir *ir, const struct ir_node *node, int vector) {
    static const char *const names[] = {"gamma", "beta"};
    return node->op >= IR_OPS ? ir->custom[node->op - IR_OPS].vector[vector].name : names[vector];
}
