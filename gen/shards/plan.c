// SPDX-License-Identifier: Apache-2.0
// Divides a request into shards: the steps that each shard simulates, and the request that makes it do so.
#include "gen/shards/shards.h"

const char *const shard_ends[] = {
    [SHARD_MISSING] = "missing", [SHARD_PASSED] = "passed", [SHARD_DIFFERS] = "differs",
    [SHARD_DIED] = "died",       [SHARD_LATE] = "late",
};

// Returns the number of steps that process the prompt. The last one also generates the first token.
static int64_t prompt_steps(const struct shards_request *r) {
    return (int64_t)u64_div_ceil((uint64_t)r->count, (uint64_t)r->tokens);
}

int64_t shards_position(const struct shards_request *r, int64_t step) {
    int64_t prefill = prompt_steps(r);
    return step < prefill ? step * r->tokens : r->count + step - prefill;
}

// Ends a shard's request after the shard's last step. If this step is in the prompt, the rest of the prompt is cut off.
// The step then generates a token that the whole request does not have.
static void end_after(const struct shards_request *r, struct shard *s) {
    int64_t decoded = s->last - (prompt_steps(r) - 1);
    s->cut = decoded < 0;
    s->prompt = s->cut ? shards_position(r, s->last + 1) : r->count;
    s->tokens = s->cut ? 1 : decoded + 1;
}

// Returns how often the engine uses each beat of weights in a step: once for every `copies` tokens. The cycles of a
// step are about proportional to this number, and `rill verify` knows it without a forecast.
static int64_t turns_of(const struct shards_request *r, int64_t step) {
    if (step >= prompt_steps(r)) return 1;
    int64_t rest = r->count - shards_position(r, step), tokens = rest < r->tokens ? rest : r->tokens;
    return (int64_t)u64_div_ceil((uint64_t)tokens, (uint64_t)r->copies);
}

int shards_divide(const struct shards_request *r, int most, int64_t warm, struct shard *shard) {
    int count = (int64_t)most < r->steps ? most : (int)r->steps;
    int64_t all = 0, done = 0, step = 0; // turns of all steps, turns of the steps before `step`
    for (int64_t i = 0; i < r->steps; i++) all += turns_of(r, i);
    for (int i = 0; i < count; i++) {
        struct shard *s = &shard[i];
        *s = (struct shard){.begin = step};
        // No step has more turns than the step before it, so a step is left for every later shard.
        do done += turns_of(r, step++);
        while (done * count < all * (i + 1));
        s->end = step;
        s->first = s->begin > warm ? s->begin - warm : 0;
        s->last = s->end < r->steps ? s->end : r->steps - 1;
        s->from = shards_position(r, s->first);
        end_after(r, s);
    }
    return count;
}
