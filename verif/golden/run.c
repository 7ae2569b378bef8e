// SPDX-License-Identifier: Apache-2.0
// The golden executor (include/trace.h): runs the tensor graph position by position with the golden operations.
#include <stdlib.h>
#include <string.h>

#include "../../include/ops.h"
#include "run_internal.h"

// ---- memory ----

static int64_t repeat_of(const struct ir *ir, int region) { return region == IR_NONE ? 1 : ir->region[region].repeat; }

static int64_t row_bound(const struct ir_tensor *t) { return t->rank > 1 ? ir_tensor_elements(t) / t->shape[t->rank - 1].bound : 1; }
static int64_t col_bound(const struct ir_tensor *t) { return t->rank > 0 ? t->shape[t->rank - 1].bound : 1; }

static void alloc_value(struct arena *a, const struct ir_tensor *t, struct run_value *v) {
    size_t n = (size_t)ir_tensor_elements(t);
    if (t->dtype == IR_F32 || t->dtype == IR_SCALAR) v->f32 = ARENA_ARRAY(a, float, n);
    if (t->dtype == IR_ACC) v->acc = ARENA_ARRAY(a, int64_t, n);
    if (t->dtype == IR_MX || t->dtype == IR_KV) v->q = ARENA_ARRAY(a, int8_t, n);
    if (t->dtype == IR_MX) v->shift = ARENA_ARRAY(a, uint8_t, (size_t)(row_bound(t) * ((col_bound(t) + t->block - 1) / t->block)));
    if (t->dtype == IR_KV) v->scale = ARENA_ARRAY(a, float, (size_t)row_bound(t));
}

static void alloc_values(struct golden_run *run) {
    const struct ir *ir = run->ir;
    run->value = ARENA_ARRAY(run->arena, struct run_value *, (size_t)ir->tensors + 1);
    for (int t = 0; t < ir->tensors; t++) {
        int64_t slots = repeat_of(ir, ir->tensor[t].region) * run->window;
        run->value[t] = ARENA_ARRAY(run->arena, struct run_value, (size_t)slots);
        for (int64_t s = 0; s < slots; s++) alloc_value(run->arena, &ir->tensor[t], &run->value[t][s]);
    }
}

static void alloc_caches(struct golden_run *run) {
    const struct ir *ir = run->ir;
    run->cache = ARENA_ARRAY(run->arena, struct run_cache *, (size_t)ir->nodes + 1);
    for (int n = 0; n < ir->nodes; n++) {
        if (ir->node[n].op != IR_OP_KV_QUANTIZE) continue;
        const struct ir_tensor *t = &ir->tensor[ir->node[n].out[0]];
        int64_t repeat = repeat_of(ir, ir->node[n].region);
        run->cache[n] = ARENA_ARRAY(run->arena, struct run_cache, (size_t)repeat);
        for (int64_t r = 0; r < repeat; r++) {
            run->cache[n][r].q = ARENA_ARRAY(run->arena, int8_t, (size_t)(ir->design.context * ir_tensor_elements(t)));
            run->cache[n][r].scale = ARENA_ARRAY(run->arena, float, (size_t)(ir->design.context * t->shape[0].bound));
        }
    }
}

struct golden_run *golden_run_open(struct arena *arena, const struct ir *ir, const char *image_dir, int window, struct diag *diag) {
    struct golden_run *run = ARENA_NEW(arena, struct golden_run);
    run->ir = ir;
    run->arena = arena;
    run->window = window < 1 ? 1 : window;
    if (!store_open(&run->store, arena, ir, image_dir, diag)) return NULL;
    run->weights = ARENA_ARRAY(arena, const struct store_entry *, (size_t)ir->nodes + 1);
    for (int n = 0; n < ir->nodes; n++) run->weights[n] = store_find(&run->store, n, 0);
    alloc_values(run);
    alloc_caches(run);
    return run;
}

void golden_run_close(struct golden_run *run) {
    if (run) store_close(&run->store);
}

// ---- which value a name means ----

static int carry_of(const struct ir *ir, int region, int tensor) {
    for (int c = 0; region != IR_NONE && c < ir->region[region].carries; c++)
        if (ir->region[region].carry[c].local == tensor) return c;
    return IR_NONE;
}

// A carried name in repetition r is the initial value or the `next` of the repetition before.
static struct run_value *slot_of(const struct golden_run *run, int tensor, int64_t repetition, int64_t position) {
    const struct ir *ir = run->ir;
    int region = ir->tensor[tensor].region, c = carry_of(ir, region, tensor);
    while (c != IR_NONE) {
        const struct ir_carry *carry = &ir->region[region].carry[c];
        bool first = repetition == 0;
        tensor = first ? carry->init : carry->next;
        region = ir->tensor[tensor].region;
        c = carry_of(ir, region, tensor);
        repetition = !first ? repetition - 1 : repeat_of(ir, region) - (c == IR_NONE ? 1 : 0);
    }
    if (repetition < 0 || repetition >= repeat_of(ir, region)) return NULL;
    return &run->value[tensor][repetition * run->window + position % run->window];
}

// What a node in `region` and `repetition` reads: a value of its own region, or the last one of another region.
static struct run_value *read_value(const struct golden_run *run, int tensor, int region, int64_t repetition) {
    const struct ir *ir = run->ir;
    int home = ir->tensor[tensor].region;
    if (home != region) repetition = repeat_of(ir, home) - (carry_of(ir, home, tensor) == IR_NONE ? 1 : 0);
    return slot_of(run, tensor, repetition, run->position);
}

const struct run_cache *run_cache_of(const struct run_op *op, int operand) {
    const struct ir_tensor *t = &op->run->ir->tensor[op->node->in[operand]];
    return &op->run->cache[t->producer][t->region == op->node->region ? op->repetition : repeat_of(op->run->ir, t->region) - 1];
}

// ---- running ----

static void set_extent(const struct ir_tensor *t, int64_t position, struct run_value *v) {
    bool positions = t->rank > 0 && t->shape[t->rank - 1].dynamic == IR_POSITIONS;
    v->valid = true;
    v->position = position;
    v->rows = t->dtype == IR_SCALAR ? ir_tensor_elements(t) : row_bound(t);
    v->cols = t->dtype == IR_SCALAR ? 1 : positions ? position + 1 : col_bound(t);
}

static bool note_fault(struct golden_run *run, const struct ir_node *node, int64_t repetition) {
    static const char *const kinds[] = {"none", "a value that is not finite", "a function outside its domain", "an integer too large",
                                        "a block exponent above its range"};
    if (!run->fault.raised) return true;
    run->fault_text = arena_printf(run->arena, "%s in `%s`, repetition %lld, position %lld", kinds[run->fault.kind], node->name, (long long)repetition,
                                   (long long)run->position);
    return false;
}

static bool run_node(struct golden_run *run, int n, int64_t repetition) {
    const struct ir_node *node = &run->ir->node[n];
    struct run_op op = {.run = run, .node = node, .repetition = repetition, .position = run->position, .fault = &run->fault};
    for (int i = 0; i < node->inputs; i++) op.in[i] = read_value(run, node->in[i], node->region, repetition);
    for (int o = 0; o < node->outputs; o++) {
        op.out[o] = slot_of(run, node->out[o], repetition, run->position);
        set_extent(&run->ir->tensor[node->out[o]], run->position, op.out[o]);
    }
    op.weights = run->weights[n] ? run->weights[n] + repetition : NULL;
    run_table[node->op](&op);
    return note_fault(run, node, repetition);
}

static void set_inputs(struct golden_run *run, uint32_t id, const float *const row[]) {
    for (int i = 0; i < run->ir->inputs; i++) {
        const struct ir_tensor *t = &run->ir->tensor[run->ir->input[i]];
        struct run_value *v = slot_of(run, run->ir->input[i], 0, run->position);
        set_extent(t, run->position, v);
        v->id = id;
        if (t->dtype == IR_F32) memcpy(v->f32, row[i], sizeof(float) * (size_t)ir_tensor_elements(t));
    }
}

bool golden_run_step(struct golden_run *run, uint32_t input_id, const float *const row[], int64_t position, bool need_head) {
    const struct ir *ir = run->ir;
    if (position == 0) memset(&run->fault, 0, sizeof run->fault), run->fault_text = NULL;
    run->position = position;
    set_inputs(run, input_id, row);
    bool ok = true;
    for (int g = 0; g < ir->regions && ok; g++) {
        const struct ir_region *region = &ir->region[g];
        if (region->when == IR_LAST && !need_head) continue;
        for (int64_t r = 0; r < region->repeat && ok; r++)
            for (int n = region->first_node; n < region->first_node + region->nodes && ok; n++) ok = run_node(run, n, r);
    }
    if (ok && need_head && ir->design.is_lm) run->next_id = slot_of(run, ir->output[0], 0, position)->id;
    return ok;
}

uint32_t golden_run_next_id(const struct golden_run *run) { return run->next_id; }
const char *golden_run_fault(const struct golden_run *run) { return run->fault_text; }

bool golden_run_value(const struct golden_run *run, int tensor, int64_t repetition, int64_t position, struct trace_value *value) {
    const struct run_value *v = slot_of(run, tensor, repetition, position);
    if (!v || !v->valid || v->position != position) return false;
    const struct ir_tensor *t = &run->ir->tensor[tensor];
    int64_t stride = t->dtype == IR_SCALAR ? 1 : col_bound(t), block = t->block ? t->block : 1;
    *value = (struct trace_value){.dtype = t->dtype, .rows = v->rows, .cols = v->cols, .stride = stride, .block = t->block,
                                  .shift_stride = (stride + block - 1) / block, .f32 = v->f32, .acc = v->acc, .q = v->q, .shift = v->shift,
                                  .scale = v->scale, .id = &v->id};
    return true;
}
