// SPDX-License-Identifier: Apache-2.0
// Reads the body of a request to the server, as each of the two endpoints does. If a byte 0 and more bytes come after
// the body, makes an answer of these bytes, with the stop strings of the request. The text of an answer must not depend
// on how its bytes are divided into tokens, and must be valid UTF-8.
#include "tests/fuzz/readers/reader.h"

#include "boards/serve/serve_answer.c"
#include "boards/serve/serve_request.c"

static const struct request_rules rules = {.design = {.context = 256,
                                                      .vocabulary = 1024,
                                                      .sampling = 8,
                                                      .has_tokenizer = 1,
                                                      .has_chat = 1,
                                                      .chat_system = 1,
                                                      .chat_turns = 1},
                                           .model = "m",
                                           .max_tokens = 256};

static void must(bool holds) {
    if (!holds) abort();
}

static void check_request(const struct api_request *r) {
    must(r->max_tokens <= 256 && r->top_k <= 8 && r->stops >= 0 && r->stops <= REQUEST_STOPS);
    must(r->temperature == 0 || (r->temperature >= 0.01 && r->temperature <= 100));
    must(r->min_p == 0 || (r->min_p <= 1 && r->top_k));
    must(r->endpoint == ENDPOINT_CHAT ? r->turns.count > 0 : r->prompt || r->ids.count);
    for (size_t i = 0; i < r->turns.count; i++) must(r->turns.items[i].text != NULL);
    for (size_t i = 0; i < r->ids.count; i++) must(r->ids.items[i] < 1024);
    for (int i = 0; i < r->stops; i++) must(r->stop[i][0] && strlen(r->stop[i]) <= REQUEST_STOP_BYTES);
}

static void check_error(const struct api_error *e) {
    must(e->status >= 400 && e->status < 500 && e->type && e->code && e->message[0]);
}

// Returns the text of the answer whose tokens have `step` bytes each.
static struct text answer_of(const struct api_request *r, const char *data, size_t size, size_t step) {
    struct answer_text answer = {.stop = r->stop, .stops = r->stops};
    struct text out = {0};
    for (size_t at = 0; at < size; at += step) {
        answer_push(&answer, data + at, size - at < step ? size - at : step, &out);
        for (size_t i = 0; i < out.len;) { // Every part that is sent has whole characters.
            size_t bytes = character((const unsigned char *)out.data + i, out.len - i);
            must(bytes && bytes <= out.len - i);
            i += bytes;
        }
    }
    answer_end(&answer, &out);
    answer_free(&answer);
    return out;
}

static void check_answer(const struct api_request *r, const char *data, size_t size) {
    struct text whole = answer_of(r, data, size, size ? size : 1);
    for (size_t step = 1; step <= 5; step += 2) {
        struct text other = answer_of(r, data, size, step);
        must(other.len == whole.len && !memcmp(text_cstr(&other), text_cstr(&whole), whole.len));
        text_free(&other);
    }
    for (int i = 0; i < r->stops; i++) // U+FFFD in the text may come from bytes that are not valid.
        must(strstr(r->stop[i], REPLACEMENT) || !strstr(text_cstr(&whole), r->stop[i]));
    text_free(&whole);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const enum endpoint endpoints[] = {ENDPOINT_COMPLETIONS, ENDPOINT_CHAT};
    const char *body = (const char *)data, *rest = memchr(data, 0, size); // after a NUL: the bytes of an answer
    size_t bytes = rest ? (size_t)(rest - body) : size;
    for (int i = 0; i < 2; i++) {
        struct api_request request;
        struct api_error error;
        bool good = request_read(body, bytes, endpoints[i], &rules, &request, &error);
        if (good) check_request(&request);
        else check_error(&error);
        if (good && rest) check_answer(&request, rest + 1, size - bytes - 1);
        request_free(&request);
    }
    struct api_request fixed = {.stop = {"ab", "\xc3\xa9", "abc"}, .stops = 3};
    check_answer(&fixed, body, size < 2000 ? size : 2000);
    return 0;
}
