// SPDX-License-Identifier: Apache-2.0
// Tests the stream checker with the streams of a language model's token loop: step words, step words ahead of the ids
// (for the walker), ids to the model, and ids to the ring, from which the host reads them. Every wrong bit, and every
// missing or additional word, must be found. Only step words ahead of the ids may be missing.
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gen/ir/ops.h"
#include "verif/check/check.h"

enum { TOKENS = 2, CHANNELS = 3, CONTEXT = 200, PROMPT = 131, NEW = 5 }; // PROMPT, NEW: prompt and generated tokens
enum stream { S_STEP, S_WALK, S_RING, S_ID, STREAMS };

// ---- a replay whose ids are a function of the position ----

struct replay {
    int64_t position;
};

static const char *fault; // of the replay, at every position
static bool gone;         // its values have left the window

// id_after: the id that is generated after the token at this position. id_at: the id of the token at a position, which
// is one of the prompt or a generated one.
static uint32_t id_after(int64_t position) { return (uint32_t)(position * 2654435761u + 12345); }
static uint32_t id_at(int64_t position) {
    return position < PROMPT ? (uint32_t)position * 7919 + 3 : id_after(position - 1);
}

struct replay *replay_open(struct arena *arena, const struct ir *ir, const char *dir, int window, struct diag *diag) {
    (void)ir, (void)dir, (void)window, (void)diag;
    return ARENA_NEW(arena, struct replay);
}

void replay_close(struct replay *run) { (void)run; }

bool replay_step(struct replay *run, uint32_t id, const float *const row[], int64_t position, bool head) {
    (void)row, (void)head;
    assert_int_equal(id, id_at(position));
    run->position = position;
    return fault == NULL;
}

bool replay_waits(const struct replay *run) { return run == NULL; }

void replay_forget(struct replay *run) { (void)run; }

void replay_give(struct replay *run, int tensor, int64_t repetition, int64_t position, const void *values) {
    (void)run, (void)tensor, (void)repetition, (void)position, (void)values;
}

uint32_t replay_next_id(const struct replay *run) { return id_after(run->position); }

const char *replay_fault(const struct replay *run) { return run ? fault : NULL; }

bool replay_value(const struct replay *run, int tensor, int64_t repetition, int64_t position, struct replay_value *v) {
    static uint32_t id;
    (void)tensor, (void)repetition;
    id = id_at(position);
    *v = (struct replay_value){.dtype = IR_ID, .rows = 1, .cols = 1, .stride = 1, .id = &id};
    return !gone && position <= run->position;
}

// ---- a token loop and one reader ----

struct bench {
    struct arena arena;
    struct diag diag;
    struct ir ir;
    struct check *check;
};

// Makes a token loop and a reader, with all streams from the first to the second.
static void make_kernels(struct ir *ir) {
    static const char *const name[STREAMS] = {"step", "walk_step", "ring", "id"};
    ir->kernel = ARENA_ARRAY(ir->arena, struct ir_kernel, 2);
    ir->edge = ARENA_ARRAY(ir->arena, struct ir_edge, STREAMS);
    ir->kernels = 2, ir->edges = STREAMS;
    for (int k = 0; k < 2; k++)
        ir->kernel[k] = (struct ir_kernel){.name = k ? "reader" : "loop",
                                           .module = k ? "" : "rill_token_loop",
                                           .node = IR_NONE,
                                           .port = ARENA_ARRAY(ir->arena, struct ir_port, STREAMS),
                                           .ports = STREAMS};
    for (int s = 0; s < STREAMS; s++) {
        struct ir_port port = {.name = name[s],
                               .role = ir_role_of(name[s]),
                               .is_output = true,
                               .kind = s == S_ID ? IR_STREAM_TOKENS : IR_STREAM_BARE,
                               .data_bits = s == S_ID ? 32 : 64,
                               .tensor = s == S_ID ? 0 : IR_NONE,
                               .region = IR_NONE,
                               .edge = s};
        ir->kernel[0].port[s] = ir->kernel[1].port[s] = port;
        ir->kernel[1].port[s].is_output = false;
        ir->edge[s] = (struct ir_edge){.name = name[s], .src_port = s, .dst_kernel = 1, .dst_port = s};
    }
}

static struct ir_tensor id_tensor(const char *name) {
    return (struct ir_tensor){
        .name = name, .dtype = IR_ID, .rank = 1, .shape = {{1, IR_STATIC}}, .producer = IR_NONE, .region = IR_NONE};
}

static int setup(void **state) {
    static struct bench b;
    memset(&b, 0, sizeof b);
    fault = NULL, gone = false;
    arena_init(&b.arena);
    diag_init(&b.diag, stderr);
    struct ir *ir = &b.ir;
    ir->arena = &b.arena;
    ir->design = (struct ir_design){.channels = CHANNELS,
                                    .beat_bits = 256,
                                    .lanes = 4,
                                    .tokens = TOKENS,
                                    .group = 32,
                                    .context = CONTEXT,
                                    .is_lm = true};
    ir->tensor = ARENA_ARRAY(&b.arena, struct ir_tensor, 2);
    ir->tensors = 2;
    ir->tensor[0] = id_tensor("id"), ir->tensor[1] = id_tensor("next");
    ir->inputs = 1, ir->outputs = 1;
    ir->input[0] = 0, ir->output[0] = 1;
    ir->node = ARENA_ARRAY(&b.arena, struct ir_node, 1);
    ir->node[0] = (struct ir_node){.name = "model", .op = IR_OP_EMBED, .inputs = 1, .outputs = 1, .out = {1}};
    ir->nodes = 1;
    make_kernels(ir);
    b.check = check_open(&b.arena, ir, replay_open(&b.arena, ir, "", 1, &b.diag), CHECK_ALL, &b.diag);
    for (int s = 0; s < STREAMS; s++) check_wants(b.check, s);
    *state = &b;
    return 0;
}

static int teardown(void **state) {
    struct bench *b = *state;
    arena_free(&b->arena);
    return 0;
}

// Begins a request. eot: ids that end it.
static void begin(struct bench *b, struct end_ids eot) {
    static uint32_t ids[PROMPT];
    for (int i = 0; i < PROMPT; i++) ids[i] = id_at(i);
    struct check_request request = {.ids = ids, .count = PROMPT, .max_new = NEW, .eot = eot};
    check_begin(b->check, &request);
}

// ---- the streams of a correct design ----

// PREFILL: steps of the prompt. STEPS: steps of the request. ALL_IDS: ids that the token loop sends to the model, which
// are all but the last generated one.
enum { PREFILL = (PROMPT + TOKENS - 1) / TOKENS, STEPS = PREFILL + NEW - 1, ALL_IDS = PROMPT + NEW - 1 };

struct word {
    uint32_t data[2];
    unsigned user;
    bool last;
};

// Returns the step word of a step, in the format of docs/rtl.md section 4.
static struct word step_word(int64_t index) {
    int64_t position = index < PREFILL ? index * TOKENS : PROMPT + index - PREFILL;
    int64_t left = PROMPT - position, tokens = index >= PREFILL ? 1 : left < TOKENS ? left : TOKENS;
    bool head = position + tokens >= PROMPT, final = index == STEPS - 1;
    return (struct word){{(uint32_t)(position | tokens << 16 | (int64_t)head << 20 | (int64_t) final << 21),
                          (uint32_t)((position + CHANNELS - 1) / CHANNELS | position / 64 << 16)},
                         0,
                         true};
}

static struct word id_word(int64_t position) {
    int64_t tokens = position < PROMPT - PROMPT % TOKENS ? TOKENS : 1, tok = tokens == 1 ? 0 : position % TOKENS;
    bool last = tok == tokens - 1;
    return (struct word){{id_at(position), 0}, (unsigned)(last << 1 | (int)tok), last};
}

static struct word word_of(enum stream s, int64_t index) {
    if (s == S_RING) return (struct word){{id_at(PROMPT + index), (uint32_t)index}, 0, true};
    return s == S_ID ? id_word(index) : step_word(index);
}

static int64_t words_of(enum stream s) { return s == S_RING ? NEW : s == S_ID ? ALL_IDS : STEPS; }
static int bits_of(enum stream s) { return s == S_ID ? 32 : 64; }

// Sends the first `words` words of a stream. Bit `bit` of word `wrong` is inverted; -1: no word is wrong.
static void send(struct bench *b, enum stream s, int64_t words, int64_t wrong, int bit) {
    for (int64_t i = 0; i < words; i++) {
        struct word w = word_of(s, i);
        if (i == wrong) w.data[bit / 32] ^= 1u << bit % 32;
        check_beat(b->check, s, w.data, w.user, w.last, 0, (uint64_t)i + 1);
    }
}

// Sends all words of all streams, but only the first `words` of the stream `but`.
static void send_all(struct bench *b, enum stream but, int64_t words) {
    for (int s = 0; s < STREAMS; s++) send(b, (enum stream)s, s == (int)but ? words : words_of((enum stream)s), -1, 0);
}

static void assert_right(const struct bench *b) {
    if (check_mismatch(b->check)) fail_msg("%s", check_mismatch(b->check));
}

static void assert_says(const struct bench *b, const char *text) {
    const char *said = check_mismatch(b->check);
    if (!said || !strstr(said, text)) fail_msg("`%s` instead of `%s`", said ? said : "nothing", text);
}

// ---- tests ----

static void test_right_request(void **state) {
    struct bench *b = *state;
    for (int request = 0; request < 2; request++) {
        begin(b, (struct end_ids){0});
        send_all(b, STREAMS, 0);
        check_end(b->check, 9999);
        assert_right(b);
    }
    assert_int_equal(check_counts(b->check).streams, STREAMS);
}

static void try_bit(void **state, enum stream s, int64_t wrong, int bit) {
    char want[32];
    setup(state);
    struct bench *b = *state;
    begin(b, (struct end_ids){0});
    send(b, s, wrong + 1, wrong, bit);
    snprintf(want, sizeof want, "cycle %lld,", (long long)wrong + 1);
    assert_says(b, want);
    teardown(state);
}

// Every wrong bit of every word must be found in the cycle of the word.
static void test_wrong_bit(void **state) {
    teardown(state);
    for (int s = 0; s < STREAMS; s++)
        for (int64_t i = 0; i < words_of((enum stream)s); i++)
            for (int bit = 0; bit < bits_of((enum stream)s); bit++) try_bit(state, (enum stream)s, i, bit);
    setup(state);
}

// One word more than the request has must be found, on any stream.
static void test_word_too_many(void **state) {
    struct bench *b = *state;
    for (int s = 0; s < STREAMS; s++) {
        begin(b, (struct end_ids){0});
        send(b, (enum stream)s, words_of((enum stream)s) + 1, -1, 0);
        assert_says(b, "after the end of the request");
        teardown(state);
        setup(state);
    }
}

// A missing last word, or a stream without words, must be found at the end of the request.
static void test_word_too_few(void **state) {
    struct bench *b = *state;
    for (int s = 0; s < STREAMS; s++)
        for (int64_t words = words_of((enum stream)s) - 1; words >= 0; words -= words ? words : 1) {
            if (s == S_WALK) continue; // steps that are sent ahead are not required
            begin(b, (struct end_ids){0});
            send_all(b, (enum stream)s, words);
            assert_right(b);
            check_end(b->check, 77);
            assert_says(b, "the stream ended early");
            assert_says(b, "cycle 77,");
            teardown(state);
            setup(state);
        }
}

// An end-of-text id ends the request before it has max_new ids. Step words ahead of the ids may go on, but another id
// in the ring must be reported.
static void test_end_of_text(void **state) {
    struct bench *b = *state;
    begin(b, (struct end_ids){2, {97, id_at(PROMPT + 1)}});
    send(b, S_RING, 2, -1, 0);
    send(b, S_STEP, PREFILL + 1, -1, 0);
    send(b, S_ID, PROMPT + 1, -1, 0);
    send(b, S_WALK, STEPS, -1, 0); // ahead of the ids, as far as there is room
    check_end(b->check, 77);
    assert_right(b);
    int64_t count;
    assert_int_equal(check_golden_ids(b->check, &count)[1], id_at(PROMPT + 1));
    assert_int_equal(count, 2);
    send(b, S_RING, 3, -1, 0);
    assert_says(b, "after the end of the request");
}

// Sends the steps of a design that is not a language model: every step has the bit HEAD, and the last one is final. In
// the step `wrong` (-1: none), the bit of a final step is wrong. Returns the checker's message, or NULL.
static const char *say_steps_of_rows(void **state, enum stream s, int64_t wrong) {
    static const float values[PROMPT];
    static const float *const rows[] = {values};
    teardown(state);
    setup(state);
    struct bench *b = *state;
    b->ir.design.is_lm = false;
    check_begin(b->check, &(struct check_request){.count = PROMPT, .row = rows});
    for (int64_t i = 0; i < PREFILL; i++) {
        struct word w = step_word(i);
        w.data[0] &= ~(3u << 20);
        w.data[0] |= 1u << 20 | (uint32_t)((i == PREFILL - 1) != (i == wrong)) << 21;
        check_beat(b->check, s, w.data, w.user, w.last, 0, (uint64_t)i + 1);
    }
    return check_mismatch(b->check);
}

static void test_steps_of_rows(void **state) {
    for (int s = S_STEP; s <= S_WALK; s++)
        for (int64_t wrong = -1; wrong < PREFILL; wrong++)
            assert_int_equal(say_steps_of_rows(state, (enum stream)s, wrong) == NULL, wrong < 0);
}

// A value that the replay cannot compute never matches.
static void test_golden_fault(void **state) {
    struct bench *b = *state;
    fault = "a value leaves its format";
    begin(b, (struct end_ids){0});
    send(b, S_ID, 1, -1, 0);
    assert_says(b, "no golden value (a value leaves its format)");
    assert_string_equal(check_overflow(b->check), fault);
}

// A value that has left the replay's window never matches.
static void test_value_that_is_gone(void **state) {
    struct bench *b = *state;
    gone = true;
    begin(b, (struct end_ids){0});
    send(b, S_ID, 1, -1, 0);
    assert_says(b, "no golden value (the stream lags too far behind)");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_right_request, setup, teardown),
        cmocka_unit_test_setup_teardown(test_wrong_bit, setup, teardown),
        cmocka_unit_test_setup_teardown(test_word_too_many, setup, teardown),
        cmocka_unit_test_setup_teardown(test_word_too_few, setup, teardown),
        cmocka_unit_test_setup_teardown(test_end_of_text, setup, teardown),
        cmocka_unit_test_setup_teardown(test_steps_of_rows, setup, teardown),
        cmocka_unit_test_setup_teardown(test_golden_fault, setup, teardown),
        cmocka_unit_test_setup_teardown(test_value_that_is_gone, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
