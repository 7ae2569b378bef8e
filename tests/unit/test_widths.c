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
    assert_int_equal(emit_evaluate(ir, "LANES*FP32_W+SIDE_W"), 259);
    assert_int_equal(emit_evaluate(ir, "CHANNELS*FP32_W+SIDE_W+TCOUNT_W"), 134);
    assert_int_equal(emit_evaluate(ir, "KV_LAYERS"), 4);
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

// No module has the width of a word of fp32, mx or kv, of a beat or of a step word as a number, nor the lanes.
static void widths_have_names(void **state) {
    (void)state;
    const struct emit_plan *p = emit_plan_make(ir_of("configs/tinystories-gpt2-1m.yaml"), NULL);
    static const char *const numbers[] = {"[519:0]",
                                          "[522:0]",
                                          "[543:0]",
                                          "[546:0]",
                                          "[511:0]",
                                          "[258:0]",
                                          "[55:0]",
                                          "TOKENS(2)",
                                          "BEAT_BITS(512)",
                                          "DATA_W(520)",
                                          "8*FP32_W",
                                          "16*FP32_W",
                                          "4*FP32_W",
                                          "LANES(8)",
                                          "_ELEMS(8)",
                                          "_ELEMS(4)",
                                          "ELEM_W(32)",
                                          "LOAD_BITS = 512",
                                          "[2:0] from_engine_y_tcount",
                                          "SIDE_W+3"};
    struct text top = {0};
    emit_top(p, &top);
    const char *body = strstr(text_cstr(&top), "---- nets between modules, ");
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        assert_null(strstr(body, numbers[i]));
        for (int m = 0; m < p->modules; m++) assert_null(strstr(p->module[m].text, numbers[i]));
    }
    assert_non_null(strstr(body, "wire [MX_W+SIDE_W-1:0] from_q_mx_y_word;"));
    assert_non_null(strstr(body, "wire [LANES*FP32_W+SIDE_W-1:0] from_embedded_y_word;"));
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

static const char *text_of(const struct emit_plan *p, const char *name) {
    for (int m = 0; m < p->modules; m++)
        if (!strcmp(p->module[m].name, name)) return p->module[m].text;
    fail_msg("no module %s", name);
    return "";
}

// An operation with other lanes than the design keeps the number of elements, also where this number is a multiple of
// the design's lanes: f_by takes two vectors of parameters and has 2 lanes, and the design has 4.
static void an_operation_of_other_lanes_keeps_their_number(void **state) {
    (void)state;
    const struct emit_plan *p = emit_plan_make(ir_of("tests/e2e/cases/steps/spec.yaml"), NULL);
    const char *head = text_of(p, "head");
    assert_int_equal(emit_evaluate(p->ir, "LANES"), 4);
    assert_non_null(strstr(head, "wire [4*FP32_W-1:0] from_f_by_param_tdata;"));
    assert_non_null(strstr(head, ".WORD_W(4*FP32_W)"));
    assert_non_null(strstr(head, ".LANES(2)"));
}

static int kernel_of_module(const struct ir *ir, const char *module) {
    for (int k = 0; k < ir->kernels; k++)
        if (!strcmp(ir->kernel[k].module, module)) return k;
    fail_msg("no instance of %s", module);
    return IR_NONE;
}

// The results of an engine with other lanes than the design has memory channels keep their numbers. LANES of a store of
// weights counts lanes of the engine, so it is never the constant, which counts lanes of vector kernels.
static void an_engine_of_other_lanes_keeps_their_number(void **state) {
    (void)state;
    const struct emit_plan *p = emit_plan_make(ir_of("tests/e2e/cases/resident/spec.yaml"), NULL);
    const char *shared = text_of(p, "shared");
    assert_non_null(strstr(shared, "wire [3*FP32_W-1:0] from_engine_y_tdata;"));
    assert_non_null(strstr(shared, ".LANES(3)"));
    assert_null(strstr(shared, "TCOUNT_W"));
    const struct emit_plan *several = emit_plan_make(ir_of("tests/fuzz/found/shared_weights.yaml"), NULL);
    assert_int_equal(emit_evaluate(several->ir, "CHANNELS"), 5);
    assert_non_null(strstr(text_of(several, "shared"), ".SIDE_W(SIDE_W+2)"));
    assert_null(strstr(text_of(several, "shared"), "TCOUNT_W"));
    struct ir_param param = {.name = "LANES", .value = {.kind = IR_VALUE_INT, .integer = p->ir->design.lanes}};
    assert_null(emit_param_expression(p->ir, kernel_of_module(p->ir, "rill_weight_store"), &param));
    assert_string_equal(emit_param_expression(p->ir, kernel_of_module(p->ir, "rill_gelu"), &param), "LANES");
    // Only in a width converter is ELEM_W the width of the elements in the words at its ports.
    struct ir_param width = {.name = "ELEM_W", .value = {.kind = IR_VALUE_INT, .integer = 16}};
    assert_null(emit_param_expression(p->ir, kernel_of_module(p->ir, "rill_gelu"), &width));
    assert_string_equal(emit_param_expression(p->ir, kernel_of_module(p->ir, "rill_width_converter"), &width),
                        "FP32_W");
}

// LAYERS of the kernels of a cache is the constant KV_LAYERS. A softmax has as many layers as its region repetitions,
// so its LAYERS is a number even if both are equal.
static void kernels_of_a_cache_have_its_layers(void **state) {
    (void)state;
    const struct emit_plan *p = emit_plan_make(ir_of("configs/tinystories-gpt2-1m.yaml"), NULL);
    static const char *const of_cache[] = {"rill_k_writer", "rill_v_tail", "rill_kv_scale"};
    struct ir_param param = {.name = "LAYERS", .value = {.kind = IR_VALUE_INT, .integer = 4}};
    for (size_t i = 0; i < COUNT_OF(of_cache); i++)
        assert_string_equal(emit_param_expression(p->ir, kernel_of_module(p->ir, of_cache[i]), &param), "KV_LAYERS");
    assert_null(emit_param_expression(p->ir, kernel_of_module(p->ir, "rill_softmax"), &param));
    param.value.integer = 3;
    assert_null(emit_param_expression(p->ir, kernel_of_module(p->ir, "rill_k_writer"), &param));
}

// Vector parameters are loaded in whole beats in a design on one die, and in parts of beats in one on several dies.
static void the_load_bus_is_a_part_of_a_beat(void **state) {
    (void)state;
    const struct emit_plan *one = emit_plan_make(ir_of("configs/tinystories-gpt2-1m.yaml"), NULL);
    assert_non_null(strstr(text_of(one, "control"), "parameter LOAD_BITS = BEAT_BITS,"));
    const struct emit_plan *several = emit_plan_make(ir_of("tests/e2e/cases/dies/spec.yaml"), NULL);
    assert_non_null(strstr(text_of(several, "control"), "parameter LOAD_BITS = BEAT_BITS/4,"));
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
        cmocka_unit_test_setup_teardown(an_operation_of_other_lanes_keeps_their_number, setup, teardown),
        cmocka_unit_test_setup_teardown(an_engine_of_other_lanes_keeps_their_number, setup, teardown),
        cmocka_unit_test_setup_teardown(kernels_of_a_cache_have_its_layers, setup, teardown),
        cmocka_unit_test_setup_teardown(the_load_bus_is_a_part_of_a_beat, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
