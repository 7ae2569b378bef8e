// SPDX-License-Identifier: Apache-2.0
// Compares timing contracts with latencies that are copied from the headers of the RTL modules. Tests the timing
// simulator on small designs, the forecasts, and the depths of FIFOs.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gen/command/command.h"
#include "gen/cost/cost.h"
#include "gen/pass/pass.h"
#include "gen/simulator/sim_actor.h"
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

// ---- contracts ----

struct param {
    const char *name, *value;
};

// Returns the latency of a module with these parameters, in cycles, according to its timing contract.
static int64_t latency(const char *module, const struct param *param) {
    struct ir ir = {.arena = &arena};
    int k = ir_add_kernel(&ir, "k", module, IR_NONE);
    for (; param->name; param++) ir_set_param(&ir, k, param->name, ir_value_read(&arena, param->value));
    struct timing_contract c;
    assert_true(timing_contract(&ir, k, &c));
    return timing_latency(&c);
}

#define LATENCY(module, ...) latency(module, (const struct param[]){__VA_ARGS__, {0}})

// Compares the contracts with the figures of the "Latency" lines in rtl-templates/kernel and rtl-templates/layout. The
// figures are copied: a changed line must also be changed here.
static void test_headers(void **state) {
    (void)state;
    assert_int_equal(LATENCY("rill_add", {"LANES", "8"}), 6);
    assert_int_equal(LATENCY("rill_mul", {"LANES", "8"}), 3);
    assert_int_equal(LATENCY("rill_gelu", {"LANES", "8"}), 42);
    assert_int_equal(LATENCY("rill_gelu", {"LANES", "8"}, {"EXACT", "1"}), 17);
    assert_int_equal(LATENCY("rill_silu", {"LANES", "8"}), 25);
    assert_int_equal(LATENCY("rill_binary", {"LANES", "8"}, {"FUNCTION", "3"}), 11);
    assert_int_equal(LATENCY("rill_scalar", {"LANES", "8"}, {"FUNCTION", "4"}), 1);
    assert_int_equal(LATENCY("rill_unary", {"LANES", "8"}, {"FUNCTION", "0"}), 22);
    assert_int_equal(LATENCY("rill_unary", {"LANES", "8"}, {"FUNCTION", "5"}), 13);
    assert_int_equal(LATENCY("rill_unary", {"LANES", "8"}, {"FUNCTION", "8"}), 19);
    assert_int_equal(LATENCY("rill_unary", {"LANES", "8"}, {"FUNCTION", "11"}), 12);
    assert_int_equal(LATENCY("rill_layernorm", {"LANES", "8"}, {"N", "96"}), 3 + 51);
    assert_int_equal(LATENCY("rill_layernorm", {"LANES", "32"}, {"N", "96"}), 5 + 51);
    assert_int_equal(LATENCY("rill_rmsnorm", {"LANES", "1"}, {"N", "96"}), 0 + 37);
    assert_int_equal(LATENCY("rill_rope", {"LANES", "4"}, {"HEAD", "64"}, {"ROTARY", "32"}), 12);
    assert_int_equal(LATENCY("rill_argmax", {"LANES", "16"}, {"N", "96"}), 4 + 2);
    assert_int_equal(LATENCY("rill_reduce", {"LANES", "8"}, {"N", "96"}), 3 + 4);
    assert_int_equal(LATENCY("rill_reduce", {"LANES", "8"}, {"ROUNDS", "9"}, {"FUNCTION", "2"}), 11);
    assert_int_equal(LATENCY("rill_bmm", {"LANES", "8"}, {"N", "96"}), 14 + 3);
    assert_int_equal(LATENCY("rill_softmax", {"LANES", "16"}, {"HEADS", "4"}, {"LAYERS", "2"}), 3 + 25);
    assert_int_equal(LATENCY("rill_softmax", {"LANES", "2"}, {"HEADS", "4"}, {"LAYERS", "2"}), 1 + 25);
    assert_int_equal(LATENCY("rill_width_converter", {"IN_ELEMS", "3"}, {"OUT_ELEMS", "8"}), 2 + 4);
    assert_int_equal(LATENCY("rill_width_converter", {"IN_ELEMS", "8"}, {"OUT_ELEMS", "8"}, {"DENSE", "1"}), 0);
    assert_int_equal(LATENCY("rill_replay_buffer", {"REPLAYS", "3"}), 2);
    assert_int_equal(LATENCY("rill_layout_converter", {"BUFFER", "12"}), 2);
    assert_int_equal(LATENCY("rill_corner_turn", {"BUFFER", "12"}, {"LANES", "4"}), 2);
    assert_int_equal(LATENCY("rill_row_block", {"ROWS", "4"}, {"WORDS", "3"}), 2);
    assert_int_equal(LATENCY("rill_kv_scale", {"LANES", "8"}, {"LAYERS", "2"}, {"HEADS", "3"}, {"UNITS", "1"}), 6);
}

// Checks the latencies of the quantizers: the latency of a unit of one chunk, and one cycle more for each further
// chunk.
static void test_units(void **state) {
    (void)state;
    assert_int_equal(LATENCY("rill_quantize", {"LANES", "32"}, {"BEAT_BITS", "256"}, {"BLOCK", "64"}), 5 + 4);
    assert_int_equal(LATENCY("rill_quantize", {"LANES", "8"}, {"BEAT_BITS", "512"}, {"BLOCK", "128"}), 7 + 7);
    assert_int_equal(LATENCY("rill_quantize", {"LANES", "1"}, {"BEAT_BITS", "256"}, {"BLOCK", "4"}), 6 + 3);
    assert_int_equal(LATENCY("rill_kv_quantize", {"LANES", "32"}, {"BEAT_BITS", "256"}, {"HEAD_DIM", "64"}), 5 + 21);
    assert_int_equal(LATENCY("rill_kv_quantize", {"LANES", "8"}, {"BEAT_BITS", "512"}, {"HEAD_DIM", "32"}), 3 + 21 + 3);
}

static struct timing_contract contract(const char *module, const struct param *param) {
    struct ir ir = {.arena = &arena};
    int k = ir_add_kernel(&ir, "k", module, IR_NONE);
    struct timing_contract c;
    for (; param->name; param++) ir_set_param(&ir, k, param->name, ir_value_read(&arena, param->value));
    assert_true(timing_contract(&ir, k, &c));
    return c;
}

// Compares the capacities of modules with their headers or localparams.
static void test_rooms(void **state) {
    (void)state;
    struct timing_contract c = contract("rill_softmax", (struct param[]){{"LANES", "8"}, {"HEADS", "4"}, {0}});
    assert_int_equal(c.banks.softmax.kept, 4);        // rill_softmax.v: ROOM = 4 * TOKENS scalars
    assert_int_equal(c.banks.softmax.behind, 3 + 18); // inv comes after the token's last p
    c = contract("rill_engine", (struct param[]){{"CHANNELS", "2"}, {0}});
    assert_int_equal(c.engine.lane_beats, 16); // rill_engine.v: LANE_BEATS
    assert_int_equal(c.engine.key_units, 16);  // K_UNITS
    c = contract("rill_logprobs", (struct param[]){{"LANES", "8"}, {"N", "250"}, {"UNITS", "4"}, {"TOP", "1"}, {0}});
    assert_int_equal(c.logprobs.ready, 3 + 4); // rill_logprobs.v: from the last chunk to the first id
    // From an id to its record: the logits again, and 1 + ln(250) insertions
    assert_int_equal(c.logprobs.record, 32 * 2 + 2 + 29 + 1 + 7 * 8 / 10);
    c = contract("rill_v_tail", (struct param[]){{"HEAD_DIM", "64"}, {0}});
    assert_int_equal(c.values.every, 1 + 3 + 2); // rill_v_tail.v: cycles in its states ask, wait, send
}

// Checks that a place of a stream between dies is free again only when its credit has come back.
static void credits_come_back_late(void **state) {
    (void)state;
    int64_t put[] = {3, 4}, take[] = {10}, at;
    struct sim_edge e = {.depth = 2, .back = 2, .puts = 2, .takes = 1, .put = put, .take = take};
    assert_true(edge_room(&e, &at));
    assert_int_equal(at, 13);
    e.back = 0;
    assert_true(edge_room(&e, &at));
    assert_int_equal(at, 11);
}

// Checks that a word that is sent in parts delays the next one even if there is room.
static void a_word_in_parts_takes_its_cycles(void **state) {
    (void)state;
    int64_t put[] = {3, 20}, take[] = {10}, at;
    struct sim_edge e = {.depth = 2, .parts = 4, .puts = 2, .takes = 1, .put = put, .take = take};
    assert_true(edge_room(&e, &at));
    assert_int_equal(at, 24);
    e.depth = 0;
    assert_true(edge_room(&e, &at));
    assert_int_equal(at, 24);
}

// Returns the number of words that a quantizer takes while its output is stalled, with blocks of a given number of
// chunks of two tokens.
static int64_t quantizer_takes(int64_t chunks) {
    struct ir ir = {.arena = &arena};
    int q = ir_add_kernel(&ir, "q", "rill_quantize", IR_NONE);
    ir_set_int(&ir, q, "LANES", 8);
    ir_set_int(&ir, q, "TOKENS", 2);
    ir_set_int(&ir, q, "BEAT_BITS", 512);
    ir_set_int(&ir, q, "BLOCK", 64);
    int x = ir_add_port(&ir, q, "x", false, IR_STREAM_TOKENS, 256);
    int y = ir_add_port(&ir, q, "y", true, IR_STREAM_TOKENS, 512);
    ir.kernel[q].port[x].edge = 0;
    ir.kernel[q].port[y].edge = 1;
    struct sim_edge edge[2];
    edge_init(&edge[0], 0, IR_NONE, IR_NONE);
    edge_init(&edge[1], 1, IR_NONE, IR_NONE);
    struct actor a = {.kernel = q, .k = &ir.kernel[q], .args = {ir.kernel[q].param, ir.kernel[q].params}};
    struct timing_options options = {0};
    struct sim sim = {.arena = &arena, .ir = &ir, .options = &options, .edge = edge, .actor = &a};
    assert_true(timing_contract(&ir, q, &a.c));
    const struct sim_machine *machine = sim_machine_of(a.c.machine);
    assert_true(machine->init(&sim, &a));
    for (int64_t row = 1; row <= 20 * chunks; row++) // each row is a chunk of both tokens
        for (int tok = 0; tok < 2; tok++) {
            uint8_t last = row % chunks ? 0 : MARK_LAST;
            edge_put(&sim, &edge[0], edge[0].puts, edge[0].puts, tok ? MARK_TOK_LAST | last : 0);
        }
    machine->run(&sim, &a);
    return edge[0].takes;
}

// Checks that a stalled quantizer takes two blocks of the largest size, four of half that size, and five of one chunk.
static void blocks_share_their_room(void **state) {
    (void)state;
    assert_int_equal(quantizer_takes(8), 2 * 16);      // the largest size
    assert_int_equal(quantizer_takes(4), 4 * 8);       // half of the largest size
    assert_int_equal(quantizer_takes(1), (4 + 1) * 2); // one is in the stages after the banks
}

struct lines_case { // a parameter of rill_line_buffer; a list ends with the name NULL
    const char *name;
    int64_t value;
};

// Returns the cycles from the first to the last output word of a line buffer for twelve images. One word of one token
// arrives in each cycle. words: words of an image.
static int64_t line_buffer_takes(const struct lines_case *set, int64_t tokens, int64_t words) {
    enum { IMAGES = 12 };
    struct ir ir = {.arena = &arena};
    int l = ir_add_kernel(&ir, "l", "rill_line_buffer", IR_NONE);
    for (; set->name; set++) ir_set_int(&ir, l, set->name, set->value);
    int x = ir_add_port(&ir, l, "x", false, IR_STREAM_TOKENS, 256);
    int y = ir_add_port(&ir, l, "y", true, IR_STREAM_TOKENS, 256);
    ir.kernel[l].port[x].edge = 0;
    ir.kernel[l].port[y].edge = 1;
    struct sim_edge edge[2];
    edge_init(&edge[0], 0, IR_NONE, IR_NONE);
    edge_init(&edge[1], 0, IR_NONE, IR_NONE);
    struct actor a = {.kernel = l, .k = &ir.kernel[l], .args = {ir.kernel[l].param, ir.kernel[l].params}};
    struct timing_options options = {0};
    struct sim sim = {.arena = &arena, .ir = &ir, .options = &options, .edge = edge, .actor = &a};
    assert_true(timing_contract(&ir, l, &a.c));
    const struct sim_machine *machine = sim_machine_of(a.c.machine);
    assert_true(machine->init(&sim, &a));
    for (int64_t i = 0; i < IMAGES * words * tokens; i++)
        edge_put(&sim, &edge[0], i, i, i % tokens == tokens - 1 ? MARK_TOK_LAST : 0);
    machine->run(&sim, &a);
    assert_int_equal(edge[0].takes, IMAGES * words * tokens);
    return edge[1].put[edge[1].puts - 1] - edge[1].put[0];
}

// Checks that the line buffer takes as many cycles as verif/modules/rill_line_buffer_tb.v measures: for a convolution,
// for one with dilation and padding, and for patches of one pixel whose ring holds a single word.
static void test_line_buffer(void **state) {
    (void)state;
    const struct lines_case plain[] = {{"ROWS", 5},     {"PIXELS", 6},   {"WORDS", 2},    {"TAPS_Y", 3},
                                       {"TAPS_X", 3},   {"BEFORE_Y", 1}, {"BEFORE_X", 1}, {"PLACES_Y", 5},
                                       {"PLACES_X", 6}, {"BUFFER", 30},  {NULL, 0}};
    assert_int_equal(line_buffer_takes(plain, 1, 60), 6490);
    const struct lines_case apart[] = {{"ROWS", 6},       {"PIXELS", 8},     {"TAPS_Y", 3},   {"TAPS_X", 2},
                                       {"DILATION_Y", 2}, {"DILATION_X", 2}, {"BEFORE_Y", 2}, {"BEFORE_X", 1},
                                       {"PLACES_Y", 5},   {"PLACES_X", 8},   {"BUFFER", 35},  {NULL, 0}};
    assert_int_equal(line_buffer_takes(apart, 2, 48), 5892);
    const struct lines_case tight[] = {{"ROWS", 7},     {"PIXELS", 7},   {"STRIDE_Y", 2}, {"STRIDE_X", 2},
                                       {"PLACES_Y", 4}, {"PLACES_X", 4}, {"BUFFER", 1},   {NULL, 0}};
    assert_int_equal(line_buffer_takes(tight, 4, 49), 3508);
}

static void test_unknown_module(void **state) {
    (void)state;
    struct ir ir = {.arena = &arena};
    struct timing_contract c;
    assert_false(timing_contract(&ir, ir_add_kernel(&ir, "k", "rill_of_a_friend", IR_NONE), &c));
    int k = ir_add_kernel(&ir, "w", "rill_width_converter", IR_NONE);
    ir_set_int(&ir, k, "IN_ELEMS", -7);
    assert_false(timing_contract(&ir, k, &c));
}

// Checks that a word can be read one cycle after its arrival in a FIFO of two beats, and two cycles after it in a
// deeper FIFO (rill_fifo.v).
static void test_buffers(void **state) {
    (void)state;
    for (int64_t beats = 2; beats <= 4; beats++) {
        struct sim_client client = {.buffer = beats};
        int64_t at;
        assert_false(client_beat(&client, &at));
        VEC_PUSH(&arena, client.beat, 10);
        assert_true(client_beat(&client, &at));
        assert_int_equal(at, beats > 2 ? 12 : 11);
    }
}

// ---- designs ----

// Compiles a spec and sizes its FIFOs by this rule.
static struct ir *build_sized(const char *spec, enum spec_fifo rule) {
    struct ir *ir = command_build(spec, &arena, &diag, "insert-control");
    assert_non_null(ir);
    ir->design.fifo = rule;
    assert_true(pass_size_fifos(ir, NULL, &diag));
    return ir;
}

static struct ir *build(const char *spec) { return build_sized(spec, SPEC_TIMED); }

static const int64_t no_bounds[1];

// Simulates a request. depth: a depth for each stream; NULL: the depths of the design; no_bounds: FIFOs are unbounded.
// single_word: pipelines that stall as a whole hold only one word.
static struct timing_result *simulate(const struct ir *ir, int64_t prompt, int64_t tokens, const int64_t *depth,
                                      bool single_word) {
    struct timing_step *step;
    bool bounded = depth != no_bounds;
    struct timing_options o = {.bounded = bounded,
                               .depth = bounded ? depth : NULL,
                               .single_word = single_word,
                               .memory = timing_memory_at(ir, 58)};
    o.steps = timing_request_steps(ir, prompt, tokens, &step);
    o.step = step;
    const char *missing = NULL;
    struct timing_result *r = timing_simulate(&arena, ir, &o, &missing);
    assert_non_null(r);
    return r;
}

static int edge_named(const struct ir *ir, const char *name) {
    for (int e = 0; e < ir->edges; e++)
        if (!strcmp(ir->edge[e].name, name)) return e;
    fail_msg("no stream %s", name);
    return IR_NONE;
}

// Checks that the cycles differ from those of the RTL by at most 2 % plus 64 cycles.
static void assert_near(int64_t value, int64_t expected) {
    int64_t margin = expected / 50 + 64;
    if (value < expected - margin || value > expected + margin)
        fail_msg("%lld cycles, the RTL takes %lld", (long long)value, (long long)expected);
}

// Compares the simulated cycles with those of the RTL, from the first step word to the last row or to the cycle after
// the last id. The memory has no jitter.
static void test_cycles_of_rtl(void **state) {
    (void)state;
    struct ir *ir = build("tests/e2e/cases/five/spec.yaml");
    assert_near(simulate(ir, 20, 1, NULL, false)->cycles, 2315);
    ir = build("tests/e2e/cases/blocks/spec.yaml");
    assert_near(simulate(ir, 4, 1, NULL, false)->cycles, 7506);
    ir = build("tests/e2e/cases/odd/spec.yaml");
    assert_near(simulate(ir, 3, 4, NULL, false)->cycles, 13247);
    assert_near(simulate(ir, 30, 8, NULL, false)->cycles, 64146);
    ir = build("tests/e2e/cases/grouped/spec.yaml");
    assert_near(simulate(ir, 9, 4, NULL, false)->cycles, 27745);
    ir = build("configs/tinystories-gpt2-1m.yaml");
    assert_near(simulate(ir, 8, 4, NULL, false)->cycles, 53438);
}

static struct timing_forecast *forecast_of(const struct ir *ir, int64_t prompt, int64_t tokens, int64_t whole_words);

// Checks that the forecast is exact where a residual waits for its other operand in a full FIFO and in the register
// slices of the adder.
static void operands_wait_in_slices(void **state) {
    (void)state;
    struct ir *ir = build_sized("tests/e2e/cases/five/spec.yaml", SPEC_SAFE);
    assert_int_equal((int64_t)forecast_of(ir, 9, 1, TIMING_WHOLE_WORDS)->first_id, 1508); // cycles of the RTL
    assert_int_equal((int64_t)forecast_of(ir, 20, 1, TIMING_WHOLE_WORDS)->first_id, 3092);
}

// Checks that a forecast equal to its bound is accepted and that a forecast below its bound is reported, for each phase
// separately.
static void test_bounds(void **state) {
    (void)state;
    struct ir *ir = build("configs/tinystories-gpt2-1m.yaml");
    struct timing_forecast *f = forecast_of(ir, 9, 4, TIMING_WHOLE_WORDS);
    assert_null(timing_below_bound(&arena, ir, f));
    double prompt = f->first_id, decode = f->decode.cycles;
    f->first_id = (double)f->prefill.bound.cycles;
    assert_null(timing_below_bound(&arena, ir, f));
    f->first_id -= 1;
    assert_non_null(strstr(timing_below_bound(&arena, ir, f), "first result"));
    f->first_id = prompt;
    f->decode.cycles = (double)f->decode.bound.cycles - 1;
    assert_non_null(strstr(timing_below_bound(&arena, ir, f), "behind the first"));
    assert_true(decode > (double)f->decode.bound.cycles / 2 && f->decode.bound.rows == 3);
    ir = build("tests/e2e/cases/mixer/spec.yaml"); // products of rows
    assert_null(timing_below_bound(&arena, ir, forecast_of(ir, 7, 1, TIMING_WHOLE_WORDS)));
}

// Compares the cycles of designs whose rows, weights and spills share channels, from the first step word to the last
// write response. These cycles depend on the arbiters, the write buffers, the turnarounds and the pages of the memory.
static void test_cycles_of_shared_channels(void **state) {
    (void)state;
    struct ir *ir = build_sized("tests/e2e/cases/transpose/spec.yaml", SPEC_SAFE);
    assert_near(simulate(ir, 7, 1, NULL, false)->cycles, 3111);
    ir = build_sized("tests/e2e/cases/mixer/spec.yaml", SPEC_SAFE);
    assert_near(simulate(ir, 7, 1, NULL, false)->cycles, 2896);
    ir = build("tests/e2e/cases/spills/spec.yaml");
    assert_near(simulate(ir, 19, 1, NULL, false)->cycles, 20870);
    ir = build_sized("tests/e2e/cases/spills/spec.yaml", SPEC_SAFE);
    ir->design.hbm.ids = 2; // the port is always full, so the order in which the memory takes bursts matters
    assert_near(simulate(ir, 19, 1, NULL, false)->cycles, 37781);
    ir = build_sized("tests/e2e/cases/lanes/spec.yaml",
                     SPEC_SAFE); // a fixed priority of its readers would be 3 % faster
    assert_near(simulate(ir, 7, 1, NULL, false)->cycles, 6895);
    ir = build_sized("tests/e2e/cases/rope/spec.yaml", SPEC_SAFE);
    assert_near(simulate(ir, 70, 1, NULL, false)->cycles, 36650);
}

static struct timing_forecast *forecast_of(const struct ir *ir, int64_t prompt, int64_t tokens, int64_t whole_words) {
    const char *why = NULL;
    struct timing_forecast *f = timing_forecast_request(ir, prompt, tokens, 0, false, whole_words, &why);
    assert_non_null(f);
    return f;
}

// Checks that a forecast from samples differs from the simulation of the whole request by less than 1 %, and that the
// engine's cycles of all causes add up to the cycles of the phase within 1 %.
static void test_forecast(void **state) {
    (void)state;
    struct ir *ir = build_sized("tests/e2e/cases/grouped/spec.yaml", SPEC_SAFE);
    struct timing_forecast *whole = forecast_of(ir, 50, 24, INT64_MAX), *some = forecast_of(ir, 50, 24, 1);
    assert_int_equal(whole->steps, whole->simulated);
    assert_true(some->prefill.cycles != whole->prefill.cycles);
    assert_true(fabs(some->first_id / whole->first_id - 1) < 0.01);
    assert_true(fabs(some->decode.cycles / whole->decode.cycles - 1) < 0.01);
    assert_true(fabs(some->decode.busy / whole->decode.busy - 1) < 0.01);
    assert_true(fabs(some->decode.beats / whole->decode.beats - 1) < 0.01);
    const struct timing_phase *p = &whole->decode;
    double causes =
        p->busy + p->turn + p->wait[TIMING_FOR_BEATS] + p->wait[TIMING_FOR_OPERAND] + p->wait[TIMING_FOR_ROOM];
    assert_true(fabs(causes / p->cycles - 1) < 0.01);
    whole = forecast_of(ir, 3, 1, INT64_MAX);
    assert_int_equal(whole->decode.steps, 0);
    assert_true(whole->end == whole->first_id);
}

// Checks the forecast of a long request to a graph in which all steps do the same work, except that the last step has
// fewer rows. The first graph has an engine, the second none. Without an engine, the first steps are shorter, because
// they fill the FIFOs.
static void test_forecast_of_equal_steps(void **state) {
    (void)state;
    static const struct {
        const char *spec;
        int64_t whole_words, simulated;
    } set[] = {{"tests/e2e/cases/five/spec.yaml", 1, 4}, {"tests/e2e/cases/pool/spec.yaml", 40000, 30}};
    for (size_t i = 0; i < COUNT_OF(set); i++) {
        struct ir *ir = build_sized(set[i].spec, SPEC_SAFE);
        int64_t rows = 60 * ir->design.tokens + 1;
        struct timing_forecast *whole = forecast_of(ir, rows, 1, INT64_MAX),
                               *some = forecast_of(ir, rows, 1, set[i].whole_words);
        assert_int_equal(whole->simulated, 61);
        assert_int_equal(some->simulated, set[i].simulated);
        assert_true(fabs(some->first_id / whole->first_id - 1) < 0.02);
        assert_true(fabs(some->prefill.busy - whole->prefill.busy) <= 0.01 * whole->prefill.busy);
    }
}

// Returns the cycle in which these steps are over.
static int64_t end_of_steps(struct ir *ir, const struct timing_step *step, int steps) {
    const struct timing_options o = {.step = step, .steps = steps, .bounded = true, .memory = timing_memory_at(ir, 0)};
    const char *missing = NULL;
    const struct timing_result *r = timing_simulate(&arena, ir, &o, &missing);
    assert_non_null(r);
    return r->step[steps];
}

// Checks that a request begins after its kept positions, and that the token loop passes over them once, one cycle each.
static void test_load_after_kept_positions(void **state) {
    (void)state;
    struct ir *ir = build_sized("tests/e2e/cases/slots/spec.yaml", SPEC_SAFE);
    const struct timing_load_request request[] = {{.prompt = 60, .tokens = 3, .prefix = 44},
                                                  {.prompt = 9, .tokens = 3}};
    struct timing_step *step;
    int64_t prompt = 0, passes = 0;
    const int steps = timing_load_steps(ir, &(struct timing_loads){request, 2, NULL}, NULL, &step);
    for (int s = 0; s < steps; s++)
        for (int p = 0; p < step[s].parts; p++) {
            const struct timing_part *part = &step[s].part[p];
            if (part->slot == 0 && part->prompt) prompt += part->ntok;
            passes += part->passes;
        }
    assert_int_equal(step[0].part[0].pos, 44);
    assert_int_equal(step[0].part[0].passes, 44);
    assert_int_equal(prompt, 16);
    assert_int_equal(passes, 44);

    struct timing_part *first = ARENA_ARRAY(&arena, struct timing_part, (size_t)step[0].parts);
    memcpy(first, step[0].part, (size_t)step[0].parts * sizeof *first);
    first[0].passes = 0;
    struct timing_step without = step[0];
    without.part = first;
    assert_in_range(end_of_steps(ir, step, 1) - end_of_steps(ir, &without, 1), 44, 60);
}

// Returns the forecast of a mixture of steps. none, drafted: forecasts without drafts, and with drafts in every step.
static struct timing_drafted mixed(const struct timing_forecast *none, const struct timing_forecast *drafted,
                                   struct timing_drafts drafts) {
    return timing_with_drafts(none, drafted, &drafts);
}

// Checks that steps with drafts take longer, and that the number of right drafts gives the number of steps.
static void test_forecast_with_drafts(void **state) {
    (void)state;
    const char *why = NULL;
    struct ir *ir = build_sized("tests/e2e/cases/drafts/spec.yaml", SPEC_SAFE);
    struct timing_forecast *none = forecast_of(ir, 20, 40, INT64_MAX);
    struct timing_forecast *all = timing_forecast_drafted(ir, 20, 40, 0, false, INT64_MAX, &why);
    assert_non_null(all);
    assert_true(all->decode.cycles > 1.02 * none->decode.cycles && all->decode.cycles < 4 * none->decode.cycles);
    assert_int_equal(all->decode.steps, 39);
    assert_true(all->prefill.cycles == none->prefill.cycles);
    struct timing_drafted d = mixed(none, all, (struct timing_drafts){.none = 7});
    assert_true(d.steps == 39 && d.tokens_per_step == 1 && fabs(d.cycles / none->decode.cycles - 1) < 1e-9);
    d = mixed(none, all, (struct timing_drafts){.right = {[3] = 2}});
    assert_true(d.steps == 39. / 4 && d.tokens_per_step == 4 && fabs(d.cycles / all->decode.cycles - 0.25) < 1e-9);
    d = mixed(none, all, (struct timing_drafts){.none = 1, .right = {1, 0, 0, 2}});
    assert_true(d.tokens_per_step == 2.5 && fabs(d.steps - 39 / 2.5) < 1e-9);
    assert_true(fabs(d.cycles / (d.steps / 39 * (none->decode.cycles + 3 * all->decode.cycles) / 4) - 1) < 1e-9);
}

// Checks that a forecast from samples is not below the bound in a phase that the memory limits. There the samples have
// as many refreshes as the steps that they represent, and the FIFOs of beats are as full before a sample as after it.
static void test_forecast_read_ahead(void **state) {
    (void)state;
    struct ir *ir = build("tests/e2e/cases/read_ahead/spec.yaml");
    struct timing_forecast *whole = forecast_of(ir, 10, 100, INT64_MAX), *some = forecast_of(ir, 10, 100, 1);
    assert_true(whole->decode.cycles >= (double)whole->decode.bound.cycles);
    assert_true(some->simulated < some->steps && some->decode.cycles >= (double)some->decode.bound.cycles);
    assert_null(timing_below_bound(&arena, ir, some));
    assert_true(fabs(some->decode.cycles / whole->decode.cycles - 1) < 0.0005);
}

static void test_words(void **state) {
    (void)state;
    struct ir *ir = build("tests/e2e/cases/blocks/spec.yaml");
    struct timing_result *r = simulate(ir, 3, 1, NULL, false);
    assert_null(r->stuck);
    assert_int_equal(r->edge[edge_named(ir, "input_x_x_to_h_loop_0")].words, 3 * 24);
    assert_int_equal(r->edge[edge_named(ir, "h_fork_0_to_n_x")].words, 3 * 7 * 24);
    assert_int_equal(r->edge[edge_named(ir, "y_demux_1_to_output_y_y")].words, 3 * 10);
    for (int e = 0; e < ir->edges; e++) { // Every word is taken after it was put, and the words keep their order.
        const struct timing_edge *t = &r->edge[e];
        for (int64_t i = 0; i < t->words - t->holds; i++) {
            assert_true(t->take[i] > t->put[i]);
            assert_true(i == 0 || (t->put[i] > t->put[i - 1] && t->take[i] > t->take[i - 1]));
        }
    }
}

// Checks the work of kernels: the first and the last cycle in which a word moves at any of their ports.
static void work_begins_at_the_first_port(void **state) {
    (void)state;
    struct ir *ir = build("tests/e2e/cases/blocks/spec.yaml");
    struct timing_result *r = simulate(ir, 3, 1, NULL, false);
    int several = 0; // kernels with ports that begin in different cycles
    for (int k = 0; k < ir->kernels; k++) {
        int64_t first = -1, last = 0;
        for (int e = 0; e < ir->edges; e++) {
            const struct timing_edge *t = &r->edge[e];
            for (int side = 0; side < 2; side++) {
                const int64_t *at = side ? t->take : t->put;
                int64_t words = side ? t->words - t->holds : t->words;
                if (k != (side ? ir->edge[e].dst_kernel : ir->edge[e].src_kernel) || words < 1) continue;
                several += first >= 0 && at[0] < first;
                if (first < 0 || at[0] < first) first = at[0];
                if (at[words - 1] > last) last = at[words - 1];
            }
        }
        assert_int_equal(r->kernel[k].first, first);
        assert_int_equal(r->kernel[k].last, last);
    }
    assert_true(several > 3);
}

// Checks that a run with two of three layers ends and takes less time, and that a kernel that sends a tensor once for
// each layer sends it twice instead of three times.
static void layers_are_left_out(void **state) {
    (void)state;
    struct ir *ir = build_sized("tests/e2e/cases/rope/spec.yaml", SPEC_SAFE);
    const char *missing = NULL;
    struct timing_step *step;
    struct timing_options o = {.bounded = true, .layers = 2, .memory = timing_memory_at(ir, 58)};
    o.steps = timing_request_steps(ir, 3, 1, &step);
    o.step = step;
    struct timing_result *some = timing_simulate(&arena, ir, &o, &missing), *all = simulate(ir, 3, 1, NULL, false);
    assert_non_null(some);
    assert_null(some->stuck);
    assert_true(some->cycles > 0 && some->cycles < all->cycles);
    int fewer = 0;
    for (int e = 0; e < ir->edges; e++) {
        if (strcmp(ir->kernel[ir->edge[e].src_kernel].module, "rill_replay_buffer") != 0) continue;
        assert_int_equal(3 * some->edge[e].words, 2 * all->edge[e].words);
        fewer++;
    }
    assert_int_equal(fewer, 1);
}

// Checks that a run with two of many layers notes the end of each layer, in the same cycles as a run with three layers.
static void ends_of_layers_are_noted(void **state) {
    (void)state;
    struct ir *ir = build_sized("configs/tinystories-gpt2-1m.yaml", SPEC_SAFE);
    const struct timing_step step = timing_step_at(8, 1, true);
    const char *missing = NULL;
    struct timing_options o = {.step = &step, .steps = 1, .layers = 2, .memory = timing_memory_at(ir, 58)};
    struct timing_result *two = timing_simulate(&arena, ir, &o, &missing);
    o.layers = 3;
    struct timing_result *three = timing_simulate(&arena, ir, &o, &missing);
    assert_int_equal(two->layers, 2);
    assert_int_equal(two->layers + two->left_out, three->layers + three->left_out);
    assert_int_equal(two->turn[0].rounds, 2);
    assert_int_equal(three->turn[0].rounds, 3);
    assert_int_equal(two->turn[0].round[0], three->turn[0].round[0]);
    assert_int_equal(two->turn[0].round[1], three->turn[0].round[1]);
    assert_true(three->turn[0].round[2] > three->turn[0].round[1]);
}

// Checks which of the simulated layers represents a layer that was left out. Every sixth layer of Gemma 3 sees all
// positions, and the other layers see a window. The last layer of either kind is chosen.
static void layers_are_like_others(void **state) {
    (void)state;
    struct ir *ir = build_sized("bench/designs/gemma3-270m-u55c-32.yaml", SPEC_SAFE);
    assert_int_equal(timing_layer_like(ir, 6, 6), 4);
    assert_int_equal(timing_layer_like(ir, 11, 6), 5);
    assert_int_equal(timing_layer_like(ir, 17, 6), 5);
    ir = build_sized("tests/e2e/cases/rope/spec.yaml", SPEC_SAFE);
    assert_int_equal(timing_layer_like(ir, 2, 2), 1);
}

// A dump that was edited may have figures that no design has. They must be refused, not simulated.
static void figures_out_of_range_are_refused(void **state) {
    (void)state;
    struct ir *ir = build_sized("tests/e2e/cases/blocks/spec.yaml", SPEC_SAFE);
    struct ir_design *d = &ir->design;
    const struct {
        int *figure;
        int wrong[2]; // just outside the range
    } cases[] = {{&d->channels, {0, 33}},
                 {&d->beat_bits, {128, 1024}},
                 {&d->lanes, {0, 33}},
                 {&d->tokens, {0, 9}},
                 {&d->max_burst, {0, d->prefetch_beats + 1}},
                 {&d->outstanding, {0, -1}},
                 {&d->prefetch_beats, {d->max_burst - 1, 0}}};
    for (size_t i = 0; i < 2 * COUNT_OF(cases); i++) {
        int *figure = cases[i / 2].figure, was = *figure;
        const char *missing = NULL;
        struct timing_step *step;
        struct timing_options o = {.bounded = true, .memory = timing_memory_at(ir, 58)};
        o.steps = timing_request_steps(ir, 1, 1, &step);
        o.step = step;
        *figure = cases[i / 2].wrong[i % 2];
        if (timing_simulate(&arena, ir, &o, &missing)) fail_msg("figure %zu may be %d", i / 2, *figure);
        assert_string_equal(missing, "the design");
        *figure = was;
    }
}

// Checks that a row that leaves a converter in several rounds ends only once, so that it has just the words that its
// elements need after a change of width.
static void test_words_of_rounds(void **state) {
    (void)state;
    struct ir *ir = build_sized("tests/e2e/cases/lanes/spec.yaml", SPEC_SAFE);
    struct timing_result *r = simulate(ir, 4, 1, NULL, false);
    assert_int_equal(r->edge[edge_named(ir, "z_y_x8_to_output_z_y")].words, 4 * 14); // 105 elements, 8 in each word
}

// Checks that the design deadlocks if the stream around the block is too shallow. It must hold the residual until the
// first row of the block comes, except for a few words that the writer and the join hold.
static void test_halt(void **state) {
    (void)state;
    struct ir *ir = build_sized("tests/e2e/cases/blocks/spec.yaml", SPEC_SAFE);
    int64_t *depth = ARENA_ARRAY(&arena, int64_t, (size_t)ir->edges + 1);
    for (int e = 0; e < ir->edges; e++) depth[e] = ir->edge[e].depth;
    int side = edge_named(ir, "h_fork_1_to_h_next_b");
    depth[side] = 12;
    assert_non_null(simulate(ir, 1, 1, depth, false)->stuck);
    depth[side] = 24;
    assert_null(simulate(ir, 1, 1, depth, false)->stuck);
}

static void test_depths(void **state) {
    (void)state;
    const char *const specs[] = {"tests/e2e/cases/five/spec.yaml", "tests/e2e/cases/blocks/spec.yaml",
                                 "tests/e2e/cases/odd/spec.yaml", "tests/e2e/cases/grouped/spec.yaml"};
    for (size_t s = 0; s < COUNT_OF(specs); s++) {
        struct ir *ir = build(specs[s]);
        for (int e = 0; e < ir->edges; e++) {
            assert_true(ir->edge[e].depth >= 2);
            assert_true(ir->edge[e].forced_by == NULL || !strstr(ir->edge[e].forced_by, "safe rule"));
        }
        int64_t context = ir->design.context < 70 ? ir->design.context : 70;
        assert_null(simulate(ir, context - 3, 4, NULL, true)->stuck);
        struct ir *safe = build_sized(specs[s], SPEC_SAFE);
        int64_t fewer = simulate(ir, context - 3, 4, NULL, false)->cycles,
                more = simulate(safe, context - 3, 4, NULL, false)->cycles;
        assert_true(fewer < more + more / 50 + 64);
    }
}

static int64_t bits_of(const struct ir *ir) {
    int64_t bits = 0;
    for (int e = 0; e < ir->edges; e++) bits += ir->edge[e].depth * cost_edge_bits(ir, &ir->edge[e]);
    return bits;
}

// Checks that the conservative rule gives smaller FIFOs, which make rows slower but cause no deadlock.
static void test_conservative(void **state) {
    (void)state;
    struct ir *few = build_sized("tests/e2e/cases/five/spec.yaml", SPEC_CONSERVATIVE),
              *timed = build("tests/e2e/cases/five/spec.yaml");
    assert_true(bits_of(few) < bits_of(timed) * 5 / 6);
    for (int e = 0; e < few->edges; e++)
        assert_true(few->edge[e].depth >= 2 && few->edge[e].depth <= timed->edge[e].depth);
    assert_null(simulate(few, 20, 1, NULL, true)->stuck);
    assert_true(simulate(few, 20, 1, NULL, false)->cycles > simulate(timed, 20, 1, NULL, false)->cycles);
    assert_int_equal(few->design.strategy, IR_STRATEGY_CONSERVATIVE);
    assert_int_equal(timed->design.strategy, IR_STRATEGY_NONE);
}

// Checks the depths of a design in which a case deadlocks at the depths of the linear program. The search must then
// make depths larger and continue.
static void test_depths_after_cuts(void **state) {
    (void)state;
    struct ir *timed = build("tests/unit/heads.yaml"), *safe = build_sized("tests/unit/heads.yaml", SPEC_SAFE);
    assert_true(bits_of(timed) < bits_of(safe) / 4);
    assert_null(simulate(timed, 507, 4, NULL, true)->stuck);
}

// Checks the depths of a design whose runs are so long that the search uses shorter cases. They still have few bits,
// cause no deadlock and cost at most 1 % plus 64 cycles more than unbounded FIFOs.
static void slow_depths_of_long_runs(void **state) {
    (void)state;
    struct ir *ir = build("configs/gpt2-medium-u55c.yaml");
    assert_true(bits_of(ir) < 2300000); // the safe rule gives 9 Mbit
    assert_null(simulate(ir, 13, 2, NULL, true)->stuck);
    int64_t fewer = simulate(ir, 13, 2, NULL, false)->cycles, more = simulate(ir, 13, 2, no_bounds, false)->cycles;
    assert_true(fewer < more + more / 100 + 64);
}

// Simulates a request of `length` rows and checks that no stream without a mark stalls its writer. age: age of the
// memory at the request's start, in cycles. twice: simulates with twice the depths and without refreshes; no unmarked
// stream may then hold more words than its depth.
static void check_marks(const struct ir *ir, int64_t length, int64_t age, bool twice) {
    const char *missing = NULL;
    struct timing_step *step;
    struct timing_options o = {.bounded = true, .twice = twice, .memory = timing_memory_at(ir, age)};
    o.steps = timing_request_steps(ir, length, 1, &step);
    o.step = step;
    o.memory.refreshes = !twice;
    const struct timing_result *r = timing_simulate(&arena, ir, &o, &missing);
    assert_non_null(r);
    for (int e = 0; e < ir->edges; e++) {
        const struct ir_edge *edge = &ir->edge[e];
        if (edge->run_ahead || !strncmp(edge->name, "step_fork_", 10) || strstr(edge->name, "_param_param_to_"))
            continue; // these streams may stall their writers
        if (twice ? r->edge[e].high_water > edge->depth : r->edge[e].full > 0)
            fail_msg("%lld rows, age %lld: %s is not marked", (long long)length, (long long)age, edge->name);
    }
}

// Checks that streams without a mark never stall their writers, even in requests that did not contribute to the marks.
static void test_marks(void **state) {
    (void)state;
    static const char *const specs[] = {"tests/unit/rows.yaml", "tests/e2e/cases/blocks/spec.yaml"};
    for (size_t s = 0; s < COUNT_OF(specs); s++) {
        struct ir *ir = build(specs[s]);
        assert_true(pass_mark_ahead(ir, NULL, &diag));
        for (int64_t length = 1; length <= 23; length += s ? 11 : 2)
            for (int64_t age = 58; age < 1200; age += 642)
                for (int twice = 0; twice < 2; twice++) check_marks(ir, length, age, twice);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_headers, setup, teardown),
        cmocka_unit_test_setup_teardown(test_units, setup, teardown),
        cmocka_unit_test_setup_teardown(test_rooms, setup, teardown),
        cmocka_unit_test_setup_teardown(credits_come_back_late, setup, teardown),
        cmocka_unit_test_setup_teardown(blocks_share_their_room, setup, teardown),
        cmocka_unit_test_setup_teardown(a_word_in_parts_takes_its_cycles, setup, teardown),
        cmocka_unit_test_setup_teardown(test_line_buffer, setup, teardown),
        cmocka_unit_test_setup_teardown(test_unknown_module, setup, teardown),
        cmocka_unit_test_setup_teardown(test_buffers, setup, teardown),
        cmocka_unit_test_setup_teardown(test_cycles_of_rtl, setup, teardown),
        cmocka_unit_test_setup_teardown(test_cycles_of_shared_channels, setup, teardown),
        cmocka_unit_test_setup_teardown(operands_wait_in_slices, setup, teardown),
        cmocka_unit_test_setup_teardown(test_bounds, setup, teardown),
        cmocka_unit_test_setup_teardown(test_forecast, setup, teardown),
        cmocka_unit_test_setup_teardown(test_forecast_of_equal_steps, setup, teardown),
        cmocka_unit_test_setup_teardown(test_forecast_with_drafts, setup, teardown),
        cmocka_unit_test_setup_teardown(test_load_after_kept_positions, setup, teardown),
        cmocka_unit_test_setup_teardown(test_forecast_read_ahead, setup, teardown),
        cmocka_unit_test_setup_teardown(test_words, setup, teardown),
        cmocka_unit_test_setup_teardown(test_words_of_rounds, setup, teardown),
        cmocka_unit_test_setup_teardown(work_begins_at_the_first_port, setup, teardown),
        cmocka_unit_test_setup_teardown(layers_are_left_out, setup, teardown),
        cmocka_unit_test_setup_teardown(ends_of_layers_are_noted, setup, teardown),
        cmocka_unit_test_setup_teardown(layers_are_like_others, setup, teardown),
        cmocka_unit_test_setup_teardown(figures_out_of_range_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(test_halt, setup, teardown),
        cmocka_unit_test_setup_teardown(test_depths, setup, teardown),
        cmocka_unit_test_setup_teardown(test_marks, setup, teardown),
        cmocka_unit_test_setup_teardown(test_conservative, setup, teardown),
        cmocka_unit_test_setup_teardown(test_depths_after_cuts, setup, teardown),
        cmocka_unit_test_setup_teardown(slow_depths_of_long_runs, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
