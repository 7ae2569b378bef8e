// SPDX-License-Identifier: Apache-2.0
// Perplexity and top-1 agreement of language models on a text.
#ifndef RILL_EVALUATE_H
#define RILL_EVALUATE_H

#include "include/tokenizer.h"

// A model to measure: logits [vocab] of one position; 0 starts anew. NULL stops the evaluation.
struct evaluate_model {
    const float *(*step)(void *state, uint32_t id, int64_t position);
    void *state;
    int64_t vocab;
};

enum { EVALUATE_MAX_MODELS = 4 };

struct evaluation {
    int64_t stories, tokens; // tokens: predictions
    struct {
        double nll;    // nats, sum over the predictions
        int64_t agree; // predictions whose most likely token is the first model's
    } model[EVALUATE_MAX_MODELS];
};

// The text is cut at `<|endoftext|>` lines; white space around a story is not part of it. Every story is run from its
// start, behind the token `<|endoftext|>`, or what a prompt begins with where the tokenizer has none, for at most
// `positions` inputs; each token and that end are predicted. max_stories 0: all. progress (or NULL) is told after each
// story. False when a model stopped.
bool evaluate_text(const struct tokenizer *tokenizer, const char *text, size_t len, int64_t positions,
                   int64_t max_stories, const struct evaluate_model *models, int count, struct evaluation *result,
                   void (*progress)(const struct evaluation *));

double evaluate_perplexity(const struct evaluation *evaluation, int model);

#endif
