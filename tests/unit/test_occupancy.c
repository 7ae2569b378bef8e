// SPDX-License-Identifier: Apache-2.0
// Tests the record of a FIFO's fill during a simulation (verif/harness/occupancy.h). The record keeps the largest fill
// of each window of cycles. The windows become twice as long when all are used. The test compares them with the fill in
// every cycle.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "verif/harness/occupancy.h"

enum { EDGES = 3, CYCLES = 5000 };

// The fill changes at pseudo-random cycles. Each window must have the largest fill of its cycles. The fill just before
// the window may count as well.
static void test_windows(void **state) {
    (void)state;
    static int64_t plain[EDGES][CYCLES];
    struct arena arena;
    struct occupancy o;
    uint32_t random = 1;
    arena_init(&arena);
    occupancy_open(&o, &arena, EDGES);
    for (int c = 0; c < CYCLES; c++)
        for (int e = 0; e < EDGES - 1; e++) { // the last FIFO never changes
            plain[e][c] = c ? plain[e][c - 1] : 0;
            random = random * 1664525u + 1013904223u;
            if (random >> 24 > (e ? 250u : 90u)) continue;
            if (e && c < 3000 && c > 200) continue; // no change for many windows
            plain[e][c] = random >> 8 & 31;
            occupancy_change(&o, e, plain[e][c], (uint64_t)c);
        }
    occupancy_close(&o, CYCLES - 1);
    assert_int_equal(o.window, 32); // 5000 cycles in at most 256 windows
    for (int e = 0; e < EDGES - 1; e++) {
        assert_int_equal(o.fifo[e].last, (CYCLES - 1) / 32);
        for (int w = 0; w <= (CYCLES - 1) / 32; w++) {
            int64_t most =
                w ? plain[e][32 * w - 1] : 0; // held from the window before, or a change at its very beginning
            int64_t least = 0;
            for (int c = 32 * w; c < 32 * (w + 1) && c < CYCLES; c++) {
                if (plain[e][c] > most) most = plain[e][c];
                if (plain[e][c] > least) least = plain[e][c];
            }
            assert_true(o.fifo[e].most[w] >= least && o.fifo[e].most[w] <= most);
        }
    }
    assert_null(o.fifo[EDGES - 1].most);
    arena_free(&arena);
}

// A window is one cycle long until all windows are used, then two cycles.
static void test_double(void **state) {
    (void)state;
    struct arena arena;
    struct occupancy o;
    arena_init(&arena);
    occupancy_open(&o, &arena, 1);
    occupancy_change(&o, 0, 3, 10);
    occupancy_change(&o, 0, 1, 11);
    occupancy_close(&o, OCCUPANCY_WINDOWS - 1);
    assert_int_equal(o.window, 1);
    assert_int_equal(o.fifo[0].most[9], 0);
    assert_int_equal(o.fifo[0].most[10], 3);
    assert_int_equal(o.fifo[0].most[11], 3); // held when the window began
    assert_int_equal(o.fifo[0].most[12], 1);
    occupancy_close(&o, OCCUPANCY_WINDOWS);
    assert_int_equal(o.window, 2);
    assert_int_equal(o.fifo[0].last, OCCUPANCY_WINDOWS / 2);
    assert_int_equal(o.fifo[0].most[4], 0);
    assert_int_equal(o.fifo[0].most[5], 3);
    assert_int_equal(o.fifo[0].most[6], 1);
    assert_int_equal(o.fifo[0].most[OCCUPANCY_WINDOWS / 2], 1);
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_windows), cmocka_unit_test(test_double)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
