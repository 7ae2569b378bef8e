// SPDX-License-Identifier: Apache-2.0
// Tests the oracle's floating-point mode: compares it with the logits in the checkpoint's expected.json, with numpy,
// and with the quantized mode. Also tests the perplexity of the shipped model and the evaluation of texts.
#define _GNU_SOURCE
#include "tests/unit/model_fixture.h"

#include <jansson.h>
#include <math.h>

#include "gen/reference/evaluate.h"
#include "gen/reference/oracle.h"
#include "gen/model/rows.h"

enum { VOCABULARY = 1024, CONTEXT = 256 };

struct model {
    struct fixture f;
    const char *dir;
    struct checkpoint *checkpoint;
    struct oracle *oracle;
    struct tokenizer *tokenizer;
};

// Opens an oracle for a spec, whose path is relative to the project's root.
static struct oracle *open_mode(struct fixture *f, const char *spec, struct checkpoint *checkpoint,
                                enum oracle_mode mode) {
    const char *dir = find_dir(f, "configs/tinystories-gpt2-1m.yaml");
    struct oracle_graph *g = oracle_read(&f->arena, arena_printf(&f->arena, "%s/../%s", dir, spec), &f->diag);
    assert_non_null(g);
    return oracle_open(&f->arena, g, mode, checkpoint, &f->diag);
}

static struct oracle *open_spec(struct fixture *f, const char *spec, struct checkpoint *checkpoint) {
    return open_mode(f, spec, checkpoint, ORACLE_FLOAT);
}

static void open_model(struct model *m) {
    fixture_begin(&m->f);
    m->dir = shipped_model(&m->f);
    m->checkpoint = checkpoint_open(&m->f.arena, m->dir, &m->f.diag);
    assert_non_null(m->checkpoint);
    m->oracle = open_spec(&m->f, "configs/tinystories-gpt2-1m.yaml", m->checkpoint);
    m->tokenizer = tokenizer_open(&m->f.arena, m->dir, &m->f.diag);
    assert_no_errors(&m->f);
}

static void close_model(struct model *m) {
    tokenizer_close(m->tokenizer);
    oracle_close(m->oracle);
    checkpoint_close(m->checkpoint);
    fixture_end(&m->f);
}

static const float *step(void *oracle, uint32_t id, int64_t position) {
    assert_true(oracle_step(oracle, id, NULL, position, true));
    return oracle_logits(oracle);
}

// Returns the index of the largest logit, the first one if there are several.
static uint32_t top(const float *x, int64_t n) {
    int64_t best = 0;
    for (int64_t i = 1; i < n; i++)
        if (x[i] > x[best]) best = i;
    return (uint32_t)best;
}

// Runs a prompt of expected.json. Compares the first eight logits and the largest one after the prompt, and then 32
// greedily generated tokens.
static void check_case(struct model *m, const json_t *one) {
    size_t i;
    json_t *item;
    int64_t position = 0;
    const float *logits = NULL;
    json_array_foreach(json_object_get(one, "ids"), i, item) logits =
        step(m->oracle, (uint32_t)json_integer_value(item), position++);
    json_array_foreach(json_object_get(one, "last_logits_first8"), i, item)
        assert_float_equal(logits[i], json_real_value(item), 1e-3);
    uint32_t next = top(logits, VOCABULARY);
    assert_int_equal(next, oracle_next_id(m->oracle));
    assert_int_equal(next, json_integer_value(json_object_get(one, "last_argmax")));
    assert_float_equal(logits[next], json_real_value(json_object_get(one, "last_max_logit")), 1e-3);
    json_array_foreach(json_object_get(one, "greedy32"), i, item) {
        assert_int_equal(top(logits, VOCABULARY), json_integer_value(item));
        logits = step(m->oracle, (uint32_t)json_integer_value(item), position++);
    }
}

static void test_expected(void **state) {
    (void)state;
    struct model m;
    open_model(&m);
    json_t *root = json_load_file(arena_printf(&m.f.arena, "%s/expected.json", m.dir), 0, NULL), *one;
    size_t index;
    json_array_foreach(json_object_get(root, "cases"), index, one) check_case(&m, one);
    assert_int_equal(index, 2);
    json_decref(root);
    assert_true(checkpoint_check_coverage(m.checkpoint, &m.f.diag));
    close_model(&m);
}

// With random weights, the logits of a model must stay small and vary.
static void test_random(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f);
    struct checkpoint *checkpoint = checkpoint_open(&f.arena, "random:1", &f.diag);
    struct oracle *o = open_spec(&f, "tests/e2e/cases/odd/spec.yaml", checkpoint);
    assert_non_null(o);
    bool seen[97] = {false};
    int kinds = 0;
    for (int64_t p = 0, id = 5; p < 40; p++) {
        const float *logits = step(o, (uint32_t)id, p);
        for (int64_t i = 0; i < 97; i++) assert_true(fabsf(logits[i]) < 40);
        id = oracle_next_id(o);
        kinds += !seen[id];
        seen[id] = true;
    }
    assert_true(kinds > 4); // random weights must not repeat one token forever
    assert_true(oracle_step(o, 1, NULL, 0, false));
    assert_null(oracle_logits(o)); // the head did not run
    assert_false(oracle_step(o, 97, NULL, 1, false));
    assert_non_null(strstr(oracle_fault(o), "`token_row`, repetition 0, position 1"));
    oracle_close(o);
    checkpoint_close(checkpoint);
    fixture_end(&f);
}

// Runs a model to the end of its context in exact mode (quantized) and in float mode. The relative error of the logits,
// |exact - float| / |float| with Euclidean norms over all positions, must be at most `most`. It is larger for smaller
// models, whose sums have fewer elements. It grows about as the square root of the number of layers: it is 2.9 % for
// gemma3 with one layer, 4.1 % with two, 5.2 % with three, 6.8 % with five.
static void check_follows(const char *spec, int64_t context, int vocabulary, double most) {
    struct fixture f;
    fixture_begin(&f);
    struct checkpoint *checkpoint = checkpoint_open(&f.arena, "random:3", &f.diag);
    struct oracle *exact = open_mode(&f, spec, checkpoint, ORACLE_EXACT), *real = open_spec(&f, spec, checkpoint);
    assert_true(exact && real);
    double apart = 0, size = 0;
    for (int64_t p = 0; p < context; p++) {
        const uint32_t id = (uint32_t)(p * p % vocabulary);
        const float *a = step(exact, id, p), *b = step(real, id, p);
        for (int i = 0; i < vocabulary; i++) {
            apart += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
            size += (double)b[i] * b[i];
        }
    }
    if (sqrt(apart / size) > most) fail_msg("%s: logits are %g %% apart", spec, 100 * sqrt(apart / size));
    oracle_close(exact);
    oracle_close(real);
    checkpoint_close(checkpoint);
    fixture_end(&f);
}

// Models of the families with rotary embeddings.
static void test_rotary(void **state) {
    (void)state;
    check_follows("tests/e2e/cases/llama_block/spec.yaml", 75, 61, 0.05);
    check_follows("tests/e2e/cases/llama/spec.yaml", 37, 61, 0.06);
    check_follows("tests/e2e/cases/qwen2/spec.yaml", 37, 67, 0.06);
    check_follows("tests/e2e/cases/qwen3/spec.yaml", 37, 59, 0.06);
    check_follows("tests/e2e/cases/gemma3/spec.yaml", 37, 59, 0.06);
    check_follows("tests/e2e/cases/gemma2/spec.yaml", 75, 59, 0.06);
}

// Compares the logits of a family with those of a forward pass in numpy (tests/unit/NAME/make.py).
static void check_numpy(const char *name) {
    static const uint32_t ids[] = {1, 7, 12, 3, 3, 0, 9, 5, 2, 11, 7, 4};
    struct fixture f;
    fixture_begin(&f);
    const char *dir = find_dir(&f, arena_printf(&f.arena, "tests/unit/%s/config.json", name));
    struct checkpoint *checkpoint = checkpoint_open(&f.arena, dir, &f.diag);
    struct oracle *o = open_spec(&f, arena_printf(&f.arena, "tests/unit/%s/%s.yaml", name, name), checkpoint);
    struct rows_tensor want = {"logits", 1, {13}, 13, NULL};
    rows_read(&f.arena, arena_printf(&f.arena, "%s/logits.npy", dir), &want, 1, 0, 1 << 20, &f.diag);
    assert_no_errors(&f);
    for (size_t p = 0; p < COUNT_OF(ids); p++) {
        const float *logits = step(o, ids[p], (int64_t)p);
        for (size_t i = 0; i < 13; i++) assert_float_equal(logits[i], want.values[p * 13 + i], 1e-5);
    }
    assert_true(checkpoint_check_coverage(checkpoint, &f.diag));
    oracle_close(o);
    checkpoint_close(checkpoint);
    fixture_end(&f);
}

// The model has five layers in periods of two. The first layer of each period has a sliding window and other rotary
// angles than the second.
static void test_gemma3(void **state) {
    (void)state;
    check_numpy("gemma3");
}

// The first and the third of the three layers have a sliding window. The model also caps scores and logits, and its
// scale of scores does not follow from the size of a head.
static void test_gemma2(void **state) {
    (void)state;
    check_numpy("gemma2");
}

// ---- evaluation ----

// The step of a test model: its logits are always the array `state`. It fails from position 3 on, so a text must not go
// further.
static bool step_stops(void *state, int count, const uint32_t id[], int64_t position, const float *logits[]) {
    (void)id;
    for (int i = 0; i < count; i++) logits[i] = state;
    return position < 3;
}

#if defined(__SANITIZE_ADDRESS__) // fewer stories, because the evaluation is slow under sanitizers
enum { STORIES = 2 };
// The model card has no number for two stories. `rill golden SPEC --weights MODEL --eval valid.txt --stories 2` prints
// this one as the float reference.
static const double expected_perplexity = 10.370;
#else
enum { STORIES = 50 };
static const double expected_perplexity =
    14.324; // by the model card: 2.662 nats per token, from the start of each story
#endif

static void test_perplexity(void **state) {
    (void)state;
    struct model m;
    open_model(&m);
    size_t len;
    const char *why,
        *text = file_read(&m.f.arena, arena_printf(&m.f.arena, "%s/valid.txt", m.dir), 1 << 20, &len, &why);
    struct evaluate_text of = {m.tokenizer, text, len, CONTEXT, STORIES, NULL, NULL};
    struct evaluate_lanes lanes;
    assert_true(evaluate_lanes_open(&m.f.arena, m.oracle, 3, &lanes, &m.f.diag));
    struct evaluate_model model = evaluate_lanes_model(&lanes, VOCABULARY);
    struct evaluation e;
    assert_true(evaluate_text(&of, &model, 1, &e));
    evaluate_lanes_close(&lanes);
    assert_int_equal(e.stories, STORIES);
    assert_int_equal(e.model[0].agree, e.tokens); // predictions are compared with the first model, which is this one
    assert_float_equal(evaluate_perplexity(&e, 0), expected_perplexity, 0.002);
    close_model(&m);
}

// Called after each story. user: int64_t array; element 0 is the number of stories so far, and element n the number of
// predicted tokens of story n.
static void note_story(void *user, const struct evaluation *story, const struct evaluation *all) {
    int64_t *each = user;
    assert_int_equal(all->stories, each[0] + 1);
    each[++each[0]] = story->tokens;
}

// Stories that are evaluated together must give the same results, bit for bit, as stories that are evaluated one after
// the other, although they end at different positions.
static void check_lanes(struct model *m, struct oracle *o) {
    static const char text[] = "Once.<|endoftext|>Once upon a time there was a dog.<|endoftext|>Lily and Tom"
                               "<|endoftext|>Tom.";
    struct evaluate_text of = {m->tokenizer, text, sizeof text - 1, CONTEXT, 0, NULL, NULL};
    struct evaluation e[3];
    for (int lanes = 1; lanes <= 3; lanes++) {
        struct evaluate_lanes l;
        assert_true(evaluate_lanes_open(&m->f.arena, o, lanes, &l, &m->f.diag));
        struct evaluate_model model = evaluate_lanes_model(&l, VOCABULARY);
        assert_true(evaluate_text(&of, &model, 1, &e[lanes - 1]));
        evaluate_lanes_close(&l);
    }
    assert_int_equal(e[0].stories, 4);
    for (int i = 1; i < 3; i++) {
        assert_int_equal(e[i].tokens, e[0].tokens);
        assert_true(e[i].model[0].nll == e[0].model[0].nll);
    }
}

static void test_lanes(void **state) {
    (void)state;
    struct model m;
    open_model(&m);
    check_lanes(&m, m.oracle);
    struct oracle *exact = open_mode(&m.f, "configs/tinystories-gpt2-1m.yaml", m.checkpoint, ORACLE_EXACT);
    check_lanes(&m, exact);
    oracle_close(exact);
    close_model(&m);
}

// Evaluates a text with two models of known logits. All logits of `flat` are equal, so its perplexity is the size of
// the vocabulary. `peaked` always predicts token 9.
static void test_stories(void **state) {
    (void)state;
    struct model m;
    open_model(&m);
    static const char text[] = " \n<|endoftext|>\n!!\n<|endoftext|>!<|endoftext|>\n\n!!!!!!!! ";
    float *flat = ARENA_ARRAY(&m.f.arena, float, 1024), *peaked = ARENA_ARRAY(&m.f.arena, float, 1024);
    peaked[9] = 1e30f;
    struct evaluate_model models[2] = {{step_stops, flat, 1024, 2}, {step_stops, peaked, 1024, 3}};
    int64_t each[4] = {0};
    struct evaluate_text of = {m.tokenizer, text, sizeof text - 1, 3, 0, note_story, each};
    struct evaluation e;
    assert_true(evaluate_text(&of, models, 2, &e));
    assert_int_equal(e.stories, 3);
    assert_int_equal(e.tokens, 3 + 2 + 3); // `!!` is two tokens here; the end of a story is also predicted
    assert_true(each[0] == 3 && each[1] == 3 && each[2] == 2 && each[3] == 3);
    assert_float_equal(evaluate_perplexity(&e, 0), 1024, 0.01);
    assert_int_equal(e.model[0].agree, 8);
    assert_int_equal(e.model[1].agree, 0);
    of.max_stories = 1, of.each = NULL;
    assert_true(evaluate_text(&of, models, 2, &e));
    assert_int_equal(e.stories, 1);
    of.positions = 4, of.max_stories = 0;
    assert_false(evaluate_text(&of, models, 2, &e));
    of.len = 0;
    assert_true(evaluate_text(&of, models, 2, &e));
    assert_true(isnan(evaluate_perplexity(&e, 0)));
    close_model(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expected),   cmocka_unit_test(test_random),  cmocka_unit_test(test_rotary),
        cmocka_unit_test(test_perplexity), cmocka_unit_test(test_stories), cmocka_unit_test(test_gemma3),
        cmocka_unit_test(test_gemma2),     cmocka_unit_test(test_lanes),
    };
    return cmocka_run_group_tests_name("oracle_float", tests, NULL, NULL);
}
