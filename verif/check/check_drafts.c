// SPDX-License-Identifier: Apache-2.0
// Predicts the generating steps of a design with drafts from the ids that the replay makes, by the rules of
// rill_draft_lookup, rill_drafts and rill_step_source (docs/decisions/drafts.md). In a design with slots, checks the
// parts of a request instead.
#include <string.h>

#include "gen/ir/layout.h"
#include "verif/check/check_internal.h"

// LEAST_MATCH, MOST_MATCH: how many of the last ids must match earlier ids, and how many are compared at most.
// CONFIDENT: the values of the confidence, 0 to 3, with which a step gets drafts. Bit c is set for the value c.
enum { LEAST_MATCH = 2, MOST_MATCH = 3, ANY_CONFIDENCE = 0xf, CONFIDENT = 0xc };

// Returns how many of the last ids equal the ids that end at index `at`, at most MOST_MATCH.
static int match_length(const uint32_t ids[], int64_t count, int64_t at) {
    int n = 0;
    while (n < MOST_MATCH && n <= at && ids[at - n] == ids[count - 1 - n]) n++;
    return n;
}

// Returns the ids that follow the longest match in the text so far, and of equally long matches the latest. Returns
// NULL if no match has LEAST_MATCH ids.
static const uint32_t *find_drafts(const uint32_t ids[], int64_t count, int drafts) {
    int best = LEAST_MATCH - 1;
    const uint32_t *found = NULL;
    for (int64_t at = count - 1 - drafts; at >= 0; at--) {
        int n = match_length(ids, count, at);
        if (n <= best) continue;
        best = n;
        found = &ids[at + 1];
    }
    return found;
}

// Returns the values that the confidence may have after a right or a wrong guess, if it had one of the values in
// `confidence` before.
static unsigned after_guess(unsigned confidence, bool right) {
    const unsigned least = confidence & 1, most = confidence & (ANY_CONFIDENCE ^ ANY_CONFIDENCE >> 1);
    return right ? (confidence << 1 & ANY_CONFIDENCE) | most : confidence >> 1 | least;
}

// Returns the id at a position from which the replay has gone on.
static uint32_t id_at(const struct check *check, int64_t position) {
    return check->ids[position - check->request.count];
}

// Returns how many steps of one token the request has room for from this position on.
static int64_t steps_left(const struct check *check, int64_t position) {
    const struct check_request *r = &check->request;
    return at_most(r->max_new - 1, check->ir->design.context - r->count) - (position - r->count);
}

// Returns how many drafts a step from this position on may have: it ends within its block of positions, and within the
// request.
static int most_drafts(const struct check *check, int64_t first) {
    int64_t block = LAYOUT_V_BLOCK - 1 - first % LAYOUT_V_BLOCK, left = steps_left(check, first) - 1;
    return (int)at_most(check->ir->design.drafts, at_most(block, left));
}

// Returns how many tokens of the step are valid: the first one and the right drafts after it, as far as the request
// goes.
static int right_tokens(struct check *check, int64_t first, const uint32_t drafts[], int drafted) {
    int right = 1;
    for (; right <= drafted && plan_run(check, first + right - 1) && plan_has(check, first + right); right++)
        if (id_at(check, first + right) != drafts[right - 1]) break;
    return right;
}

static void count_step(struct check_drafts_counts *c, int drafted, int right) {
    c->drafted += (uint64_t)drafted;
    c->accepted += (uint64_t)right;
    if (drafted == 0) c->none++;
    else c->right[right]++;
}

// Returns the drafts that the list of predicted ids has for a step that begins at a generated position, by the rules of
// rill_draft_list. Returns NULL if the list does not have all of them, or differs from the id at that position.
static const uint32_t *predicted_at(const struct check *check, int64_t first) {
    const struct check_request *r = &check->request;
    const int64_t at = first - r->count, places = at_most(r->predicted_count, check->ir->design.context - r->count);
    if (at + 1 + check->ir->design.drafts > places || r->predicted[at] != id_at(check, first)) return NULL;
    return &r->predicted[at + 1];
}

// Returns the drafts that are found in the ids of the request for a step that begins at a generated position, or NULL.
static const uint32_t *repeated_at(struct check *check, int64_t first) {
    const struct check_request *r = &check->request;
    int64_t count = first + 1;
    uint32_t *ids = ARENA_ARRAY(check->arena, uint32_t, (size_t)count);
    memcpy(ids, r->ids, (size_t)r->count * sizeof *ids);
    memcpy(ids + r->count, check->ids, (size_t)(count - r->count) * sizeof *ids);
    return find_drafts(ids, count, check->ir->design.drafts);
}

// Returns the drafts for a step that begins at a generated position, or NULL if none are found.
static const uint32_t *drafts_at(struct check *check, int64_t first) {
    const uint32_t *predicted = predicted_at(check, first);
    return predicted ? predicted : repeated_at(check, first);
}

// Appends the generating step that begins at position `first`.
static void add_step(struct check *check, int64_t first) {
    struct check_drafts_state *d = &check->drafts;
    const uint32_t *found = d->off ? NULL : drafts_at(check, first);
    struct step s = {.first = first, .head = true, .final = steps_left(check, first) == 1};
    int drafted = found && d->confidence & CONFIDENT ? most_drafts(check, first) : 0;
    d->guess = (struct check_guess){found, found ? found[0] : 0};
    s.tokens = 1 + drafted;
    s.valid = right_tokens(check, first, found, drafted);
    count_step(&d->counts, drafted, s.valid - 1);
    VEC_PUSH(check->arena, d->step, s);
}

bool drafts_step(struct check *check, int64_t index, struct step *step) {
    struct check_drafts_state *d = &check->drafts;
    while ((int64_t)d->step.count <= index) {
        const struct step *last = d->step.count ? &d->step.items[d->step.count - 1] : NULL;
        int64_t first = last ? last->first + last->valid : check->request.count;
        if (!plan_run(check, first - 1) || !plan_has(check, first)) return false;
        if (last && d->guess.made)
            d->confidence = after_guess(d->confidence, id_at(check, last->first + 1) == d->guess.id);
        add_step(check, first);
    }
    *step = d->step.items[index];
    return true;
}

int64_t drafts_steps(struct check *check) {
    struct step step;
    while (drafts_step(check, (int64_t)check->drafts.step.count, &step)) continue;
    return (int64_t)check->drafts.step.count;
}

void drafts_begin(struct check *check) {
    bool off = check->drafts.off;
    check->drafts = (struct check_drafts_state){.off = off, .confidence = 1U << check->ir->design.draft_confidence};
}

struct check_drafts_counts check_drafts(struct check *check) {
    (void)plan_steps(check);
    return check->drafts.counts;
}

// Follows the confidence over a part of a request that generates, for which drafts can be found. A part with drafts
// shows that the confidence was high, and that the design has looked. A part without drafts may have been left without
// a place for them, and then the design has not looked.
static void follow_confidence(struct check *check, const struct check_part *p, const uint32_t found[]) {
    struct check_drafts_state *d = &check->drafts;
    const bool right = plan_has(check, p->first + 1) && id_at(check, p->first + 1) == found[0];
    if (p->tokens > 1) d->confidence = after_guess(d->confidence & CONFIDENT, right);
    else d->confidence |= after_guess(d->confidence & ~(unsigned)CONFIDENT, right);
}

// Compares a part of the prompt. Returns NULL, or what is wrong.
static const char *prompt_part(struct check *check, const struct check_part *p, int64_t *position) {
    *position += p->tokens;
    if (*position <= check->request.count) return NULL;
    return arena_printf(check->arena, "the part at position %lld goes beyond the prompt", (long long)p->first);
}

// Returns the drafts of a part. If the host gives its prediction late, they are those of the prediction, or those that
// are found without it: the ones after which the next part begins where it does. next: position after the part.
static const uint32_t *drafts_of_part(struct check *check, const struct check_part *p, int64_t next) {
    const uint32_t *found = drafts_at(check, p->first);
    if (!check->request.is_late || !found) return found;
    if (p->first + right_tokens(check, p->first, found, p->tokens - 1) == next) return found;
    const uint32_t *repeated = repeated_at(check, p->first);
    return repeated ? repeated : found;
}

// Compares a part of a request that generates, and adds it to the counts. next: position after the part, by the next
// part. Returns NULL, or what is wrong.
static const char *generating_part(struct check *check, const struct check_part *p, int64_t next, int64_t *position) {
    struct check_drafts_state *d = &check->drafts;
    const uint32_t *found = drafts_of_part(check, p, next);
    const int drafted = p->tokens - 1, findable = found ? most_drafts(check, p->first) : 0,
              most = d->confidence & CONFIDENT ? findable : 0;
    if (drafted > most)
        return arena_printf(check->arena, "the part at position %lld has %d drafts, but may have %d",
                            (long long)p->first, drafted, most);
    const struct step s = {
        .first = p->first, .tokens = p->tokens, .valid = right_tokens(check, p->first, found, drafted)};
    count_step(&d->counts, drafted, s.valid - 1);
    // Late predictions may have been guesses or not, so the confidence is not known.
    if (check->request.is_late) d->confidence = ANY_CONFIDENCE;
    else if (findable > 0) follow_confidence(check, p, found);
    *position += s.valid;
    return NULL;
}

const char *check_parts(struct check *check, const struct check_parts_of *of, struct check_drafts_counts *counts) {
    const struct check_part *part = of->part;
    int64_t position = of->first;
    const char *wrong = NULL;
    drafts_begin(check);
    for (size_t i = 0; i < of->parts && !wrong; i++) {
        const int64_t next = i + 1 < of->parts ? part[i + 1].first : of->after;
        if (part[i].first != position || part[i].tokens < 1 || !plan_has(check, position))
            wrong = arena_printf(check->arena, "a part begins at position %lld, but the next position is %lld",
                                 (long long)part[i].first, (long long)position);
        else if (position < check->request.count) wrong = prompt_part(check, &part[i], &position);
        else wrong = generating_part(check, &part[i], next, &position);
    }
    *counts = check->drafts.counts;
    return wrong;
}

void check_drafts_off(struct check *check, bool off) { check->drafts.off = off; }
