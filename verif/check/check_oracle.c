// SPDX-License-Identifier: Apache-2.0
// Compares the replay's values, which come from the compiled graph, with the oracle's, which come from the spec:
// every tensor that the spec names, at every position, in every repetition, bit by bit.
#include <stdarg.h>
#include <string.h>

#include "verif/check/check_internal.h"

// How a tensor of the spec is found in the compiled graph.
enum match {
    MATCH_NONE,   // not compared: no output depends on it, or it is unknown
    MATCH_EVERY,  // compared in every repetition
    MATCH_FINAL,  // last value only: in the design its region has another number of repetitions, or it is not carried
    MATCH_THROUGH // a carried name that was removed: it has the values of its initial and next tensors
};

struct check_name {
    enum match match;
    int tensor;      // in the compiled graph
    uint64_t values; // compared elements
};

struct check_oracle {
    const struct oracle_graph *graph;
    struct oracle *run;
    const char *path;        // of the spec
    struct check_name *name; // per tensor of the spec
    uint64_t positions;
    uint32_t *ids;            // ids that the oracle makes
    float *row[IR_MAX_PORTS]; // outputs of all rows
    int64_t row_capacity[IR_MAX_PORTS];
};

static void fail(struct check *check, const char *fmt, ...) RILL_PRINTF(2, 3);
static void fail(struct check *check, const char *fmt, ...) {
    check->counts.mismatches++;
    if (check->mismatch != NULL) return;
    va_list args;
    va_start(args, fmt);
    const char *what = arena_vprintf(check->arena, fmt, args);
    va_end(args);
    check->mismatch = arena_printf(check->arena, "%s; the compiler has changed what the spec says", what);
}

static const char *place(const struct check *check, int t) {
    struct oracle_info info = oracle_info(check->oracle->graph, t);
    return arena_printf(check->arena, "oracle: `%s` (%s:%d)", info.name, oracle_lines(check->oracle->graph), info.line);
}

// ---- names ----

static int64_t repeat_of(const struct ir *ir, int tensor) {
    int region = ir->tensor[tensor].region;
    return region == IR_NONE ? 1 : ir->region[region].repeat;
}

// If `t` is the next value of a carried tensor that the design no longer carries, returns the design's tensor that has
// the carried tensor's name; otherwise IR_NONE.
static int find_renamed(const struct check *check, int t) {
    const struct oracle_graph *g = check->oracle->graph;
    for (int c = 0; c < oracle_tensors(g); c++) {
        int tensor = oracle_info(g, c).next == t ? ir_find_tensor(check->ir, oracle_info(g, c).name) : IR_NONE;
        if (tensor != IR_NONE && ir_carry_of(check->ir, tensor) == NULL) return tensor;
    }
    return IR_NONE;
}

// Finds how tensor `t` of the spec is compared. Reports an error if an output needs it and the design does not have it.
static struct check_name find_name(struct check *check, int t) {
    const struct ir *ir = check->ir;
    struct oracle_info info = oracle_info(check->oracle->graph, t);
    if (!info.needed || info.unknown) return (struct check_name){.match = MATCH_NONE};
    int tensor = ir_find_tensor(ir, info.name);
    bool carried = tensor != IR_NONE && ir_carry_of(ir, tensor) != NULL;
    if (info.carried && tensor == IR_NONE) return (struct check_name){.match = MATCH_THROUGH};
    if (info.carried && !carried) return (struct check_name){MATCH_FINAL, tensor, 0};
    if (tensor == IR_NONE) tensor = find_renamed(check, t);
    if (tensor == IR_NONE)
        fail(check, "%s: an output depends on it, but no tensor of the design has that name", place(check, t));
    if (tensor == IR_NONE) return (struct check_name){.match = MATCH_NONE};
    bool same = repeat_of(ir, tensor) == info.repetitions;
    return (struct check_name){same ? MATCH_EVERY : MATCH_FINAL, tensor, 0};
}

static void check_ports(struct check *check, const char *what, int wanted, int have) {
    if (wanted != have) fail(check, "oracle: the spec has %d %s, the design %d", wanted, what, have);
}

// Returns the design's tensor of an output. If the output is not compared, returns the design's own output, so that no
// difference is reported.
static int output_tensor(const struct check *check, int output) {
    const struct check_oracle *o = check->oracle;
    int t = oracle_find(o->graph, oracle_output(o->graph, output).name);
    if (o->name[t].match == MATCH_THROUGH) t = oracle_info(o->graph, t).next;
    return o->name[t].match == MATCH_NONE ? check->ir->output[output] : o->name[t].tensor;
}

// Compares inputs and outputs in order, and context and end ids. Inputs that nothing needs are not part of the design.
static void check_interface(struct check *check) {
    const struct oracle_graph *g = check->oracle->graph;
    const struct ir *ir = check->ir;
    int inputs = 0;
    for (int i = 0; i < oracle_inputs(g); i++) {
        const char *name = oracle_input(g, i).name;
        if (!oracle_info(g, oracle_find(g, name)).needed) continue;
        if (inputs < ir->inputs && strcmp(ir->tensor[ir->input[inputs]].name, name) != 0)
            fail(check, "oracle: input `%s` is `%s` in the design", name, ir->tensor[ir->input[inputs]].name);
        inputs++;
    }
    check_ports(check, "inputs", inputs, ir->inputs);
    check_ports(check, "outputs", oracle_outputs(g), ir->outputs);
    for (int o = 0; o < oracle_outputs(g) && o < ir->outputs; o++)
        if (ir->output[o] != output_tensor(check, o))
            fail(check, "oracle: output `%s` is `%s` in the design", oracle_output(g, o).name,
                 ir->tensor[ir->output[o]].name);
    if (oracle_is_lm(g) != ir->design.is_lm || oracle_context(g) != ir->design.context ||
        memcmp(oracle_eot(g), &ir->design.eot, sizeof ir->design.eot) != 0)
        fail(check, "oracle: the spec's context is %lld and its end ids %s, the design's %lld and %s",
             (long long)oracle_context(g), end_ids_text(check->arena, oracle_eot(g)), (long long)ir->design.context,
             end_ids_text(check->arena, &ir->design.eot));
}

void check_set_oracle(struct check *check, const struct oracle_graph *graph, struct oracle *oracle, const char *path) {
    struct check_oracle *o = check->oracle = ARENA_NEW(check->arena, struct check_oracle);
    *o = (struct check_oracle){.graph = graph, .run = oracle, .path = path};
    o->name = ARENA_ARRAY(check->arena, struct check_name, (size_t)oracle_tensors(graph) + 1);
    o->ids = ARENA_ARRAY(check->arena, uint32_t, (size_t)oracle_context(graph) + 1);
    for (int t = 0; t < oracle_tensors(graph); t++) o->name[t] = find_name(check, t);
    check_interface(check);
}

// ---- values ----

// The two values of a tensor that are being compared.
struct pair {
    struct check *check;
    int tensor; // in the spec
    int64_t repetition, position;
    const struct oracle_value *want;
    const struct replay_value *got;
};

static void differs(const struct pair *p, int64_t element, const char *want, const char *got) {
    fail(p->check, "%s, position %lld, repetition %lld, element %lld: the spec makes %s, the compiled graph %s",
         place(p->check, p->tensor), (long long)p->position, (long long)p->repetition, (long long)element, want, got);
}

static const char *word_text(const struct pair *p, float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return arena_printf(p->check->arena, "%.9g (%08x)", (double)x, bits);
}

static void differ_floats(const struct pair *p, int64_t element, float want, float got) {
    differs(p, element, word_text(p, want), word_text(p, got));
}

static void differ_ints(const struct pair *p, int64_t element, int64_t want, int64_t got) {
    differs(p, element, arena_printf(p->check->arena, "%lld", (long long)want),
            arena_printf(p->check->arena, "%lld", (long long)got));
}

// Returns the place of an element of the replay's value, whose rows may have gaps between them.
static int64_t at(const struct replay_value *v, int64_t element) {
    return element / v->cols * v->stride + element % v->cols;
}

// The compare functions return false after the first difference. apart: rows of `got` may have gaps between them.
static bool compare_floats(const struct pair *p, const float *want, const float *got, int64_t n, bool apart) {
    for (int64_t i = 0; i < n; i++) {
        const float *g = got + (apart ? at(p->got, i) : i);
        if (!memcmp(&want[i], g, sizeof *g)) continue;
        differ_floats(p, i, want[i], *g);
        return false;
    }
    return true;
}

static bool compare_bytes(const struct pair *p, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        if (p->want->q[i] != p->got->q[at(p->got, i)])
            return differ_ints(p, i, p->want->q[i], p->got->q[at(p->got, i)]), false;
    return true;
}

static bool compare_mantissas(const struct pair *p, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        if (p->want->mx[i] != p->got->mx[at(p->got, i)])
            return differ_ints(p, i, p->want->mx[i], p->got->mx[at(p->got, i)]), false;
    return true;
}

static bool compare_integers(const struct pair *p, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        if (p->want->acc[i] != p->got->acc[at(p->got, i)])
            return differ_ints(p, i, (int64_t)p->want->acc[i], (int64_t)p->got->acc[at(p->got, i)]), false;
    return true;
}

static bool compare_shifts(const struct pair *p) {
    const struct oracle_value *v = p->want;
    if (p->got->block != v->block || p->got->rows != v->rows)
        return differs(p, 0, arena_printf(p->check->arena, "blocks of %lld", (long long)v->block),
                       arena_printf(p->check->arena, "of %lld", (long long)p->got->block)),
               false;
    for (int64_t i = 0; i < v->rows * v->blocks; i++) {
        int got = p->got->shift[i / v->blocks * p->got->shift_stride + i % v->blocks];
        if (v->shift[i] != got) return differ_ints(p, i % v->blocks * v->block, v->shift[i], got), false;
    }
    return true;
}

static bool same_kind(enum oracle_kind kind, enum ir_dtype dtype) {
    switch (kind) {
    case ORACLE_F32: return dtype == IR_F32 || dtype == IR_SCALAR;
    case ORACLE_MX: return dtype == IR_MX;
    case ORACLE_ACC: return dtype == IR_ACC;
    case ORACLE_KV: return dtype == IR_KV;
    case ORACLE_INT8: return dtype == IR_INT8;
    case ORACLE_ID: return dtype == IR_ID;
    }
    return false;
}

static void compare_pair(const struct pair *p) {
    const struct oracle_value *v = p->want;
    int64_t n = v->rows * v->cols, have = p->got->dtype == IR_ID ? 1 : p->got->rows * p->got->cols;
    uint64_t more = 0;
    if (!same_kind(v->kind, p->got->dtype) || n != have) {
        differs(p, 0, arena_printf(p->check->arena, "%lld elements", (long long)n),
                arena_printf(p->check->arena, "%lld of type %s", (long long)have, ir_dtype_words[p->got->dtype]));
        return;
    }
    switch (v->kind) {
    case ORACLE_F32: compare_floats(p, v->f32, p->got->f32, n, true); break;
    case ORACLE_MX:
        if (compare_mantissas(p, n)) compare_shifts(p);
        more = (uint64_t)(v->rows * v->blocks);
        break;
    case ORACLE_ACC: compare_integers(p, n); break;
    case ORACLE_KV:
        if (compare_bytes(p, n)) compare_floats(p, v->scale, p->got->scale, v->rows, false);
        more = (uint64_t)v->rows;
        break;
    case ORACLE_INT8: compare_bytes(p, n); break;
    case ORACLE_ID:
        if (v->id != *p->got->id) differ_ints(p, 0, v->id, *p->got->id);
        break;
    }
    p->check->oracle->name[p->tensor].values += (uint64_t)n + more;
}

// ---- one position ----

// Compares a value that the oracle made in this step with the replay's value of repetition `golden`.
static void compare_at(struct check *check, int t, int64_t repetition, int64_t golden, int64_t position) {
    const struct oracle_value *want = oracle_value(check->oracle->run, t, repetition);
    struct replay_value got;
    if (!want) return; // its region did not run at this position
    struct pair p = {check, t, repetition, position, want, &got};
    if (replay_value(check->golden, check->oracle->name[t].tensor, golden, position, &got)) compare_pair(&p);
    else
        fail(check, "%s, position %lld, repetition %lld: the compiled graph has no value", place(check, t),
             (long long)position, (long long)repetition);
}

static void compare_name(struct check *check, int t, int64_t position) {
    const struct check_name *name = &check->oracle->name[t];
    struct oracle_info info = oracle_info(check->oracle->graph, t);
    int64_t last = info.repetitions - !info.carried;
    if (name->match == MATCH_FINAL)
        compare_at(check, t, last, check_last_repetition(check->ir, name->tensor), position);
    for (int64_t r = 0; name->match == MATCH_EVERY && r <= last; r++) compare_at(check, t, r, r, position);
}

// Spreads the design's input rows over the spec's inputs, because the design has only those inputs that it needs.
static void spread_rows(const struct check_oracle *o, const float *const row[], const float *all[]) {
    int have = 0;
    for (int i = 0; i < oracle_inputs(o->graph); i++) {
        bool needed = oracle_info(o->graph, oracle_find(o->graph, oracle_input(o->graph, i).name)).needed;
        all[i] = needed ? row[have++] : NULL;
    }
}

// Keeps the oracle's output rows of a position for check_oracle_row.
static void keep_rows(struct check *check, int64_t position) {
    struct check_oracle *o = check->oracle;
    for (int k = 0; k < oracle_outputs(o->graph) && !oracle_is_lm(o->graph); k++) {
        int64_t n = oracle_output(o->graph, k).elements;
        const float *made = oracle_output_row(o->run, k);
        if (check->request.count > o->row_capacity[k]) {
            o->row_capacity[k] = check->request.count;
            o->row[k] = ARENA_ARRAY(check->arena, float, (size_t)(check->request.count * n));
        }
        if (made) memcpy(o->row[k] + position * n, made, (size_t)n * sizeof *made);
    }
}

void check_oracle_step(struct check *check, uint32_t id, const float *const row[], int64_t position, bool head,
                       bool golden_done) {
    struct check_oracle *o = check->oracle;
    const float *all[IR_MAX_PORTS] = {0};
    if (!o || check->mismatch) return;
    if (!oracle_is_lm(o->graph)) spread_rows(o, row, all);
    bool done = oracle_step(o->run, id, all, position, head);
    if (done != golden_done) {
        const char *why = done ? replay_fault(check->golden) : oracle_fault(o->run);
        fail(check, "oracle: a fault in the %s alone: %s", done ? "compiled graph" : "spec", why ? why : "unknown");
    }
    if (!done || !golden_done) return;
    // Carried tensors come last, so that a difference is reported where it arises.
    for (int carried = 0; carried < 2; carried++)
        for (int t = 0; t < oracle_tensors(o->graph); t++)
            if (oracle_info(o->graph, t).carried == (carried == 1)) compare_name(check, t, position);
    if (head && oracle_is_lm(o->graph)) o->ids[check->id_count] = oracle_next_id(o->run);
    keep_rows(check, position);
    o->positions++;
}

// Returns whether the oracle can evaluate the output.
static bool knows(const struct check_oracle *o, int output) {
    return !oracle_info(o->graph, oracle_find(o->graph, oracle_output(o->graph, output).name)).unknown;
}

const uint32_t *check_oracle_ids(const struct check *check) {
    return check->oracle && knows(check->oracle, 0) ? check->oracle->ids : NULL;
}

const float *check_oracle_row(struct check *check, int output, int64_t row) {
    struct check_oracle *o = check->oracle;
    if (!o || !plan_run(check, row) || !knows(o, output)) return NULL;
    return o->row[output] + row * oracle_output(o->graph, output).elements;
}

// ---- what was compared ----

// Returns whether tensor `t` was compared. A carried name that was removed counts as compared if its next tensor was
// compared, or if no output depends on that tensor.
static bool is_compared(const struct check_oracle *o, int t) {
    if (o->name[t].match != MATCH_THROUGH) return o->name[t].values > 0;
    int next = oracle_info(o->graph, t).next;
    return o->name[next].values > 0 || !oracle_info(o->graph, next).needed;
}

struct check_oracle_counts check_oracle_counts(const struct check *check) {
    const struct check_oracle *o = check->oracle;
    struct check_oracle_counts counts = {.present = o != NULL};
    if (!o) return counts;
    counts.positions = o->positions;
    counts.named = (uint64_t)oracle_tensors(o->graph);
    for (int t = 0; t < oracle_tensors(o->graph); t++) {
        counts.tensors += is_compared(o, t);
        counts.values += o->name[t].values;
    }
    return counts;
}

const char *check_oracle_left(const struct check *check, int t, const char **why) {
    const struct check_oracle *o = check->oracle;
    if (!o || is_compared(o, t)) return NULL;
    struct oracle_info info = oracle_info(o->graph, t);
    *why = !info.needed   ? "no output depends on it"
           : info.unknown ? arena_printf(check->arena, "it depends on `%s`, whose kernel has no golden function",
                                         oracle_beyond(o->graph))
                          : "its region did not run";
    return info.name;
}
