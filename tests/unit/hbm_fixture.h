// SPDX-License-Identifier: Apache-2.0
// Shared by the tests of the HBM model: drives one channel through a port of any width and clock, without RTL.
#ifndef TEST_HBM_FIXTURE_H
#define TEST_HBM_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "verif/model/hbm.h"
#include "gen/device/device.h"

enum { CHANNEL_BYTES = 512 << 20 };

struct bench {
    struct arena arena;
    struct hbm *hbm;        // two channels with the timing of the board u55c
    struct hbm_channel *ch; // channel 0, which the functions below use
    int beat_bytes;         // width of the port
    double period_ns;       // of the port's clock
};

// Returns the figures of the memory in boards/u55c.yaml.
static inline struct hbm_figures u55c_figures(struct arena *arena) {
    struct diag diag;
    diag_init(&diag, stderr);
    const struct rill_device *device = rill_device_find("u55c", ".", loc_none(), arena, &diag);
    assert_non_null(device);
    return device->hbm;
}

// Opens the model, which the caller closes with bench_close. clock_mhz: clock of the port. seed: selects the jitter of
// the latencies; 0: no jitter.
static inline void bench_open_seed(struct bench *b, double clock_mhz, int beat_bytes, uint64_t seed) {
    const char *why = NULL;
    arena_init(&b->arena);
    struct hbm_figures figures = u55c_figures(&b->arena);
    struct hbm_config config = {.channels = 2,
                                .beat_bytes = beat_bytes,
                                .clock_mhz = clock_mhz,
                                .channel_bytes = CHANNEL_BYTES,
                                .seed = seed,
                                .timing = hbm_timing_of(&figures)};
    b->hbm = hbm_open(&b->arena, &config, &why);
    assert_non_null(b->hbm);
    b->ch = hbm_channel(b->hbm, 0);
    b->beat_bytes = beat_bytes;
    b->period_ns = 1e3 / clock_mhz;
}

static inline void bench_open(struct bench *b, double clock_mhz, int beat_bytes) {
    bench_open_seed(b, clock_mhz, beat_bytes, 0);
}

static inline void bench_close(struct bench *b) {
    hbm_close(b->hbm);
    arena_free(&b->arena);
}

// Fails the test if the value differs by more than this share of `want`.
static inline void assert_near(double value, double want, double tolerance) {
    if (value < want * (1 - tolerance) || value > want * (1 + tolerance))
        fail_msg("%g is not within %g %% of %g", value, tolerance * 100, want);
}

// Reads one beat. Returns the time in ns from the acceptance of the read until the beat is there.
static inline double read_latency(struct bench *b, uint64_t address) {
    uint8_t data[HBM_MAX_BEAT_BYTES];
    struct hbm_beat beat;
    uint64_t start = hbm_cycle(b->hbm);
    hbm_accept_read(b->ch, address, 1, 0);
    while (hbm_take_read(b->ch, data, &beat) != 0) hbm_tick(b->hbm);
    return (double)(hbm_cycle(b->hbm) - start) * b->period_ns;
}

// Returns the GB/s of `bursts` reads of `beats` beats each, as fast as the port takes them. Addresses advance by
// `stride` bytes and wrap at `span` bytes. At most `outstanding` reads are open.
static inline double read_rate(struct bench *b, int bursts, int beats, uint64_t stride, uint64_t span,
                               int outstanding) {
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

// Gives the model one write burst with AXI id 1. All bytes of its data have this value. There must be room for a burst.
static inline void write_burst(struct bench *b, uint64_t address, int beats, uint8_t value) {
    uint8_t data[HBM_MAX_BEAT_BYTES];
    memset(data, value, sizeof data);
    hbm_accept_write(b->ch, address, beats, 1);
    for (int i = 0; i < beats; i++) hbm_give_write(b->ch, data, ~0ull);
}

// Waits for the response to a write burst.
static inline struct hbm_beat wait_response(struct bench *b) {
    struct hbm_beat beat = {0};
    while (hbm_take_response(b->ch, &beat) != 0) hbm_tick(b->hbm);
    return beat;
}

// Reads one beat with AXI id 5.
static inline struct hbm_beat read_beat(struct bench *b, uint64_t address, uint8_t data[]) {
    struct hbm_beat beat = {0};
    hbm_accept_read(b->ch, address, 1, 5);
    while (hbm_take_read(b->ch, data, &beat) != 0) hbm_tick(b->hbm);
    return beat;
}

#endif
