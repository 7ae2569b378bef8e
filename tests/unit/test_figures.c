// SPDX-License-Identifier: Apache-2.0
// Compares figures of reports, forecasts and memory maps with values that were computed by hand or counted in a
// simulation of the RTL. No expected value here comes from the code that the test checks.
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gen/command/command.h"
#include "gen/cost/cost.h"
#include "gen/emit/emit.h"
#include "gen/report/report_parts.h"
#include "gen/spec/spec.h"
#include "gen/timing/timing.h"

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

static const char story[] = "configs/tinystories-gpt2-1m.yaml";

// Returns the design after this pass, or after all passes if `pass` is NULL.
static struct ir *build(const char *spec, const char *pass) {
    struct ir *ir = command_build(spec, &arena, &diag, pass);
    assert_non_null(ir);
    return ir;
}

// Builds a graph of rows. The FIFO depths are those of the safe rule, which needs no search.
static struct ir *build_rows(const char *context, const char *shape, const char *ops) {
    const char *text = arena_printf(&arena,
                                    "name: t\ngraph:\n  context: %s\n  inputs:\n    x: {shape: [%s]}\n  outputs: [y]\n"
                                    "  regions:\n    - name: main\n      ops:\n%s"
                                    "design: {channels: 1, beat_bits: 256, lanes: 8, fifo: safe}\n",
                                    context, shape, ops);
    struct rill_spec *spec = rill_spec_read_bytes("t.yaml", text, strlen(text), &arena, &diag);
    assert_non_null(spec);
    struct ir *ir = command_build_spec(spec, &arena, &diag, NULL);
    assert_non_null(ir);
    return ir;
}

// Returns the forecast of a request with this number of prompt tokens and of generated tokens.
static struct timing_forecast *forecast(const struct ir *ir, int64_t prompt, int64_t tokens) {
    const char *why = NULL;
    struct timing_forecast *f = timing_forecast_request(ir, prompt, tokens, 0, false, INT64_MAX, &why);
    assert_non_null(f);
    return f;
}

// ---- memories ----

// The memory for the scales of keys holds two heads at 67 positions. A word has the scales of two positions, so a head
// takes 34 words.
static void scales_of_the_last_position_have_a_word(void **state) {
    (void)state;
    struct ir *ir = build("tests/e2e/cases/inputs/spec.yaml", "insert-control");
    struct report_memories all = report_memories_make(ir);
    int found = 0;
    for (int i = 0; i < all.count; i++) {
        if (strcmp(all.item[i].name, "keys_scale")) continue;
        assert_int_equal(all.item[i].shape.words, 2 * 34);
        assert_int_equal(all.item[i].held, 2 * 34 * 64);
        found++;
    }
    assert_int_equal(found, 1);
}

// rill_fifo.v keeps one word of a FIFO deeper than two in its output register and the others in its memory.
static void a_fifo_holds_a_word_outside_its_memory(void **state) {
    (void)state;
    struct ir *ir = build_rows("16", "128", "        - {op: silu, name: y, in: x}\n");
    for (int e = 0; e < ir->edges; e++) ir->edge[e].depth = 2;
    ir->edge[0].depth = 9;
    struct report_memories all = report_memories_make(ir);
    assert_int_equal(all.count - all.buffers, 1);
    assert_string_equal(all.item[all.buffers].name, ir->edge[0].name);
    assert_int_equal(all.item[all.buffers].shape.words, 8);
}

static int64_t bytes_of(const struct ir *ir, const char *segment) {
    for (int s = 0; s < ir->segments; s++)
        if (!strcmp(ir->segment[s].name, segment)) return ir->segment[s].bytes;
    fail_msg("no segment %s", segment);
    return 0;
}

// Ids take four bytes. A request that fills the context has one token more than the context has positions, because its
// last token needs no position. The sizes of segments of ids are multiples of 4,096 bytes.
static void all_ids_and_rows_of_a_request_fit(void **state) {
    (void)state;
    struct ir *ir = build("configs/gpt2-124m-layer.yaml", "insert-dma");
    assert_int_equal(ir->design.context, 1024);
    assert_int_equal(bytes_of(ir, "prompt"), 4096);
    assert_int_equal(bytes_of(ir, "ring"), 8192);
    ir = build_rows("128", "8",
                    "        - {op: rmsnorm, name: n, in: x, gamma: g}\n        - {op: add, name: y, in: [n, x]}\n");
    assert_int_equal(bytes_of(ir, "input_x"), 128 * 8 * 4);
    assert_int_equal(bytes_of(ir, "output_y"), 128 * 8 * 4);
}

// A reader that is not an engine lane has room for two bursts of 16 beats, a lane for `prefetch_beats` (docs/rtl.md).
static void readers_have_the_room_that_forecasts_assume(void **state) {
    (void)state;
    struct text rows = {0}, model = {0};
    emit_channels(emit_plan_make(build_rows("64", "4096", "        - {op: silu, name: y, in: x}\n"), NULL), &rows);
    assert_non_null(strstr(text_cstr(&rows), ".PREFETCH({32'd32, 32'd32})"));
    struct ir *ir = build(story, NULL);
    assert_int_equal(ir->design.prefetch_beats, 64);
    emit_channels(emit_plan_make(ir, NULL), &model);
    assert_non_null(strstr(text_cstr(&model), ".PREFETCH({32'd32, 32'd32, 32'd32, 32'd32, 32'd64})"));
    assert_non_null(strstr(text_cstr(&model), ".PREFETCH(32'd64)"));
    text_free(&rows);
    text_free(&model);
}

// ---- work ----

// The model has four layers of 12 x 128 x 128 weights and an LM head of 1,024 x 128. The first position attends to
// itself, so its keys and values add 2 x 128 products in each layer.
static void a_single_position_attends_to_itself(void **state) {
    (void)state;
    struct timing_forecast *f = forecast(build(story, NULL), 1, 1);
    assert_int_equal((int64_t)f->prefill.macs, 4 * 12 * 128 * 128 + 1024 * 128 + 4 * 2 * 128);
}

// At position 128, each of four layers has four heads with the scores of 129 positions, which pass engine_width at one
// score per cycle. Only the engine has more work.
static void the_busiest_kernel_passes_scores_on(void **state) {
    (void)state;
    struct ir *ir = build(story, "insert-control");
    struct cost_step step = cost_usual_step(ir, 128);
    struct cost_bound b = cost_step_bound(ir, &step);
    assert_string_equal(ir->kernel[b.busiest].name, "engine_width");
    assert_int_equal(b.kernel, 4 * 4 * 129);
}

// With `query_heads`, query heads are processed like tokens. The kernel that splits them has two banks, so it splits
// the heads of one step while those of the next arrive. The simulated RTL takes 9,349 cycles for the three steps after
// the first token; with a single bank it would take 72 cycles more.
static void heads_are_split_while_others_arrive(void **state) {
    (void)state;
    size_t len;
    const char *why, *text = file_read(&arena, "tests/e2e/cases/grouped/spec.yaml", 1 << 20, &len, &why);
    assert_non_null(text);
    const char *end = strstr(text, "  T: 2\n");
    assert_non_null(end);
    text = arena_printf(&arena, "%.*s  T: 4\n  query_heads: 8\n", (int)(end - text), text);
    struct rill_spec *spec = rill_spec_read_bytes("t.yaml", text, strlen(text), &arena, &diag);
    assert_non_null(spec);
    struct ir *ir = command_build_spec(spec, &arena, &diag, NULL);
    assert_non_null(ir);
    double cycles = forecast(ir, 9, 4)->decode.cycles;
    if (fabs(cycles - 9349) > 24) fail_msg("%.0f cycles, the RTL takes 9349", cycles);
}

// ---- power ----

// The memory engines have 1,000 LUTs, each of which takes 10 pJ in a cycle of work and a quarter of it in other cycles.
// Beats arrive in half of the cycles of each channel, so the engines take 10 nJ x (0.5 + 0.5 / 4) per cycle, which is
// 1.5625 W at 250 MHz.
static void memory_works_as_long_as_a_channel_gives_beats(void **state) {
    (void)state;
    struct ir *ir = build(story, "insert-control");
    assert_int_equal(ir->design.channels, 4);
    ir->design.clock_mhz = 250;
    ir->design.figures.power = (struct board_power){.limit_w = 1, .lut_pj = 10, .waiting = 0.25, .logic_spread = 1};
    struct cost_design cost = {.memory = {.lut = 1000},
                               .kernel = ARENA_ARRAY(&arena, struct cost_resources, (size_t)ir->kernels),
                               .edge = ARENA_ARRAY(&arena, struct cost_resources, (size_t)ir->edges)};
    struct cost_step step = {.position = 128, .tokens = 1, .head = true};
    struct cost_load load = cost_load_new(ir);
    cost_load_add(ir, &load, &step);
    double each = (double)(load.channel[0] + load.channel[1] + load.channel[2] + load.channel[3]) / 4;
    struct cost_power p = cost_step_power(ir, &cost, &step, 2 * each);
    if (fabs(p.logic_low_w - 1.5625) > 1e-9) fail_msg("%g W", p.logic_low_w);
}

// The printed tokens per joule are the printed tokens per second divided by the printed watts.
static void tokens_per_joule_follow_from_watts(void **state) {
    (void)state;
    struct report r = report_make(build(story, NULL), NULL);
    struct text bound = {0}, power = {0};
    report_decode(&r, &bound);
    report_power(&r, &power);
    const char *at = strstr(text_cstr(&bound), "at most "), *all = strstr(text_cstr(&power), "\n  all "),
               *each = strstr(text_cstr(&power), "\n  tokens/J ");
    assert_true(at && all && each);
    char *next;
    double speed = strtod(at + 8, NULL), low = strtod(all + 7, &next), high = strtod(next, NULL);
    double least = strtod(each + 12, &next), most = strtod(next, NULL);
    assert_true(speed > 40000 && low > 14.5 && high > low);
    if (fabs(least * high / speed - 1) > 0.005 || fabs(most * low / speed - 1) > 0.005)
        fail_msg("%g to %g tokens/J of %g tokens/s at %g to %g W", least, most, speed, low, high);
    text_free(&bound);
    text_free(&power);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(scales_of_the_last_position_have_a_word, setup, teardown),
        cmocka_unit_test_setup_teardown(a_fifo_holds_a_word_outside_its_memory, setup, teardown),
        cmocka_unit_test_setup_teardown(all_ids_and_rows_of_a_request_fit, setup, teardown),
        cmocka_unit_test_setup_teardown(readers_have_the_room_that_forecasts_assume, setup, teardown),
        cmocka_unit_test_setup_teardown(a_single_position_attends_to_itself, setup, teardown),
        cmocka_unit_test_setup_teardown(the_busiest_kernel_passes_scores_on, setup, teardown),
        cmocka_unit_test_setup_teardown(heads_are_split_while_others_arrive, setup, teardown),
        cmocka_unit_test_setup_teardown(memory_works_as_long_as_a_channel_gives_beats, setup, teardown),
        cmocka_unit_test_setup_teardown(tokens_per_joule_follow_from_watts, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
