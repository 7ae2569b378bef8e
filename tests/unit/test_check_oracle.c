// SPDX-License-Identifier: Apache-2.0
// Tests the checker with an oracle that generates other ids than the replay: a run must be compared with the oracle's
// ids. The oracle of this file replaces the real one.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "verif/check/check_internal.h"

enum { CONTEXT = 6, GOLDEN_ID = 7, ORACLE_ID_BASE = 50 };

// ---- an oracle of a language model with one output tensor, with which no stream is compared ----
// The test passes NULL as graph and as oracle. The functions return the values of this oracle only for NULL.

static const struct end_ids no_eot;
static int64_t latest;      // position of the latest step
static bool unknown_output; // the oracle cannot compute its output

bool oracle_is_lm(const struct oracle_graph *g) { return g == NULL; }
int64_t oracle_context(const struct oracle_graph *g) { return g ? 0 : CONTEXT; }
const struct end_ids *oracle_eot(const struct oracle_graph *g) { return g ? NULL : &no_eot; }
int oracle_inputs(const struct oracle_graph *g) { return g ? 1 : 0; }
int oracle_outputs(const struct oracle_graph *g) { return g ? 0 : 1; }
struct oracle_io oracle_input(const struct oracle_graph *g, int input) {
    return (struct oracle_io){.name = "x", .rank = g ? 0 : input};
}
struct oracle_io oracle_output(const struct oracle_graph *g, int output) {
    return (struct oracle_io){.name = "y", .rank = g ? 0 : output, .elements = 1};
}
const char *oracle_beyond(const struct oracle_graph *g) { return g ? "y" : NULL; }
int oracle_tensors(const struct oracle_graph *g) { return g ? 0 : 1; }
const char *oracle_lines(const struct oracle_graph *g) { return g ? "" : "spec.yaml"; }
struct oracle_info oracle_info(const struct oracle_graph *g, int tensor) {
    return (struct oracle_info){
        .name = "y", .line = tensor, .repetitions = g ? 0 : 1, .unknown = unknown_output, .next = ORACLE_NONE};
}
int oracle_find(const struct oracle_graph *g, const char *name) { return g || *name != 'y' ? ORACLE_NONE : 0; }

bool oracle_step(struct oracle *o, uint32_t id, const float *const row[], int64_t position, bool last) {
    latest = position;
    return !o && last && row[0] == NULL && id == (uint32_t)position;
}
uint32_t oracle_next_id(const struct oracle *o) { return o ? 0 : ORACLE_ID_BASE + (uint32_t)latest; }
const char *oracle_fault(const struct oracle *o) { return o ? "" : NULL; }
const float *oracle_output_row(const struct oracle *o, int output) { return o || output ? NULL : NULL; }
const struct oracle_value *oracle_value(const struct oracle *o, int tensor, int64_t repetition) {
    (void)o, (void)tensor, (void)repetition;
    return NULL;
}

// ---- the checker ----

static struct check *make_check(struct arena *arena) {
    struct ir *ir = ARENA_NEW(arena, struct ir);
    struct check *check = ARENA_NEW(arena, struct check);
    ir->outputs = 1;
    ir->design.is_lm = true;
    ir->design.context = CONTEXT;
    *check = (struct check){.arena = arena, .ir = ir, .ids = ARENA_ARRAY(arena, uint32_t, CONTEXT)};
    check_set_oracle(check, NULL, NULL, "spec.yaml");
    assert_null(check->mismatch);
    return check;
}

static void test_ids_are_the_oracles(void **state) {
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct check *check = make_check(&arena);
    for (int64_t position = 0; position < CONTEXT; position++) {
        check->id_count = position;
        check->ids[position] = GOLDEN_ID;
        check_oracle_step(check, (uint32_t)position, NULL, position, true, true);
        assert_null(check->mismatch);
    }
    for (int position = 0; position < CONTEXT; position++)
        assert_int_equal(check_oracle_ids(check)[position], ORACLE_ID_BASE + position);
    unknown_output = true; // a kernel without golden function: only the replay has ids
    assert_null(check_oracle_ids(check));
    unknown_output = false;
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ids_are_the_oracles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
