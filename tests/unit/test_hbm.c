// SPDX-License-Identifier: Apache-2.0
// The HBM model against the published figures of the U280/U55C, within 5 per cent, and its content and error behaviour.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // mkstemp
#endif
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../verif/model/hbm.h"

enum { CHANNEL_BYTES = 512 << 20 };

struct bench {
    struct arena arena;
    struct hbm *hbm;
    struct hbm_channel *ch;
    int beat_bytes;
    double period_ns;
};

static void bench_open_seed(struct bench *b, double clock_mhz, int beat_bytes, uint64_t seed) {
    const char *why = NULL;
    arena_init(&b->arena);
    struct hbm_config config = {.channels = 2,
                                .beat_bytes = beat_bytes,
                                .clock_mhz = clock_mhz,
                                .channel_bytes = CHANNEL_BYTES,
                                .seed = seed,
                                .timing = hbm_timing_default()};
    b->hbm = hbm_open(&b->arena, &config, &why);
    assert_non_null(b->hbm);
    b->ch = hbm_channel(b->hbm, 0);
    b->beat_bytes = beat_bytes;
    b->period_ns = 1e3 / clock_mhz;
}

static void bench_open(struct bench *b, double clock_mhz, int beat_bytes) { bench_open_seed(b, clock_mhz, beat_bytes, 0); }

static void bench_close(struct bench *b) {
    hbm_close(b->hbm);
    arena_free(&b->arena);
}

static void assert_near(double value, double want, double tolerance) {
    if (value < want * (1 - tolerance) || value > want * (1 + tolerance)) fail_msg("%g is not within %g %% of %g", value, tolerance * 100, want);
}

// Nanoseconds from acceptance to the first beat of one read.
static double read_latency(struct bench *b, uint64_t address) {
    uint8_t data[HBM_MAX_BEAT_BYTES];
    struct hbm_beat beat;
    uint64_t start = hbm_cycle(b->hbm);
    hbm_accept_read(b->ch, address, 1, 0);
    while (hbm_take_read(b->ch, data, &beat) != 0) hbm_tick(b->hbm);
    return (double)(hbm_cycle(b->hbm) - start) * b->period_ns;
}

// GB/s of `bursts` reads of `beats` beats, `stride` bytes apart within `span`, as fast as the port takes them.
static double read_rate(struct bench *b, int bursts, int beats, uint64_t stride, uint64_t span, int outstanding) {
    uint8_t data[HBM_MAX_BEAT_BYTES];
    struct hbm_beat beat;
    uint64_t start = hbm_cycle(b->hbm);
    int sent = 0, done = 0;
    while (done < bursts) {
        if (sent < bursts && sent - done < outstanding && hbm_read_room(b->ch)) {
            hbm_accept_read(b->ch, (uint64_t)sent * stride % span, beats, 0);
            sent++;
        }
        if (hbm_take_read(b->ch, data, &beat) == 0) done += beat.last;
        hbm_tick(b->hbm);
    }
    double ns = (double)(hbm_cycle(b->hbm) - start) * b->period_ns;
    return (double)bursts * beats * b->beat_bytes / ns;
}

static void test_idle_latency(void **state) {
    (void)state;
    struct bench b;
    bench_open(&b, 450, 32);
    double closed = read_latency(&b, 0), hit = read_latency(&b, 64), miss = read_latency(&b, 1 << 20);
    assert_near(hit, 107, 0.05);
    assert_near(closed, 122, 0.05);
    assert_near(miss, 138, 0.05);
    bench_close(&b);
}

static void test_sequential_read(void **state) {
    (void)state;
    const struct {
        double clock;
        int bytes, beats;
        double want; // the port's own rate when it is the lower one
    } cases[] = {{450, 32, 16, 13.27}, {250, 64, 8, 13.27}, {250, 64, 64, 13.27}, {300, 64, 16, 13.27}, {250, 32, 16, 8.0}, {200, 64, 16, 12.8}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct bench b;
        bench_open(&b, cases[i].clock, cases[i].bytes);
        uint64_t stride = (uint64_t)cases[i].beats * (uint64_t)cases[i].bytes;
        double rate = read_rate(&b, (4 << 20) / (int)stride, cases[i].beats, stride, CHANNEL_BYTES, 16);
        assert_near(rate, cases[i].want, cases[i].want == 13.27 ? 0.01 : 0.05);
        bench_close(&b);
    }
}

static void test_strided_read(void **state) {
    (void)state;
    struct bench b;
    bench_open(&b, 450, 32);
    assert_near(read_rate(&b, 20000, 1, 4096, 256 << 20, 32), 2.4, 0.05);
    bench_close(&b);
}

// About three bursts of 512 bytes cover the idle latency; one does not.
static void test_outstanding(void **state) {
    (void)state;
    struct bench b;
    bench_open(&b, 450, 32);
    double one = read_rate(&b, 4000, 16, 512, CHANNEL_BYTES, 1), eight = read_rate(&b, 4000, 16, 512, CHANNEL_BYTES, 8);
    assert_true(one < 0.4 * 13.27);
    assert_near(eight, 13.27, 0.02);
    bench_close(&b);
}

// The longest pause in a saturated stream is a refresh: 260 to 350 ns, every 3.9 us.
static void test_refresh(void **state) {
    (void)state;
    struct bench b;
    bench_open(&b, 450, 32);
    uint8_t data[HBM_MAX_BEAT_BYTES];
    struct hbm_beat beat;
    uint64_t sent = 0, longest = 0, last = 0, pauses = 0;
    for (int cycle = 0; cycle < 200000; cycle++, hbm_tick(b.hbm)) {
        if (hbm_read_room(b.ch)) hbm_accept_read(b.ch, sent++ * 512, 16, 0);
        if (hbm_take_read(b.ch, data, &beat) != 0) continue;
        uint64_t gap = hbm_cycle(b.hbm) - last;
        last = hbm_cycle(b.hbm);
        longest = gap > longest ? gap : longest;
        pauses += gap * b.period_ns > 200;
    }
    assert_in_range((uint64_t)((double)longest * b.period_ns), 260, 350);
    assert_near((double)pauses, 200000 * b.period_ns / 3900, 0.05);
    bench_close(&b);
}

static void write_burst(struct bench *b, uint64_t address, int beats, uint8_t value) {
    uint8_t data[HBM_MAX_BEAT_BYTES];
    memset(data, value, sizeof data);
    hbm_accept_write(b->ch, address, beats, 1);
    for (int i = 0; i < beats; i++) hbm_give_write(b->ch, data, ~0ull);
}

static struct hbm_beat wait_response(struct bench *b) {
    struct hbm_beat beat = {0};
    while (hbm_take_response(b->ch, &beat) != 0) hbm_tick(b->hbm);
    return beat;
}

static struct hbm_beat read_beat(struct bench *b, uint64_t address, uint8_t data[]) {
    struct hbm_beat beat = {0};
    hbm_accept_read(b->ch, address, 1, 5);
    while (hbm_take_read(b->ch, data, &beat) != 0) hbm_tick(b->hbm);
    return beat;
}

// Reads and writes in turn (in different banks) pay for turning the bus around.
static void test_turnaround(void **state) {
    (void)state;
    struct bench b;
    bench_open(&b, 450, 32);
    uint8_t data[HBM_MAX_BEAT_BYTES];
    struct hbm_beat beat;
    int pairs = 4000, reads = 0, writes = 0, sent = 0;
    while (reads < pairs || writes < pairs) {
        if (sent < pairs && sent - reads < 16 && sent - writes < 16) {
            hbm_accept_read(b.ch, (uint64_t)sent * 64, 2, 0);
            write_burst(&b, (256u << 20) + 8192 + (uint64_t)sent * 64, 2, 1);
            sent++;
        }
        if (hbm_take_read(b.ch, data, &beat) == 0) reads += beat.last;
        writes += hbm_take_response(b.ch, &beat) == 0;
        hbm_tick(b.hbm);
    }
    double rate = (double)pairs * 128 / ((double)hbm_cycle(b.hbm) * b.period_ns);
    assert_true(rate < 0.45 * 13.27);
    assert_true(rate > 0.15 * 13.27);
    bench_close(&b);
}

static void test_content(void **state) {
    (void)state;
    struct bench b;
    uint8_t data[HBM_MAX_BEAT_BYTES];
    bench_open(&b, 250, 64);
    write_burst(&b, 4096, 2, 0x5a);
    uint8_t before = hbm_bytes(b.hbm, 0, 4096, 1)[0]; // not visible before the response
    assert_int_equal(before, 0);
    assert_int_equal(wait_response(&b).resp, HBM_OKAY);
    struct hbm_beat beat = read_beat(&b, 4096 + 64, data);
    assert_int_equal(beat.id, 5);
    assert_true(beat.last);
    assert_int_equal(data[0], 0x5a);
    assert_int_equal(data[63], 0x5a);
    hbm_accept_write(b.ch, 4096, 1, 0); // strobes
    memset(data, 7, sizeof data);
    hbm_give_write(b.ch, data, 2);
    wait_response(&b);
    assert_int_equal(hbm_bytes(b.hbm, 0, 4096, 1)[0], 0x5a);
    assert_int_equal(hbm_bytes(b.hbm, 0, 4096, 2)[1], 7);
    assert_true(hbm_quiet(b.hbm));
    bench_close(&b);
}

// A read accepted before a write's response sees the old content, even when its data comes later.
static void test_read_before_response(void **state) {
    (void)state;
    struct bench b;
    uint8_t data[HBM_MAX_BEAT_BYTES];
    struct hbm_beat beat;
    bench_open_seed(&b, 250, 64, 0);
    write_burst(&b, 0, 1, 9);
    hbm_accept_read(b.ch, 0, 1, 0);
    wait_response(&b);
    while (hbm_take_read(b.ch, data, &beat) != 0) hbm_tick(b.hbm);
    assert_int_equal(data[0], 0);
    read_beat(&b, 0, data);
    assert_int_equal(data[0], 9);
    bench_close(&b);
}

static void test_errors(void **state) {
    (void)state;
    struct bench b;
    uint8_t data[HBM_MAX_BEAT_BYTES];
    bench_open(&b, 250, 64);
    hbm_inject_error(b.hbm, 0, false, 1);
    hbm_inject_error(b.hbm, 0, true, 0);
    assert_int_equal(read_beat(&b, 0, data).resp, HBM_OKAY);
    assert_int_equal(read_beat(&b, 0, data).resp, HBM_SLVERR);
    assert_int_equal(read_beat(&b, 0, data).resp, HBM_OKAY);
    assert_int_equal(read_beat(&b, CHANNEL_BYTES, data).resp, HBM_DECERR);
    b.ch = hbm_channel(b.hbm, 1);
    assert_int_equal(read_beat(&b, CHANNEL_BYTES - 64, data).resp, HBM_DECERR);
    assert_int_equal(read_beat(&b, CHANNEL_BYTES, data).resp, HBM_OKAY);
    b.ch = hbm_channel(b.hbm, 0);
    write_burst(&b, 0, 1, 3);
    assert_int_equal(wait_response(&b).resp, HBM_SLVERR);
    assert_int_equal(hbm_bytes(b.hbm, 0, 0, 1)[0], 0);
    bench_close(&b);
}

// A seed changes times and nothing else, and always in the same way.
static void test_jitter(void **state) {
    (void)state;
    double rate[3];
    const uint64_t seeds[3] = {0, 7, 7};
    for (int i = 0; i < 3; i++) {
        struct bench b;
        bench_open_seed(&b, 250, 64, seeds[i]);
        rate[i] = read_rate(&b, 500, 1, 64, 1 << 20, 4);
        bench_close(&b);
    }
    assert_true(rate[1] != rate[0]);
    assert_true(rate[1] == rate[2]);
}

static void test_image(void **state) {
    (void)state;
    struct bench b;
    char path[] = "/tmp/rill_test_hbm_XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, "weights", 7), 7);
    close(file);
    bench_open(&b, 250, 64);
    assert_null(hbm_load(b.hbm, 1, 1 << 20, path));
    assert_memory_equal(hbm_bytes(b.hbm, 1, 1 << 20, 8), "weights", 8);
    assert_non_null(hbm_load(b.hbm, 1, 0, "/nonexistent"));
    assert_non_null(hbm_load(b.hbm, 1, CHANNEL_BYTES, path));
    assert_null(hbm_bytes(b.hbm, 1, CHANNEL_BYTES - 1, 2));
    bench_close(&b);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_idle_latency), cmocka_unit_test(test_sequential_read),
        cmocka_unit_test(test_strided_read), cmocka_unit_test(test_outstanding),
        cmocka_unit_test(test_refresh),      cmocka_unit_test(test_turnaround),
        cmocka_unit_test(test_content),      cmocka_unit_test(test_read_before_response),
        cmocka_unit_test(test_errors),       cmocka_unit_test(test_jitter),
        cmocka_unit_test(test_image),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
