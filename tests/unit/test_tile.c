// SPDX-License-Identifier: Apache-2.0
// Unroll factors and array partitions: HIDA's example with three nodes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gen/pass/tile.h"

enum { A, B, C, ARRAYS };

// Node 0 writes A[i][k], node 1 writes B[k][j], node 2 adds A[2i][k] * B[k][j] to C[i][j].
static const struct tile_node example[3] = {
    {.loops = 2, .trip = {32, 16}, .accesses = 1, .access = {{A, 2, {0, 1}, {1, 1}}}},
    {.loops = 2, .trip = {16, 16}, .accesses = 1, .access = {{B, 2, {0, 1}, {1, 1}}}},
    {.loops = 3,
     .trip = {16, 16, 16},
     .reduces = {false, false, true},
     .accesses = 3,
     .access = {{A, 2, {0, 2}, {2, 1}}, {B, 2, {2, 1}, {1, 1}}, {C, 2, {0, 1}, {1, 1}}}},
};

static void check_unroll(const struct tile_node *node, int64_t a, int64_t b, int64_t c) {
    const int64_t want[] = {a, b, c};
    for (int l = 0; l < node->loops; l++) assert_int_equal(node->unroll[l], want[l]);
}

static void check_array(const struct tile_array *array, int64_t a, int64_t b) {
    assert_int_equal(array->partition[0], a);
    assert_int_equal(array->partition[1], b);
    assert_int_equal(array->banks, a * b);
}

static void test_work(void **state) {
    (void)state;
    assert_int_equal(tile_work(&example[0]), 512);
    assert_int_equal(tile_work(&example[1]), 256);
    assert_int_equal(tile_work(&example[2]), 4096);
}

static void test_aware(void **state) {
    (void)state;
    struct tile_node node[3];
    struct tile_array array[ARRAYS] = {{.dims = 2}, {.dims = 2}, {.dims = 2}};
    memcpy(node, example, sizeof node);
    tile_plan(node, 3, array, ARRAYS, 32, true);
    assert_int_equal(node[0].factor, 4);
    assert_int_equal(node[1].factor, 2);
    assert_int_equal(node[2].factor, 32);
    check_unroll(&node[0], 4, 1, 0);
    check_unroll(&node[1], 1, 2, 0);
    check_unroll(&node[2], 4, 8, 1);
    check_array(&array[A], 8, 1);
    check_array(&array[B], 1, 8);
    check_array(&array[C], 4, 8);
    assert_int_equal(node[2].order[0], 2); // the sum outside, parallel loops inside
    assert_int_equal(node[2].order[1], 0);
    assert_int_equal(node[2].order[2], 1);
}

// Of B the paper's table has 64 banks; [4,8] of node 1 and [1,8] of node 2 make [4,8], 32.
static void test_naive(void **state) {
    (void)state;
    struct tile_node node[3];
    struct tile_array array[ARRAYS] = {{.dims = 2}, {.dims = 2}, {.dims = 2}};
    memcpy(node, example, sizeof node);
    tile_plan(node, 3, array, ARRAYS, 32, false);
    for (int n = 0; n < 3; n++) assert_int_equal(node[n].factor, 32);
    check_unroll(&node[0], 4, 8, 0);
    check_unroll(&node[1], 4, 8, 0);
    check_unroll(&node[2], 4, 8, 1);
    check_array(&array[A], 8, 8);
    check_array(&array[B], 4, 8);
    check_array(&array[C], 4, 8);
}

// The banks of all arrays count: 2 + 2 are fewer than 4 + 1, whichever array the node names last.
static void test_banks_of_all_arrays(void **state) {
    (void)state;
    struct tile_node node = {
        .loops = 2, .trip = {16, 16}, .accesses = 2, .access = {{A, 1, {0}, {1}}, {B, 1, {1}, {1}}}};
    struct tile_array array[] = {{.dims = 1}, {.dims = 1}};
    tile_plan(&node, 1, array, 2, 4, true);
    check_unroll(&node, 2, 2, 0);
    assert_int_equal(array[A].banks, 2);
    assert_int_equal(array[B].banks, 2);
}

// Trip counts that allow less than the budget; a nest that only reduces.
static void test_limits(void **state) {
    (void)state;
    struct tile_node node[2] = {{.loops = 2, .trip = {6, 5}}, {.loops = 1, .trip = {64}, .reduces = {true}}};
    tile_plan(node, 2, NULL, 0, 16, false);
    assert_int_equal(node[0].factor, 2);
    check_unroll(&node[0], 2, 1, 0);
    assert_int_equal(node[1].factor, 16);
    assert_int_equal(node[1].unroll[0], 16);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_work),   cmocka_unit_test(test_aware),
        cmocka_unit_test(test_naive),  cmocka_unit_test(test_banks_of_all_arrays),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
