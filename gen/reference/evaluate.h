// SPDX-License-Identifier: Apache-2.0
// Perplexity and top-1 agreement of language models on a text.
#ifndef RILL_EVALUATE_H
#define RILL_EVALUATE_H

#include "gen/reference/oracle.h"
#include "gen/model/tokenizer.h"

// A model to measure: evaluations side by side, its lanes, each with a story of its own. A step runs one position of
// lanes 0 .. count - 1; 0 starts anew. logits[i]: [vocab] of lane i. False stops the evaluation.
struct evaluate_model {
    bool (*step)(void *state, int count, const uint32_t id[], int64_t position, const float *logits[]);
    void *state;
    int64_t vocab;
    int lanes; // 1 to EVALUATE_MAX_LANES
};

enum { EVALUATE_MAX_MODELS = 4, EVALUATE_MAX_LANES = 8 };

// Lanes of an oracle: itself and others beside it, up to `lanes`. Close those that evaluate_lanes opened with
// evaluate_lanes_close. False after an error.
struct evaluate_lanes {
    struct oracle *lane[EVALUATE_MAX_LANES];
    int count;
};
bool evaluate_lanes_open(struct arena *, struct oracle *first, int lanes, struct evaluate_lanes *, struct diag *);
void evaluate_lanes_close(struct evaluate_lanes *); // but for the first
struct evaluate_model evaluate_lanes_model(struct evaluate_lanes *, int64_t vocabulary);
const char *evaluate_lanes_fault(const struct evaluate_lanes *); // of the first lane that has one, or NULL

struct evaluation {
    int64_t stories, tokens; // tokens: predictions
    struct {
        double nll;    // nats, sum over the predictions
        int64_t agree; // predictions whose most likely token is the first model's
    } model[EVALUATE_MAX_MODELS];
};

// The text is cut at `<|endoftext|>` lines; white space around a story is not part of it. Every story is run from its
// start, behind the token `<|endoftext|>`, or what a prompt begins with where the tokenizer has none, for at most
// `positions` inputs; each token and that end are predicted. max_stories 0: all. `each` (or NULL) is told of every
// story, in the text's order: what was found in it, and in all so far. False when a model stopped.
struct evaluate_text {
    const struct tokenizer *tokenizer;
    const char *text;
    size_t len;
    int64_t positions, max_stories;
    void (*each)(void *user, const struct evaluation *story, const struct evaluation *all);
    void *user;
};
bool evaluate_text(const struct evaluate_text *, const struct evaluate_model *models, int count,
                   struct evaluation *result);
// Stories of the text, without evaluating any.
int64_t evaluate_stories(const struct evaluate_text *);

double evaluate_perplexity(const struct evaluation *evaluation, int model);

#endif
