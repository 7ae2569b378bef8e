// SPDX-License-Identifier: Apache-2.0
// Writes log probabilities in the two forms of OpenAI's interface: a list of tokens for chats, and parallel lists for
// completions.
#include "boards/serve/serve_logprobs.h"

#include <stdlib.h>
#include <string.h>

#include "boards/serve/serve_answer.h"

// Returns how many characters begin in these bytes of UTF-8.
static size_t characters(const char *text, size_t bytes) {
    size_t count = 0;
    for (size_t i = 0; i < bytes; i++) count += ((unsigned char)text[i] & 0xc0) != 0x80;
    return count;
}

void logprobs_copy(struct logprobs_list *list, const struct token_logprobs *token) {
    if (list->count == list->room) {
        list->room = list->room ? 2 * list->room : 64;
        list->items = realloc(list->items, list->room * sizeof *list->items);
        if (!list->items) base_fatal("out of memory");
    }
    list->items[list->count++] = *token;
}

void logprobs_add(struct logprobs_list *list, const struct token_logprobs *token) {
    struct token_logprobs made = *token;
    const struct token_logprobs *last = list->count ? &list->items[list->count - 1] : NULL;
    made.at = last ? last->at + characters(last->own.text, last->own.bytes) : 0;
    logprobs_copy(list, &made);
}

void logprobs_free(struct logprobs_list *list) { free(list->items); }

// Appends the text of a token as a JSON string. Bytes that are not valid UTF-8 become U+FFFD by the rules of the
// answer's text: one U+FFFD for an incomplete character, for which text_add_json_string alone would write one for each
// byte.
static void quoted(const struct logprob *token, struct text *out) {
    struct answer_text whole = {0};
    struct text text = {0};
    answer_push(&whole, token->text, token->bytes, &text);
    answer_end(&whole, &text);
    text_add_json_string(out, text_cstr(&text), text.len);
    text_free(&text);
    answer_free(&whole);
}

static bool same_text(const struct logprob *a, const struct logprob *b) {
    return a->bytes == b->bytes && !memcmp(a->text, b->text, a->bytes);
}

static uint32_t listed(const struct api_request *q, const struct token_logprobs *token) {
    return q->top_logprobs < token->tops ? q->top_logprobs : token->tops;
}

// ---- chats ----

// Appends a token with its log probability and its bytes, without the closing brace, because for the token of the
// answer the caller adds another member, top_logprobs.
static void chat_token(const struct logprob *token, struct text *out) {
    text_add(out, "{\"token\": ");
    quoted(token, out);
    text_addf(out, ", \"logprob\": %.9g, \"bytes\": [", token->value);
    for (size_t i = 0; i < token->bytes; i++) text_addf(out, "%s%d", i ? ", " : "", (int)(unsigned char)token->text[i]);
    text_add(out, "]");
}

// Appends the tokens of a chat: {"content": [{"token": "a", "logprob": -0.5, "bytes": [97], "top_logprobs": [{"token":
// "a", "logprob": -0.5, "bytes": [97]}]}], "refusal": null}.
static void write_chat(const struct api_request *q, const struct token_logprobs *tokens, size_t count,
                       struct text *out) {
    text_add(out, "{\"content\": [");
    for (size_t i = 0; i < count; i++) {
        if (i) text_add(out, ", ");
        chat_token(&tokens[i].own, out);
        text_add(out, ", \"top_logprobs\": [");
        for (uint32_t k = 0; k < listed(q, &tokens[i]); k++) {
            if (k) text_add(out, ", ");
            chat_token(&tokens[i].top[k], out);
            text_add(out, "}");
        }
        text_add(out, "]}");
    }
    text_add(out, "], \"refusal\": null}");
}

// ---- completions ----

// Appends an object with the most likely tokens and the token of the answer. If several have the same text, only the
// most likely one is in the object.
static void top_object(const struct api_request *q, const struct token_logprobs *token, struct text *out) {
    uint32_t count = listed(q, token);
    text_add(out, "{");
    for (uint32_t k = 0; k <= count; k++) {
        const struct logprob *one = k < count ? &token->top[k] : &token->own;
        bool before = false;
        for (uint32_t i = 0; i < k; i++) before |= same_text(one, &token->top[i]);
        if (before) continue;
        if (k) text_add(out, ", ");
        quoted(one, out);
        text_addf(out, ": %.9g", one->value);
    }
    text_add(out, "}");
}

// Appends the tokens of a completion, in lists with an item for each token: {"tokens": ["a"], "token_logprobs": [-0.5],
// "top_logprobs": [{"a": -0.5, "b": -1.2}], "text_offset": [0]}. top_logprobs is null if the request wants none.
static void write_completion(const struct api_request *q, const struct token_logprobs *tokens, size_t count,
                             struct text *out) {
    text_add(out, "{\"tokens\": [");
    for (size_t i = 0; i < count; i++) {
        if (i) text_add(out, ", ");
        quoted(&tokens[i].own, out);
    }
    text_add(out, "], \"token_logprobs\": [");
    for (size_t i = 0; i < count; i++) text_addf(out, "%s%.9g", i ? ", " : "", tokens[i].own.value);
    text_add(out, "], \"top_logprobs\": ");
    for (size_t i = 0; q->top_logprobs && i < count; i++) {
        text_add(out, i ? ", " : "[");
        top_object(q, &tokens[i], out);
    }
    text_add(out, !q->top_logprobs ? "null" : count ? "]" : "[]");
    text_add(out, ", \"text_offset\": [");
    for (size_t i = 0; i < count; i++) text_addf(out, "%s%zu", i ? ", " : "", tokens[i].at);
    text_add(out, "]}");
}

void logprobs_write(const struct api_request *q, const struct token_logprobs *tokens, size_t count, struct text *out) {
    if (!q->logprobs) text_add(out, "null");
    else if (q->endpoint == ENDPOINT_CHAT) write_chat(q, tokens, count, out);
    else write_completion(q, tokens, count, out);
}
