// SPDX-License-Identifier: Apache-2.0
// Encodes a question in the form that a chat model was trained with: a template (gen/spec/chat.h) around the text.
#include <inttypes.h>
#include <string.h>

#include "gen/spec/chat.h"
#include "gen/model/tokenizer_internal.h"

// Whether a text contains words that would become control tokens. A question must not end its own turn.
static bool holds_control(const struct tokenizer *t, const char *text, size_t len) {
    struct token_ids plain = {0}, trusted = {0};
    tokenizer_encode(t, text, len, false, &plain);
    tokenizer_encode(t, text, len, true, &trusted);
    return plain.count != trusted.count ||
           (plain.count && memcmp(plain.items, trusted.items, plain.count * sizeof *plain.items) != 0);
}

static uint32_t find(const struct tokenizer *t, const char *token) { return tokenizer_find(t, token, strlen(token)); }

const char *tokenizer_encode_chat(const struct tokenizer *t, const struct chat_template *chat, const char *text,
                                  struct token_ids *ids) {
    if (find(t, chat->needs) == TOKENIZER_NONE) return arena_printf(t->arena, MSG_CHAT_TOKEN, chat->needs);
    if (holds_control(t, text, strlen(text))) return MSG_CHAT_CONTROL;
    const char *whole = arena_printf(t->arena, "%s%s%s", chat->prefix, text, chat->suffix);
    tokenizer_encode_prompt(t, whole, strlen(whole), ids);
    return NULL;
}

const char *tokenizer_chat_goes_on(const struct tokenizer *t, const struct chat_template *chat,
                                   const struct end_ids *ends) {
    uint32_t id = find(t, chat->stop);
    if (id == TOKENIZER_NONE || end_ids_has(ends, id)) return NULL;
    return arena_printf(t->arena, MSG_CHAT_END, chat->stop, id);
}
