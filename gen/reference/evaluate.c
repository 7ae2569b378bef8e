// SPDX-License-Identifier: Apache-2.0
// Measures perplexity and top-1 agreement. The text is cut into stories at `<|endoftext|>`, and each story is evaluated
// by itself. Several stories run at once, each in its own lane of every model.
#include "gen/reference/evaluate.h"

#include <math.h>
#include <string.h>

// ---- stories ----

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// A part of the text; not terminated by NUL.
struct story {
    const char *begin;
    size_t len;
};

// Returns the next story of the *len bytes at *text, without the white space around it. Moves *text after the story's
// separator. The story is empty at the end of the text.
static struct story next_story(const char **text, size_t *len) {
    static const char eot[] = "<|endoftext|>";
    const char *begin = *text, *end = begin + *len, *stop = begin;
    while ((size_t)(end - stop) >= sizeof eot - 1 && memcmp(stop, eot, sizeof eot - 1) != 0) stop++;
    bool last = (size_t)(end - stop) < sizeof eot - 1;
    if (last) stop = end;
    *text = last ? end : stop + sizeof eot - 1;
    *len = (size_t)(end - *text);
    while (begin < stop && is_space(*begin)) begin++;
    while (stop > begin && is_space(stop[-1])) stop--;
    return (struct story){begin, (size_t)(stop - begin)};
}

// Returns the next story that is not empty, or an empty one at the end of the text.
static struct story next_words(const char **text, size_t *len) {
    struct story s = {*text, 0};
    while (*len > 0 && s.len == 0) s = next_story(text, len);
    return s;
}

int64_t evaluate_stories(const struct evaluate_text *t) {
    const char *text = t->text;
    size_t len = t->len;
    int64_t count = 0;
    while (next_words(&text, &len).len) count++;
    return t->max_stories && t->max_stories < count ? t->max_stories : count;
}

// ---- predictions of a model ----

// Returns the loss of predicting `id`: -ln(softmax(logits)[id]), in nats.
static double surprise(const float *logits, int64_t vocab, uint32_t id) {
    float max = logits[0];
    for (int64_t i = 1; i < vocab; i++) max = logits[i] > max ? logits[i] : max;
    double sum = 0;
    for (int64_t i = 0; i < vocab; i++) sum += exp((double)logits[i] - max);
    return log(sum) + max - logits[id];
}

// Returns the id with the largest logit; among equal logits, the lowest id.
static int64_t top(const float *logits, int64_t vocab) {
    int64_t best = 0;
    for (int64_t i = 1; i < vocab; i++)
        if (logits[i] > logits[best]) best = i;
    return best;
}

static void add(struct evaluation *all, const struct evaluation *one, int models) {
    all->stories += one->stories;
    all->tokens += one->tokens;
    for (int m = 0; m < models; m++) {
        all->model[m].nll += one->model[m].nll;
        all->model[m].agree += one->model[m].agree;
    }
}

// ---- stories that run at once ----

// One of the stories that run at once.
struct lane {
    struct token_ids ids;
    int64_t predictions; // how many positions run: one less than the tokens, and at most evaluate_text.positions
    int64_t first_top;   // the first model's most likely token at the current position
    struct evaluation found;
};

// An evaluation of all models on the text.
struct run {
    const struct evaluate_text *of;
    const struct evaluate_model *models;
    int count; // models
    struct evaluation *result;
    struct lane lane[EVALUATE_MAX_LANES];
    // All lanes, the longest story first. So the lanes that still run at a position are always the first ones.
    struct lane *longest[EVALUATE_MAX_LANES];
    int lanes; // stories that are in lanes
};

// Appends the token `<|endoftext|>`. Returns false and appends nothing if the tokenizer does not have it.
static bool append_eot(const struct tokenizer *tokenizer, struct token_ids *ids) {
    static const char eot[] = "<|endoftext|>";
    size_t before = ids->count;
    if (tokenizer_eot(tokenizer) >= 0) tokenizer_encode(tokenizer, eot, sizeof eot - 1, true, ids);
    if (ids->count == before + 1) return true;
    ids->count = before;
    return false;
}

// Prepares a lane for a story: tokenizes the story with the tokens before and after it (evaluate.h).
static void begin_story(const struct evaluate_text *t, struct story story, struct lane *lane) {
    lane->ids.count = 0;
    if (!append_eot(t->tokenizer, &lane->ids)) tokenizer_encode_prompt(t->tokenizer, "", 0, &lane->ids);
    tokenizer_encode(t->tokenizer, story.begin, story.len, false, &lane->ids);
    append_eot(t->tokenizer, &lane->ids);
    int64_t ids = (int64_t)lane->ids.count;
    lane->predictions = ids == 0 ? 0 : ids - 1 < t->positions ? ids - 1 : t->positions;
    lane->found = (struct evaluation){.stories = 1};
}

// Adds the lane to r->longest at its place.
static void insert(struct run *r, struct lane *lane) {
    int at = r->lanes++;
    for (; at > 0 && r->longest[at - 1]->predictions < lane->predictions; at--) r->longest[at] = r->longest[at - 1];
    r->longest[at] = lane;
}

// Returns how many stories may run at once: the fewest lanes of a model.
static int most_lanes(const struct run *r) {
    int most = EVALUATE_MAX_LANES;
    for (int m = 0; m < r->count; m++) most = r->models[m].lanes < most ? r->models[m].lanes : most;
    return most;
}

// Returns how many lanes still run at this position. They are the first ones of r->longest.
static int under_way(const struct run *r, int64_t position) {
    int count = 0;
    while (count < r->lanes && r->longest[count]->predictions > position) count++;
    return count;
}

// Adds a model's prediction at a position to the figures of the lane's story.
static void judge(struct run *r, int model, struct lane *lane, const float *logits, int64_t position) {
    int64_t best = top(logits, r->models[model].vocab);
    if (model == 0) lane->first_top = best;
    lane->found.model[model].agree += best == lane->first_top;
    lane->found.model[model].nll += surprise(logits, r->models[model].vocab, lane->ids.items[position + 1]);
}

// Runs ids[position] of the `count` longest lanes on all models and scores their predictions of ids[position + 1].
static bool run_position(struct run *r, int64_t position, int count) {
    uint32_t id[EVALUATE_MAX_LANES];
    for (int i = 0; i < count; i++) id[i] = r->longest[i]->ids.items[position];
    for (int m = 0; m < r->count; m++) {
        const float *logits[EVALUATE_MAX_LANES];
        if (!r->models[m].step(r->models[m].state, count, id, position, logits)) return false;
        for (int i = 0; i < count; i++) judge(r, m, r->longest[i], logits[i], position);
    }
    for (int i = 0; i < count; i++) r->longest[i]->found.tokens++;
    return true;
}

// Runs the stories in all lanes to their ends and adds their figures to the result. False: a model stopped.
static bool run_lanes(struct run *r) {
    for (int64_t position = 0;; position++) {
        int count = under_way(r, position);
        if (!count) break;
        if (!run_position(r, position, count)) return false;
    }
    for (int i = 0; i < r->lanes; i++) {
        add(r->result, &r->lane[i].found, r->count);
        if (r->of->each) r->of->each(r->of->user, &r->lane[i].found, r->result);
    }
    r->lanes = 0;
    return true;
}

bool evaluate_text(const struct evaluate_text *of, const struct evaluate_model *models, int count,
                   struct evaluation *result) {
    if (count < 1 || count > EVALUATE_MAX_MODELS) base_fatal("evaluate: %d models", count);
    *result = (struct evaluation){0};
    struct run r = {.of = of, .models = models, .count = count, .result = result};
    const char *text = of->text;
    size_t len = of->len;
    for (int64_t left = evaluate_stories(of); left > 0; left--) {
        struct lane *lane = &r.lane[r.lanes];
        begin_story(of, next_words(&text, &len), lane);
        insert(&r, lane);
        if ((r.lanes == most_lanes(&r) || left == 1) && !run_lanes(&r)) return false;
    }
    return true;
}

double evaluate_perplexity(const struct evaluation *evaluation, int model) {
    return evaluation->tokens ? exp(evaluation->model[model].nll / (double)evaluation->tokens) : NAN;
}

// ---- lanes of an oracle ----

bool evaluate_lanes_open(struct arena *arena, struct oracle *first, int lanes, struct evaluate_lanes *out,
                         struct diag *diag) {
    *out = (struct evaluate_lanes){.lane = {first}, .count = 1};
    while (out->count < lanes && out->count < EVALUATE_MAX_LANES) {
        struct oracle *o = oracle_open_beside(arena, first, diag);
        if (!o) return false;
        out->lane[out->count++] = o;
    }
    return true;
}

void evaluate_lanes_close(struct evaluate_lanes *l) {
    for (int i = 1; i < l->count; i++) oracle_close(l->lane[i]);
}

static bool step(void *state, int count, const uint32_t id[], int64_t position, const float *logits[]) {
    struct evaluate_lanes *l = state;
    if (!oracle_step_all(l->lane, count, id, position, true)) return false;
    for (int i = 0; i < count; i++) logits[i] = oracle_logits(l->lane[i]);
    return true;
}

struct evaluate_model evaluate_lanes_model(struct evaluate_lanes *l, int64_t vocabulary) {
    return (struct evaluate_model){step, l, vocabulary, l->count};
}

const char *evaluate_lanes_fault(const struct evaluate_lanes *l) {
    const char *where = NULL;
    for (int i = 0; i < l->count && !where; i++) where = oracle_fault(l->lane[i]);
    return where;
}
