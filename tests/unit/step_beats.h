// SPDX-License-Identifier: Apache-2.0
// Shared by test_together.c and test_window.c: checks that the forecast's simulator reads as many beats for the engines
// in one step as the formulas of the cost model count.
#ifndef RILL_STEP_BEATS_H
#define RILL_STEP_BEATS_H

#include "tests/unit/image_fixture.h"

#include "gen/cost/cost.h"
#include "gen/timing/timing.h"

// pos: position of the step's first token; tokens: tokens of the step. Fails the test if the beats of an engine, or the
// cycles in which it is busy, differ. Returns the beats that all engines read from memory in the step.
static inline int64_t check_step_beats(const struct ir *ir, int64_t pos, int tokens) {
    struct arena scratch;
    arena_init(&scratch);
    const char *missing = NULL;
    struct timing_step step = timing_step_at(pos, tokens, true);
    struct timing_options o = {.step = &step, .steps = 1, .memory = timing_memory_at(ir, 0)};
    struct timing_result *r = timing_simulate(&scratch, ir, &o, &missing);
    assert_non_null(r);
    assert_null(r->stuck);
    int64_t memory = 0;
    for (int e = 0; e < ir->engines; e++) {
        struct cost_beats b = cost_step_beats(ir, e, &(struct cost_step){pos, tokens, true});
        int64_t beats = 0, busy = 0;
        for (int f = 0; f < ir->firings; f++) {
            if (ir->firing[f].engine != e) continue;
            beats += r->firing[f].beats;
            busy += r->firing[f].busy;
        }
        assert_int_equal(beats, b.memory);
        assert_int_equal(busy, b.weights + b.scores + b.values);
        memory += b.memory;
    }
    arena_free(&scratch);
    return memory;
}

#endif
