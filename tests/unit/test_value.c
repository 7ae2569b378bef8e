// SPDX-License-Identifier: Apache-2.0
// Tests the values of kernel parameters: a printed value is read back as the same value, and a text of another form is
// kept as it is.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gen/ir/ir.h"

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
    const struct ir_word fields[] = {{.bits = 16, .value = 3}, {.bits = 40, .value = 1ull << 39}};
    assert_printed(ir_value_int(-7), "-7");
    assert_printed(ir_value_int(INT64_MAX), "9223372036854775807");
    assert_printed(ir_value_word(&arena, 40, 1ull << 39), "40'd549755813888");
    assert_printed(ir_value_float(&arena, 1.0f), "32'h3f800000");
    assert_printed(ir_value_float(&arena, 0x1p-126f), "32'h00800000");
    assert_printed(ir_value_list(&arena, fields, 2), "{16'd3, 40'd549755813888}");
    assert_printed(ir_value_word(&arena, 1, 1), "1'b1");
    assert_printed(ir_value_style(RAM_BLOCK), "\"block\"");
    assert_printed(ir_value_text("blocks"), "\"blocks\"");
}

// A table is printed with its last entry first. `back` gets its bits, the lowest bit of entry 0 first.
static void test_tables(void **state) {
    (void)state;
    uint64_t entry[3][4] = {{0x8000000000000021, 0x21}, {7}, {1, 2, 3, 4}};
    struct ir_value v = ir_value_table(&arena, 70, 2, entry);
    assert_printed(v, "{70'h7, 70'h218000000000000021}");
    assert_int_equal(ir_word_field(&v.word[1], 62, 8), 0x86);
    uint8_t back[142];
    ir_value_to_bits(&v, 142, back);
    for (int b = 0; b < 142; b++)
        assert_int_equal(back[b], b == 0 || b == 5 || b == 63 || b == 64 || b == 69 || (b >= 70 && b < 73));
    v = ir_value_table(&arena, 256, 1, &entry[2]);
    assert_printed(v, "{256'h4000000000000000300000000000000020000000000000001}");
    v = ir_value_read(&arena, "{6'h21, 64'h8000000000000021}"); // an entry in two pieces is a list
    assert_int_equal(v.kind, IR_VALUE_LIST);
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
    v = ir_value_list(&arena, &(struct ir_word){.bits = 8, .radix = IR_DECIMAL, .value = 1}, 1);
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
