// SPDX-License-Identifier: Apache-2.0
// Tests the linear programs for FIFO depths (gen/lp/lp.h) and the largest number of words in a stream, with the worked
// examples of the StreamTensor paper (MICRO 2025). T: words of the stream; D: cycles until the source's first word; II:
// cycles from word to word; L: cycles until the source's last word; delay: cycles until the target's start. The members
// of struct lp_stream are T, D, II and L of the source, II of the target, and delay.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gen/lp/lp.h"

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

// T = 5, source D = 3, II = 1, L = 7, target II = 2, delay 3: 5 - floor((7 - 3) / 2) = 3.
static void test_faster_source(void **state) {
    (void)state;
    assert_int_equal(lp_max_words(&(struct lp_stream){5, 3, 1, 7, 2, 3}), 3);
    assert_int_equal(lp_max_words(&(struct lp_stream){5, 3, 1, 7, 2, 7}), 5); // the target begins at the source's end
    assert_int_equal(lp_max_words(&(struct lp_stream){5, 3, 1, 7, 2, 100}), 5);
}

// The same stream with the paper's strategy Conservative: the source is as slow as the target, so L = 3 + 4 * 2.
static void test_conservative_source(void **state) {
    (void)state;
    assert_int_equal(lp_max_words(&(struct lp_stream){5, 3, 2, 11, 2, 3}), 1);
    assert_int_equal(lp_max_words(&(struct lp_stream){5, 3, 2, 11, 2, 7}), 3);
}

// If the source is slower than the target, the stream holds ceil((delay - D) / II) words, but at most T.
static void test_slower_source(void **state) {
    (void)state;
    assert_int_equal(lp_max_words(&(struct lp_stream){10, 4, 3, 31, 1, 4}), 0);
    assert_int_equal(lp_max_words(&(struct lp_stream){10, 4, 3, 31, 1, 5}), 1);
    assert_int_equal(lp_max_words(&(struct lp_stream){10, 4, 3, 31, 1, 13}), 3);
    assert_int_equal(lp_max_words(&(struct lp_stream){10, 4, 3, 31, 1, 90}), 10);
}

// There are two paths from kernel 0 to 2: through kernel 1, and directly. Kernels 1 and 2 start as early as the first
// path allows, so the direct stream waits for D0 + D1 cycles.
static void test_three_kernels(void **state) {
    (void)state;
    enum { D0 = 7, D1 = 11 };
    struct lp lp;
    lp_init(&lp, &arena, 3);
    lp_add(&lp, 0, 1, D0, 1);
    lp_add(&lp, 1, 2, D1, 1);
    lp_add(&lp, 0, 2, D0, 1);
    int64_t *s = lp_solve(&lp);
    assert_non_null(s);
    assert_int_equal(s[0], 0);
    assert_int_equal(s[1] - s[0], D0);
    assert_int_equal(s[2] - s[1], D1);
    assert_int_equal(s[2] - s[0], D0 + D1);
}

// Kernel 1 may start at any time between kernels 0 and 2. The solution must keep the wide stream short and let words
// wait in the narrow one.
static void test_weights(void **state) {
    (void)state;
    struct lp lp;
    for (int wide_first = 0; wide_first < 2; wide_first++) {
        lp_init(&lp, &arena, 3);
        lp_add(&lp, 0, 1, 2, wide_first ? 512 : 32);
        lp_add(&lp, 1, 2, 3, wide_first ? 32 : 512);
        lp_add(&lp, 0, 2, 20, 0);
        int64_t *s = lp_solve(&lp);
        assert_non_null(s);
        assert_int_equal(s[1], wide_first ? 2 : 17);
        assert_int_equal(s[2], 20);
    }
}

static void test_no_start_times(void **state) {
    (void)state;
    struct lp lp;
    lp_init(&lp, &arena, 2);
    lp_add(&lp, 0, 1, 5, 1);
    lp_add(&lp, 1, 0, -4, 0); // s[1] - s[0] is at most 4, which contradicts the first row
    assert_null(lp_solve(&lp));
    lp_init(&lp, &arena, 2);
    lp_add(&lp, 0, 1, 5, 1);
    lp_add(&lp, 1, 0, -5, 0);
    assert_int_equal(lp_solve(&lp)[1], 5);
}

// Tests a long critical chain with side kernels that have slack, as in a model with many layers. A side kernel may
// start 3 to 8 cycles after the kernel before it. Its result is wider than its operand (weight 16 against 8), so it
// must start as late as possible, and the words wait in front of it.
static void test_chain(void **state) {
    (void)state;
    enum { N = 1000 };
    struct lp lp;
    lp_init(&lp, &arena, 2 * N);
    for (int i = 0; i + 1 < N; i++) {
        lp_add(&lp, i, i + 1, 10, 1);         // the critical chain
        lp_add(&lp, i, N + i + 1, 3, 8);      // a side kernel that could start early
        lp_add(&lp, N + i + 1, i + 1, 2, 16); // its wide result
    }
    lp_add(&lp, 0, N, 0, 1);
    int64_t *s = lp_solve(&lp);
    assert_non_null(s);
    for (int i = 0; i + 1 < N; i++) {
        assert_int_equal(s[i + 1] - s[i], 10);
        assert_int_equal(s[i + 1] - s[N + i + 1], 2);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_faster_source, setup, teardown),
        cmocka_unit_test_setup_teardown(test_slower_source, setup, teardown),
        cmocka_unit_test_setup_teardown(test_conservative_source, setup, teardown),
        cmocka_unit_test_setup_teardown(test_three_kernels, setup, teardown),
        cmocka_unit_test_setup_teardown(test_weights, setup, teardown),
        cmocka_unit_test_setup_teardown(test_no_start_times, setup, teardown),
        cmocka_unit_test_setup_teardown(test_chain, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
