// SPDX-License-Identifier: Apache-2.0
// A design at its own depths: whether it comes to a halt, and which streams run ahead.
#include <string.h>

#include "sizing.h"

bool timing_progress(struct ir *ir, const char **stuck) {
    struct sizing z = {.ir = ir, .emitted = true, .memory = sizing_fast_memory(ir)};
    *stuck = NULL;
    if (ir->design.tokens < 1 || ir->design.tokens > 8) return false; // an edited dump
    arena_init(&z.scratch);
    sizing_choose_cases(&z);
    bool ok = true;
    for (int i = 0; ok && i < 2 * z.tests; i++) {
        struct arena_mark mark = arena_mark(&z.scratch);
        const struct timing_result *r = sizing_run(&z, &z.test[i / 2], NULL, i % 2);
        ok = r && !r->stuck;
        if (r && r->stuck) *stuck = arena_printf(ir->arena, "%s: %s", z.test[i / 2].name, r->stuck);
        arena_release(&z.scratch, mark);
    }
    arena_free(&z.scratch);
    return ok;
}

// ---- streams that run ahead ----

// Beside the cases: whole steps with a part of one behind them, and ids.
static void add_requests(struct sizing *z) {
    const struct ir_design *d = &z->ir->design;
    const int64_t length[] = {d->tokens + 1, 2 * d->tokens + 1};
    for (size_t i = 0; i < COUNT_OF(length); i++) {
        struct timing_step *step;
        int steps = timing_request_steps(z->ir, at_most(length[i], d->context), 3, &step);
        sizing_add_case(z, "request", 0, step, steps < MAX_STEPS ? steps : MAX_STEPS);
    }
}

static bool mark_case(struct sizing *z, struct test_case *t, bool twice) {
    struct timing_options o = {
        .step = t->step, .steps = t->steps, .bounded = true, .twice = twice, .layers = LAYERS, .words = t->words, .limit = TIMING_LIMIT};
    struct arena_mark mark = arena_mark(&z->scratch);
    o.memory = z->memory;
    o.memory.refreshes = !twice; // the deeper FIFOs hold most behind the fastest memory
    const struct timing_result *r = timing_simulate(&z->scratch, z->ir, &o, &z->missing);
    if (r) sizing_note_words(z, t, r);
    for (int e = 0; r && e < z->ir->edges; e++)
        if (twice ? r->edge[e].high_water > z->ir->edge[e].depth : r->edge[e].full > 0) z->ir->edge[e].run_ahead = 1;
    arena_release(&z->scratch, mark);
    return r != NULL;
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
    arena_free(&z.scratch);
}
