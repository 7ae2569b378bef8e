// SPDX-License-Identifier: Apache-2.0
// Checks a design at its own depths: whether it deadlocks, and which streams run ahead. docs/fifos.md explains both.
#include <string.h>

#include "gen/timing/sizing.h"

enum {
    PASSAGE_BUDGET = 12000000 /* no further case of sizing_choose_passages is begun after so many words and beats, which
                                 take about a second to simulate */
};

// Runs a case at the design's own depths with a single word in each pipeline. If the case deadlocks, returns false,
// with the place in *stuck and the full streams in `full` (unless NULL). If a module has no contract, returns false
// alone.
static bool goes_through(struct sizing *z, struct test_case *t, const char **stuck, bool *full) {
    struct arena_mark mark = arena_mark(&z->scratch);
    const struct timing_result *r = sizing_run(z, t, NULL, true);
    bool ok = r && (!r->stuck || r->cut);
    if (!ok && r) *stuck = arena_printf(z->ir->arena, "%s: %s", t->name, r->stuck);
    for (int e = 0; full && !ok && r && e < z->ir->edges; e++) full[e] = r->edge[e].holds >= z->ir->edge[e].depth;
    arena_release(&z->scratch, mark);
    return ok;
}

bool timing_progress(struct ir *ir, bool sized, const char **stuck, bool *full) {
    struct sizing z = {.ir = ir, .emitted = true, .memory = sizing_fast_memory(ir)};
    *stuck = NULL;
    if (ir->design.tokens < 1 || ir->design.tokens > 8) return false; // an edited dump
    arena_init(&z.scratch);
    sizing_choose_cases(&z);
    int brief = z.tests;
    sizing_choose_passages(&z);
    bool ok = true;
    for (int i = sized ? brief : 0; ok && i < z.tests && (i < brief || z.work < PASSAGE_BUDGET); i++) {
        struct test_case *t = &z.test[i];
        if (i > 0) t->words = z.test[i - 1].words; // one list for all cases, so that their buffers rarely grow
        if (i < brief && !ir->design.is_lm) t->steps = (int)at_most(t->steps, BRIEF_STEPS);
        ok = goes_through(&z, t, stuck, full);
    }
    arena_free(&z.scratch);
    return ok;
}

// ---- streams that run ahead ----

enum {
    MORE_WORK = 900000 /* words and beats after which no further request is run */,
    MORE_REQUESTS = 64 /* most requests after the first one */,
    MORE_AGE = 373 /* cycles by which each request begins later; not a divisor of a refresh interval */,
    LONG_MARKS = 4500000 /* if the cases have more words and beats than this, no further requests are run */
};

// Adds two requests to the cases. They have one and two prompt steps of T tokens, then a partial step, then decode
// steps.
static void add_requests(struct sizing *z) {
    const struct ir_design *d = &z->ir->design;
    const int64_t length[] = {d->tokens + 1, 2 * d->tokens + 1};
    for (size_t i = 0; i < COUNT_OF(length); i++) {
        struct timing_step *step;
        int steps = timing_request_steps(z->ir, at_most(length[i], d->context), 3, &step);
        sizing_add_case(z, "request", 0, step, steps < MAX_STEPS ? steps : MAX_STEPS);
    }
}

// Simulates a run and marks the streams that run ahead in it: those whose writer waited for room or, if all depths are
// doubled (o->twice), those that hold more words than their depth. t: case that the words of the run are noted for, or
// NULL. Returns false if the run cannot be simulated.
static bool mark_run(struct sizing *z, struct timing_options *o, struct test_case *t) {
    struct arena_mark mark = arena_mark(&z->scratch);
    o->bounded = true;
    o->layers = LAYERS;
    o->limit = TIMING_LIMIT;
    o->memory.refreshes = !o->twice; // deeper FIFOs fill most with the fastest memory
    const struct timing_result *r = timing_simulate(&z->scratch, z->ir, o, &z->missing);
    if (r && t) sizing_note_words(z, t, r);
    if (r) z->work += r->words + r->beats;
    for (int e = 0; r && e < z->ir->edges; e++)
        if (o->twice ? r->edge[e].high_water > z->ir->edge[e].depth : r->edge[e].full > 0) z->ir->edge[e].run_ahead = 1;
    arena_release(&z->scratch, mark);
    return r != NULL;
}

static bool mark_case(struct sizing *z, struct test_case *t, bool twice) {
    struct timing_options o = {
        .step = t->step, .steps = t->steps, .twice = twice, .words = t->words, .memory = z->memory};
    return mark_run(z, &o, t);
}

// Runs more requests until they have simulated MORE_WORK words and beats: one with two whole steps and a partial one,
// then alternately the next short prompt and a longer one. The first request begins as after reset. Each later one
// begins at a later time of the memory, so that refreshes hit other parts of the request.
static bool mark_more(struct sizing *z) {
    int64_t enough = z->work + MORE_WORK;
    bool ok = true;
    for (int n = 0; ok && n <= MORE_REQUESTS && z->work < enough; n++) {
        struct timing_step *step;
        int64_t length = n == 0 ? 2 * z->ir->design.tokens + 1 : n % 2 ? (n + 1) / 2 : 3 * n + 1;
        struct timing_options o = {.memory = timing_memory_at(z->ir, timing_host_cycles(z->ir) + MORE_AGE * n)};
        length = at_most(length, z->ir->design.context);
        o.steps = timing_request_steps(z->ir, length, 3, &step);
        o.step = step;
        ok = mark_run(z, &o, NULL);
        o.twice = true;
        ok = ok && mark_run(z, &o, NULL);
    }
    return ok;
}

void timing_mark_ahead(struct ir *ir) {
    if (ir->design.tokens < 1 || ir->design.tokens > 8) return; // an edited dump
    struct sizing z = {.ir = ir, .memory = sizing_fast_memory(ir)};
    bool ok = true;
    arena_init(&z.scratch);
    sizing_choose_cases(&z);
    add_requests(&z);
    for (int e = 0; e < ir->edges; e++) ir->edge[e].run_ahead = 0;
    for (int i = 0; ok && i < 2 * z.tests; i++) ok = mark_case(&z, &z.test[i / 2], i % 2);
    if (ok && z.work < LONG_MARKS) mark_more(&z);
    arena_free(&z.scratch);
}
