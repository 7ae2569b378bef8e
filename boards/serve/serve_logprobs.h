// SPDX-License-Identifier: Apache-2.0
// The log probabilities of the tokens of an answer, and the field `logprobs` of OpenAI's interface. Nothing here
// depends on HTTP, the card or threads.
#ifndef RILL_SERVE_LOGPROBS_H
#define RILL_SERVE_LOGPROBS_H

#include "boards/serve/serve_request.h"

struct logprob {      // a token with its log probability
    const char *text; // of the tokenizer, which owns it; it may contain NUL
    size_t bytes;     // of the text
    double value;     // natural logarithm of the probability
};

struct token_logprobs { // a token of an answer, and the most likely tokens in its place
    struct logprob own, top[RILL_HOST_MAX_LOGPROBS];
    uint32_t tops;
    size_t at; // characters of the answer before the token
};

struct logprobs_list {
    struct token_logprobs *items;
    size_t count, room;
};

// Appends a token of an answer. logprobs_add sets its `at` by the token before it, logprobs_copy keeps it. The caller
// frees the list with logprobs_free.
void logprobs_add(struct logprobs_list *list, const struct token_logprobs *token);
void logprobs_copy(struct logprobs_list *list, const struct token_logprobs *token);
void logprobs_free(struct logprobs_list *list);
// Writes the value of the field `logprobs` for `count` tokens: null if the request does not want it.
void logprobs_write(const struct api_request *request, const struct token_logprobs *tokens, size_t count,
                    struct text *out);

#endif
