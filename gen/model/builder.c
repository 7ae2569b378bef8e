// SPDX-License-Identifier: Apache-2.0
#include "model.h"
#include "ops.h"

int model_op(struct model_builder *b, int op, const char *name, int inputs, const int *in) {
    struct ir *ir = b->ir;
    int id = ir_add_node(ir, name, op, b->loc);
    ir->node[id].inputs = inputs;
    for (int i = 0; i < inputs; i++) ir->node[id].in[i] = in[i];
    ir->node[id].outputs = ir_op_of(ir, op)->outputs;
    for (int i = 0; i < ir_op_of(ir, op)->outputs; i++) {
        const char *port = ir_op_port(ir, op, 1, i);
        int t = ir_add_tensor(ir, i == 0 ? name : arena_printf(ir->arena, "%s_%s", name, port), IR_F32, b->loc);
        ir->tensor[t].producer = id;
        ir->node[id].out[i] = t;
    }
    return ir->node[id].out[0];
}

int model_op1(struct model_builder *b, int op, const char *name, int a) { return model_op(b, op, name, 1, &a); }

int model_op2(struct model_builder *b, int op, const char *name, int x, int y) {
    int in[2] = {x, y};
    return model_op(b, op, name, 2, in);
}

static struct ir_attrs *last_attrs(struct model_builder *b) { return &b->ir->node[b->ir->nodes - 1].attrs; }
void model_int(struct model_builder *b, const char *key, int64_t v) { ir_attr_set_int(b->ir, last_attrs(b), key, v); }
void model_float(struct model_builder *b, const char *key, double v) {
    ir_attr_set_float(b->ir, last_attrs(b), key, v);
}
void model_string(struct model_builder *b, const char *key, const char *v) {
    ir_attr_set_string(b->ir, last_attrs(b), key, v);
}
