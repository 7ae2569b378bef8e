// SPDX-License-Identifier: Apache-2.0
// Tests the faults that the HBM model makes on demand: errors for reads of unwritten memory and for single beats, late
// answers, and answers in another order. Also tests that a reset forgets open requests.
#include "tests/unit/hbm_fixture.h"

static void test_unwritten(void **state) {
    (void)state;
    struct bench b;
    uint8_t data[HBM_MAX_BEAT_BYTES];
    bench_open(&b, 250, 64);
    assert_int_equal(read_beat(&b, 0, data).resp, HBM_OKAY);
    assert_true(hbm_guard_unwritten(b.hbm));
    assert_int_equal(read_beat(&b, 0, data).resp, HBM_SLVERR);
    hbm_mark_written(b.hbm, 0, 0, 32); // one of the beat's two atoms of 32 bytes, which have separate check bits
    assert_int_equal(read_beat(&b, 0, data).resp, HBM_SLVERR);
    hbm_mark_written(b.hbm, 0, 32, 32);
    assert_int_equal(read_beat(&b, 0, data).resp, HBM_OKAY);
    assert_int_equal(read_beat(&b, 64, data).resp, HBM_SLVERR);
    write_burst(&b, 64, 2, 3);
    wait_response(&b);
    assert_int_equal(read_beat(&b, 128, data).resp, HBM_OKAY);
    assert_int_equal(read_beat(&b, 192, data).resp, HBM_SLVERR);
    bench_close(&b);
}

// An atom that was written only in part has no valid check bits.
static void test_unwritten_strobes(void **state) {
    (void)state;
    struct bench b;
    uint8_t data[HBM_MAX_BEAT_BYTES] = {0};
    bench_open(&b, 250, 64);
    assert_true(hbm_guard_unwritten(b.hbm));
    hbm_accept_write(b.ch, 0, 1, 0);
    hbm_give_write(b.ch, data, ~1ull);
    wait_response(&b);
    assert_int_equal(read_beat(&b, 0, data).resp, HBM_SLVERR);
    hbm_accept_write(b.ch, 0, 1, 0);
    hbm_give_write(b.ch, data, ~0ull);
    wait_response(&b);
    assert_int_equal(read_beat(&b, 0, data).resp, HBM_OKAY);
    bench_close(&b);
}

// Advances the clock until the next beat of read data, and returns it.
static struct hbm_beat take_beat(struct bench *b) {
    uint8_t data[HBM_MAX_BEAT_BYTES];
    struct hbm_beat beat;
    while (hbm_take_read(b->ch, data, &beat) != 0) hbm_tick(b->hbm);
    return beat;
}

static void test_bad_beat(void **state) {
    (void)state;
    struct bench b;
    bench_open(&b, 250, 64);
    hbm_inject_beat_error(b.hbm, 0, 2);
    hbm_accept_read(b.ch, 0, 4, 0);
    for (int i = 0; i < 4; i++) assert_int_equal(take_beat(&b).resp, i == 2 ? HBM_SLVERR : HBM_OKAY);
    bench_close(&b);
}

static uint64_t cycles_of_read(struct bench *b) {
    uint64_t begin = hbm_cycle(b->hbm);
    hbm_accept_read(b->ch, 0, 1, 0);
    take_beat(b);
    return hbm_cycle(b->hbm) - begin;
}

static void test_late(void **state) {
    (void)state;
    struct bench b;
    bench_open(&b, 250, 64);
    hbm_inject_delay(b.hbm, 0, 1, 7000);
    uint64_t first = cycles_of_read(&b), late = cycles_of_read(&b), last = cycles_of_read(&b);
    assert_in_range(late, 6900, first + 7000);
    assert_in_range(last, 1, first);
    bench_close(&b);
}

enum { BURSTS = 12 };

// Sends read bursts with AXI ids 0, 1, 2, 0, ... Returns how many bursts came after a younger one of another id. Bursts
// of one id must come in order.
static int count_turns(bool shuffles) {
    struct bench b;
    int turns = 0, next[3] = {0, 1, 2}, last = -1;
    bench_open_seed(&b, 250, 64, 7);
    if (shuffles) hbm_shuffle(b.hbm);
    for (int i = 0; i < BURSTS; i++) {
        hbm_bytes(b.hbm, 0, (uint64_t)i * 128, 1)[0] = (uint8_t)i;
        hbm_accept_read(b.ch, (uint64_t)i * 128, 2, i % 3);
    }
    for (int i = 0; i < BURSTS; i++) {
        uint8_t data[HBM_MAX_BEAT_BYTES];
        struct hbm_beat first;
        while (hbm_take_read(b.ch, data, &first) != 0) hbm_tick(b.hbm);
        struct hbm_beat second = take_beat(&b);
        assert_int_equal(first.id, second.id); // a burst is not cut
        assert_false(first.last);
        assert_true(second.last);
        int burst = next[first.id];
        assert_int_equal(data[0], burst);
        next[first.id] += 3;
        turns += burst < last;
        last = burst > last ? burst : last;
    }
    bench_close(&b);
    return turns;
}

static void test_shuffle(void **state) {
    (void)state;
    assert_int_equal(count_turns(false), 0);
    assert_in_range(count_turns(true), 2, BURSTS);
}

static void test_shuffled_writes(void **state) {
    (void)state;
    struct bench b;
    int turns = 0, last = -1;
    uint8_t data[HBM_MAX_BEAT_BYTES] = {0};
    bench_open_seed(&b, 250, 64, 7);
    hbm_shuffle(b.hbm);
    for (int i = 0; i < BURSTS; i++) {
        hbm_accept_write(b.ch, (uint64_t)i * 64, 1, i);
        hbm_give_write(b.ch, data, ~0ull);
    }
    for (int i = 0; i < BURSTS; i++) {
        int id = wait_response(&b).id;
        turns += id < last;
        last = id > last ? id : last;
    }
    assert_in_range(turns, 2, BURSTS);
    assert_true(hbm_quiet(b.hbm));
    bench_close(&b);
}

static void test_reset(void **state) {
    (void)state;
    struct bench b;
    uint8_t data[HBM_MAX_BEAT_BYTES];
    bench_open(&b, 250, 64);
    write_burst(&b, 0, 1, 9);
    wait_response(&b);
    hbm_accept_read(b.ch, 0, 4, 1);
    write_burst(&b, 0, 1, 5);
    hbm_reset(b.hbm);
    assert_true(hbm_quiet(b.hbm));
    read_beat(&b, 0, data);
    assert_int_equal(data[0], 9); // the second write had no response before the reset, so it has no effect
    bench_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unwritten), cmocka_unit_test(test_unwritten_strobes),
        cmocka_unit_test(test_bad_beat),  cmocka_unit_test(test_late),
        cmocka_unit_test(test_shuffle),   cmocka_unit_test(test_shuffled_writes),
        cmocka_unit_test(test_reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
