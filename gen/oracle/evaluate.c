// SPDX-License-Identifier: Apache-2.0
// Perplexity and top-1 agreement, story by story.
#include "gen/oracle/evaluate.h"

#include <math.h>
#include <string.h>

struct run {
    const struct tokenizer *tokenizer;
    int64_t positions;
    const struct evaluate_model *models;
    int count;
    struct evaluation *result;
};

// -log softmax(logits)[id]
static double surprise(const float *logits, int64_t vocab, uint32_t id) {
    float max = logits[0];
    for (int64_t i = 1; i < vocab; i++) max = logits[i] > max ? logits[i] : max;
    double sum = 0;
    for (int64_t i = 0; i < vocab; i++) sum += exp((double)logits[i] - max);
    return log(sum) + max - logits[id];
}

static int64_t top(const float *logits, int64_t vocab) {
    int64_t best = 0;
    for (int64_t i = 1; i < vocab; i++)
        if (logits[i] > logits[best]) best = i;
    return best;
}

// All models see ids[position] and are asked for ids[position + 1].
static bool run_position(const struct run *r, const uint32_t *ids, int64_t position) {
    int64_t first_top = 0;
    for (int i = 0; i < r->count; i++) {
        const struct evaluate_model *m = &r->models[i];
        const float *logits = m->step(m->state, ids[position], position);
        if (!logits) return false;
        int64_t best = top(logits, m->vocab);
        if (i == 0) first_top = best;
        r->result->model[i].agree += best == first_top;
        r->result->model[i].nll += surprise(logits, m->vocab, ids[position + 1]);
    }
    r->result->tokens++;
    return true;
}

// The token `<|endoftext|>` where the tokenizer has it. False: it has none, and nothing is appended.
static bool append_eot(const struct tokenizer *tokenizer, struct token_ids *ids) {
    static const char eot[] = "<|endoftext|>";
    size_t before = ids->count;
    if (tokenizer_eot(tokenizer) >= 0) tokenizer_encode(tokenizer, eot, sizeof eot - 1, true, ids);
    if (ids->count == before + 1) return true;
    ids->count = before;
    return false;
}

static bool run_story(const struct run *r, const char *story, size_t len, struct token_ids *ids) {
    ids->count = 0;
    if (!append_eot(r->tokenizer, ids)) tokenizer_encode_prompt(r->tokenizer, "", 0, ids);
    tokenizer_encode(r->tokenizer, story, len, false, ids);
    append_eot(r->tokenizer, ids);
    for (int64_t p = 0; p < r->positions && p + 1 < (int64_t)ids->count; p++)
        if (!run_position(r, ids->items, p)) return false;
    r->result->stories++;
    return true;
}

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Next story of text[0 .. *len); moves *text behind its separator.
static const char *next_story(const char **text, size_t *len, size_t *story_len) {
    static const char eot[] = "<|endoftext|>";
    const char *begin = *text, *end = begin + *len, *stop = begin;
    while ((size_t)(end - stop) >= sizeof eot - 1 && memcmp(stop, eot, sizeof eot - 1) != 0) stop++;
    bool last = (size_t)(end - stop) < sizeof eot - 1;
    if (last) stop = end;
    *text = last ? end : stop + sizeof eot - 1;
    *len = (size_t)(end - *text);
    while (begin < stop && is_space(*begin)) begin++;
    while (stop > begin && is_space(stop[-1])) stop--;
    *story_len = (size_t)(stop - begin);
    return begin;
}

bool evaluate_text(const struct tokenizer *tokenizer, const char *text, size_t len, int64_t positions,
                   int64_t max_stories, const struct evaluate_model *models, int count, struct evaluation *result,
                   void (*progress)(const struct evaluation *)) {
    if (count < 1 || count > EVALUATE_MAX_MODELS) base_fatal("evaluate: %d models", count);
    *result = (struct evaluation){0};
    struct run r = {tokenizer, positions, models, count, result};
    struct token_ids ids = {0};
    while (len > 0 && (max_stories == 0 || result->stories < max_stories)) {
        size_t story_len;
        const char *story = next_story(&text, &len, &story_len);
        if (story_len == 0) continue;
        if (!run_story(&r, story, story_len, &ids)) return false;
        if (progress) progress(result);
    }
    return true;
}

double evaluate_perplexity(const struct evaluation *evaluation, int model) {
    return evaluation->tokens ? exp(evaluation->model[model].nll / (double)evaluation->tokens) : NAN;
}
