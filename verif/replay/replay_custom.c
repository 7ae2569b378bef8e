// SPDX-License-Identifier: Apache-2.0
// Custom kernels in the replay: compiles and calls their golden functions, or takes results given by the caller
// (replay_give).
#include <stdlib.h>
#include <string.h>

#include "gen/ir/custom_ops.h"
#include "gen/numerics/library.h"
#include "verif/replay/replay_internal.h"

struct replay_custom {             // the custom kernel of one node
    struct golden_library library; // empty: not a custom kernel, or one without a golden function
};

// Compiles a kernel's golden function once for all its operations. Returns false after an error.
static bool open_custom(struct replay *run, const struct custom *k, struct diag *diag) {
    const struct ir *ir = run->ir;
    const char **operation = ARENA_ARRAY(run->arena, const char *, (size_t)ir->nodes + 1);
    struct golden_library **library = ARENA_ARRAY(run->arena, struct golden_library *, (size_t)ir->nodes + 1);
    struct golden_source source = {k->name, k->golden.name, k->golden.text, k->function};
    int count = 0;
    for (int n = 0; n < ir->nodes; n++) {
        if (ir_custom_of(ir, n) != k) continue;
        operation[count] = ir->node[n].name;
        library[count++] = &run->custom[n].library;
    }
    return !count || golden_library_open(run->arena, &source, operation, count, library, diag);
}

bool replay_open_customs(struct replay *run, struct diag *diag) {
    const struct ir *ir = run->ir;
    run->custom = ARENA_ARRAY(run->arena, struct replay_custom, (size_t)ir->nodes + 1);
    for (int c = 0; c < ir->customs; c++)
        if (ir->custom[c].function && !open_custom(run, &ir->custom[c], diag)) return false;
    return true;
}

void replay_close_customs(struct replay *run) {
    for (int n = 0; run->custom && n < run->ir->nodes; n++) golden_library_close(&run->custom[n].library);
    replay_forget(run);
}

// ---- results given by the caller ----

// Returns the size in bytes of an fp32 or int8 tensor, which are the types that custom kernels have.
static size_t bytes_of(const struct ir_tensor *t) {
    return (t->dtype == IR_F32 ? sizeof(float) : 1) * (size_t)ir_tensor_elements(t);
}
static void *data_of(const struct replay_slot *v) { return v->f32 ? (void *)v->f32 : v->q; }

void replay_give(struct replay *run, int tensor, int64_t repetition, int64_t position, const void *values) {
    size_t bytes = bytes_of(&run->ir->tensor[tensor]);
    void *copy = malloc(bytes);
    if (!copy) base_fatal("golden: out of memory");
    memcpy(copy, values, bytes);
    VEC_PUSH(run->arena, run->given, ((struct replay_given){tensor, repetition, position, copy}));
}

void replay_forget(struct replay *run) {
    for (size_t i = 0; i < run->given.count; i++) free(run->given.items[i].values);
    run->given.count = 0;
    run->waits = false;
}

// Takes the result of the operation if the caller has given it; otherwise the run waits. Results are needed in about
// the order in which they were given, so the search begins where the last one was found.
static bool take_given(struct replay_op *op) {
    struct replay *run = op->run;
    for (size_t i = 0; i < run->given.count; i++) {
        size_t at = (run->last_given + i) % run->given.count;
        const struct replay_given *g = &run->given.items[at];
        if (g->tensor != op->node->out[0] || g->repetition != op->repetition || g->position != op->position) continue;
        memcpy(data_of(op->out[0]), g->values, bytes_of(&run->ir->tensor[g->tensor]));
        run->last_given = at;
        return true;
    }
    run->waits = true;
    return false;
}

// ---- running ----

// Returns a tensor's value as golden functions see it.
static struct rill_value value_of(const struct ir_tensor *t, const struct replay_slot *v) {
    struct rill_value value = {.rank = t->rank ? t->rank : 1,
                               .extent = {1, 1, 1},
                               .elements = ir_tensor_elements(t),
                               .f32 = v->f32,
                               .i8 = v->q};
    for (int d = 0; d < t->rank && d < 3; d++) value.extent[d] = t->shape[d].bound;
    return value;
}

// Lists the kernel's parameters that are numbers and use none of `lanes`, `T` and `x.words`, and returns their count.
static int parameters_of(const struct replay_op *op, const struct custom *custom, struct rill_parameter out[]) {
    int count = 0;
    for (int p = 0; p < custom->params; p++) {
        struct custom_scope scope = {.ir = op->run->ir, .node = op->node, .custom = custom, .outputs = true};
        struct ir_value any;
        bool number;
        int64_t value;
        if (ir_custom_param(&scope, &custom->param[p], &any, &number, &value, NULL) && number && !scope.depends)
            out[count++] = (struct rill_parameter){custom->param[p].name, value};
    }
    return count;
}

// Lists the kernel's parameter vectors, which the store has one after the other, and returns their count.
static int vectors_of(const struct replay_op *op, const struct custom *custom, struct rill_value out[]) {
    const struct store_entry *w = op->weights;
    for (int v = 0; v < custom->vectors; v++)
        out[v] = (struct rill_value){.rank = 1,
                                     .extent = {w->k, 1, 1},
                                     .elements = w->k,
                                     .f32 = (float *)store_at(&op->run->store, w->f32) + v * w->k};
    return custom->vectors;
}

// Returns the table from which the kernel fetches rows.
static struct rill_value table_of(const struct replay_op *op) {
    const struct store_entry *w = op->weights;
    return (struct rill_value){.rank = 2,
                               .extent = {w->rows, w->k, 1},
                               .elements = w->rows * w->k,
                               .f32 = (float *)store_at(&op->run->store, w->f32)};
}

bool replay_custom(struct replay_op *op) {
    const struct ir *ir = op->run->ir;
    const struct custom *custom = &ir->custom[op->node->op - IR_OPS];
    const struct golden_library *library = &op->run->custom[op->node - ir->node].library;
    if (!library->function) return take_given(op);
    struct rill_value in[IR_MAX_PORTS], out[IR_MAX_PORTS], vector[CUSTOM_MAX_VECTORS],
        table = custom->fetch ? table_of(op) : (struct rill_value){0};
    struct rill_parameter parameter[CUSTOM_MAX_PARAMS];
    for (int i = 0; i < op->node->inputs; i++) in[i] = value_of(&ir->tensor[op->node->in[i]], op->in[i]);
    for (int o = 0; o < op->node->outputs; o++) {
        out[o] = value_of(&ir->tensor[op->node->out[o]], op->out[o]);
        memset(data_of(op->out[o]), 0, bytes_of(&ir->tensor[op->node->out[o]]));
    }
    struct arena_mark mark = arena_mark(ir->arena);
    struct rill_call call = {.inputs = op->node->inputs,
                             .outputs = op->node->outputs,
                             .parameters = parameters_of(op, custom, parameter),
                             .in = in,
                             .out = out,
                             .parameter = parameter,
                             .vectors = vectors_of(op, custom, vector),
                             .vector = vector,
                             .table = custom->fetch ? &table : NULL,
                             .position = op->position,
                             .repetition = op->repetition};
    golden_library_call(library, &call);
    arena_release(ir->arena, mark);
    if (call.fault) golden_fault_raise(op->fault, GOLDEN_FAULT_KERNEL);
    return true;
}
