// SPDX-License-Identifier: Apache-2.0
// Tests the computed tables of rotary embedding: their angles against known values, the compiler's tables bit by bit
// against the oracle's, and the lanes of the operations that use a table.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "gen/reference/weights.h"
#include "gen/command/command.h"
#include "gen/kernel/kernel.h"
#include "gen/ir/ops.h"

enum { COLS = 64, PAIRS = COLS / 2, ROWS = 100 };

struct table {
    struct arena arena;
    float at[ROWS][COLS]; // at[p]: the cosines of all pairs at position p, then their sines
};

static struct ir_node node_of(struct ir *ir, const char *scaling, double theta, double factor, int64_t original) {
    struct ir_node node = {.op = ir_op_find(ir, "rope_table")};
    struct ir_op_attr row;
    assert_true(ir_op_attr_of(ir, node.op, "scaling", &row));
    ir_attr_set_text(ir, &node.attrs, &row, scaling);
    ir_attr_set_float(ir, &node.attrs, "theta", theta);
    ir_attr_set_float(ir, &node.attrs, "factor", factor);
    ir_attr_set_int(ir, &node.attrs, "original_context", original);
    return node;
}

static void fill(struct table *t, const char *scaling, double theta, double factor, int64_t original) {
    struct ir ir = {.arena = &t->arena};
    arena_init(&t->arena);
    struct ir_node node = node_of(&ir, scaling, theta, factor, original);
    kernel_of_op(&ir, node.op)->compute(&node, ROWS, COLS, t->at[0]);
}

// Returns the angle of a pair at position 1.
static double angle(const struct table *t, int pair) { return atan2(t->at[1][PAIRS + pair], t->at[1][pair]); }

static void rows_turn(void **state) {
    (void)state;
    struct table t;
    fill(&t, "none", 10000, 1, 8192);
    for (int i = 0; i < PAIRS; i++) {
        assert_true(t.at[0][i] == 1 && t.at[0][PAIRS + i] == 0);
        for (int p = 1; p < ROWS; p++) {
            double a = p * exp(-2.0 * i / COLS * log(10000));
            assert_true(fabs(t.at[p][i] - cos(a)) < 1e-7 && fabs(t.at[p][PAIRS + i] - sin(a)) < 1e-7);
        }
    }
    arena_free(&t.arena);
}

// Compares the angles of some pairs at position 1 with `want`, which modeling_rope_utils of transformers computed in
// float64, and the length of the vector of pair 0 with `magnitude`.
static void check_angles(const char *scaling, double theta, double factor, int64_t original, const int pair[],
                         const double want[], size_t count, double magnitude) {
    struct table t;
    fill(&t, scaling, theta, factor, original);
    for (size_t i = 0; i < count; i++)
        if (fabs(angle(&t, pair[i]) / want[i] - 1) > 1e-6)
            fail_msg("%s, pair %d: %.9g, expected %.9g", scaling, pair[i], angle(&t, pair[i]), want[i]);
    assert_true(fabs(hypot(t.at[1][0], t.at[1][PAIRS]) - magnitude) < 1e-6);
    arena_free(&t.arena);
}

static void scalings_are_those_of_the_models(void **state) {
    (void)state;
    const int pair[] = {0, 5, 14, 15, 16, 20, 31};
    const double linear[] = {0.125,   0.0296421713,   0.00222284926, 0.00166690179,
                             0.00125, 0.000395284708, 1.66690179e-05};
    const double llama3[] = {
        1, 0.128687373, 0.00321144599, 0.00129054793, 0.000429556797, 8.57025549e-06, 9.41830673e-08};
    const double yarn[] = {1, 0.237137371, 0.0116272115, 0.00794983931, 0.00538461538, 0.000973008511, 3.33380358e-05};
    check_angles("linear", 10000, 8, 8192, pair, linear, COUNT_OF(pair), 1);
    check_angles("llama3", 500000, 32, 8192, pair, llama3, COUNT_OF(pair), 1);
    check_angles("yarn", 10000, 4, 2048, pair, yarn, COUNT_OF(pair), 0.1 * log(4) + 1);
}

// Checks that a given magnitude replaces the one that yarn computes. A magnitude of 0 means that none is given.
static void magnitude_is_given(void **state) {
    (void)state;
    const double given[] = {0.75, 0, 1.25};
    for (int i = 0; i < 3; i++) {
        struct table t;
        struct ir ir = {.arena = &t.arena};
        arena_init(&t.arena);
        struct ir_node node = node_of(&ir, "yarn", 10000, 4, 2048);
        ir_attr_set_float(&ir, &node.attrs, "attention_factor", given[i]);
        kernel_of_op(&ir, node.op)->compute(&node, ROWS, COLS, t.at[0]);
        assert_true(fabs(hypot(t.at[1][0], t.at[1][PAIRS]) - (given[i] > 0 ? given[i] : 0.1 * log(4) + 1)) < 1e-6);
        arena_free(&t.arena);
    }
}

// Checks that the formulas of the compiler and of the oracle give equal bits.
static void oracle_computes_the_same(void **state) {
    (void)state;
    static const char *const words[] = {"none", "linear", "llama3", "yarn"};
    static const struct {
        double theta, factor;
        int64_t original;
    } sets[] = {{10000, 8, 8192}, {500000, 32, 64}, {1e6, 1.7, 32768}, {2, 3, 1}, {2, 3, 250}};
    for (int w = 0; w < 4; w++)
        for (size_t i = 0; i < COUNT_OF(sets); i++) {
            struct table t;
            fill(&t, words[w], sets[i].theta, sets[i].factor, sets[i].original);
            const struct oracle_node n = {.op = ORACLE_ROPE_TABLE,
                                          .rows = ROWS,
                                          .cols = COLS,
                                          .rope = {w, sets[i].theta, sets[i].factor, 1, 4, 32, 1, 0, sets[i].original}};
            assert_memory_equal(t.at, oracle_computed(&t.arena, &n), sizeof t.at);
            arena_free(&t.arena);
        }
}

// Checks the lanes of the operations of a design of 4 lanes. A word belongs to one head and to one half of the rotated
// elements, so the lanes of an operation must divide both.
static void lanes_are_of_one_half(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int lanes;
    } want[] = {{"a", 1}, {"b", 1}, {"side", 1}, {"c", 2}, {"d", 2}, {"h_next", 1}, {"last", 1}};
    struct arena arena;
    struct diag diag;
    arena_init(&arena);
    diag_init(&diag, stderr);
    const struct ir *ir = command_build("tests/e2e/cases/rope/spec.yaml", &arena, &diag, "choose-lanes");
    assert_non_null(ir);
    size_t found = 0;
    for (int n = 0; n < ir->nodes; n++)
        for (size_t i = 0; i < COUNT_OF(want); i++) {
            if (strcmp(ir->node[n].name, want[i].name) != 0) continue;
            found++;
            if (ir->node[n].lanes != want[i].lanes) fail_msg("%s: %d", want[i].name, ir->node[n].lanes);
        }
    assert_int_equal(found, COUNT_OF(want));
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_turn),
        cmocka_unit_test(scalings_are_those_of_the_models),
        cmocka_unit_test(magnitude_is_given),
        cmocka_unit_test(oracle_computes_the_same),
        cmocka_unit_test(lanes_are_of_one_half),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
