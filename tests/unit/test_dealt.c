// SPDX-License-Identifier: Apache-2.0
// Tests embedding tables that do not fit into one channel: the number of channels over which their rows are
// distributed, and that no other segment of the memory overlaps them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "gen/command/command.h"
#include "gen/ir/layout.h"

static struct arena arena;
static struct diag diag;
static int setup(void **state) {
    (void)state;
    arena_init(&arena);
    diag_init(&diag, stderr);
    return 0;
}
static int teardown(void **state) {
    (void)state;
    arena_free(&arena);
    return 0;
}

// Builds a language model with a vocabulary of this size on channels of 1 MiB.
static const struct ir *build(int vocab, const char *design) {
    char path[] = "/tmp/rill-test-dealt-XXXXXX", here[1024];
    int fd = mkstemp(path);
    assert_true(fd >= 0 && getcwd(here, sizeof here));
    FILE *f = fdopen(fd, "w");
    fprintf(f, "name: t\nboard: %s/tests/e2e/boards/narrow.yaml\n", here);
    fprintf(f, "model: {family: gpt2, layers: 1, hidden: 96, heads: 3, ffn: 200, vocab: %d, context: 24}\n", vocab);
    fprintf(f, "design: {beat_bits: 256, lanes: 8, T: 2, fifo: safe, %s}\n", design);
    fclose(f);
    const struct ir *ir = command_build(path, &arena, &diag, NULL);
    unlink(path);
    assert_non_null(ir);
    return ir;
}

// Returns the segment of the embedding table.
static const struct ir_segment *table(const struct ir *ir) {
    for (int s = 0; s < ir->segments; s++)
        if (!strcmp(ir->segment[s].name, "token_row")) return &ir->segment[s];
    fail_msg("no table");
    return NULL;
}

// Returns whether a segment has data on a channel.
static bool lies_on(const struct ir *ir, const struct ir_segment *s, int channel) {
    if (s->channel == IR_NONE) return ir_engine_of(ir, s->node) == ir_engine_at(ir, channel);
    return channel >= s->channel && channel < s->channel + ir_parts(s->parts);
}

// Checks that no byte of a channel belongs to two segments.
static void check_apart(const struct ir *ir) {
    for (int c = 0; c < ir->design.channels; c++)
        for (int a = 0; a < ir->segments; a++)
            for (int b = 0; b < a; b++) {
                const struct ir_segment *x = &ir->segment[a], *y = &ir->segment[b];
                if (!lies_on(ir, x, c) || !lies_on(ir, y, c)) continue;
                assert_true(x->offset >= y->offset + y->bytes || y->offset >= x->offset + x->bytes);
            }
}

// Checks that the table with this number of rows, each a record of `record` bytes, is distributed over `parts`
// channels, and that its kernel and its clients have the same number.
static void check_records(const struct ir *ir, int parts, int64_t rows, int64_t record) {
    const struct ir_segment *t = table(ir);
    assert_int_equal(ir_parts(t->parts), parts);
    assert_int_equal(t->bytes, layout_div_up(rows, parts) * record);
    for (int k = 0; k < ir->kernels; k++)
        if (t->node == ir->kernel[k].node) assert_int_equal(ir_param_int(&ir->kernel[k], "PARTS", 1), parts);
    for (int c = 0; c < ir->clients; c++)
        if (ir->client[c].kernel != IR_NONE && ir->kernel[ir->client[c].kernel].node == t->node)
            assert_int_equal(ir_parts(ir->client[c].parts), parts);
    check_apart(ir);
}

// A record of int8 takes a header beat of 32 bytes and 96 elements of one byte.
static void check_table(const struct ir *ir, int parts, int64_t rows) { check_records(ir, parts, rows, 128); }

// A table uses the smallest number of channels that is a power of two and can hold it.
static void test_parts(void **state) {
    (void)state;
    check_table(build(97, "channels: 5"), 1, 97);
    check_table(build(6001, "channels: 5"), 1, 6001);
    check_table(build(10003, "channels: 5"), 2, 10003);
    check_table(build(17011, "channels: 5"), 4, 17011);
    check_table(build(9001, "channels: 3"), 2, 9001);
    check_records(build(6001, "channels: 5, embedding: int16"), 2, 6001, 224); // 6001 rows with elements of two bytes
}

// The table is at the same offset in the channels of all engines.
static void test_engines(void **state) {
    (void)state;
    const struct ir *ir = build(40009, "channels: 13, binding: spatial"); // the last of the 8 have more weights
    assert_true(ir->engines > 1 && ir->engine[0].channels < 8);
    check_table(ir, 8, 40009);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(test_parts, setup, teardown),
                                       cmocka_unit_test_setup_teardown(test_engines, setup, teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
