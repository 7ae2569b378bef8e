// SPDX-License-Identifier: Apache-2.0
// Tests designs that deadlocked because keys were read ahead of the engine, with heads of several beats. Simulates
// whole requests without RTL, with the present rule for counting keys, which must not deadlock, and with an earlier
// rule, which must: this shows that the simulator can find these deadlocks.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gen/command/command.h"
#include "gen/timing/timing.h"

static const char *const specs[] = {"tests/fuzz/found/keys_of_input.yaml", "tests/fuzz/found/keys_of_norm.yaml",
                                    "tests/fuzz/found/keys_of_own_engine.yaml"};

static struct arena arena;
static struct diag diag;
static int setup(void **state) {
    (void)state;
    arena_init(&arena);
    diag_init(&diag, stderr);
    return 0;
}
static int teardown(void **state) {
    (void)state;
    arena_free(&arena);
    return 0;
}

// Simulates a request that fills the context, with the design's FIFO depths. Returns NULL, or the text that says which
// kernel waits for which. idle_counts: with the earlier rule, under which keys count as written only when their write
// engine is idle. single_word: a pipeline that stalls holds only one word.
static const char *deadlock(const char *spec, bool idle_counts, bool single_word) {
    struct ir *ir = command_build(spec, &arena, &diag, NULL);
    assert_non_null(ir);
    struct timing_step *step;
    struct timing_options o = {.bounded = true, .idle_counts = idle_counts, .single_word = single_word};
    const char *missing = NULL;
    o.memory = timing_memory_at(ir, timing_host_cycles(ir));
    o.steps = timing_request_steps(ir, ir->design.context, 1, &step);
    o.step = step;
    const struct timing_result *r = timing_simulate(&arena, ir, &o, &missing);
    assert_non_null(r);
    assert_null(missing); // a deadlock is no missing contract
    return r->stuck;
}

static void keys_ahead_go_through(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(specs); i++) {
        assert_null(deadlock(specs[i], false, false));
        assert_null(deadlock(specs[i], false, true));
    }
}

static void keys_ahead_deadlocked_when_engines_had_to_be_idle(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(specs); i++) assert_non_null(deadlock(specs[i], true, false));
}

// In these designs the keys depend on a product of the same engine. If the engine waits, the writer of keys waits as
// well, so they do not deadlock even with the earlier rule.
static void keys_of_a_product_go_through_with_both(void **state) {
    (void)state;
    assert_null(deadlock("tests/e2e/cases/blocks/spec.yaml", true, false));
    assert_null(deadlock("tests/e2e/cases/inputs/spec.yaml", true, false));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(keys_ahead_go_through, setup, teardown),
        cmocka_unit_test_setup_teardown(keys_ahead_deadlocked_when_engines_had_to_be_idle, setup, teardown),
        cmocka_unit_test_setup_teardown(keys_of_a_product_go_through_with_both, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
