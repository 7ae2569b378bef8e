// SPDX-License-Identifier: Apache-2.0
// Values of kernels' parameters: what is printed is read back as the same value, and text of another form is kept.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "include/ir_value.h"

static struct arena arena;

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

static void assert_printed(struct ir_value v, const char *text) {
    assert_string_equal(ir_value_print(&arena, &v), text);
    struct ir_value back = ir_value_read(&arena, text);
    assert_int_equal(back.kind, v.kind);
    assert_string_equal(ir_value_print(&arena, &back), text);
}

static void test_printed_and_read_back(void **state) {
    (void)state;
    const struct ir_word fields[] = {{16, IR_DECIMAL, 3}, {40, IR_DECIMAL, 1ull << 39}};
    assert_printed(ir_value_int(-7), "-7");
    assert_printed(ir_value_int(INT64_MAX), "9223372036854775807");
    assert_printed(ir_value_word(&arena, 40, 1ull << 39), "40'd549755813888");
    assert_printed(ir_value_float(&arena, 1.0f), "32'h3f800000");
    assert_printed(ir_value_float(&arena, 0x1p-126f), "32'h00800000");
    assert_printed(ir_value_list(&arena, fields, 2), "{16'd3, 40'd549755813888}");
    assert_printed(ir_value_text("block"), "\"block\"");
}

static void test_tables(void **state) {
    (void)state;
    uint8_t bit[70] = {0}, back[72];
    bit[0] = bit[5] = bit[63] = bit[64] = bit[69] = 1;
    struct ir_value v = ir_value_bits(&arena, 70, bit);
    assert_printed(v, "{6'h21, 64'h8000000000000021}");
    ir_value_to_bits(&v, 72, back);
    assert_memory_equal(back, bit, 70);
    assert_int_equal(back[70] | back[71], 0);
    ir_value_to_bits(&v, 3, back);
    assert_memory_equal(back, bit, 3);
}

static void test_other_forms_are_kept(void **state) {
    (void)state;
    static const char *const texts[] = {
        "32'H3F800000", "8'b101", "16'd007", "-64'd5", "{1'd1,1'd0}", "{1'd1, ",   "random:24",
        "4'd",          "12 ",    "",        "\"",     "65'd1",       "WIDTH - 1", "99999999999999999999"};
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct ir_value v = ir_value_read(&arena, texts[i]);
        if (v.kind != IR_VALUE_VERBATIM) fail_msg("`%s` is not kept", texts[i]);
        assert_string_equal(ir_value_print(&arena, &v), texts[i]);
    }
}

static void test_numbers(void **state) {
    (void)state;
    int64_t n = 0;
    struct ir_value v = ir_value_int(-3);
    assert_true(ir_value_number(&v, &n) && n == -3);
    v = ir_value_word(&arena, 40, 12);
    assert_true(ir_value_number(&v, &n) && n == 12);
    v = ir_value_word(&arena, 64, UINT64_MAX);
    assert_false(ir_value_number(&v, &n));
    v = ir_value_text("12");
    assert_false(ir_value_number(&v, &n));
    v = ir_value_list(&arena, &(struct ir_word){8, IR_DECIMAL, 1}, 1);
    assert_false(ir_value_number(&v, &n));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_printed_and_read_back),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_other_forms_are_kept),
        cmocka_unit_test(test_numbers),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
