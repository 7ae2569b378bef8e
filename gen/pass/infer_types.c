// SPDX-License-Identifier: Apache-2.0
// infer-types: derives shape and dtype of every tensor by the type rules of the operations (gen/ir/type_rules.h), in
// program order. Carried tensors have the type of their initial value. The pass also checks the shapes of weights and
// the tables of embeddings, and limits `sampling` to the number of logits.
#include <string.h>

#include "gen/ir/ops.h"
#include "gen/pass/pass.h"

static void copy_type(struct ir_tensor *to, const struct ir_tensor *from) {
    to->dtype = from->dtype;
    to->rank = from->rank;
    memcpy(to->shape, from->shape, sizeof to->shape);
    to->block = from->block;
    to->exp_min = from->exp_min;
    to->heads = from->heads;
}

// Whether both tensors have the same dtype, number of elements and quantization.
static bool same_type(const struct ir_tensor *a, const struct ir_tensor *b) {
    return a->dtype == b->dtype && ir_tensor_elements(a) == ir_tensor_elements(b) && a->block == b->block &&
           a->exp_min == b->exp_min;
}

// Whether both tensors have the same dimensions. An equal number of elements is not enough, because the dimensions
// decide in which order elements are sent.
static bool same_shape(const struct ir_tensor *a, const struct ir_tensor *b) {
    bool same = a->rank == b->rank;
    for (int d = 0; same && d < a->rank; d++)
        same = a->shape[d].bound == b->shape[d].bound && a->shape[d].dynamic == b->shape[d].dynamic;
    return same && a->heads == b->heads;
}

static const char *shape_text(const struct ir *ir, const struct ir_tensor *t) {
    const char *text = "[";
    for (int d = 0; d < t->rank; d++)
        text = arena_printf(ir->arena, "%s%s%lld", text, d ? ", " : "", (long long)t->shape[d].bound);
    return arena_printf(ir->arena, "%s]", text);
}

// Describes a tensor's type, for messages about carried tensors.
static const char *type_text(const struct ir *ir, const struct ir_tensor *t) {
    const char *elements = arena_printf(ir->arena, "%lld elements", (long long)ir_tensor_elements(t));
    if (t->dtype == IR_F32) return elements;
    if (t->dtype == IR_MX)
        return arena_printf(ir->arena, "%s, quantized: block %lld, exp_min %lld", elements, (long long)t->block,
                            (long long)t->exp_min);
    return arena_printf(ir->arena, "%s of type %s", elements, ir_dtype_words[t->dtype]);
}

// Checks that the next value of each carried tensor has the type and the shape of its initial value.
static bool check_carries(const struct ir *ir, const struct ir_region *region, struct diag *diag) {
    bool ok = true;
    for (int c = 0; c < region->carries; c++) {
        const struct ir_tensor *local = &ir->tensor[region->carry[c].local], *next = &ir->tensor[region->carry[c].next];
        if (same_type(local, next) && same_shape(local, next)) continue;
        ok = false;
        if (same_type(local, next)) {
            diag_error(diag, next->loc, MSG_CARRY_SHAPE, next->name, shape_text(ir, next), local->name,
                       shape_text(ir, local), region->name);
            diag_note(diag, next->loc, "`reshape` or `transpose` makes them equal");
            continue;
        }
        diag_error(diag, next->loc, MSG_CARRY_TYPE, next->name, type_text(ir, next), local->name, type_text(ir, local),
                   region->name);
    }
    return ok;
}

// Adds a note if the operation is a step of a composite, because the spec has only the composite. Further steps of the
// same composite then get no note.
static void note_composite(struct ir *ir, const struct ir_node *node, struct diag *diag) {
    if (!node->step_of) return;
    diag_note(diag, node->loc, "%s", node->step_of);
    for (int n = 0; n < ir->nodes; n++)
        if (ir->node[n].loc.line == node->loc.line && ir->node[n].loc.col == node->loc.col) ir->node[n].step_of = NULL;
}

// Infers the types of an operation's outputs. After an error their dtype is IR_DTYPES, so that type rules do not report
// the operations that read them as well.
static bool infer_node(struct ir *ir, struct ir_node *node, struct diag *diag) {
    int before = diag->errors;
    if (ir_op_of(ir, node->op)->type_rule(ir, node, diag)) return true;
    if (diag->errors > before) note_composite(ir, node, diag);
    for (int o = 0; o < node->outputs; o++) ir->tensor[node->out[o]].dtype = IR_DTYPES;
    return false;
}

// Checks that the table of an embedding has a row for every id that the operation `from` can make.
static bool check_table(const struct ir *ir, const struct ir_node *node, int from, struct diag *diag) {
    if (from == IR_NONE || !ir_node_is(ir, from, OP_CHOOSES)) return true;
    int64_t rows = ir_attr_int(&node->attrs, "rows", 0), ids = ir_tensor_elements(&ir->tensor[ir->node[from].in[0]]);
    if (ids <= rows) return true;
    struct loc loc = ir_attr_find(&node->attrs, "rows")->loc;
    if (!loc.source) loc = node->loc;
    diag_error(diag, loc, MSG_EMBED_ROWS, ir_op_of(ir, node->op)->name, node->name, (long long)rows,
               ir->node[from].name, (long long)ids);
    diag_note(diag, loc, "the nearest legal value is %lld; or `%s` takes %lld elements", (long long)ids,
              ir->node[from].name, (long long)rows);
    return false;
}

// Returns the operation that makes the ids of a tensor that is not carried, or IR_NONE if it is unknown. The input of a
// language model has no producer. Its ids come from the prompt and then from the model's output, so for this input the
// function returns the operation that makes the output.
static int ids_of(const struct ir *ir, int tensor) {
    int from = ir->tensor[tensor].producer;
    return from != IR_NONE ? from : ir->design.is_lm ? ir->tensor[ir->output[0]].producer : IR_NONE;
}

// Checks the tables of all embeddings. The ids of a carried tensor come from its `next` and from its initial value.
static bool check_tables(const struct ir *ir, struct diag *diag) {
    bool ok = true;
    for (int n = 0; n < ir->nodes; n++) {
        const struct ir_node *node = &ir->node[n];
        if (!ir_op_is(ir, node->op, OP_BY_ID)) continue;
        int ids = node->in[0];
        for (const struct ir_carry *c = ir_carry_of(ir, ids); c && ok; c = ir_carry_of(ir, ids)) {
            ok &= check_table(ir, node, ids_of(ir, c->next), diag);
            ids = c->init;
        }
        ok &= check_table(ir, node, ids_of(ir, ids), diag);
    }
    return ok;
}

// Limits design.sampling, the length of the list of candidates, to the number of logits. Further places of the list
// would stay empty.
static void bound_sampling(struct ir *ir) {
    int ids = ir->design.is_lm ? ir->tensor[ir->output[0]].producer : IR_NONE;
    if (ids == IR_NONE || !ir->node[ids].inputs) return;
    int64_t logits = ir_tensor_elements(&ir->tensor[ir->node[ids].in[0]]);
    if (ir->design.sampling > logits) ir->design.sampling = (int)logits;
}

bool pass_infer_types(struct ir *ir, const struct rill_spec *spec, struct diag *diag) {
    (void)spec;
    bool ok = true;
    for (int r = 0; r < ir->regions && ok; r++) {
        struct ir_region *region = &ir->region[r];
        for (int c = 0; c < region->carries; c++)
            copy_type(&ir->tensor[region->carry[c].local], &ir->tensor[region->carry[c].init]);
        for (int n = region->first_node; n < region->first_node + region->nodes; n++)
            ok &= infer_node(ir, &ir->node[n], diag);
        ok = ok && check_carries(ir, region, diag);
    }
    if (!ok || !check_weights(ir, diag) || !check_tables(ir, diag)) return false;
    bound_sampling(ir);
    return true;
}
