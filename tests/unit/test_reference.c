// SPDX-License-Identifier: Apache-2.0
// The float reference against the checkpoint's own record (expected.json), its perplexity, and the evaluation of texts.
#define _GNU_SOURCE
#include "model_fixture.h"

#include <jansson.h>
#include <math.h>

#include "evaluate.h"
#include "reference.h"

struct model {
    struct fixture f;
    const char *dir;
    struct gpt2_config config;
    struct checkpoint *checkpoint;
    struct reference_model *reference;
    struct tokenizer *tokenizer;
};

static void open_model(struct model *m) {
    fixture_begin(&m->f);
    m->dir = shipped_model(&m->f);
    assert_true(gpt2_config_read(&m->f.arena, m->dir, &m->config, &m->f.diag));
    m->checkpoint = checkpoint_open(&m->f.arena, m->dir, &m->f.diag);
    assert_non_null(m->checkpoint);
    m->reference = reference_open(&m->f.arena, m->checkpoint, &m->config, &m->f.diag);
    m->tokenizer = tokenizer_open(&m->f.arena, m->dir, &m->f.diag);
    assert_no_errors(&m->f);
}

static void close_model(struct model *m) {
    tokenizer_close(m->tokenizer);
    checkpoint_close(m->checkpoint);
    fixture_end(&m->f);
}

static void check_case(struct model *m, const json_t *one) {
    size_t i;
    json_t *item;
    int64_t position = 0;
    const float *logits = NULL;
    json_array_foreach(json_object_get(one, "ids"), i, item) logits =
        reference_step(m->reference, (uint32_t)json_integer_value(item), position++, true);
    json_array_foreach(json_object_get(one, "last_logits_first8"), i, item)
        assert_float_equal(logits[i], json_real_value(item), 1e-3);
    uint32_t next = reference_argmax(logits, m->config.vocab);
    assert_int_equal(next, json_integer_value(json_object_get(one, "last_argmax")));
    assert_float_equal(logits[next], json_real_value(json_object_get(one, "last_max_logit")), 1e-3);
    json_array_foreach(json_object_get(one, "greedy32"), i, item) {
        assert_int_equal(reference_argmax(logits, m->config.vocab), json_integer_value(item));
        logits = reference_step(m->reference, (uint32_t)json_integer_value(item), position++, true);
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

// A checkpoint that does not fit the wanted sizes: every wrong tensor by its name, up to the limit.
static void test_mismatch(void **state) {
    (void)state;
    struct model m;
    open_model(&m);
    struct gpt2_config wrong = m.config;
    wrong.layers = 5;
    wrong.ffn = 500;
    assert_null(reference_open(&m.f.arena, m.checkpoint, &wrong, &m.f.diag));
    assert_reported(&m.f, "tensor h.0.mlp.c_fc.weight: shape [128, 512], the spec needs [128, 500]");
    assert_reported(&m.f, "tensor h.3.mlp.c_proj.weight: shape [512, 128], the spec needs [500, 128]");
    assert_reported(&m.f, "tensor h.4.ln_1.weight: missing");
    close_model(&m);
}

static void test_random(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f);
    struct gpt2_config c = {3, 96, 3, 200, 97, 40, -1, 1e-5, false};
    struct checkpoint *checkpoint = checkpoint_open(&f.arena, "random:1", &f.diag);
    struct reference_model *m = reference_open(&f.arena, checkpoint, &c, &f.diag);
    bool seen[97] = {false};
    int kinds = 0;
    for (int64_t p = 0, id = 5; p < c.context; p++) {
        const float *logits = reference_step(m, (uint32_t)id, p, true);
        for (int64_t i = 0; i < c.vocab; i++) assert_true(fabsf(logits[i]) < 20);
        id = reference_argmax(logits, c.vocab);
        kinds += !seen[id];
        seen[id] = true;
    }
    assert_true(kinds > 4); // random weights must not repeat one token for ever
    assert_null(reference_step(m, 1, 0, false));
    checkpoint_close(checkpoint);
    fixture_end(&f);
}

// ---- evaluation ----

static const float *step(void *state, uint32_t id, int64_t position) {
    return reference_step(state, id, position, true);
}

static const float *step_stops(void *state, uint32_t id, int64_t position) {
    (void)id;
    return position < 3 ? state : NULL;
}

#if defined(__SANITIZE_ADDRESS__) // slow there
enum { STORIES = 2 };
static const double expected_perplexity = 10.370;
#else
enum { STORIES = 50 };
static const double expected_perplexity = 14.324; // the model's card: 2.662 nats per token from each story's start
#endif

static void test_perplexity(void **state) {
    (void)state;
    struct model m;
    open_model(&m);
    size_t len;
    const char *why,
        *text = file_read(&m.f.arena, arena_printf(&m.f.arena, "%s/valid.txt", m.dir), 1 << 20, &len, &why);
    struct evaluate_model model = {step, m.reference, m.config.vocab};
    struct evaluation e;
    assert_true(evaluate_text(m.tokenizer, text, len, m.config.context, STORIES, &model, 1, &e, NULL));
    assert_int_equal(e.stories, STORIES);
    assert_int_equal(e.model[0].agree, e.tokens);
    assert_float_equal(evaluate_perplexity(&e, 0), expected_perplexity, 0.002);
    close_model(&m);
}

static void test_stories(void **state) {
    (void)state;
    struct model m;
    open_model(&m);
    static const char text[] = " \n<|endoftext|>\n!!\n<|endoftext|>!<|endoftext|>\n\n!!!!!!!! ";
    float *flat = ARENA_ARRAY(&m.f.arena, float, 1024), *peaked = ARENA_ARRAY(&m.f.arena, float, 1024);
    peaked[9] = 1e30f;
    struct evaluate_model models[2] = {{step_stops, flat, 1024}, {step_stops, peaked, 1024}};
    struct evaluation e;
    assert_true(evaluate_text(m.tokenizer, text, sizeof text - 1, 3, 0, models, 2, &e, NULL));
    assert_int_equal(e.stories, 3);
    assert_int_equal(e.tokens, 3 + 2 + 3); // `!!` is two tokens here, and the end of a story is predicted too
    assert_float_equal(evaluate_perplexity(&e, 0), 1024, 0.01);
    assert_int_equal(e.model[0].agree, 8);
    assert_int_equal(e.model[1].agree, 0);
    assert_true(evaluate_text(m.tokenizer, text, sizeof text - 1, 3, 1, models, 2, &e, NULL));
    assert_int_equal(e.stories, 1);
    assert_false(evaluate_text(m.tokenizer, text, sizeof text - 1, 4, 0, models, 2, &e, NULL));
    assert_true(evaluate_text(m.tokenizer, "", 0, 4, 0, models, 2, &e, NULL));
    assert_true(isnan(evaluate_perplexity(&e, 0)));
    close_model(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expected),   cmocka_unit_test(test_mismatch), cmocka_unit_test(test_random),
        cmocka_unit_test(test_perplexity), cmocka_unit_test(test_stories),
    };
    return cmocka_run_group_tests_name("reference", tests, NULL, NULL);
}
