// SPDX-License-Identifier: Apache-2.0
// Runs the tensor graph of a design position by position: allocates the values of all tensors, finds the operands of
// each node, and calls its operation (replay_ops.c, which uses gen/numerics, or replay_custom.c).
#include <string.h>

#include "gen/ir/ops.h"
#include "verif/replay/replay_internal.h"

// ---- memory ----

static int64_t repeat_of(const struct ir *ir, int region) { return region == IR_NONE ? 1 : ir->region[region].repeat; }

// Returns whether the last dimension grows with the position.
static bool grows(const struct ir_tensor *t) { return t->rank > 0 && t->shape[t->rank - 1].dynamic == IR_POSITIONS; }
static int64_t last_bound(const struct ir_tensor *t) { return t->rank > 0 ? t->shape[t->rank - 1].bound : 1; }

// Allocates a value laid out as in verif/replay/replay.h. Rows are as far apart as the bound of the last dimension, and
// blocks of a quantized value start anew in every row.
static void alloc_value(struct arena *a, const struct ir_tensor *t, struct replay_slot *v) {
    int64_t n = ir_tensor_elements(t);
    v->stride = t->dtype == IR_SCALAR ? 1 : last_bound(t);
    v->rows = n / v->stride;
    v->shift_stride = t->dtype == IR_MX ? (v->stride + t->block - 1) / t->block : 0;
    if (t->dtype == IR_F32 || t->dtype == IR_SCALAR) v->f32 = ARENA_ARRAY(a, float, (size_t)n);
    if (t->dtype == IR_ACC) v->acc = ARENA_ARRAY(a, int128, (size_t)n);
    if (t->dtype == IR_KV || t->dtype == IR_INT8) v->q = ARENA_ARRAY(a, int8_t, (size_t)n);
    if (t->dtype == IR_MX) v->mx = ARENA_ARRAY(a, int16_t, (size_t)n);
    if (t->dtype == IR_MX) v->shift = ARENA_ARRAY(a, uint8_t, (size_t)(v->rows * v->shift_stride));
    if (t->dtype == IR_KV) v->scale = ARENA_ARRAY(a, float, (size_t)v->rows);
}

// Allocates each tensor's values for all repetitions of its region and the latest `window` positions.
static void alloc_values(struct replay *run) {
    const struct ir *ir = run->ir;
    run->value = ARENA_ARRAY(run->arena, struct replay_slot *, (size_t)ir->tensors + 1);
    for (int t = 0; t < ir->tensors; t++) {
        int64_t slots = repeat_of(ir, ir->tensor[t].region) * run->window;
        run->value[t] = ARENA_ARRAY(run->arena, struct replay_slot, (size_t)slots);
        for (int64_t s = 0; s < slots; s++) alloc_value(run->arena, &ir->tensor[t], &run->value[t][s]);
    }
}

// Allocates a cache for each operation that stores keys or values, in each repetition, for the whole context.
static void alloc_caches(struct replay *run) {
    const struct ir *ir = run->ir;
    run->cache = ARENA_ARRAY(run->arena, struct replay_cache *, (size_t)ir->nodes + 1);
    for (int n = 0; n < ir->nodes; n++) {
        if (!ir_node_is(ir, n, OP_CACHES)) continue;
        const struct ir_tensor *t = &ir->tensor[ir->node[n].out[0]];
        int64_t repeat = repeat_of(ir, ir->node[n].region);
        run->cache[n] = ARENA_ARRAY(run->arena, struct replay_cache, (size_t)repeat);
        for (int64_t r = 0; r < repeat; r++) {
            run->cache[n][r].q = ARENA_ARRAY(run->arena, int8_t, (size_t)(ir->design.context * ir_tensor_elements(t)));
            run->cache[n][r].scale = ARENA_ARRAY(run->arena, float, (size_t)(ir->design.context * t->shape[0].bound));
        }
    }
}

// Allocates the scratch for the largest tensor of the graph.
static void alloc_scratch(struct replay *run) {
    int64_t most = 1;
    for (int t = 0; t < run->ir->tensors; t++) {
        const struct ir_tensor *tensor = &run->ir->tensor[t];
        int64_t n = ir_tensor_elements(tensor);
        most = n > most ? n : most;
    }
    run->scratch.line = ARENA_ARRAY(run->arena, float, (size_t)(2 * most));
    run->scratch.sum = ARENA_ARRAY(run->arena, int32_t, (size_t)most);
    run->scratch.kscale = ARENA_ARRAY(run->arena, float, (size_t)run->ir->design.context);
    run->scratch.vscale = ARENA_ARRAY(run->arena, float, (size_t)run->ir->design.context);
}

struct replay *replay_open(struct arena *arena, const struct ir *ir, const char *image_dir, int window,
                           struct diag *diag) {
    struct replay *run = ARENA_NEW(arena, struct replay);
    run->ir = ir;
    run->arena = arena;
    run->window = window < 1 ? 1 : window;
    if (!store_open(&run->store, arena, ir, image_dir, diag)) return NULL;
    run->weights = ARENA_ARRAY(arena, const struct store_entry *, (size_t)ir->nodes + 1);
    for (int n = 0; n < ir->nodes; n++) run->weights[n] = store_find(&run->store, n, 0);
    alloc_values(run);
    alloc_caches(run);
    alloc_scratch(run);
    if (replay_open_customs(run, diag)) return run;
    replay_close(run);
    return NULL;
}

void replay_sample(struct replay *run, const struct sampling *s) { run->sampling = *s; }

void replay_close(struct replay *run) {
    if (!run) return;
    replay_close_customs(run);
    store_close(&run->store);
}

// ---- values of tensors ----

// Returns the carry of a region that has this tensor as its local name, or NULL.
static const struct ir_carry *carry_of(const struct ir *ir, int region, int tensor) {
    for (int c = 0; region != IR_NONE && c < ir->region[region].carries; c++)
        if (ir->region[region].carry[c].local == tensor) return &ir->region[region].carry[c];
    return NULL;
}

// A tensor in one repetition of its region. The repetition of a carried tensor may be one past the last.
struct place {
    int tensor;
    int64_t repetition;
};

// Returns the repetition that readers outside a tensor's region see: the last one, or for a carried tensor the value
// after the last one.
static int64_t final_repetition(const struct ir *ir, int tensor) {
    int region = ir->tensor[tensor].region;
    return repeat_of(ir, region) - (carry_of(ir, region, tensor) ? 0 : 1);
}

// Follows a carried tensor to the value that an operation or the host made: its initial value, or the `next` of the
// previous repetition.
static struct place resolve(const struct ir *ir, struct place p) {
    const struct ir_carry *carry;
    while ((carry = carry_of(ir, ir->tensor[p.tensor].region, p.tensor)) != NULL)
        p = p.repetition > 0 ? (struct place){carry->next, p.repetition - 1}
                             : (struct place){carry->init, final_repetition(ir, carry->init)};
    return p;
}

// Returns the tensor and repetition that hold a node's operand in the current repetition.
static struct place operand_place(const struct replay_op *op, int operand) {
    const struct ir *ir = op->run->ir;
    int tensor = op->node->in[operand];
    bool own = ir->tensor[tensor].region == op->node->region;
    return resolve(ir, (struct place){tensor, own ? op->repetition : final_repetition(ir, tensor)});
}

// Returns the slot that holds a value at a position; slots are used again after `window` positions.
static struct replay_slot *value_at(const struct replay *run, struct place p, int64_t position) {
    return &run->value[p.tensor][p.repetition * run->window + position % run->window];
}

const struct replay_cache *replay_cache_of(const struct replay_op *op, int operand) {
    struct place p = operand_place(op, operand);
    return &op->run->cache[op->run->ir->tensor[p.tensor].producer][p.repetition];
}

const struct store_entry *replay_product_weights(const struct replay_op *op, int operand) {
    struct place p = operand_place(op, operand);
    int producer = op->run->ir->tensor[p.tensor].producer;
    const struct store_entry *first = producer == IR_NONE ? NULL : op->run->weights[producer];
    return first ? first + p.repetition : NULL;
}

bool replay_cached(const struct replay *run, int tensor, int region, int64_t repetition, struct replay_cached *cached) {
    const struct ir *ir = run->ir;
    bool own = ir->tensor[tensor].region == region;
    struct place p = resolve(ir, (struct place){tensor, own ? repetition : final_repetition(ir, tensor)});
    const struct ir_tensor *t = &ir->tensor[p.tensor];
    if (t->producer == IR_NONE || run->cache[t->producer] == NULL || p.repetition >= repeat_of(ir, t->region))
        return false;
    const struct replay_cache *cache = &run->cache[t->producer][p.repetition];
    *cached = (struct replay_cached){cache->q, cache->scale, t->shape[0].bound, t->shape[1].bound};
    return true;
}

// ---- running ----

// Marks a value as made at this position. Rows that grow get a column for each position up to this one.
static void stamp(const struct replay *run, const struct ir_tensor *t, struct replay_slot *v) {
    v->request = run->request;
    v->position = run->position;
    v->cols = grows(t) ? run->position + 1 : v->stride;
}

// Returns true if no fault was raised. Otherwise describes it in run->fault_text.
static bool note_fault(struct replay *run, const struct ir_node *node, int64_t repetition) {
    static const char *const kinds[] = {"none",
                                        "a value that is not finite",
                                        "a function outside its domain",
                                        "an integer too large",
                                        "a block exponent above its range",
                                        "a fault that the golden function of a custom kernel raised"};
    if (!run->fault.raised) return true;
    run->fault_text = arena_printf(run->arena, "%s in `%s`, repetition %lld, position %lld", kinds[run->fault.kind],
                                   node->name, (long long)repetition, (long long)run->position);
    return false;
}

// Runs a node in one repetition. Returns false after a fault, or if the result of a custom kernel has not been given.
static bool run_node(struct replay *run, int n, int64_t repetition) {
    const struct ir_node *node = &run->ir->node[n];
    struct replay_op op = {
        .run = run, .node = node, .repetition = repetition, .position = run->position, .fault = &run->fault};
    for (int i = 0; i < node->inputs; i++) op.in[i] = value_at(run, operand_place(&op, i), run->position);
    for (int o = 0; o < node->outputs; o++) {
        op.out[o] = value_at(run, (struct place){node->out[o], repetition}, run->position);
        stamp(run, &run->ir->tensor[node->out[o]], op.out[o]);
    }
    op.weights = run->weights[n] ? run->weights[n] + repetition : NULL;
    if (node->op < IR_OPS) replay_functions[node->op](&op);
    else if (!replay_custom(&op)) return false;
    return note_fault(run, node, repetition);
}

// Stores the id, and the row of each fp32 input, as the values of the graph's inputs.
static void set_inputs(struct replay *run, uint32_t id, const float *const row[]) {
    for (int i = 0; i < run->ir->inputs; i++) {
        const struct ir_tensor *t = &run->ir->tensor[run->ir->input[i]];
        struct replay_slot *v = value_at(run, (struct place){run->ir->input[i], 0}, run->position);
        stamp(run, t, v);
        v->id = id;
        if (t->dtype == IR_F32) memcpy(v->f32, row[i], sizeof(float) * (size_t)ir_tensor_elements(t));
    }
}

// Sets the position. Position 0 begins a new request.
static void begin_position(struct replay *run, int64_t position) {
    if (position < 0 || position >= run->ir->design.context)
        base_fatal("golden: position %lld outside the context", (long long)position);
    run->position = position;
    if (position == 0) replay_begin_at(run);
}

void replay_begin_at(struct replay *run) {
    run->request++;
    run->waits = false;
    run->fault = (struct golden_fault){0};
    run->fault_text = NULL;
}

// Runs all repetitions of a region. If the run waits, it continues at the node that waits. Returns false after a fault,
// or if a node has to wait; then at_region, at_repetition and at_node name the node.
static bool run_region(struct replay *run, int g) {
    const struct ir_region *region = &run->ir->region[g];
    int64_t r = run->waits ? run->at_repetition : 0;
    int n = run->waits ? run->at_node : region->first_node;
    for (run->waits = false; r < region->repeat; r++, n = region->first_node)
        for (; n < region->first_node + region->nodes; n++) {
            run->at_region = g;
            run->at_repetition = r;
            run->at_node = n;
            if (!run_node(run, n, r)) return false;
        }
    return true;
}

bool replay_step(struct replay *run, uint32_t input_id, const float *const row[], int64_t position, bool need_head) {
    const struct ir *ir = run->ir;
    if (!run->waits || run->position != position) {
        run->waits = false;
        begin_position(run, position);
        if (run->fault.raised) return false;
        set_inputs(run, input_id, row);
    }
    for (int g = run->waits ? run->at_region : 0; g < ir->regions; g++)
        if ((ir->region[g].when == IR_ALWAYS || need_head) && !run_region(run, g)) return false;
    if (need_head && ir->design.is_lm) {
        struct place id = resolve(ir, (struct place){ir->output[0], final_repetition(ir, ir->output[0])});
        run->next_id = value_at(run, id, position)->id;
    }
    return true;
}

uint32_t replay_next_id(const struct replay *run) { return run->next_id; }
bool replay_waits(const struct replay *run) { return run->waits; }
const char *replay_fault(const struct replay *run) { return run->fault_text; }

bool replay_value(const struct replay *run, int tensor, int64_t repetition, int64_t position,
                  struct replay_value *value) {
    const struct ir *ir = run->ir;
    if (repetition < 0 || repetition > final_repetition(ir, tensor) || position < 0) return false;
    struct place p = resolve(ir, (struct place){tensor, repetition});
    const struct replay_slot *v = value_at(run, p, position);
    if (!v->request || v->request != run->request || v->position != position) return false;
    const struct ir_tensor *t = &ir->tensor[p.tensor];
    *value = (struct replay_value){.dtype = t->dtype,
                                   .rows = v->rows,
                                   .cols = v->cols,
                                   .stride = v->stride,
                                   .block = t->block,
                                   .shift_stride = v->shift_stride,
                                   .f32 = v->f32,
                                   .acc = v->acc,
                                   .q = v->q,
                                   .mx = v->mx,
                                   .shift = v->shift,
                                   .scale = v->scale,
                                   .id = &v->id};
    return true;
}
