// SPDX-License-Identifier: Apache-2.0
// The stream checker's interface: opening, requests, results, and the report of the first difference.
#include "verif/check/check.h"

#include <stdarg.h>

#include "verif/check/check_internal.h"

// Returns for how many positions the replay keeps values: as many as fit in 256 MiB at 4 bytes per element, but at
// least as many as 6 full steps have. A language model keeps at most 64 positions. The steps of other graphs do not
// wait for one another, so more of them may be under way, and the limit is 64 full steps.
int check_window(const struct ir *ir) {
    uint64_t bytes = 1;
    for (int t = 0; t < ir->tensors; t++) {
        int region = ir->tensor[t].region;
        uint64_t repeat = region == IR_NONE ? 1 : (uint64_t)ir->region[region].repeat;
        bytes += 4 * repeat * (uint64_t)ir_tensor_elements(&ir->tensor[t]);
    }
    uint64_t positions = (256u << 20) / bytes, least = 6 * (uint64_t)ir->design.tokens;
    uint64_t most = ir->design.is_lm ? 64 : 64 * (uint64_t)ir->design.tokens;
    if (positions > most) positions = most;
    return (int)(positions < least ? least : positions);
}

struct check *check_open(struct arena *arena, const struct ir *ir, struct replay *golden, enum check_set set,
                         struct diag *diag) {
    if (ir->design.tokens > CHECK_MAX_TOKENS) {
        diag_error(diag, loc_none(), MSG_CHECK_TOKENS, ir->design.tokens, CHECK_MAX_TOKENS);
        return NULL;
    }
    struct check *check = ARENA_NEW(arena, struct check);
    check->arena = arena;
    check->ir = ir;
    check->golden = golden;
    check->set = set;
    int chooser = ir_driver(ir, IR_NET_ROW_HASH);
    check->hashed = chooser == IR_NONE ? IR_NONE : ir->node[ir->kernel[chooser].node].in[0];
    edges_open(check);
    return check;
}

void check_begin(struct check *check, const struct check_request *request) {
    if (check->around) replay_forget(check->golden);
    check->requests++;
    check_again(check, request);
}

void check_again(struct check *check, const struct check_request *request) {
    check->request = *request;
    plan_begin(check);
    edges_begin(check);
}

bool check_wants(struct check *check, int edge) {
    check->edge[edge].probed = true;
    return check->edge[edge].active;
}

// Names an edge in a message: "kernel q_proj, stream q (h.q)".
static const char *edge_text(const struct check *check, int edge) {
    const struct ir *ir = check->ir;
    const struct ir_edge *e = &ir->edge[edge];
    const struct edge *own = &check->edge[edge];
    const char *tensor = own->is_step ? "step words" : own->is_ring ? "ids" : ir->tensor[own->tensor].name;
    return arena_printf(check->arena, "kernel %s, stream %s (%s)", ir->kernel[e->src_kernel].name, e->name, tensor);
}

void check_fail(struct check *check, int edge, uint64_t cycle, const char *fmt, ...) {
    check->counts.mismatches++;
    if (check->mismatch != NULL) return;
    va_list args;
    va_start(args, fmt);
    const char *what = arena_vprintf(check->arena, fmt, args);
    va_end(args);
    check->mismatch =
        arena_printf(check->arena, "cycle %llu, %s: %s", (unsigned long long)cycle, edge_text(check, edge), what);
}

// Finds the step that an unfinished stream still waits for. Returns false if it has seen the whole request.
static bool step_missing(struct check *check, const struct edge *e, struct step *step, int64_t *index) {
    for (*index = e->step; plan_step(check, *index, step); ++*index)
        if (!e->head_only || step->head) return true;
    return false;
}

// Returns whether the stream waits for the last repetition of the last step, in which no output needs the tensor of the
// stream.
static bool is_needless(struct check *check, const struct edge *e, int64_t index) {
    struct step next;
    return !e->is_step && !check->needed[e->tensor] && e->repetition == e->repetitions - 1 &&
           !plan_step(check, index + 1, &next);
}

// Reports an error if a stream of a tensor or of step words has not seen the whole request.
static void end_stream(struct check *check, int edge, const struct edge *e, uint64_t cycle) {
    struct step step;
    int64_t index;
    if (!step_missing(check, e, &step, &index) || is_needless(check, e, index)) return;
    check->edge[edge].tensor = e->tensor;
    check_fail(check, edge, cycle, "the stream ended early: repetition %lld of the step at position %lld is missing",
               (long long)e->repetition, (long long)step.first);
}

static void end_ring(struct check *check, int edge, const struct edge *e, uint64_t cycle) {
    (void)plan_steps(check);
    if (e->step != check->id_count)
        check_fail(check, edge, cycle, "the stream ended early: %lld of %lld ids", (long long)e->step,
                   (long long)check->id_count);
}

static void end_edge(struct check *check, int edge, uint64_t cycle) {
    struct edge *e = &check->edge[edge];
    if (!e->active || !e->probed || !(check->set == CHECK_ALL || e->always)) return;
    if (e->is_ring) end_ring(check, edge, e, cycle);
    else if (!e->route) end_stream(check, edge, e, cycle);
    else route_part(check, e); // moves past firings that this stream does not carry
    for (int i = 0; e->route && i < route_parts(e); i++)
        if (route_part_at(e, i)) end_stream(check, edge, route_part_at(e, i), cycle);
}

void check_end(struct check *check, uint64_t cycle) {
    check_drain(check);
    for (int i = 0; i < check->ir->edges; i++)
        if (check->edge[i].queue.beat.count)
            check_fail(check, i, cycle,
                       "words wait for a result of a kernel without golden function, which has not come whole");
    for (int i = 0; i < check->ir->edges; i++) end_edge(check, i, cycle);
}

const uint32_t *check_golden_ids(struct check *check, int64_t *count) {
    (void)plan_steps(check);
    *count = check->id_count;
    const uint32_t *ids = check_oracle_ids(check);
    return ids ? ids : check->ids;
}

uint64_t check_golden_hash(struct check *check) {
    (void)plan_steps(check);
    return check->hash;
}

bool check_golden_output(struct check *check, int output, int64_t row, struct replay_value *value) {
    int tensor = check->ir->output[output];
    return plan_run(check, row) &&
           replay_value(check->golden, tensor, check_last_repetition(check->ir, tensor), row, value);
}

const char *check_mismatch(const struct check *check) { return check->mismatch; }

const char *check_overflow(const struct check *check) {
    return check->golden_failed ? replay_fault(check->golden) : NULL;
}

struct check_counts check_counts(const struct check *check) {
    struct check_counts counts = check->counts;
    for (int i = 0; i < check->ir->edges; i++) {
        const struct edge *e = &check->edge[i];
        counts.streams += e->seen;
        counts.constant +=
            e->shown >= CHECK_MANY_BEATS && !e->varied && !e->is_step && !e->is_ring && e->dtype != IR_ID;
    }
    return counts;
}

int64_t check_steps(struct check *check) { return plan_steps(check); }
int64_t check_positions(const struct check *check) { return check->positions; }

uint64_t check_step_end(const struct check *check, int64_t step) {
    return step >= 0 && step < (int64_t)check->step_end.count ? check->step_end.items[step] : 0;
}

int64_t check_step_position(struct check *check, int64_t step) {
    struct step s = {0};
    (void)plan_step(check, step, &s);
    return s.first;
}

const uint64_t *check_golden_hashes(const struct check *check) { return check->hashes; }

const uint32_t *check_golden_records(const struct check *check) { return check->records; }

const float *check_logits(const struct check *check, size_t *count) {
    *count = check->logits.count;
    return check->logits.items;
}

uint64_t check_logits_hash(const struct check *check) {
    uint64_t hash = 0;
    for (int i = 0; i < check->ir->edges; i++) {
        const struct edge *e = &check->edge[i];
        if (!e->is_logits) continue;
        size_t row = (size_t)ir_tensor_elements(&check->ir->tensor[e->tensor]);
        for (size_t at = 0; at + row <= check->logits.count; at += row)
            hash = logits_hash(hash, check->logits.items + at, row);
    }
    return hash;
}

const char *check_edge_place(const struct check *check, struct arena *arena, int edge) {
    const struct edge *e = &check->edge[edge];
    if (!e->active) return "";
    return arena_printf(arena, "step %lld, repetition %lld, firing %d, %lld beats into it", (long long)e->step,
                        (long long)e->repetition, e->firing, (long long)e->beats[0]);
}
