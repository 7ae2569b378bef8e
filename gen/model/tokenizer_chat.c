// SPDX-License-Identifier: Apache-2.0
// A question in the form that a chat model was trained with: templates by name, what stands before the text and behind.
#include <inttypes.h>
#include <string.h>

#include "gen/model/tokenizer_internal.h"

#define SMOLLM2_SYSTEM "You are a helpful AI assistant named SmolLM, trained by Hugging Face"

static const struct {
    const char *name, *mark;           // mark: a token that the template cannot do without
    const char *before, *behind, *end; // end: the token that ends the answer
} templates[] = {
    {"chatml", "<|im_start|>", "<|im_start|>user\n", "<|im_end|>\n<|im_start|>assistant\n", "<|im_end|>"},
    {"smollm2", "<|im_start|>", "<|im_start|>system\n" SMOLLM2_SYSTEM "<|im_end|>\n<|im_start|>user\n",
     "<|im_end|>\n<|im_start|>assistant\n", "<|im_end|>"},
    {"llama3", "<|start_header_id|>", "<|start_header_id|>user<|end_header_id|>\n\n",
     "<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n", "<|eot_id|>"},
    {"gemma", "<start_of_turn>", "<start_of_turn>user\n", "<end_of_turn>\n<start_of_turn>model\n", "<end_of_turn>"},
    {"zephyr", "</s>", "<|user|>\n", "</s>\n<|assistant|>\n", "</s>"},
};

const char *tokenizer_chat_name(int index) { return index < (int)COUNT_OF(templates) ? templates[index].name : NULL; }

// Whether a text has words in it that would become control tokens: a question must not end its own turn.
static bool holds_control(const struct tokenizer *t, const char *text, size_t len) {
    struct token_ids plain = {0}, trusted = {0};
    tokenizer_encode(t, text, len, false, &plain);
    tokenizer_encode(t, text, len, true, &trusted);
    return plain.count != trusted.count ||
           (plain.count && memcmp(plain.items, trusted.items, plain.count * sizeof *plain.items) != 0);
}

const char *tokenizer_encode_chat(const struct tokenizer *t, const char *name, const char *text,
                                  struct token_ids *ids) {
    for (size_t i = 0; i < COUNT_OF(templates); i++) {
        if (strcmp(templates[i].name, name) != 0) continue;
        if (tokenizer_find(t, templates[i].mark, strlen(templates[i].mark)) == TOKENIZER_NONE)
            return arena_printf(t->arena, "the tokenizer has no token `%s`", templates[i].mark);
        if (holds_control(t, text, strlen(text))) return "the text holds a control token";
        const char *whole = arena_printf(t->arena, "%s%s%s", templates[i].before, text, templates[i].behind);
        tokenizer_encode_prompt(t, whole, strlen(whole), ids);
        return NULL;
    }
    return "no such template: chatml, smollm2, llama3, gemma and zephyr are";
}

const char *tokenizer_chat_goes_on(const struct tokenizer *t, const char *name, const struct end_ids *ends) {
    for (size_t i = 0; i < COUNT_OF(templates); i++) {
        if (strcmp(templates[i].name, name) != 0) continue;
        uint32_t id = tokenizer_find(t, templates[i].end, strlen(templates[i].end));
        if (id == TOKENIZER_NONE || end_ids_has(ends, id)) return NULL;
        return arena_printf(t->arena,
                            "an answer ends with `%s`, and its id, %" PRIu32 ", is none of the design's `eot`",
                            templates[i].end, id);
    }
    return NULL;
}
