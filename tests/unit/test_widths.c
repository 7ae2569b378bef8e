// SPDX-License-Identifier: Apache-2.0
// Tests the constants in the emitted Verilog: an expression has the value of the number that it replaces, or the
// compiler stops, and each module declares the constants that it uses before their use.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "gen/command/command.h"
#include "gen/emit/emit.h"

static struct arena arena;

static const struct ir *ir_of(const char *spec) {
    struct diag diag;
    diag_init(&diag, stderr);
    struct ir *ir = command_build(spec, &arena, &diag, NULL);
    assert_non_null(ir);
    return ir;
}

static void expressions_have_the_values_of_the_design(void **state) {
    (void)state;
    const struct ir *ir = ir_of("configs/tinystories-gpt2-1m.yaml");
    assert_int_equal(emit_evaluate(ir, "BEAT_BITS"), 512);
    assert_int_equal(emit_evaluate(ir, "CHANNELS*BEAT_BITS"), 2048);
    assert_int_equal(emit_evaluate(ir, "8*FP32_W+SIDE_W"), 259);
    assert_int_equal(emit_evaluate(ir, "MX_W+SIDE_W"), 523);
    assert_int_equal(emit_evaluate(ir, "KV_W+SIDE_W"), 547);
    assert_int_equal(emit_evaluate(ir, "BEAT_BITS/8+2*3"), 70);
    assert_string_equal(emit_range_of(ir, "MX_W", 520), "[MX_W-1:0] ");
    assert_string_equal(emit_range_of(ir, NULL, 7), "[6:0] ");
    assert_string_equal(emit_range_of(ir, "FAULTS", 21), "[FAULTS-1:0] ");
}

// Returns whether emit_range_of ends the compiler with an internal error for this expression (`is`) and this number of
// bits. The call runs in a child process.
static bool ends_with_a_fault(const struct ir *ir, const char *is, int64_t bits) {
    fflush(NULL);
    pid_t child = fork();
    if (!child) {
        if (!freopen("/dev/null", "w", stderr)) _exit(0);
        emit_range_of(ir, is, bits);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

static void a_wrong_expression_stops_the_compiler(void **state) {
    (void)state;
    const struct ir *ir = ir_of("configs/tinystories-gpt2-1m.yaml");
    assert_false(ends_with_a_fault(ir, "MX_W", 520));
    assert_true(ends_with_a_fault(ir, "MX_W", 519));
    assert_true(ends_with_a_fault(ir, "MX_W+SIDE_W", 520));
    assert_true(ends_with_a_fault(ir, "NO_W", 1));
    assert_true(ends_with_a_fault(ir, "MX_W+", 520));
}

// The constants that a text uses must be listed so that each one comes after those in its expression. The value of the
// expression must be the value of the constant.
static void constants_follow_those_that_they_need(void **state) {
    (void)state;
    static const char *const specs[] = {"configs/tinystories-gpt2-1m.yaml", "tests/e2e/cases/asym/spec.yaml",
                                        "tests/e2e/cases/dies/spec.yaml", "configs/graph-linear.yaml"};
    for (size_t s = 0; s < COUNT_OF(specs); s++) {
        const struct ir *ir = ir_of(specs[s]);
        struct emit_constant used[EMIT_MAX_CONSTANTS];
        int count = emit_used_constants(ir, "wire [MX_W+SIDE_W-1:0] a; // KV_W\n .TOKENS(CONTEXT)", used);
        const char *const names[] = {"BEAT_BITS", "USER_W", "SIDE_W", "CONTEXT", "UNIT", "X_BITS", "MX_W"};
        assert_int_equal(count, COUNT_OF(names));
        for (int i = 0; i < count; i++) {
            assert_string_equal(used[i].name, names[i]);
            assert_int_equal(emit_evaluate(ir, used[i].name), emit_evaluate(ir, used[i].is));
        }
    }
}

// No module has the width of a word of mx or kv, of a beat or of a step word as a number.
static void widths_have_names(void **state) {
    (void)state;
    const struct emit_plan *p = emit_plan_make(ir_of("configs/tinystories-gpt2-1m.yaml"), NULL);
    static const char *const numbers[] = {"[519:0]", "[522:0]", "[543:0]",   "[546:0]",        "[511:0]",
                                          "[258:0]", "[55:0]",  "TOKENS(2)", "BEAT_BITS(512)", "DATA_W(520)"};
    struct text top = {0};
    emit_top(p, &top);
    const char *body = strstr(text_cstr(&top), "---- nets between modules, ");
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        assert_null(strstr(body, numbers[i]));
        for (int m = 0; m < p->modules; m++) assert_null(strstr(p->module[m].text, numbers[i]));
    }
    assert_non_null(strstr(body, "wire [MX_W+SIDE_W-1:0] from_q_mx_y_word;"));
    text_free(&top);
}

// A parameter must keep its number if the constant of the same name has another value, as CONTEXT does for the softmax
// of a window of 67 positions.
static void a_parameter_of_another_number_keeps_it(void **state) {
    (void)state;
    const struct emit_plan *p = emit_plan_make(ir_of("tests/e2e/cases/composites/spec.yaml"), NULL);
    assert_true(emit_evaluate(p->ir, "CONTEXT") != 67);
    bool found = false;
    for (int m = 0; m < p->modules; m++) found = found || strstr(p->module[m].text, ".CONTEXT(67)");
    assert_true(found);
}

static int setup(void **state) {
    (void)state;
    arena_init(&arena);
    return 0;
}
static int teardown(void **state) {
    (void)state;
    arena_free(&arena);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(expressions_have_the_values_of_the_design, setup, teardown),
        cmocka_unit_test_setup_teardown(a_wrong_expression_stops_the_compiler, setup, teardown),
        cmocka_unit_test_setup_teardown(constants_follow_those_that_they_need, setup, teardown),
        cmocka_unit_test_setup_teardown(widths_have_names, setup, teardown),
        cmocka_unit_test_setup_teardown(a_parameter_of_another_number_keeps_it, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
