// SPDX-License-Identifier: Apache-2.0
// Tests content, order, errors, resets, jitter and loaded images of the HBM model, and the table of memory figures in
// docs/boards.md. test_hbm_figures.c tests the times of the model, and test_hbm_trouble.c the faults that it makes on
// demand.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // mkstemp
#endif
#include "tests/unit/hbm_fixture.h"

#include <stdlib.h>
#include <unistd.h>

// A write must become visible with its response, with all its beats, and only in the bytes that the strobes select. A
// read must return this content with its own id and `last` (read_beat reads one beat with id 5).
static void test_content(void **state) {
    (void)state;
    struct bench b;
    uint8_t data[HBM_MAX_BEAT_BYTES];
    bench_open(&b, 250, 64);
    write_burst(&b, 4096, 2, 0x5a);
    uint8_t before = hbm_bytes(b.hbm, 0, 4096, 1)[0]; // the new content is not visible before the response
    assert_int_equal(before, 0);
    assert_int_equal(wait_response(&b).resp, HBM_OKAY);
    struct hbm_beat beat = read_beat(&b, 4096 + 64, data);
    assert_int_equal(beat.id, 5);
    assert_true(beat.last);
    assert_int_equal(data[0], 0x5a);
    assert_int_equal(data[63], 0x5a);
    hbm_accept_write(b.ch, 4096, 1, 0); // the strobes select only byte 1
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

// The second read and the first write of channel 0 must get the errors that the test injects (SLVERR). An address of
// another channel must get a decode error (DECERR).
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

// A reset forgets a write whose data was complete, and the next write gets its response after its own data.
static void test_reset(void **state) {
    (void)state;
    struct bench b;
    struct hbm_beat beat;
    uint8_t data[HBM_MAX_BEAT_BYTES];
    bench_open(&b, 250, 64);
    write_burst(&b, 0, 1, 3);
    hbm_reset(b.hbm);
    assert_true(hbm_quiet(b.hbm));
    hbm_accept_write(b.ch, 64, 1, 2);
    // 500 cycles are much longer than a write takes.
    for (int i = 0; i < 500; i++, hbm_tick(b.hbm)) assert_int_equal(hbm_take_response(b.ch, &beat), -1);
    memset(data, 7, sizeof data);
    hbm_give_write(b.ch, data, ~0ull);
    assert_int_equal(wait_response(&b).id, 2);
    assert_int_equal(hbm_bytes(b.hbm, 0, 0, 1)[0], 0);
    assert_int_equal(hbm_bytes(b.hbm, 0, 64, 1)[0], 7);
    bench_close(&b);
}

// The seed of the jitter changes the times of the memory. The same seed always gives the same times.
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

// A loaded file must be in the memory from the given address of the channel on, with zeros after its end. Loading must
// fail for a file that does not exist and for an address after the channel's end. hbm_bytes gives no bytes beyond it.
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
    assert_memory_equal(hbm_bytes(b.hbm, 1, 1 << 20, 8), "weights", 8); // the file, and a zero after its end
    assert_non_null(hbm_load(b.hbm, 1, 0, "/nonexistent"));
    assert_non_null(hbm_load(b.hbm, 1, CHANNEL_BYTES, path));
    assert_null(hbm_bytes(b.hbm, 1, CHANNEL_BYTES - 1, 2));
    bench_close(&b);
    unlink(path);
}

// docs/boards.md must have every row that hbm_figures_list prints. The number of rows shows that the list is complete.
static void test_table_of_docs(void **state) {
    (void)state;
    struct arena arena;
    size_t len;
    char *list = NULL;
    const char *why;
    arena_init(&arena);
    const char *docs = file_read(&arena, "docs/boards.md", 1 << 20, &len, &why);
    assert_non_null(docs);
    FILE *out = open_memstream(&list, &len);
    hbm_figures_list(out, true);
    fclose(out);
    int rows = 0;
    for (char *row = strtok(list, "\n"); row; row = strtok(NULL, "\n"), rows++)
        if (!strstr(docs, row)) fail_msg("docs/boards.md lacks: %s", row);
    assert_int_equal(rows, 18);
    free(list);
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reset),
        cmocka_unit_test(test_content),
        cmocka_unit_test(test_read_before_response),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_jitter),
        cmocka_unit_test(test_image),
        cmocka_unit_test(test_table_of_docs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
