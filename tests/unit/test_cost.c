// SPDX-License-Identifier: Apache-2.0
// Tests the cost model. Estimates are compared with the table of measured syntheses (verif/cost/measured.txt), and
// memories and the work of a decode step with figures computed by hand.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "gen/command/command.h"
#include "gen/cost/cost.h"
#include "gen/cost/work.h"
#include "gen/ir/ops.h"
#include "gen/spec/spec.h"

// An estimate may differ from the measured figure by `share` of it or by `cells`, whichever is more. The estimate must
// be at least half of the figure, so that no small module counts as nothing.
struct tolerance {
    double share, cells;
};
// logic: for LUTs and flip-flops. shape: for DSPs and memories.
static const struct tolerance logic = {0.25, 25}, shape = {0.1, 1};
static const double mean_percent = 6; // limit of the mean error over all rows, for LUTs and for FFs

// ---- the measured table ----

static struct ir *build(struct arena *arena, const char *spec) {
    struct diag diag;
    diag_init(&diag, stderr);
    struct ir *ir = command_build(spec, arena, &diag, NULL);
    assert_non_null(ir);
    return ir;
}

// Builds without the search for depths, which takes most of the time and changes no kernel.
static struct ir *build_safe(struct arena *arena, const char *path) {
    struct diag diag;
    diag_init(&diag, stderr);
    struct rill_spec *spec = rill_spec_read(path, arena, &diag);
    assert_non_null(spec);
    spec->design.fifo = SPEC_SAFE;
    struct ir *ir = command_build_spec(spec, arena, &diag, NULL);
    assert_non_null(ir);
    return ir;
}

static bool is_near(double estimate, double measured, struct tolerance t) {
    double error = estimate > measured ? estimate - measured : measured - estimate, share = t.share * measured;
    return error <= (share > t.cells ? share : t.cells) && 2 * estimate >= measured;
}

// Returns 1 and prints a message if an estimate is not near the measured figure, otherwise 0.
static int differs(const struct cost_row *row, const char *what, double estimate, double measured, struct tolerance t) {
    if (is_near(estimate, measured, t)) return 0;
    struct arena arena;
    arena_init(&arena);
    print_error("%s", row->module);
    for (int p = 0; p < row->params; p++)
        print_error(" %s=%.24s", row->param[p].name, ir_value_print(&arena, &row->param[p].value));
    arena_free(&arena);
    print_error(": %s %.1f, measured %.1f\n", what, estimate, measured);
    return 1;
}

// Returns how many figures of a row differ from the estimate.
static int check_row(const struct cost_row *row) {
    struct cost_resources r;
    if (!cost_module(row->module, row->param, row->params, &r)) {
        print_error("no formula for %s\n", row->module);
        return 1;
    }
    return differs(row, "LUT", (double)r.lut, (double)row->is.lut, logic) +
           differs(row, "FF", (double)r.ff, (double)row->is.ff, logic) +
           differs(row, "DSP", (double)r.dsp, (double)row->is.dsp, shape) +
           differs(row, "BRAM36", (double)r.bram18 / 2, (double)row->is.bram18 / 2, shape) +
           differs(row, "URAM", (double)r.uram, (double)row->is.uram, shape);
}

static void a_small_module_is_never_nothing(void **state) {
    (void)state;
    assert_true(is_near(100, 80, logic) && is_near(76, 101, logic) && is_near(2, 3, logic) && is_near(0, 0, logic));
    assert_false(is_near(0, 1, logic) || is_near(0, 20, logic) || is_near(9, 20, logic) || is_near(0, 1, shape));
    assert_false(is_near(130, 100, logic) || is_near(70, 100, logic) || is_near(26, 0, logic));
}

static void estimates_are_near_the_measured_table(void **state) {
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct cost_rows rows = cost_rows_read(&arena);
    int wrong = 0;
    for (size_t i = 0; i < rows.count; i++) wrong += check_row(&rows.items[i]);
    struct cost_fit all = cost_fit(&rows, NULL);
    print_message("%d rows; LUT off by %.1f %% on average, FF by %.1f %%\n", all.rows, all.lut.mean, all.ff.mean);
    assert_true(rows.count > 100);
    assert_int_equal(wrong, 0);
    assert_true(all.lut.mean < mean_percent && all.ff.mean < mean_percent);
    arena_free(&arena);
}

// The table must have a measurement of the module of every kernel in these designs.
static void slow_every_kernel_of_the_shipped_designs_is_measured(void **state) {
    (void)state;
    static const char *const specs[] = {"configs/gpt2-medium-u55c.yaml", "configs/gpt2-124m-u55c-spatial.yaml",
                                        "configs/tinystories-gpt2-1m.yaml", "tests/e2e/cases/blocks/spec.yaml",
                                        "tests/e2e/cases/grouped/spec.yaml"};
    for (size_t s = 0; s < COUNT_OF(specs); s++) {
        struct arena arena;
        arena_init(&arena);
        const struct ir *ir = build_safe(&arena, specs[s]);
        struct cost_rows rows = cost_rows_read(&arena);
        for (int k = 0; k < ir->kernels; k++)
            if (!cost_fit(&rows, ir->kernel[k].module).rows)
                fail_msg("%s: %s has no row with figures", specs[s], ir->kernel[k].module);
        arena_free(&arena);
    }
}

static void every_operation_is_measured(void **state) {
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct cost_rows rows = cost_rows_read(&arena);
    for (int op = 0; op < IR_OPS; op++)
        if (!cost_fit(&rows, kernel_of_op(NULL, op)->module).rows)
            fail_msg("%s has no row with figures", kernel_of_op(NULL, op)->module);
    arena_free(&arena);
}

// The row of a kernel must be found if its parameters are in another order, and if its tables have other contents than
// the measured ones.
static void a_row_is_found_by_its_parameters(void **state) {
    (void)state;
    struct arena arena;
    arena_init(&arena);
    const struct ir_value four = ir_value_read(&arena, "4"), eps = ir_value_read(&arena, "32'h3727c5ac");
    struct ir_param row_param[] = {{"LANES", four}, {"EPS", eps}, {"TABLE", ir_value_read(&arena, "random:24")}};
    struct cost_row row = {.module = "rill_x", .param = row_param, .params = 3, .is = {.lut = 7}};
    const struct cost_rows rows = {.items = &row, .count = 1};
    const struct ir_param same[] = {{"TABLE", ir_value_word(&arena, 8, 1)}, {"EPS", eps}, {"LANES", four}},
                          other[] = {{"LANES", ir_value_int(8)}, same[1], same[0]};
    assert_ptr_equal(cost_row_of(&rows, "rill_x", same, 3), &row);
    assert_null(cost_row_of(&rows, "rill_x", other, 3));
    assert_null(cost_row_of(&rows, "rill_x", same + 1, 2));
    assert_null(cost_row_of(&rows, "rill_y", same, 3));
    arena_free(&arena);
}

// ---- memories ----

static void memories_follow_their_shape(void **state) {
    (void)state;
    static const struct {
        int64_t words, bits;
        enum ram_style style;
        struct cost_resources expect;
    } cases[] = {
        {512, 72, RAM_BLOCK, {.bram18 = 2}},
        {512, 36, RAM_BLOCK, {.bram18 = 1}},
        {513, 36, RAM_BLOCK, {.bram18 = 2}},
        {1024, 36, RAM_BLOCK, {.bram18 = 2}},
        {97, 515, RAM_BLOCK, {.bram18 = 15}},
        {32768, 1, RAM_BLOCK, {.bram18 = 2}},
        {16384, 1, RAM_BLOCK, {.bram18 = 1}},
        {32769, 1, RAM_BLOCK, {.bram18 = 3, .lut = 1}},
        {4096, 72, RAM_ULTRA, {.uram = 1}},
        {4097, 73, RAM_ULTRA, {.uram = 4, .lut = 73}},
        {32, 14, RAM_DISTRIBUTED, {.lut = 8}},
        {32, 15, RAM_DISTRIBUTED, {.lut = 16}},
        {64, 7, RAM_DISTRIBUTED, {.lut = 8}},
        {65, 7, RAM_DISTRIBUTED, {.lut = 16 + 7}},
        {20, 64, RAM_SRL, {.lut = 64}},
        {33, 64, RAM_SRL, {.lut = 128}},
        {64, 7, RAM_AUTO, {.lut = 8}},
        {512, 72, RAM_AUTO, {.bram18 = 2}},
        {0, 72, RAM_BLOCK, {0}},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct cost_resources r = cost_ram(cases[i].words, cases[i].bits, cases[i].style);
        assert_memory_equal(&r, &cases[i].expect, sizeof r);
    }
}

static void deeper_fifos_never_cost_less(void **state) {
    (void)state;
    static const enum ram_style styles[] = {RAM_DISTRIBUTED, RAM_BLOCK, RAM_ULTRA};
    for (size_t s = 0; s < COUNT_OF(styles); s++)
        for (int64_t depth = 3; depth < 5000; depth++) {
            struct cost_resources a = cost_fifo(depth, 515, styles[s]), b = cost_fifo(depth + 1, 515, styles[s]);
            assert_true(a.bram18 <= b.bram18 && a.uram <= b.uram && a.ff <= b.ff);
        }
}

// ---- whole designs ----

static void slow_every_kernel_of_a_design_has_a_formula(void **state) {
    (void)state;
    static const char *const specs[] = {"configs/gpt2-124m-layer.yaml",      "configs/tinystories-gpt2-1m.yaml",
                                        "configs/graph-linear.yaml",         "tests/e2e/cases/blocks/spec.yaml",
                                        "tests/e2e/cases/layers7/spec.yaml", "tests/e2e/cases/grouped/spec.yaml"};
    for (size_t s = 0; s < COUNT_OF(specs); s++) {
        struct arena arena;
        arena_init(&arena);
        const struct ir *ir = build_safe(&arena, specs[s]);
        struct cost_design cost = cost_design(ir);
        for (int k = 0; k < ir->kernels; k++)
            if (!cost.known[k]) fail_msg("%s: %s", specs[s], ir->kernel[k].module);
        assert_true(cost.total.lut == cost.kernels.lut + cost.fifos.lut + cost.memory.lut);
        assert_true(cost.memory.lut > 0 && cost.fifos.ff > 0 && cost.kernels.dsp > 0);
        arena_free(&arena);
    }
}

// The latency of the engine must include the hops between dies in both directions.
static void hops_are_in_the_latency(void **state) {
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct ir *ir = (struct ir *)build(&arena, "tests/e2e/cases/dies/spec.yaml");
    int engine = ir->engine[0].kernel;
    int64_t hops = ir_param_int(&ir->kernel[engine], "HOPS", 0), far = cost_kernel_work(ir, engine, 0).latency;
    assert_true(hops > 0);
    ir_set_int(ir, engine, "HOPS", 0);
    assert_int_equal(far - cost_kernel_work(ir, engine, 0).latency, 2 * hops);
    arena_free(&arena);
}

// Latencies for operands of 8 bits, for groups with offsets, and for 10 bits, with two and with four tokens at a time
// (PAIR_MORE of rill_pair_skew.vh). The benches of the engine compare the RTL with the same figures.
static void four_tokens_wait_for_few_products(void **state) {
    (void)state;
    static const struct { int asym, x_bits, more; } cases[] = {{0, 8, 0}, {1, 8, 1}, {0, 10, 2}, {1, 10, 2}};
    struct arena arena;
    arena_init(&arena);
    struct ir *ir = (struct ir *)build(&arena, "tests/e2e/cases/dies/spec.yaml");
    int engine = ir->engine[0].kernel;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        ir_set_int(ir, engine, "ASYM", cases[i].asym);
        ir_set_int(ir, engine, "X_BITS", cases[i].x_bits);
        ir_set_int(ir, engine, "TURN_TOKENS", 2);
        int64_t two = cost_kernel_work(ir, engine, 0).latency;
        assert_int_equal(cost_engine_twice(&ir->kernel[engine]), 0);
        ir_set_int(ir, engine, "TURN_TOKENS", 4);
        assert_int_equal(cost_kernel_work(ir, engine, 0).latency - two, cases[i].more);
        assert_int_equal(cost_engine_twice(&ir->kernel[engine]), ir->design.channels * (ir->design.beat_bits / 4));
    }
    arena_free(&arena);
}

// Returns the DSPs of the engine with these values of TURN_TOKENS and PUMP.
static int64_t dsps_of(struct ir *ir, int kernel, int copies, int pump) {
    struct cost_resources r;
    ir_set_int(ir, kernel, "TURN_TOKENS", copies);
    ir_set_int(ir, kernel, "PUMP", pump);
    assert_true(cost_module("rill_engine", ir->kernel[kernel].param, ir->kernel[kernel].params, &r));
    return r.dsp;
}

// With up to IR_LANE_GROUP / 2 lanes there is one copy of the operand, and with one lane more there are two. So that
// lane adds more flip-flops than the lane before it.
static void the_second_copy_of_the_operand_comes_with_more_than_half_a_group(void **state) {
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct ir *ir = (struct ir *)build(&arena, "tests/e2e/cases/dies/spec.yaml");
    int engine = ir->engine[0].kernel;
    int64_t ff[3];
    for (int i = 0; i < 3; i++) {
        struct cost_resources r;
        ir_set_int(ir, engine, "CHANNELS", IR_LANE_GROUP / 2 - 1 + i);
        assert_true(cost_module("rill_engine", ir->kernel[engine].param, ir->kernel[engine].params, &r));
        ff[i] = r.ff;
    }
    assert_true(ff[2] - ff[1] > ff[1] - ff[0] + 100);
    arena_free(&arena);
}

// With `pump: 2` a multiplier serves both nibbles of a byte. One or two tokens then need half as many multipliers, with
// the latency of four tokens.
static void a_multiplier_for_both_nibbles(void **state) {
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct ir *ir = (struct ir *)build(&arena, "tests/e2e/cases/pump/spec.yaml");
    int engine = ir->engine[0].kernel;
    int64_t half = ir->design.channels * (ir->design.beat_bits / 8);
    assert_true(ir_second_clock(ir));
    assert_int_equal(ir_param_int(&ir->kernel[engine], "PUMP", 1), 2);
    assert_int_equal(cost_engine_twice(&ir->kernel[engine]), half);
    for (int copies = 1; copies <= 2; copies++)
        assert_int_equal(dsps_of(ir, engine, copies, 1) - dsps_of(ir, engine, copies, 2), half);
    ir_set_int(ir, engine, "X_BITS", 10);
    int64_t pumped = cost_kernel_work(ir, engine, 0).latency;
    ir_set_int(ir, engine, "PUMP", 1);
    assert_int_equal(pumped - cost_kernel_work(ir, engine, 0).latency, 2);
    arena_free(&arena);
}

// If results are joined on another die, the contract has a longer latency, and more time until a place in the FIFO is
// free again.
static void results_elsewhere_are_in_the_contract(void **state) {
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct ir *ir = (struct ir *)build(&arena, "tests/e2e/cases/cut_far/spec.yaml");
    int engine = ir->engine[0].kernel;
    struct timing_contract c;
    assert_true(timing_contract(ir, engine, &c));
    assert_int_equal(ir_param_int(&ir->kernel[engine], "PULSE_HOPS", 0), 2);
    assert_int_equal(c.engine.release, 2);
    assert_int_equal(c.stages, 32 + 1 + 1);
    assert_int_equal(c.engine.results, 48 + 1 + 1 + 2);
    arena_free(&arena);
}

// A row of 40 elements takes 3 beats. Each firing of a custom kernel with a table reads one row per position; in the
// head, it reads one row only for the step's last position.
static void rows_of_custom_kernels_count(void **state) {
    (void)state;
    struct arena arena;
    arena_init(&arena);
    const struct ir *ir = build(&arena, "tests/e2e/cases/tables/spec.yaml");
    int64_t beats[2];
    for (int i = 0; i < 2; i++) {
        struct cost_load load = cost_load_new(ir);
        cost_load_add(ir, &load, &(struct cost_step){.position = 8, .tokens = i ? 4 : 1, .head = true});
        beats[i] = load.channel[0];
    }
    int64_t embed = cost_memory_beats(ir, ir->client[0].kernel), row = 3, repeat = 3;
    assert_int_equal(cost_memory_beats(ir, ir->client[1].kernel), row);
    assert_int_equal(beats[1] - beats[0], 3 * (embed + row + 2 * repeat * row));
    arena_free(&arena);
}

static void every_operation_has_a_formula(void **state) {
    (void)state;
    for (int op = 0; op < IR_OPS; op++) {
        struct cost_resources r;
        if (!cost_module(kernel_of_op(NULL, op)->module, NULL, 0, &r)) fail_msg("%s", kernel_of_op(NULL, op)->module);
    }
}

// The figures for a layer of GPT-2 124M are computed by hand. A product from 768 to 768 has 24 row-steps of 6 beats,
// and 3 chunks of 1 + 1 header beats; the others follow in the same way.
static void a_decode_step_is_counted_right(void **state) {
    (void)state;
    struct arena arena;
    arena_init(&arena);
    const struct ir *ir = build(&arena, "configs/gpt2-124m-layer.yaml");
    struct cost_beats b = cost_engine_beats(ir, 0, 512);
    assert_int_equal(b.weights, 4 * (24 * 6 + 3 * 2) + (96 * 6 + 12 * 2) + (24 * 24 + 3 * 4) + (32 * 12 + 4 * 1));
    assert_int_equal(b.scores, 12 * (512 / 32 + 1));
    assert_int_equal(b.values, 12 * 2 * (512 / 64 + 1));
    assert_int_equal(b.memory, b.weights + 12 * 16 + 12 * 2 * 8);
    struct cost_step step = cost_usual_step(ir, 512);
    struct cost_bound bound = cost_step_bound(ir, &step);
    assert_int_equal(bound.engine, b.weights + b.scores + b.values);
    int64_t rows = 768 / 64 + 1 + 768 * 4 / 64; // beats on channel 0: a row by id with its header, a row by position
    assert_int_equal(bound.memory,
                     (int64_t)((double)(b.memory + rows) * 64 / hbm_figures_rate(&ir->design.hbm) / 4 +
                               0.5)); // beats of 64 bytes, cycles of 4 ns
    assert_int_equal(bound.cycles, bound.memory);
    double rate = ir->design.clock_mhz * 1e6 / (double)bound.cycles; // one row a step
    assert_true(bound.tokens_per_second > rate * 0.999 && bound.tokens_per_second < rate * 1.001);
    assert_int_equal(bound.kernel, cost_kernel_work(ir, bound.busiest, 512).busy);
    // Whether a kernel with less work comes after the busiest one, which shows that the search went on after it.
    bool followed = false;
    for (int k = 0; k < ir->kernels; k++) {
        struct cost_work w = cost_kernel_work(ir, k, 512);
        assert_true(!strcmp(ir->kernel[k].module, "rill_engine") || w.busy <= bound.kernel);
        followed |= k > bound.busiest && w.busy > 0 && w.busy < bound.kernel;
        if (!strcmp(ir->kernel[k].name, "norm1")) assert_true(w.busy == 48 && w.latency == 47 + 4 + 51);
        if (!strcmp(ir->kernel[k].name, "softmax")) assert_true(w.busy == 12 * 33 && w.latency == 32 + 3 + 24);
        if (!strcmp(ir->kernel[k].name, "mlp_act")) assert_true(w.busy == 192 && w.latency == 42);
        if (!strcmp(ir->kernel[k].name, "v_tail")) assert_true(w.busy == 12 * (1 + 2) && w.latency == IR_NONE);
    }
    assert_true(followed);
    arena_free(&arena);
}

// Returns the LUTs of a module with four parameters. Parameters that the module does not have are ignored.
static int64_t luts(const char *module, struct ir_param a, struct ir_param b, struct ir_param c, struct ir_param d) {
    const struct ir_param param[] = {a, b, c, d};
    struct cost_resources r;
    assert_true(cost_module(module, param, COUNT_OF(param), &r));
    return r.lut;
}

#define P(name, value) ((struct ir_param){name, ir_value_int(value)})

// The memory engines of one channel consist of a read engine, an arbiter for one reader, and a write engine for two
// writers.
static void readers_and_writers_are_counted(void **state) {
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct ir ir = {.arena = &arena};
    struct ir_client client[] = {{.channel = 0, .engine = IR_NONE, .buffer = 64},
                                 {.channel = 0, .engine = IR_NONE, .buffer = 4, .is_write = true},
                                 {.channel = 0, .engine = IR_NONE, .is_write = true}};
    ir.client = client;
    ir.clients = COUNT_OF(client);
    ir.design = (struct ir_design){.channels = 1, .beat_bits = 512, .outstanding = 8, .max_burst = 16};
    struct ir_param style = {"RAM_STYLE", ir_value_style(RAM_DISTRIBUTED)}, beat = P("BEAT_BITS", 512),
                    under_way = P("OUTSTANDING", 8), none = P("NONE", 0);
    int64_t reader = luts("rill_dma_read", beat, under_way, P("PREFETCH_BEATS", 64), style),
            writers = luts("rill_dma_write", beat, P("CLIENTS", 2), P("BUFFER_BEATS", 4), none),
            to_read = luts("rill_axi_read_arbiter", P("CLIENTS", 1), beat, none, none);
    assert_int_equal(cost_design(&ir).memory.lut, reader + writers + to_read);
    arena_free(&arena);
}

// The usual step of a language model has one token; the usual step of other graphs is full.
static void the_usual_step_of_rows_is_full(void **state) {
    (void)state;
    struct arena arena;
    arena_init(&arena);
    assert_int_equal(cost_usual_step(build(&arena, "configs/gpt2-124m-layer.yaml"), 512).tokens, 1);
    const struct ir *ir = build(&arena, "tests/e2e/cases/mixer/spec.yaml");
    assert_int_equal(ir->design.tokens, 2);
    assert_int_equal(cost_usual_step(ir, 0).tokens, 2);
    arena_free(&arena);
}

// The default clock of boards/u55c.yaml is 250 MHz.
static void a_design_without_a_clock_has_the_boards(void **state) {
    (void)state;
    struct arena arena;
    arena_init(&arena);
    assert_true(build(&arena, "configs/graph-linear.yaml")->design.clock_mhz == 250);
    arena_free(&arena);
}

// Compares a row of the formats. beside: bits that are stored beside the weights, such as scales and biases. bytes: all
// that is stored.
static void assert_row(const struct cost_format *f, const char *what, const char *format, int64_t weights,
                       int64_t beside, int64_t bytes) {
    assert_string_equal(f->what, what);
    assert_string_equal(f->format, format);
    assert_int_equal(f->weights, weights);
    assert_int_equal(f->beside, beside);
    assert_int_equal(f->stored, 8 * bytes);
}

// The design has two channels, beats of 64 bytes and groups of 128. A chunk of 8 row-steps has one header beat of
// scales and biases, and in int4 another one of group scales. An int4 beat has 128 weights, an int8 beat 64.
static void bits_of_weights_are_counted(void **state) {
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct cost_formats f = cost_formats(build(&arena, "configs/tinystories-gpt2-1m-int4.yaml"));
    assert_int_equal(f.rows, 5);
    int64_t square = 8 * 2 + 64, up = 32 * 2 + 256, down = 8 * 2 + 64 * 4; // beats of a lane: 128 x 128, 512 x 128 ...
    assert_row(&f.row[0], "products", "int4", 4 * (4 * 128 * 128 + 2 * 512 * 128),
               4 * ((4 * 128 + 512) * 72 + 128 * 96), 4 * 2 * 64 * (4 * square + up + down));
    assert_row(&f.row[1], "products", "int8", 1024 * 128, 1024 * 64, 2 * 64 * (64 + 512 * 2));
    assert_row(&f.row[2], "tables", "int8", 1024 * 128, 1024 * 32, 1024 * 3 * 64); // a header beat before each row
    assert_row(&f.row[3], "tables", "fp32", 256 * 128, 0, 256 * 128 * 4);
    assert_row(&f.row[4], "vectors", "fp32", 9 * 2 * 128, 0, 9 * 2 * 128 * 4);
    assert_row(&f.all, "all", "", 4 * 196608 + 2 * 131072 + 32768 + 2304,
               f.row[0].beside + f.row[1].beside + f.row[2].beside, 466944 + 139264 + 196608 + 131072 + 9216);
    assert_int_equal(f.row[0].elements, 4 * f.row[0].weights);
    assert_int_equal(f.row[4].elements, 32 * f.row[4].weights);
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_small_module_is_never_nothing),
        cmocka_unit_test(estimates_are_near_the_measured_table),
        cmocka_unit_test(slow_every_kernel_of_the_shipped_designs_is_measured),
        cmocka_unit_test(every_operation_is_measured),
        cmocka_unit_test(a_row_is_found_by_its_parameters),
        cmocka_unit_test(memories_follow_their_shape),
        cmocka_unit_test(deeper_fifos_never_cost_less),
        cmocka_unit_test(slow_every_kernel_of_a_design_has_a_formula),
        cmocka_unit_test(hops_are_in_the_latency),
        cmocka_unit_test(four_tokens_wait_for_few_products),
        cmocka_unit_test(the_second_copy_of_the_operand_comes_with_more_than_half_a_group),
        cmocka_unit_test(a_multiplier_for_both_nibbles),
        cmocka_unit_test(results_elsewhere_are_in_the_contract),
        cmocka_unit_test(rows_of_custom_kernels_count),
        cmocka_unit_test(every_operation_has_a_formula),
        cmocka_unit_test(a_decode_step_is_counted_right),
        cmocka_unit_test(readers_and_writers_are_counted),
        cmocka_unit_test(the_usual_step_of_rows_is_full),
        cmocka_unit_test(a_design_without_a_clock_has_the_boards),
        cmocka_unit_test(bits_of_weights_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
