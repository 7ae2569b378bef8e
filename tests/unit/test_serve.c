// SPDX-License-Identifier: Apache-2.0
// Tests the parts of rill-serve that need no connection: the text of answers, the fields of requests, the API keys and
// the queue.
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "boards/serve/serve_answer.c"
#include "boards/serve/serve_keys.c"
#include "boards/serve/serve_logprobs.c"
#include "boards/serve/serve_metrics.c"
#include "boards/serve/serve_queue.c"
#include "boards/serve/serve_request.c"
#include "boards/serve/serve_slots.c"

// ---- text of answers ----

// Returns the pieces of text that the tokens and the end of the answer give, joined by `|`.
static const char *pieces(const char *const *stop, int stops, const char *const *token) {
    static char joined[200];
    struct answer_text answer = {.stop = stop, .stops = stops};
    struct text out = {0};
    joined[0] = 0;
    for (; *token; token++) {
        answer_push(&answer, *token, strlen(*token), &out);
        strcat(strcat(joined, text_cstr(&out)), "|");
        text_free(&out);
    }
    answer_end(&answer, &out);
    strcat(joined, text_cstr(&out));
    text_free(&out);
    answer_free(&answer);
    return joined;
}
#define PIECES(stops, ...) pieces(stop, stops, (const char *const[]){__VA_ARGS__, NULL})

static void test_stop_strings(void **state) {
    static const char *const stop[] = {"end", "ndx"};
    (void)state;
    assert_string_equal(PIECES(1, "the", " end", " of"), "th|e ||"); // the first `e` might have begun a stop string
    assert_string_equal(PIECES(1, "the e", "n", "d of", "x"), "the ||||");
    assert_string_equal(PIECES(1, "the e", "n", "t"), "the ||ent|"); // no stop string after all
    assert_string_equal(PIECES(1, "an e"), "an |e");                 // the end releases the text that was held back
    assert_string_equal(PIECES(2, "bendx"), "b|");                   // the stop string that is complete first counts
    assert_string_equal(PIECES(2, "an", "dx"), "a||");
    assert_string_equal(PIECES(0, "the end"), "the end|");
}

static void test_characters(void **state) {
    static const char *const stop[] = {"\xc3\xa9"};
    (void)state;
    assert_string_equal(PIECES(0, "a\xc3", "\xa9z"), "a|\xc3\xa9z|");
    assert_string_equal(PIECES(0, "\xf0\x9f", "\x98", "\x80"), "||\xf0\x9f\x98\x80|");
    assert_string_equal(PIECES(0, "a\xf0\x9f"), "a|" REPLACEMENT); // cut by the end
    assert_string_equal(PIECES(0, "\xff"
                                  "a"),
                        REPLACEMENT "a|"); // no character
    assert_string_equal(PIECES(0, "\xc3"
                                  "a"),
                        REPLACEMENT "a|");                                   // a byte that does not continue
    assert_string_equal(PIECES(0, "\xc0\x80"), REPLACEMENT REPLACEMENT "|"); // longer than needed
    assert_string_equal(PIECES(0, "\xed\xa0\x80"), REPLACEMENT REPLACEMENT REPLACEMENT "|"); // a surrogate
    assert_string_equal(PIECES(1, "a\xc3", "\xa9", "b"), "a|||");
}

// ---- requests ----

static const struct request_rules rules = {
    .design = {.context = 64, .vocabulary = 100, .sampling = 4, .has_chat = 1, .chat_system = 1, .chat_turns = 1},
    .model = "m",
    .max_tokens = 32};

// Returns the code and the parameter of the error that a body gives, or "" if the server accepts it.
static const char *refusal(enum endpoint endpoint, const char *body) {
    static char words[200];
    struct api_request request;
    struct api_error error;
    bool good = request_read(body, strlen(body), endpoint, &rules, &request, &error);
    if (!good) snprintf(words, sizeof words, "%s %s", error.code, error.param);
    request_free(&request);
    return good ? "" : words;
}

static void test_fields(void **state) {
    const enum endpoint text = ENDPOINT_COMPLETIONS, chat = ENDPOINT_CHAT;
    (void)state;
    assert_string_equal(refusal(text, "{\"prompt\": \"a\", \"max_tokens\": 32, \"top_k\": 4, \"min_p\": 0.5}"), "");
    assert_string_equal(refusal(text, "{\"prompt\": [0, 99], \"model\": \"m\", \"n\": 1, \"top_p\": 1.0}"), "");
    assert_string_equal(refusal(text, "{\"prompt\": \"a\", \"max_tokens\": 33}"), "invalid_value max_tokens");
    assert_string_equal(refusal(text, "{\"prompt\": \"a\", \"top_k\": 5}"), "invalid_value top_k");
    assert_string_equal(refusal(text, "{\"prompt\": \"a\", \"min_p\": 0.5}"), "invalid_value min_p");
    assert_string_equal(refusal(text, "{\"prompt\": \"a\", \"n\": 2}"), "unsupported_value n");
    assert_string_equal(refusal(text, "{\"prompt\": \"a\", \"top_p\": 0.9}"), "unsupported_value top_p");
    assert_string_equal(refusal(text, "{\"prompt\": [100]}"), "invalid_value prompt");
    assert_string_equal(refusal(text, "{\"prompt\": \"a\", \"b\": 1}"), "unknown_field b");
    assert_string_equal(refusal(text, "{\"prompt\": \"a\", \"messages\": []}"), "unknown_field messages");
    assert_string_equal(refusal(text, "{\"prompt\": \"a\", \"prompt\": \"b\"}"), "malformed_json ");
    assert_string_equal(refusal(text, "{}"), "missing_field prompt");
    assert_string_equal(refusal(chat, "{}"), "missing_field messages");
    assert_string_equal(refusal(chat, "{\"messages\": [{\"role\": \"user\", \"content\": \"a\"}], \"tools\": [1]}"),
                        "unsupported_value tools");
}

#define TURN(role) "{\"role\": \"" role "\", \"content\": \"x\"}"
static void test_turns(void **state) {
    const enum endpoint chat = ENDPOINT_CHAT;
    (void)state;
    assert_string_equal(refusal(chat, "{\"messages\": [" TURN("system") ", " TURN("user") "]}"), "");
    assert_string_equal(refusal(chat, "{\"messages\": [" TURN("user") ", " TURN("assistant") ", " TURN("user") "]}"),
                        "");
    assert_string_equal(refusal(chat, "{\"messages\": [" TURN("user") ", " TURN("user") "]}"),
                        "invalid_value messages[1]");
    assert_string_equal(refusal(chat, "{\"messages\": [" TURN("user") ", " TURN("system") "]}"),
                        "invalid_value messages[1]");
    assert_string_equal(refusal(chat, "{\"messages\": [" TURN("assistant") "]}"), "invalid_value messages[0]");
    assert_string_equal(refusal(chat, "{\"messages\": [" TURN("user") ", " TURN("assistant") "]}"),
                        "invalid_value messages");
}

// ---- keys ----

static void test_keys(void **state) {
    struct keys keys;
    (void)state;
    assert_null(keys_read(&keys, NULL, NULL));
    assert_true(keys_allow(&keys, NULL)); // none is needed
    assert_null(keys_read(&keys, NULL, "secret"));
    assert_true(keys_allow(&keys, "Bearer secret"));
    assert_true(keys_allow(&keys, "bearer secret"));
    static const char *const wrong[] = {"Bearer secre", "Bearer secretsecret", "Bearer ",
                                        "secret",       "Bearer secrex",       NULL};
    for (int i = 0; i == 0 || wrong[i - 1]; i++) assert_false(keys_allow(&keys, wrong[i]));
    arena_free(&keys.arena);
}

// ---- the queue ----

static void test_queue(void **state) {
    struct metrics metrics;
    struct queue q;
    struct job *job[4];
    (void)state;
    metrics_init(&metrics);
    queue_init(&q, 1, 1, &metrics); // one may wait, beside the one for the free slot
    for (int i = 0; i < 4; i++) job[i] = job_new();
    assert_true(queue_submit(&q, job[0]) && queue_submit(&q, job[1]));
    assert_false(queue_submit(&q, job[2]));
    assert_int_equal(job[2]->error.status, 429);
    assert_true(job[2]->error.retry_after >= 1);
    assert_ptr_equal(queue_next(&q, true), job[0]); // in the order in which they came
    assert_null(queue_next(&q, false));             // no slot is free
    queue_token(&q, job[0], "ab", 2, false, NULL);
    assert_false(queue_stops(&q, job[0]));
    queue_cancel(&q, job[0], NULL);
    assert_true(queue_stops(&q, job[0]));
    queue_token(&q, job[0], "c", 1, false, NULL); // too late
    assert_false(queue_stops(&q, job[0]));        // the card already knows
    queue_done(&q, job[0], FINISH_LENGTH, NULL);
    assert_string_equal(text_cstr(&job[0]->made), "ab");
    queue_cancel(&q, job[1], NULL); // a job that still waits
    assert_true(queue_is_idle(&q, 0));
    queue_set_down(&q, "smoke");
    assert_false(queue_submit(&q, job[3]));
    assert_string_equal(job[3]->error.code, "card_unavailable");
    queue_set_down(&q, NULL);
    job[3]->error.status = 0;
    assert_true(queue_submit(&q, job[3]));
    assert_ptr_equal(queue_next(&q, true), job[3]);
    queue_token(&q, job[3], "c", 1, true, NULL); // the end of the text
    assert_true(queue_stops(&q, job[3]));
    queue_done(&q, job[3], FINISH_STOP, NULL);
    queue_drain(&q);
    job[2]->error.status = 0;
    assert_false(queue_submit(&q, job[2]));
    assert_string_equal(job[2]->error.code, "draining");
    for (int i = 0; i < 4; i++) job_release(&q, job[i]);
    queue_destroy(&q);
}

// Checks the two forms of log probabilities: lists of lengths 0, 2 and more than there are, a token that is not in the
// list, texts that are equal, and bytes that are no character.
static void test_logprobs(void **state) {
    static const struct token_logprobs tokens[] = {
        {{"\xc3\xa9", 2, -0.5}, {{"\xc3\xa9", 2, -0.5}, {"b\"", 2, -1}, {"c", 1, -2}}, 3, 0},
        {{"\xff", 1, -4}, {{"b", 1, -0.25}, {"b", 1, -3}}, 2, 0},
    };
    struct api_request q = {.endpoint = ENDPOINT_COMPLETIONS};
    struct logprobs_list list = {0}, copy = {0};
    struct text out = {0};
    (void)state;
#define ASSERT_WRITTEN(want)                                                                                           \
    do {                                                                                                               \
        logprobs_write(&q, copy.items, copy.count, &out);                                                              \
        assert_string_equal(text_cstr(&out), want);                                                                    \
        text_free(&out);                                                                                               \
    } while (0)
    for (int i = 0; i < 2; i++) logprobs_add(&list, &tokens[i]);
    for (int i = 0; i < 2; i++) logprobs_copy(&copy, &list.items[i]);
    ASSERT_WRITTEN("null");
    q.logprobs = true;
    ASSERT_WRITTEN("{\"tokens\": [\"\xc3\xa9\", \"" REPLACEMENT "\"], \"token_logprobs\": [-0.5, -4], "
                   "\"top_logprobs\": null, \"text_offset\": [0, 1]}");
    q.top_logprobs = 2;
    ASSERT_WRITTEN("{\"tokens\": [\"\xc3\xa9\", \"" REPLACEMENT
                   "\"], \"token_logprobs\": [-0.5, -4], \"top_logprobs\": "
                   "[{\"\xc3\xa9\": -0.5, \"b\\\"\": -1}, {\"b\": -0.25, \"" REPLACEMENT "\": -4}], "
                   "\"text_offset\": [0, 1]}");
    q.endpoint = ENDPOINT_CHAT, q.top_logprobs = 1;
    ASSERT_WRITTEN(
        "{\"content\": [{\"token\": \"\xc3\xa9\", \"logprob\": -0.5, \"bytes\": [195, 169], \"top_logprobs\": "
        "[{\"token\": \"\xc3\xa9\", \"logprob\": -0.5, \"bytes\": [195, 169]}]}, "
        "{\"token\": \"" REPLACEMENT "\", \"logprob\": -4, \"bytes\": [255], \"top_logprobs\": "
        "[{\"token\": \"b\", \"logprob\": -0.25, \"bytes\": [98]}]}], \"refusal\": null}");
#undef ASSERT_WRITTEN
    for (int i = 0; i < 500; i++) logprobs_add(&list, &tokens[i % 2]);
    assert_int_equal(list.items[501].at, 501);
    logprobs_free(&list);
    logprobs_free(&copy);
}

// Checks three jobs on two slots: the third waits for a slot, and a cancelled job stops alone.
static void test_slots(void **state) {
    struct metrics metrics;
    struct queue q;
    struct job *job[3];
    unsigned running, waiting;
    (void)state;
    metrics_init(&metrics);
    queue_init(&q, 2, 2, &metrics);
    for (int i = 0; i < 3; i++) job[i] = job_new();
    assert_null(queue_next(&q, false)); // no job
    assert_true(queue_submit(&q, job[0]) && queue_submit(&q, job[1]));
    assert_ptr_equal(queue_next(&q, false), job[0]);
    assert_ptr_equal(queue_next(&q, false), job[1]);
    assert_true(queue_submit(&q, job[2]));
    assert_null(queue_next(&q, false));
    queue_counts(&q, &running, &waiting);
    assert_int_equal(running, 2);
    assert_int_equal(waiting, 1);
    queue_token(&q, job[1], "b", 1, false, NULL);
    queue_cancel(&q, job[1], NULL);
    assert_false(queue_stops(&q, job[0])); // only the neighbour is cancelled
    assert_true(queue_stops(&q, job[1]));
    queue_done(&q, job[1], FINISH_LENGTH, NULL);
    assert_ptr_equal(queue_next(&q, false), job[2]); // takes the slot
    queue_token(&q, job[2], "c", 1, false, NULL);
    queue_done(&q, job[2], FINISH_LENGTH, NULL);
    assert_false(queue_is_idle(&q, 0));
    queue_close(&q); // also stops the job that runs
    assert_true(queue_stops(&q, job[0]));
    queue_done(&q, job[0], FINISH_LENGTH, NULL);
    assert_true(queue_is_idle(&q, 0));
    assert_null(queue_next(&q, true));
    assert_string_equal(text_cstr(&job[1]->made), "b");
    assert_string_equal(text_cstr(&job[2]->made), "c");
    for (int i = 0; i < 3; i++) job_release(&q, job[i]);
    queue_destroy(&q);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_stop_strings), cmocka_unit_test(test_characters),
                                       cmocka_unit_test(test_fields),       cmocka_unit_test(test_turns),
                                       cmocka_unit_test(test_keys),         cmocka_unit_test(test_logprobs),
                                       cmocka_unit_test(test_queue),        cmocka_unit_test(test_slots)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
