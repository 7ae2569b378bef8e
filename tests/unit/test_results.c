// SPDX-License-Identifier: Apache-2.0
// Tests how the simulation compares the results of a request in memory: it must find every wrong bit of a row or an id,
// and every missing or additional id. Also tests the checks of the registers and those in every cycle. The simulation's
// sources are included here, and the functions below replace the parts that they call.
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "verif/harness/host.c"
#include "verif/harness/graph_rows.c"

enum { ROWS = 3, ELEMENTS = 21, BEAT_BYTES = 32, ROW_BYTES = 96, IDS = 5, OUTPUTS = 2 }; // a row takes whole beats
static const uint32_t ids[IDS] = {7, 0, 0xffffffff, 12, 12};
static float golden[OUTPUTS][ROWS][ELEMENTS];
// Results of the functions below: the oracle has a row, the replay has no row, the watchdog has expired.
static bool oracle_knows, golden_gone, stuck;
static const char *overflow, *mismatch; // messages of the checker

// ---- golden values, and functions that replace the other parts of the simulation ----

void sim_fail(struct sim *sim, const char *fmt, ...) { sim->failure = sim->failure ? sim->failure : fmt; }
const uint32_t *check_golden_ids(struct check *check, int64_t *count) {
    (void)check;
    *count = IDS;
    return ids;
}
#define GOLDEN_HASH 0x8000000000000001u
static const uint64_t golden_hash = GOLDEN_HASH;
uint64_t check_golden_hash(struct check *check) { return (void)check, golden_hash; }
static const uint64_t golden_hashes[IDS] = {11, 1ULL << 63, 3, 4, GOLDEN_HASH};
const uint64_t *check_golden_hashes(const struct check *check) { return (void)check, golden_hashes; }
static uint32_t golden_record[IDS * LOGPROBS_WORDS];
const uint32_t *check_golden_records(const struct check *check) { return (void)check, golden_record; }
const float *check_oracle_row(struct check *check, int output, int64_t row) {
    (void)check;
    return oracle_knows ? golden[output][row] : NULL;
}
bool check_golden_output(struct check *check, int output, int64_t row, struct replay_value *v) {
    (void)check;
    *v = (struct replay_value){.dtype = IR_F32, .rows = 1, .cols = ELEMENTS, .f32 = golden[output][row]};
    return !golden_gone;
}
void check_begin(struct check *check, const struct check_request *request) { (void)check, (void)request; }
void check_again(struct check *check, const struct check_request *request) { (void)check, (void)request; }
bool check_start(struct check *check, struct check_start *start) { return (void)check, (void)start, true; }
int64_t check_positions(const struct check *check) { return (void)check, 0; }
int64_t check_steps(struct check *check) { return (void)check, 0; }
int64_t check_step_position(struct check *check, int64_t step) { return (void)check, step; }
uint64_t check_step_end(const struct check *check, int64_t step) { return (void)check, (void)step, 0; }
void check_drafts_off(struct check *check, bool off) { (void)check, (void)off; }
struct check_drafts_counts check_drafts(struct check *check) {
    return (void)check, (struct check_drafts_counts){0};
}
const char *check_parts(struct check *check, const struct check_parts_of *of, struct check_drafts_counts *counts) {
    return (void)check, (void)of, (void)counts, NULL;
}
void check_end(struct check *check, uint64_t cycle) { (void)check, (void)cycle; }
const char *check_mismatch(const struct check *check) { return (void)check, mismatch; }
const char *check_overflow(const struct check *check) { return (void)check, overflow; }
bool plant_is(const struct sim *sim, enum plant_kind kind) { return (void)sim, (void)kind, false; }
void plant_end(struct sim *sim) { (void)sim; }
struct sim_prompt prefix_then(struct sim *sim, const struct sim_prompt *prompt, const struct request_result *before) {
    return (void)sim, (void)before, *prompt;
}
bool prefix_find(struct sim *sim, int64_t asked, const struct request_result *before, struct request_result *r) {
    return (void)sim, (void)asked, (void)before, (void)r, true;
}
int64_t prefix_most(const struct request_result *before, const struct request_result *r) {
    return (void)before, (void)r, 0;
}
void load_memory(struct sim *of) { (void)of; }
void load_edge(struct sim *of, const struct sim_pins *pins) { (void)of, (void)pins; }
void report_before(struct sim *of) { (void)of; }
void report_token(struct sim *sim, uint32_t id) { (void)sim, (void)id; }
uint64_t sim_base(const struct sim *sim, int channel) { return (void)sim, (void)channel, SIM_BASE; }
uint64_t sim_bytes(const struct sim *sim) { return (void)sim, 0; }
bool watch_stuck(struct watch *watch, uint64_t sign, uint64_t cycle, uint64_t limit) {
    return (void)watch, (void)sign, (void)cycle, (void)limit, stuck;
}

// ---- a design of two outputs and a ring of ids, and its memory ----

static struct sim sim;
static struct ir ir;
static struct ir_tensor tensor[OUTPUTS];
static struct ir_segment segment[OUTPUTS + 1];
static struct request_result result;
static uint32_t made[IDS + 1];

static void make_design(void) {
    static const char *const names[] = {"y", "z"};
    ir = (struct ir){.arena = &sim.arena, .tensor = tensor, .tensors = OUTPUTS, .segment = segment, .outputs = OUTPUTS};
    ir.design =
        (struct ir_design){.channels = 1, .beat_bits = BEAT_BYTES * 8, .lanes = 4, .tokens = 1, .context = ROWS};
    for (int o = 0; o < OUTPUTS; o++) {
        tensor[o] = (struct ir_tensor){.name = names[o], .dtype = IR_F32, .rank = 1, .shape = {{ELEMENTS, IR_STATIC}}};
        ir.output[o] = o;
        segment[o] = (struct ir_segment){.name = arena_printf(&sim.arena, "output_%s", names[o]),
                                         .kind = IR_SEG_IO,
                                         .offset = 4096 * (o + 1),
                                         .bytes = ROWS * ROW_BYTES};
    }
    segment[OUTPUTS] = (struct ir_segment){.name = "ring", .kind = IR_SEG_IO, .bytes = 4 * IDS, .role = IR_SEG_RING};
    ir.segments = OUTPUTS + 1;
}

static int setup(void **state) {
    (void)state;
    const char *why;
    memset(&sim, 0, sizeof sim);
    golden_gone = stuck = false, overflow = mismatch = NULL;
    arena_init(&sim.arena);
    make_design();
    struct hbm_config config = {.channels = 1,
                                .beat_bytes = BEAT_BYTES,
                                .clock_mhz = 250,
                                .channel_bytes = 1 << 24,
                                .timing = hbm_timing_of(&ir.design.hbm)};
    sim.ir = &ir;
    sim.hbm = hbm_open(&sim.arena, &config, &why);
    sim.host = (struct host){.sim = &sim, .result = &result, .ring_segment = &segment[OUTPUTS]};
    memcpy(made, ids, sizeof ids);
    memcpy(segment_bytes(&sim.host, sim.host.ring_segment), ids, sizeof ids);
    result = (struct request_result){.id = made, .ids = IDS, .ids_written = IDS};
    for (int o = 0; o < OUTPUTS; o++)
        for (int r = 0; r < ROWS; r++)
            for (int i = 0; i < ELEMENTS; i++) golden[o][r][i] = (float)(o * 100 + r * 10 + i) / 7.0f;
    return 0;
}

static int teardown(void **state) {
    (void)state;
    hbm_close(sim.hbm);
    arena_free(&sim.arena);
    return 0;
}

static uint8_t *place(int output, int row) { return segment_bytes(&sim.host, &segment[output]) + row * ROW_BYTES; }

// Compares the rows in memory. Returns the error, or NULL.
static const char *say_rows(void) {
    sim.failure = NULL;
    rows_compare(&sim, ROWS);
    return sim.failure;
}

// ---- tests ----

static void flip_rows(void) {
    for (int o = 0; o < OUTPUTS; o++)
        for (int r = 0; r < ROWS; r++) memcpy(place(o, r), golden[o][r], sizeof golden[o][r]);
    assert_null(say_rows());
    for (int o = 0; o < OUTPUTS; o++)
        for (int r = 0; r < ROWS; r++)
            for (int bit = 0; bit < ELEMENTS * 32; bit++) {
                uint8_t *byte = place(o, r) + bit / 8, flip = (uint8_t)(1 << bit % 8);
                *byte ^= flip;
                if (!say_rows()) fail_msg("output %d, row %d, bit %d: not found", o, r, bit);
                *byte ^= flip;
            }
    assert_null(say_rows());
    rows_clear(&sim, ROWS); // the memory after a request that writes nothing
    assert_non_null(say_rows());
}

static void test_rows(void **state) {
    (void)state;
    oracle_knows = true;
    flip_rows();
    oracle_knows = false; // then rows are compared with the replay of the compiled graph
    flip_rows();
}

// Compares the generated ids. Returns the error, or NULL.
static const char *say_ids(void) {
    sim.failure = NULL;
    compare_ids(&sim.host);
    return sim.failure;
}

static void flip_ids(uint32_t *at) {
    for (int bit = 0; bit < IDS * 32; bit++) {
        at[bit / 32] ^= 1u << bit % 32;
        if (!say_ids()) fail_msg("bit %d: not found", bit);
        at[bit / 32] ^= 1u << bit % 32;
    }
    assert_null(say_ids());
}

static void test_ids(void **state) {
    (void)state;
    assert_null(say_ids());
    flip_ids(made);                                                                // as they were written
    flip_ids((uint32_t *)(void *)segment_bytes(&sim.host, sim.host.ring_segment)); // in the memory at the end
}

static void test_number_of_ids(void **state) {
    (void)state;
    for (int n = 0; n <= IDS + 1; n++)
        for (int written = 0; written <= IDS + 1; written++) {
            result.ids = n;
            result.ids_written = (uint32_t)written;
            assert_int_equal(say_ids() == NULL, n == IDS && written == IDS);
        }
}

// Compares a request of a design with slots that has made n ids. Returns the error, or NULL.
static const char *say_slot(int64_t n, uint64_t hash) {
    sim.failure = NULL;
    result.ids = n, result.logits_hash = hash;
    host_compare_golden(&sim.host);
    return sim.failure;
}

// Tests a request that the host has stopped: its ids must be the first ones, but not all, and the hash must be that of
// their logits. A request that was not to be stopped, or has ended otherwise, must have all ids.
static void test_stopped(void **state) {
    (void)state;
    uint32_t ring[IDS + 1];
    memcpy(ring, made, sizeof ring);
    result.ring = ring;
    for (int told = 0; told < 2; told++)
        for (int ending = 3; ending <= 5; ending++)
            for (int n = 0; n <= IDS; n++) {
                const bool stopped = told && ending == 4;
                result.told_stop = told, result.ending = (uint32_t)ending;
                const char *said = say_slot(n, n ? golden_hashes[n - 1] : 0);
                assert_int_equal(said == NULL, stopped ? n < IDS : n == IDS);
            }
    result.told_stop = true, result.ending = 4;
    for (int n = 0; n < IDS; n++) {
        assert_non_null(say_slot(n, golden_hashes[n]));
        for (int at = 0; at < n; at++) {
            made[at] ^= 4;
            assert_non_null(say_slot(n, golden_hashes[n - 1]));
            made[at] ^= 4;
            ring[at] ^= 4;
            assert_non_null(say_slot(n, golden_hashes[n - 1]));
            ring[at] ^= 4;
        }
    }
}

static void assert_failed(const char *words) {
    if (!sim.failure || !strstr(sim.failure, words)) fail_msg("`%s` instead of `%s`", sim.failure, words);
    sim.failure = NULL;
}

static void test_rows_without_golden_value(void **state) {
    (void)state;
    oracle_knows = false, golden_gone = true;
    (void)say_rows();
    assert_failed("no golden value");
}

// Tests the checks that run in every cycle: a mismatch, an overflow and a design that is stuck.
static void test_guards(void **state) {
    (void)state;
    guard_run(&sim.host);
    assert_null(sim.failure);
    mismatch = "a stream";
    guard_run(&sim.host);
    assert_failed("mismatch: ");
    overflow = "a block";
    guard_run(&sim.host);
    assert_failed("exceeds its format");
    mismatch = overflow = NULL, stuck = true;
    guard_run(&sim.host);
    assert_failed("at cycle");
    assert_true(sim.watch.asked);
}

// Tests the checks of the registers at the end of a request: each bit of logits_hash, the state, and the fault code.
static void test_registers(void **state) {
    (void)state;
    static uint64_t beats, stalls;
    // In the order of the reads of collect_arguments (host.c): 0 CTRL, 3 fault, 5 and 6 logits_hash, low half first.
    struct axil_access *registers = sim.host.axil.access;
    result.channel_beats = &beats, result.channel_stalls = &stalls;
    for (int o = 0; o < OUTPUTS; o++)
        for (int r = 0; r < ROWS; r++) memcpy(place(o, r), golden[o][r], sizeof golden[o][r]);
    result.prompt_len = ROWS, oracle_knows = true;
    registers[0].data = CTRL_DONE;
    for (int bit = 0; bit <= 64; bit++) {
        uint64_t hash = bit < 64 ? golden_hash ^ (uint64_t)1 << bit : golden_hash;
        registers[5].data = (uint32_t)hash, registers[6].data = (uint32_t)(hash >> 32);
        sim.failure = NULL;
        finish_request(&sim.host);
        if (bit < 64) assert_failed("logits_hash is");
    }
    assert_null(sim.failure);
    registers[0].data = CTRL_START;
    finish_request(&sim.host);
    assert_failed("interrupt before it was done");
    registers[0].data = CTRL_DONE, registers[3].data = 5;
    finish_request(&sim.host);
    assert_failed("the design reports fault");
}

// Tests the comparison of records of log probabilities, whose memory follows the ids of the ring: each bit of a word,
// and records of ids before the position at which the design begins, which are not compared.
static void test_records(void **state) {
    enum { BITS = 32 * IDS * LOGPROBS_WORDS };
    (void)state;
    ir.design.logprobs = 5;
    segment[OUTPUTS].bytes = layout_logprobs_at(&ir.design) + layout_logprobs_bytes(&ir.design);
    uint32_t *records = (uint32_t *)(segment_bytes(&sim.host, sim.host.ring_segment) + layout_logprobs_at(&ir.design));
    for (uint32_t i = 0; i < IDS * LOGPROBS_WORDS; i++) records[i] = golden_record[i] = i * 0x9e3779b1u;
    for (int bit = 0; bit <= BITS; bit += 31) {
        records[bit / 32 % (IDS * LOGPROBS_WORDS)] ^= 1u << bit % 32;
        keep_records(&sim.host);
        compare_records(&sim.host);
        assert_failed("of the log probabilities of token");
        records[bit / 32 % (IDS * LOGPROBS_WORDS)] ^= 1u << bit % 32;
    }
    keep_records(&sim.host);
    compare_records(&sim.host);
    assert_null(sim.failure);
    records[LOGPROBS_WORDS - 1]++, result.before = 1;
    keep_records(&sim.host);
    compare_records(&sim.host);
    assert_null(sim.failure);
    ir.design.logprobs = 0, result.records = NULL;
    keep_records(&sim.host);
    assert_null(result.records);
}

static void test_control_port_is_silent(void **state) {
    (void)state;
    struct sim_pins pins = {0};
    sim.host.phase = HOST_COLLECT;
    axil_read(&sim.host.axil, 0);
    assert_true(host_edge(&sim.host, &pins));
    sim.host.phase_cycle = hbm_cycle(sim.hbm) - 100001; // one cycle more than host_edge allows
    assert_false(host_edge(&sim.host, &pins));
    assert_failed("the control port does not answer");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_rows, setup, teardown),
        cmocka_unit_test_setup_teardown(test_ids, setup, teardown),
        cmocka_unit_test_setup_teardown(test_number_of_ids, setup, teardown),
        cmocka_unit_test_setup_teardown(test_stopped, setup, teardown),
        cmocka_unit_test_setup_teardown(test_rows_without_golden_value, setup, teardown),
        cmocka_unit_test_setup_teardown(test_guards, setup, teardown),
        cmocka_unit_test_setup_teardown(test_registers, setup, teardown),
        cmocka_unit_test_setup_teardown(test_records, setup, teardown),
        cmocka_unit_test_setup_teardown(test_control_port_is_silent, setup, teardown),
    };
    return cmocka_run_group_tests_name("results", tests, NULL, NULL);
}
