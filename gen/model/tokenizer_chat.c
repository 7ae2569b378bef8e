// SPDX-License-Identifier: Apache-2.0
// Encodes questions and conversations in the form that a chat model was trained with: the texts of a template
// (gen/spec/chat.h) around the messages.
#include <inttypes.h>
#include <string.h>

#include "gen/spec/chat.h"
#include "gen/model/tokenizer_internal.h"

// Returns whether a text contains the texts of control tokens. Such a text could end its own turn and begin a forged
// message, for example one of the system.
static bool holds_control(const struct tokenizer *t, const char *text, size_t len) {
    struct token_ids plain = {0}, trusted = {0};
    tokenizer_encode(t, text, len, false, &plain);
    tokenizer_encode(t, text, len, true, &trusted);
    return plain.count != trusted.count ||
           (plain.count && memcmp(plain.items, trusted.items, plain.count * sizeof *plain.items) != 0);
}

static uint32_t find(const struct tokenizer *t, const char *token) { return tokenizer_find(t, token, strlen(token)); }

// Returns the template's text before message `at` of a conversation. Before an answer of the model this is `suffix`,
// the text after a question.
static const char *before(const struct chat_template *chat, const struct chat_turn *turns, size_t at) {
    if (turns[at].role == CHAT_SYSTEM) return chat->system_prefix;
    if (turns[at].role == CHAT_ASSISTANT) return chat->suffix;
    if (at == 0) return chat->prefix;
    return turns[at - 1].role == CHAT_SYSTEM ? chat->system_suffix : chat->between;
}

const char *tokenizer_encode_turns(const struct tokenizer *t, const struct chat_template *chat,
                                   const struct chat_turn *turns, size_t count, struct token_ids *ids) {
    if (find(t, chat->needs) == TOKENIZER_NONE) return arena_printf(t->arena, MSG_CHAT_TOKEN, chat->needs);
    struct text whole = {0};
    const char *why = NULL;
    for (size_t i = 0; i < count && !why; i++) {
        if (holds_control(t, turns[i].text, strlen(turns[i].text))) why = MSG_CHAT_CONTROL;
        text_addf(&whole, "%s%s", before(chat, turns, i), turns[i].text);
    }
    text_add(&whole, chat->suffix);
    if (!why) tokenizer_encode_prompt(t, text_cstr(&whole), whole.len, ids);
    text_free(&whole);
    return why;
}

const char *tokenizer_encode_chat(const struct tokenizer *t, const struct chat_template *chat, const char *text,
                                  struct token_ids *ids) {
    return tokenizer_encode_turns(t, chat, &(struct chat_turn){CHAT_USER, text}, 1, ids);
}

const char *tokenizer_chat_goes_on(const struct tokenizer *t, const struct chat_template *chat,
                                   const struct end_ids *ends) {
    uint32_t id = find(t, chat->stop);
    if (id == TOKENIZER_NONE || end_ids_has(ends, id)) return NULL;
    return arena_printf(t->arena, MSG_CHAT_END, chat->stop, id);
}
