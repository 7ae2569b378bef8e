// SPDX-License-Identifier: Apache-2.0
// Measures times of the HBM model at its own port (256 bits at 450 MHz) and at the ports of designs, and compares them
// with published figures of the U280 and U55C and with figures that follow from these. docs/hbm.md has the same table.
#include "tests/unit/hbm_fixture.h"

#define MIB ((uint64_t)1 << 20)

// ---- reads and writes as fast as the port takes them ----

struct pattern {
    const char *name;
    double clock_mhz;
    int beat_bytes, beats;
    uint64_t stride, span; // bytes between bursts, and after which addresses wrap
    int outstanding;       // bursts in flight
    bool is_write;
    double want, tolerance; // GB/s, and the share by which the model may differ
};

enum { NATIVE = 32 /* bytes of the memory's own port */ };
static const double native_mhz = 450, published = 0.05; // published: tolerance for published figures

static const struct pattern patterns[] = {
    // Sequential reads reach 13.27 GB/s with bursts of any length, refreshes included. A port whose own rate is below
    // this limit reaches its own rate.
    {"sequential, 512 B", 450, NATIVE, 16, 512, 512 * MIB, 16, false, 13.27, 0.05},
    {"sequential, 256 B", 450, NATIVE, 8, 256, 512 * MIB, 32, false, 13.27, 0.05},
    {"sequential, 64 B", 450, NATIVE, 2, 64, 512 * MIB, 32, false, 13.27, 0.05},
    {"sequential, 4 KiB, 512 bit at 250 MHz", 250, 64, 64, 4096, 512 * MIB, 16, false, 13.27, 0.05},
    {"sequential, 1 KiB, 512 bit at 250 MHz", 250, 64, 16, 1024, 512 * MIB, 16, false, 13.27, 0.05},
    {"sequential, 1 KiB, 512 bit at 300 MHz", 300, 64, 16, 1024, 512 * MIB, 16, false, 13.27, 0.05},
    {"sequential, 512 B, 256 bit at 250 MHz", 250, 32, 16, 512, 512 * MIB, 16, false, 8.0, 0.05},
    {"sequential, 1 KiB, 512 bit at 200 MHz", 200, 64, 16, 1024, 512 * MIB, 16, false, 12.8, 0.05},
    // With strides, accesses 4 KiB apart cycle through four banks and open another row each time.
    {"32 B at 4 KiB in 256 MiB", 450, NATIVE, 1, 4096, 256 * MIB, 32, false, 2.4, 0.05},
    {"64 B at 4 KiB in 256 MiB", 450, NATIVE, 2, 4096, 256 * MIB, 32, false, 4.8, 0.10},
    {"256 B at 4 KiB in 256 MiB", 450, NATIVE, 8, 4096, 256 * MIB, 32, false, 13.27, 0.05},
    {"32 B at 16 KiB in 256 MiB", 450, NATIVE, 1, 16384, 256 * MIB, 32, false, 0.65, 0.10},
    // With one burst of 512 B in flight, the whole latency passes between bursts. Three bursts hide most of it.
    {"sequential, 512 B, 1 outstanding", 450, NATIVE, 16, 512, 512 * MIB, 1, false, 3.2, 0.05},
    {"sequential, 512 B, 3 outstanding", 450, NATIVE, 16, 512, 512 * MIB, 3, false, 9.3, 0.05},
    {"sequential, 512 B, 8 outstanding", 450, NATIVE, 16, 512, 512 * MIB, 8, false, 13.27, 0.05},
    // Writes reach the rates of reads, because they use the same bus.
    {"sequential writes, 512 B", 450, NATIVE, 16, 512, 512 * MIB, 16, true, 13.27, 0.05},
    {"writes of 32 B at 4 KiB in 256 MiB", 450, NATIVE, 1, 4096, 256 * MIB, 32, true, 2.4, 0.05},
};

// Returns the GB/s of writes. The port takes one beat per cycle, as from a master that always has data.
static double write_rate(struct bench *b, const struct pattern *p, int bursts) {
    uint8_t data[HBM_MAX_BEAT_BYTES] = {0};
    struct hbm_beat beat;
    uint64_t start = hbm_cycle(b->hbm);
    int sent = 0, given = 0, done = 0;
    while (done < bursts) {
        if (given == 0 && sent < bursts && sent - done < p->outstanding && hbm_write_room(b->ch)) {
            hbm_accept_write(b->ch, (uint64_t)sent++ * p->stride % p->span, p->beats, 0);
            given = p->beats;
        }
        if (given > 0) {
            hbm_give_write(b->ch, data, ~0ull);
            given--;
        }
        done += hbm_take_response(b->ch, &beat) == 0;
        hbm_tick(b->hbm);
    }
    return (double)bursts * p->beats * b->beat_bytes / ((double)(hbm_cycle(b->hbm) - start) * b->period_ns);
}

static void test_patterns(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(patterns); i++) {
        const struct pattern *p = &patterns[i];
        struct bench b;
        int bursts = (int)((2 * MIB) / (uint64_t)(p->beats * p->beat_bytes));
        bench_open(&b, p->clock_mhz, p->beat_bytes);
        if (bursts > 20000) bursts = 20000;
        double rate = p->is_write ? write_rate(&b, p, bursts)
                                  : read_rate(&b, bursts, p->beats, p->stride, p->span, p->outstanding);
        print_message("%-42s %6.2f GB/s\n", p->name, rate);
        if (rate < p->want * (1 - p->tolerance) || rate > p->want * (1 + p->tolerance))
            fail_msg("%s: %g GB/s, not %g", p->name, rate, p->want);
        bench_close(&b);
    }
}

// ---- single requests ----

static void test_idle_latency(void **state) {
    (void)state;
    const struct {
        const char *state;
        uint64_t address;
        double cycles; // at 450 MHz
    } reads[] = {{"page closed", 0, 55}, {"page hit", 64, 48}, {"page miss", 1 << 20, 62}};
    struct bench b;
    bench_open(&b, native_mhz, NATIVE);
    for (size_t i = 0; i < COUNT_OF(reads); i++) {
        double ns = read_latency(&b, reads[i].address);
        print_message("idle latency, %-12s %6.1f ns\n", reads[i].state, ns);
        assert_near(ns, reads[i].cycles / native_mhz * 1e3, published);
    }
    bench_close(&b);
}

// The longest pause in a saturated stream of reads is a refresh. A refresh comes every 3.9 us and takes 260 to 350 ns.
static void test_refresh(void **state) {
    (void)state;
    enum { CYCLES = 200000 };
    struct bench b;
    bench_open(&b, native_mhz, NATIVE);
    uint8_t data[HBM_MAX_BEAT_BYTES];
    struct hbm_beat beat;
    uint64_t sent = 0, longest = 0, last = 0, pauses = 0;
    for (int cycle = 0; cycle < CYCLES; cycle++, hbm_tick(b.hbm)) {
        if (hbm_read_room(b.ch)) hbm_accept_read(b.ch, sent++ * 512, 16, 0);
        if (hbm_take_read(b.ch, data, &beat) != 0) continue;
        uint64_t gap = hbm_cycle(b.hbm) - last;
        last = hbm_cycle(b.hbm);
        longest = gap > longest ? gap : longest;
        pauses += gap * b.period_ns > 200;
    }
    print_message("refresh: %.0f ns every %.0f ns\n", (double)longest * b.period_ns,
                  CYCLES * b.period_ns / (double)pauses);
    assert_in_range((uint64_t)((double)longest * b.period_ns), 260, 350);
    assert_near(CYCLES * b.period_ns / (double)pauses, 3900, published);
    bench_close(&b);
}

// ---- alternating reads and writes in different banks: sum of both rates, by bytes per change of direction ----

// Returns the GB/s of reads and writes together, in bursts of `beats` beats.
static double mixed_rate(int beats) {
    struct bench b;
    bench_open(&b, native_mhz, NATIVE);
    uint8_t data[HBM_MAX_BEAT_BYTES];
    struct hbm_beat beat;
    int pairs = 64000 / beats, reads = 0, writes = 0, sent = 0;
    uint64_t bytes = (uint64_t)beats * NATIVE;
    while (reads < pairs || writes < pairs) {
        if (sent < pairs && sent - reads < 16 && sent - writes < 16) {
            hbm_accept_read(b.ch, (uint64_t)sent * bytes, beats, 0);
            write_burst(&b, 256 * MIB + 8192 + (uint64_t)sent * bytes, beats, 1);
            sent++;
        }
        if (hbm_take_read(b.ch, data, &beat) == 0) reads += beat.last;
        writes += hbm_take_response(b.ch, &beat) == 0;
        hbm_tick(b.hbm);
    }
    double rate = 2.0 * pairs * (double)bytes / ((double)hbm_cycle(b.hbm) * b.period_ns);
    bench_close(&b);
    return rate;
}

// Two changes of direction take 22 ns of bus time. 512 bytes in each direction take 71.1 ns together. So 10.1 of 13.27
// GB/s are left in the third case.
static void test_turnaround(void **state) {
    (void)state;
    const struct {
        int beats;
        double want;
    } cases[] = {{2, 3.8}, {8, 8.2}, {16, 10.1}, {64, 12.3}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        double rate = mixed_rate(cases[i].beats);
        print_message("reads and writes in turn, %4d B each %6.2f GB/s\n", cases[i].beats * NATIVE, rate);
        assert_near(rate, cases[i].want, 0.10);
    }
}

// 100 bytes in 20 ns are 5 GB/s, a quarter of a peak rate of 20 GB/s.
static void test_shares(void **state) {
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct hbm_figures h = u55c_figures(&arena);
    h.peak_gbs = 20;
    struct hbm_share s = hbm_figures_share(&h, 100, 20e-9), none = hbm_figures_share(&h, 100, 0);
    assert_near(s.peak, 0.25, 1e-9);
    assert_near(s.sustained, 5 / hbm_figures_rate(&h), 1e-9);
    assert_true(none.peak == 0 && none.sustained == 0);
    assert_string_equal(hbm_figures_share_text(&arena, &h, s),
                        "25.0 % of the peak 20.00 GB/s, 37.7 % of the sustained 13.28");
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patterns),   cmocka_unit_test(test_idle_latency), cmocka_unit_test(test_refresh),
        cmocka_unit_test(test_turnaround), cmocka_unit_test(test_shares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
