// SPDX-License-Identifier: Apache-2.0
// Tests `tensor_rows`, with which rows of a tensor take the places of tokens in the engine: the firings, the kernels
// around the engine and the widths of their streams. Compares the reads and the work of a step in the cost model with
// the timing simulator.
#include "tests/unit/step_beats.h"

#include "gen/ir/fields.h"
#include "gen/kernel/kernel.h"

#include <string.h>

enum { ROWS = 7 };

static struct ir *build(struct image_fixture *x, const char *design) {
    static const char *const text = "name: t\n"
                                    "graph:\n"
                                    "  inputs: {x: {shape: [7, 96]}}\n"
                                    "  outputs: [y, z]\n"
                                    "  regions:\n"
                                    "    - name: all\n"
                                    "      ops:\n"
                                    "        - {op: linear, name: y, in: [x], rows: 40, weight: w}\n"
                                    "        - {op: linear, name: z, in: [x], rows: 24, weight: v}\n"
                                    "design: {channels: 2, lanes: 4, beat_bits: 256, group: 64, fifo: safe, %s}\n";
    return image_build(x, arena_printf(&x->f.arena, text, design), NULL);
}

// Checks the firings of each product. want: one character per firing, which is the number of rows that the firing has
// in a step of one token, or `-` if such a step skips the firing.
static void check_firings(const char *design, const char *want) {
    struct image_fixture x;
    char have[64] = "";
    image_begin(&x);
    const struct ir *ir = build(&x, design);
    for (int f = 0; f < ir->firings; f++) {
        assert_true(ir->firing[f].heads != 1);
        have[f] = ir->firing[f].many ? '-' : (char)('0' + (ir->firing[f].heads ? ir->firing[f].heads : 1));
    }
    assert_string_equal(have, arena_printf(&x.f.arena, "%s%s", want, want)); // both products have equal firings
    image_end(&x);
}

static void test_firings(void **state) {
    (void)state;
    check_firings("T: 1", "1111111");
    check_firings("T: 1, tensor_rows: 2", "2221");
    check_firings("T: 1, tensor_rows: 4", "43");
    check_firings("T: 1, tensor_rows: 8", "7");
    check_firings("T: 2, tensor_rows: 4", "---4--3");
    check_firings("T: 4, tensor_rows: 2", "-2-2-21");
}

static int kernel_with(const struct ir *ir, unsigned traits) {
    for (int k = 0; k < ir->kernels; k++)
        if (kernel_is(&ir->kernel[k], traits)) return k;
    return IR_NONE;
}

// Checks the places of the engine (`places`), which are for the tokens of a step or for rows. outside, inside: bits of
// tuser in the streams away from the engine, and in the streams of the engine and its multiplexers. added: whether
// there are kernels that pack rows into places and unpack them.
static void check_kernels(const char *design, int places, int outside, int inside, bool added) {
    struct image_fixture x;
    image_begin(&x);
    const struct ir *ir = build(&x, design);
    assert_int_equal(ir_param_int(&ir->kernel[ir->engine[0].kernel], "TOKENS", 0), places);
    int pack = kernel_with(ir, KERNEL_PACKS), split = kernel_with(ir, KERNEL_UNPACKS);
    assert_true((pack != IR_NONE) == added);
    assert_true((split != IR_NONE) == added);
    for (int e = 0; e < ir->edges; e++) {
        const struct ir_edge *edge = &ir->edge[e];
        const struct ir_port *from = &ir->kernel[edge->src_kernel].port[edge->src_port],
                             *to = &ir->kernel[edge->dst_kernel].port[edge->dst_port];
        if (from->kind == IR_STREAM_BARE) continue;
        int x_mux = ir->engine[0].x_mux, y_demux = ir->engine[0].y_demux, engine = ir->engine[0].kernel;
        bool near = edge->src_kernel == x_mux || edge->dst_kernel == x_mux || edge->src_kernel == y_demux ||
                    edge->dst_kernel == y_demux || edge->src_kernel == engine || edge->dst_kernel == engine;
        assert_int_equal(ir_port_user_bits(ir, from), near ? inside : outside);
        assert_int_equal(ir_port_user_bits(ir, to), near ? inside : outside);
    }
    image_end(&x);
}

static void test_kernels(void **state) {
    (void)state;
    check_kernels("T: 1", 1, 2, 2, false);
    check_kernels("T: 1, tensor_rows: 8", 8, 2, 4, true);
    check_kernels("T: 1, tensor_rows: 4, A: 4", 4, 2, 3, true);
    check_kernels("T: 4, tensor_rows: 2", 4, 3, 3, true);
    check_kernels("T: 2, tensor_rows: 4", 4, 2, 3, true);
}

// A step of one token must read the weights once for each group of rows. A step of several tokens must read them once
// for each row.
static void check_reads(const char *design, int groups, int tokens) {
    struct image_fixture x;
    image_begin(&x);
    const struct ir *ir = build(&x, design);
    const int weights = 20 * 3 + 5 + 12 * 3 + 3; // row-steps of 3 beats, and a beat of parameters for 4 row-steps
    assert_int_equal(check_step_beats(ir, 0, 1), groups * weights);
    if (tokens > 1) assert_int_equal(check_step_beats(ir, 0, tokens), ROWS * weights);
    image_end(&x);
}

static void test_reads(void **state) {
    (void)state;
    check_reads("T: 1", 7, 1);
    check_reads("T: 1, tensor_rows: 2, A: 2", 4, 1);
    check_reads("T: 1, tensor_rows: 4", 2, 1);
    check_reads("T: 1, tensor_rows: 8, A: 4", 1, 1);
    check_reads("T: 2, tensor_rows: 4", 2, 2);
    check_reads("T: 4, tensor_rows: 2, A: 2", 4, 3);
}

// Checks that a request with alternating steps of one and of several tokens ends. Kernels that count firings must use
// the count that belongs to each kind of step.
static void test_steps(void **state) {
    (void)state;
    struct timing_step step[] = {timing_step_at(0, 1, true), timing_step_at(1, 4, true), timing_step_at(5, 1, true),
                                 timing_step_at(6, 1, true), timing_step_at(7, 3, true), timing_step_at(10, 1, true)};
    struct image_fixture x;
    image_begin(&x);
    const struct ir *ir = build(&x, "T: 4, tensor_rows: 2");
    const char *missing = NULL;
    struct timing_options o = {.step = step, .steps = COUNT_OF(step), .memory = timing_memory_at(ir, 0)};
    struct timing_result *r = timing_simulate(&x.f.arena, ir, &o, &missing);
    assert_non_null(r);
    assert_null(r->stuck);
    image_end(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_firings),
        cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_reads),
        cmocka_unit_test(test_steps),
    };
    return cmocka_run_group_tests_name("tensor_rows", tests, NULL, NULL);
}
