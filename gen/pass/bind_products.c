// SPDX-License-Identifier: Apache-2.0
// Which operations fire on an engine, and on which one.
#include <string.h>

#include "bind.h"
#include "ops.h"

void bind_engine(struct ir *ir, const struct ir_node *node, int kernel) {
    (void)ir;
    (void)node;
    base_fatal("bind: kernel %d of an operation on an engine", kernel);
}

bool bind_on_engine(const struct ir_node *node) {
    return node->op < IR_OPS && bind_rule_table[node->op] == bind_engine;
}

bool bind_is_product(const struct ir_node *node) { return bind_on_engine(node) && node->op != IR_OP_DEQUANTIZE; }

bool bind_is_int4(const struct ir_node *matmul) {
    return !strcmp(ir_attr_string(&matmul->attrs, "weights", ""), "int4");
}

int bind_product_engine(const struct ir *ir, int node) {
    int products = 0;
    for (int n = 0; n < node; n++) products += bind_is_product(&ir->node[n]);
    return ir->engines > 1 ? products : 0;
}
