// SPDX-License-Identifier: Apache-2.0
// Finds the steps of a request and runs the replay along with them.
#include <string.h>

#include "verif/check/check_internal.h"

// Returns how many steps the prompt has.
static int64_t prompt_steps(const struct check *check) {
    return (int64_t)u64_div_ceil((uint64_t)check->request.count, (uint64_t)check->ir->design.tokens);
}

void plan_begin(struct check *check) {
    check->id_count = 0;
    check->hash = 0;
    check->positions = 0;
    check->golden_failed = check->waits = false;
    check->generation++;
    int64_t ids = check->ir->design.context + 1;
    check->first_step = 0;
    check->step_end.count = 0;
    drafts_begin(check);
    size_t record_words = (size_t)ids * LOGPROBS_WORDS;
    if (check->records != NULL) memset(check->records, 0, record_words * sizeof *check->records);
    if (check->ids != NULL || !check->ir->design.is_lm) return;
    if (check->ir->design.logprobs) check->records = ARENA_ARRAY(check->arena, uint32_t, record_words);
    check->ids = ARENA_ARRAY(check->arena, uint32_t, (size_t)ids);
    check->hashes = ARENA_ARRAY(check->arena, uint64_t, (size_t)ids);
}

// Returns whether an output or a next id is made at the position.
static bool head_at(const struct check *check, int64_t position) {
    return !check->ir->design.is_lm || position >= check->request.count - 1;
}

// Returns whether the request has room for a position after the prompt, by its context and its number of new ids.
static bool has_room(const struct check *check, int64_t position) {
    const struct check_request *r = &check->request;
    return check->ir->design.is_lm && position < check->ir->design.context && position - r->count + 1 < r->max_new;
}

bool plan_has(const struct check *check, int64_t position) {
    const struct check_request *r = &check->request;
    if (position < r->count) return true;
    int64_t made = position - r->count + 1;
    if (!has_room(check, position) || made > check->id_count) return false;
    return !end_ids_has(&r->eot, check->ids[made - 1]);
}

// Adds the row of logits of a position to the hash, if the design hashes rows, and makes the record of log
// probabilities of the id that was chosen from them, if the design makes records.
static void add_logits(struct check *check, int64_t position) {
    struct replay_value v;
    int64_t repetition = check->hashed == IR_NONE ? 0 : check_last_repetition(check->ir, check->hashed);
    if (check->hashed == IR_NONE || !replay_value(check->golden, check->hashed, repetition, position, &v)) return;
    check->hash = logits_hash(check->hash, v.f32, (size_t)v.cols);
    if (check->records)
        golden_logprobs((size_t)v.cols, v.f32, replay_next_id(check->golden), check->ir->design.logprobs,
                        check->records + check->id_count * LOGPROBS_WORDS);
}

// Runs the next position in the replay and the oracle. Returns false if the replay waits or has a fault.
static bool golden_position(struct check *check, int64_t position) {
    const struct check_request *r = &check->request;
    const struct ir *ir = check->ir;
    const float *row[IR_MAX_PORTS] = {0};
    uint32_t id = 0;
    if (ir->design.is_lm) id = position < r->count ? r->ids[position] : check->ids[position - r->count];
    for (int i = 0; i < ir->inputs && !ir->design.is_lm; i++)
        row[i] = r->row[i] + position * ir_tensor_elements(&ir->tensor[ir->input[i]]);
    check->generation++;
    bool done = replay_step(check->golden, id, row, position, head_at(check, position));
    check->waits = !done && replay_waits(check->golden);
    if (!check->waits) check_oracle_step(check, id, row, position, head_at(check, position), done);
    if (!done) return false;
    if (!ir->design.is_lm || !head_at(check, position)) return true;
    add_logits(check, position);
    check->hashes[check->id_count] = check->hash;
    check->ids[check->id_count++] = replay_next_id(check->golden);
    return true;
}

bool plan_run(struct check *check, int64_t position) {
    while (check->positions <= position) {
        if (check->golden_failed || !plan_has(check, check->positions)) return false;
        if (!golden_position(check, check->positions)) {
            check->golden_failed = !check->waits;
            return false;
        }
        check->positions++;
    }
    return true;
}

// Finds the positions of a step, and returns whether it is a prompt step. Prompt steps end at multiples of T or with
// the prompt. So the first one is shorter if the design begins at another position.
static bool step_at(const struct check *check, int64_t index, struct step *step) {
    int64_t tokens = check->ir->design.tokens, count = check->request.count, prefill = prompt_steps(check);
    int64_t from = check->request.from;
    bool in_prompt = index < prefill, begins = from < count && index == from / tokens;
    step->first = !in_prompt ? count + index - prefill : begins ? from : index * tokens;
    step->tokens = in_prompt ? (int)(at_most(count, (index + 1) * tokens) - step->first) : 1;
    step->head = !check->ir->design.is_lm || step->first + step->tokens >= count;
    step->final = step->first + step->tokens >= count && !has_room(check, step->first + step->tokens);
    step->valid = step->tokens;
    return in_prompt;
}

bool plan_step(struct check *check, int64_t index, struct step *step) {
    if (step_at(check, index, step)) return true;
    if (check->ir->design.drafts) return drafts_step(check, index - prompt_steps(check), step);
    return (step->first == 0 || plan_run(check, step->first - 1)) && plan_has(check, step->first);
}

bool plan_step_ahead(struct check *check, int64_t index, struct step *step) {
    return check->ir->design.drafts ? plan_step(check, index, step)
                                    : step_at(check, index, step) || has_room(check, step->first);
}

int64_t plan_step_of(const struct check *check, int64_t position) {
    int64_t after = position - check->request.count;
    return after < 0 ? position / check->ir->design.tokens : prompt_steps(check) + after;
}

int64_t plan_steps(struct check *check) {
    if (check->ir->design.drafts) return prompt_steps(check) + drafts_steps(check);
    int64_t position = check->request.count - 1;
    while (plan_run(check, position)) position++;
    return prompt_steps(check) + position - check->request.count;
}
