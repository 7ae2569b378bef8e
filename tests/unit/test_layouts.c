// SPDX-License-Identifier: Apache-2.0
// Tests how the compiler chooses orders, lanes and layout converters for small graphs: it must insert no more
// converters than necessary, and none between streams whose walks are equal.
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

// Builds a graph with one region of operations on the inputs x [8][16], v [2][4][16] and w [10], with 4 lanes and the
// FIFO depths of the safe rule, which needs no search. Returns NULL if there is an error.
static struct ir *try_build(const char *outputs, const char *ops, const char *design) {
    char path[] = "/tmp/rill-test-layouts-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *f = fdopen(fd, "w");
    fprintf(f,
            "name: t\ngraph:\n  inputs:\n    x: {shape: [8, 16]}\n    v: {shape: [2, 4, 16]}\n    w: {shape: [10]}\n  "
            "outputs: [%s]\n  regions:\n    "
            "- name: main\n",
            outputs);
    fprintf(f, "      ops:\n%sdesign:\n  channels: 1\n  lanes: 4\n  fifo: safe\n%s", ops, design);
    fclose(f);
    struct ir *ir = command_build(path, &arena, &diag, NULL);
    unlink(path);
    return ir;
}

static struct ir *build(const char *outputs, const char *ops, const char *design) {
    struct ir *ir = try_build(outputs, ops, design);
    assert_non_null(ir);
    return ir;
}

// Returns the number of kernels with this module.
static int count(const struct ir *ir, const char *module) {
    int n = 0;
    for (int k = 0; k < ir->kernels; k++) n += !strcmp(ir->kernel[k].module, module);
    return n;
}

// Returns the kernel with this module, of which there must be one.
static const struct ir_kernel *only(const struct ir *ir, const char *module) {
    assert_int_equal(count(ir, module), 1);
    for (int k = 0; k < ir->kernels; k++)
        if (!strcmp(ir->kernel[k].module, module)) return &ir->kernel[k];
    return NULL;
}

#define OP(text) "        - {op: " text "}\n"

static void test_no_converters(void **state) {
    (void)state;
    struct ir *ir = build("y",
                          OP("gelu, name: a, in: [x]") OP("silu, name: b, in: [v]")
                              OP("reshape, name: c, in: [b], shape: [8, 16]") OP("add, name: y, in: [a, c]"),
                          "");
    assert_int_equal(count(ir, "rill_layout_converter") + count(ir, "rill_width_converter") + count(ir, "rill_frame"),
                     0);
}

// Two transpositions that cancel need no converter.
static void test_turned_twice(void **state) {
    (void)state;
    struct ir *ir =
        build("y",
              OP("transpose, name: a, in: [x]") OP("gelu, name: b, in: [a]") OP("silu, name: c, in: [b]")
                  OP("transpose, name: d, in: [c]") OP("mul, name: y, in: [d, x]") OP("add, name: z, in: [v, v]"),
              "");
    assert_int_equal(count(ir, "rill_layout_converter") + count(ir, "rill_corner_turn"), 0);
}

static void test_one_transposition(void **state) {
    (void)state;
    struct ir *ir = build("y", OP("transpose, name: a, in: [x]") OP("gelu, name: y, in: [a]"), "");
    const struct ir_kernel *k = only(ir, "rill_corner_turn");
    assert_int_equal(ir_param_int(k, "BUFFER", -1), 128);
    assert_int_equal(ir_param_int(k, "ROUNDS", -1), 1);
    assert_int_equal(ir_param_int(k, "DATA_W", -1), 32);
    assert_int_equal(ir_param_int(k, "LANES", -1), 4);
    assert_int_equal(ir_param_int(k, "PERIOD", -1), 16);
    assert_int_equal(ir_param_int(k, "SKEW", -1), 1);
    assert_int_equal(count(ir, "rill_width_converter"), 0);
}

// If the outermost dimension stays, the buffer holds one plane of the tensor. If the outer dimensions are exchanged,
// whole words are moved.
static void test_shared_loops(void **state) {
    (void)state;
    struct ir *ir = build("y", OP("transpose, name: y, in: [v], perm: [0, 2, 1]"), "");
    const struct ir_kernel *k = only(ir, "rill_corner_turn");
    assert_int_equal(ir_param_int(k, "ROUNDS", -1), 2);
    assert_int_equal(ir_param_int(k, "BUFFER", -1), 64);
    ir = build("y", OP("transpose, name: y, in: [v], perm: [1, 0, 2]"), "");
    k = only(ir, "rill_layout_converter");
    assert_int_equal(ir_param_int(k, "DATA_W", -1), 128);
    assert_int_equal(ir_param_int(k, "BUFFER", -1), 32);
    assert_int_equal(count(ir, "rill_width_converter"), 0);
}

// With `bmm_rows`, a block of rows is sent once for each row of the second operand, and the second operand once for
// each block. The words of the result have an element of each row of the block.
static void test_row_blocks(void **state) {
    (void)state;
    const char *square = OP("bmm, name: a, in: [x, x], transpose: 1") OP("silu, name: y, in: [a]");
    struct ir *ir = build("y", square, "");
    assert_int_equal(count(ir, "rill_row_block"), 0);
    assert_int_equal(ir_param_int(only(ir, "rill_bmm"), "ROWS", -1), -1);
    ir = build("y", square, "  bmm_rows: 4\n");
    const struct ir_kernel *k = only(ir, "rill_row_block");
    assert_int_equal(ir_param_int(k, "DATA_W", -1), 128);
    assert_int_equal(ir_param_int(k, "ROWS", -1), 4);
    assert_int_equal(ir_param_int(k, "WORDS", -1), 4);
    assert_int_equal(ir_param_int(k, "TIMES", -1), 8);
    assert_int_equal(ir_param_int(k, "ROUNDS", -1), 2);
    k = only(ir, "rill_layout_converter"); // of the second operand
    assert_int_equal(ir_param_int(k, "BUFFER", -1), 32);
    assert_int_equal(ir_param_int(only(ir, "rill_bmm"), "ROWS", -1), 4);
    k = only(ir, "rill_corner_turn"); // of the result
    assert_int_equal(ir_param_int(k, "BUFFER", -1), 32);
    assert_int_equal(ir_param_int(k, "ROUNDS", -1), 2);
}

// The product takes the largest power of two up to bmm_rows that divides its rows. Words of the second operand that
// walk down its columns are no blocks of rows.
static void test_fewer_rows(void **state) {
    (void)state;
    struct ir *ir =
        build("y",
              OP("reshape, name: r, in: [w], shape: [10, 1]") OP("reshape, name: c, in: [w], shape: [1, 10]")
                  OP("bmm, name: o, in: [r, c]") OP("bmm, name: y, in: [c, o]"),
              "  bmm_rows: 16\n");
    assert_int_equal(ir_param_int(only(ir, "rill_row_block"), "ROWS", -1), 2);
}

// The dimensions are rotated twice and then back. If the operations use the order that suits the first transposition,
// only one buffer of a whole tensor is needed. No permutation here is its own inverse, so a wrong direction is found.
static void test_rotations(void **state) {
    (void)state;
    struct ir *ir = build("y",
                          OP("silu, name: a, in: [v]") OP("transpose, name: t, in: [a], perm: [1, 2, 0]")
                              OP("silu, name: b, in: [t]") OP("transpose, name: u, in: [b], perm: [1, 2, 0]")
                                  OP("add, name: c, in: [u, u]") OP("transpose, name: z, in: [c], perm: [2, 0, 1]")
                                      OP("add, name: y, in: [z, t]"),
                          "");
    assert_int_equal(count(ir, "rill_layout_converter") + count(ir, "rill_corner_turn"), 1);
}

// The spec fixes another order for three readers of a stream. They must share one converter.
static void test_readers_share(void **state) {
    (void)state;
    struct ir *ir = build(
        "p, q, r, s",
        OP("gelu, name: a, in: [x]") OP("silu, name: p, in: [a], order: [0, 1]")
            OP("silu, name: b, in: [a], order: [1, 0]") OP("gelu, name: c, in: [a], order: [1, 0]")
                OP("mul, name: d, in: [a, b], order: [1, 0]") OP("transpose, name: q, in: [b], order: [0, 1]")
                    OP("transpose, name: r, in: [c], order: [0, 1]") OP("transpose, name: s, in: [d], order: [0, 1]"),
        "");
    assert_int_equal(count(ir, "rill_corner_turn"), 1);
    assert_int_equal(count(ir, "rill_view"), 3);
}

// The buffer of a converter after a fork replaces the FIFO of a whole tensor on that branch.
static void test_folded(void **state) {
    (void)state;
    struct ir *ir = build("y, z", OP("transpose, name: y, in: [x], order: [0, 1]") OP("gelu, name: z, in: [x]"), "");
    int folded = 0, kept = 0;
    for (int e = 0; e < ir->edges; e++) {
        const struct ir_kernel *from = &ir->kernel[ir->edge[e].src_kernel];
        if (strcmp(from->module, "rill_fork") || from->port[0].kind == IR_STREAM_BARE) continue;
        folded += ir->edge[e].depth == 2;
        kept += ir->edge[e].depth > 32;
    }
    assert_int_equal(folded, 1);
    assert_int_equal(kept, 1);
}

static int lanes_of(const struct ir *ir, const char *node) {
    for (int n = 0; n < ir->nodes; n++)
        if (!strcmp(ir->node[n].name, node)) return ir->node[n].lanes;
    return 0;
}

// A row must consist of whole words. The numbers of lanes of neighbouring operations may differ only if their amounts
// of work differ.
static void test_lanes(void **state) {
    (void)state;
    struct ir *ir = build(
        "y", OP("gelu, name: a, in: [x], lanes: 8") OP("rmsnorm, name: y, in: [a], gamma: g, along: 0, lanes: 32"), "");
    assert_int_equal(lanes_of(ir, "a"), 8);
    assert_int_equal(lanes_of(ir, "y"), 8); // a column has only 8 elements
    assert_int_equal(count(ir, "rill_corner_turn"), 2);
    ir = build("y", OP("gelu, name: a, in: [x]") OP("silu, name: b, in: [a]") OP("add, name: y, in: [b, a]"),
               "  unroll: 25\n");
    assert_int_equal(lanes_of(ir, "a"), 8); // three operations with 8 lanes use 24 of the 25 lanes of `unroll`
    assert_int_equal(lanes_of(ir, "b"), 8);
    assert_int_equal(lanes_of(ir, "y"), 8);
}

static void test_refused_lanes(void **state) {
    (void)state;
    static const int lanes[] = {-1, 0, 3, 12, 48, 64};
    for (size_t i = 0; i < COUNT_OF(lanes); i++) {
        diag_init(&diag, stderr);
        assert_null(try_build("y", arena_printf(&arena, OP("gelu, name: y, in: [x], lanes: %d"), lanes[i]), ""));
        assert_int_equal(diag.errors, 1);
    }
}

// A width converter does not pass on elements after the end of a row: 10 elements in words of 4 end with a word of 2.
static void test_last_elements(void **state) {
    (void)state;
    struct ir *ir = build("y", OP("gelu, name: a, in: [w], lanes: 4") OP("silu, name: y, in: [a], lanes: 2"), "");
    int narrowed = 0;
    for (int k = 0; k < ir->kernels; k++)
        if (!strcmp(ir->kernel[k].module, "rill_width_converter") && ir_param_int(&ir->kernel[k], "IN_ELEMS", 0) == 4 &&
            ir_param_int(&ir->kernel[k], "OUT_ELEMS", 0) == 2) {
            assert_int_equal(ir_param_int(&ir->kernel[k], "LAST_ELEMS", -1), 2);
            assert_int_equal(ir_param_int(&ir->kernel[k], "LAST_WORDS", -1), 3);
            narrowed++;
        }
    assert_int_equal(narrowed, 1);
}

// Two groups of readers have 8 and 16 lanes, which do not divide the vector of 10. The width converters between the
// forks must have the length of the vector as parameters.
static void test_padded_readers(void **state) {
    (void)state;
    struct ir *ir = build("p, q, r, s, t",
                          OP("gelu, name: a, in: [w], lanes: 2") OP("silu, name: p, in: [a], lanes: 8")
                              OP("gelu, name: q, in: [a], lanes: 8") OP("silu, name: r, in: [a], lanes: 16")
                                  OP("gelu, name: s, in: [a], lanes: 16") OP("mul, name: t, in: [a, a], lanes: 2"),
                          "");
    assert_int_equal(count(ir, "rill_layout_converter") + count(ir, "rill_corner_turn"), 0);
    int wide = 0;
    for (int k = 0; k < ir->kernels; k++) {
        int64_t last = ir_param_int(&ir->kernel[k], "LAST_ELEMS", 0);
        if (!last || ir_param_int(&ir->kernel[k], "IN_ELEMS", 0) != 2) continue;
        assert_int_equal(last, 2);
        assert_int_equal(ir_param_int(&ir->kernel[k], "LAST_WORDS", -1), 5);
        wide++;
    }
    assert_int_equal(wide, 3); // one for each group, one to the rows of `t` in memory
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_no_converters, setup, teardown),
        cmocka_unit_test_setup_teardown(test_rotations, setup, teardown),
        cmocka_unit_test_setup_teardown(test_turned_twice, setup, teardown),
        cmocka_unit_test_setup_teardown(test_one_transposition, setup, teardown),
        cmocka_unit_test_setup_teardown(test_shared_loops, setup, teardown),
        cmocka_unit_test_setup_teardown(test_row_blocks, setup, teardown),
        cmocka_unit_test_setup_teardown(test_fewer_rows, setup, teardown),
        cmocka_unit_test_setup_teardown(test_readers_share, setup, teardown),
        cmocka_unit_test_setup_teardown(test_folded, setup, teardown),
        cmocka_unit_test_setup_teardown(test_lanes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_refused_lanes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_last_elements, setup, teardown),
        cmocka_unit_test_setup_teardown(test_padded_readers, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
