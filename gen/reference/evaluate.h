// SPDX-License-Identifier: Apache-2.0
// Perplexity and top-1 agreement of language models on a text. Several models run on the same tokens, for example the
// oracle in exact mode and in float mode, so that their figures can be compared.
#ifndef RILL_EVALUATE_H
#define RILL_EVALUATE_H

#include "gen/reference/oracle.h"
#include "gen/model/tokenizer.h"

// A model to measure. Its lanes are independent evaluations that run at once, each with its own story (a part of the
// text that ends at an end-of-text token). A step runs token id[i] at one position in each of lanes 0 to count - 1;
// position 0 begins a new story. logits[i] receives the [vocab] logits of lane i, which are valid until the next step.
// If a step returns false, the evaluation stops.
struct evaluate_model {
    bool (*step)(void *state, int count, const uint32_t id[], int64_t position, const float *logits[]);
    void *state;
    int64_t vocab;
    int lanes; // 1 to EVALUATE_MAX_LANES
};

enum { EVALUATE_MAX_MODELS = 4, EVALUATE_MAX_LANES = 8 };

// Lanes of an oracle: the oracle itself (`first`) and further evaluations with its weights, `lanes` in all.
// evaluate_lanes_open returns false after an error. The caller must close the lanes after an error as well.
struct evaluate_lanes {
    struct oracle *lane[EVALUATE_MAX_LANES];
    int count;
};
bool evaluate_lanes_open(struct arena *, struct oracle *first, int lanes, struct evaluate_lanes *, struct diag *);
void evaluate_lanes_close(struct evaluate_lanes *); // closes all but the first
struct evaluate_model evaluate_lanes_model(struct evaluate_lanes *, int64_t vocabulary);
const char *evaluate_lanes_fault(const struct evaluate_lanes *); // fault of the first lane that has one, or NULL

// The figures of one story or of several.
struct evaluation {
    int64_t stories, tokens; // tokens: number of predictions
    struct {
        double nll;    // sum of the losses of all predictions, in nats
        int64_t agree; // predictions in which the most likely token is that of the first model
    } model[EVALUATE_MAX_MODELS];
};

// evaluate_text cuts the text into stories at every `<|endoftext|>`. It drops the white space around each story and the
// stories that are then empty. The tokens of a story begin and end with the token `<|endoftext|>`. If the tokenizer
// does not have this token, they begin with the tokens that begin a prompt (bos). The models run at most the first
// `positions` tokens of a story and predict the token after each. max_stories: 0 means all. `each` (may be NULL) is
// called for every story in the text's order, with the figures of the story and the totals so far. evaluate_text
// returns false if a model stopped. count: number of models, 1 to EVALUATE_MAX_MODELS. `agree` of the other models is
// relative to model 0.
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
// Returns how many stories evaluate_text will evaluate: those that are not empty, but at most max_stories (0: all).
int64_t evaluate_stories(const struct evaluate_text *);

// Returns e to the power of the mean loss; NAN if there are no predictions.
double evaluate_perplexity(const struct evaluation *evaluation, int model);

#endif
