// SPDX-License-Identifier: Apache-2.0
// Tests the number of bits that sums over rows of weights need (docs/numerics.md section 5), and that only an engine
// with long rows gets a wider accumulator.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "gen/command/command.h"
#include "gen/ir/layout.h"

// Checks the bits of the sums at the row lengths from which on they need 65 bits, and for the longest legal rows.
static void test_bits(void **state) {
    (void)state;
    static const struct {
        enum spec_format format;
        enum spec_activations activations;
        int64_t k;
        int bits;
    } rows[] = {
        {SPEC_INT8, SPEC_ACTIVATIONS_INT8, 32768, 61},       {SPEC_INT8, SPEC_ACTIVATIONS_INT10, 32768, 61},
        {SPEC_INT4, SPEC_ACTIVATIONS_INT8, 16577, 64},       {SPEC_INT4, SPEC_ACTIVATIONS_INT8, 16578, 65},
        {SPEC_INT4, SPEC_ACTIVATIONS_INT8, 32768, 65},       {SPEC_INT4, SPEC_ACTIVATIONS_INT10, 16480, 64},
        {SPEC_INT4, SPEC_ACTIVATIONS_INT10, 16481, 65},      {SPEC_INT4_ASYM, SPEC_ACTIVATIONS_INT8, 11037, 64},
        {SPEC_INT4_ASYM, SPEC_ACTIVATIONS_INT8, 11038, 65},  {SPEC_INT4_ASYM, SPEC_ACTIVATIONS_INT8, 32768, 66},
        {SPEC_INT4_ASYM, SPEC_ACTIVATIONS_INT10, 10972, 64}, {SPEC_INT4_ASYM, SPEC_ACTIVATIONS_INT10, 10973, 65},
        {SPEC_INT4_ASYM, SPEC_ACTIVATIONS_INT10, 32768, 66}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct ir_design design = {.activations = rows[i].activations};
        assert_int_equal(layout_sum_bits(&design, rows[i].format, rows[i].k), rows[i].bits);
    }
}

// Returns a parameter of the only engine of a design, or 0 if the engine has no such parameter.
static int64_t engine_param(const char *spec, const char *name) {
    struct arena arena;
    struct diag diag;
    arena_init(&arena);
    diag_init(&diag, stderr);
    const struct ir *ir = command_build(spec, &arena, &diag, NULL);
    assert_non_null(ir);
    int64_t value = -1;
    for (int k = 0; k < ir->kernels; k++)
        if (!strcmp(ir->kernel[k].module, "rill_engine")) value = ir_param_int(&ir->kernel[k], name, 0);
    arena_free(&arena);
    return value;
}

static void test_engine(void **state) {
    (void)state;
    assert_int_equal(engine_param("tests/e2e/cases/asym_long/spec.yaml", "ACC_W"), 66);
    assert_int_equal(engine_param("tests/e2e/cases/asym_long/spec.yaml", "X_UNITS"), 770);    // of 24579 elements
    assert_int_equal(engine_param("tests/e2e/cases/asym_long/spec.yaml", "ASYM_UNITS"), 592); // of 18944
    assert_int_equal(engine_param("tests/e2e/cases/asym/spec.yaml", "ACC_W"), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bits), cmocka_unit_test(test_engine)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
