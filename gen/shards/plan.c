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

// Returns the first step that a shard simulates if the first result that it gives is that of step `begin`. It first
// simulates `warm` steps without a result, so that memory and FIFOs are filled as in the whole request.
static int64_t first_of(int64_t begin, int64_t warm) { return begin > warm ? begin - warm : 0; }
// Returns the last step that a shard simulates if the last result that it gives is that of step `end` - 1. This is step
// `end`, the first one of the next shard, so that the results of the two shards for this step can be compared.
static int64_t last_of(const struct shards_request *r, int64_t end) { return end < r->steps ? end : r->steps - 1; }

// Returns the forecast cycles of a shard's simulation, with the steps before and after its results.
static double cycles_of(const struct shards_request *r, int64_t warm, int64_t begin, int64_t end) {
    int64_t first = first_of(begin, warm), all = last_of(r, end) + 1 - first, left = prompt_steps(r) - first;
    int64_t prompt = left < 0 ? 0 : left < all ? left : all;
    return (double)prompt * r->prompt_cycles + (double)(all - prompt) * r->token_cycles;
}

// Returns where the shard of number `i` ends that begins at step `begin`. It takes as many steps as it can simulate in
// `limit` cycles, at least one, but leaves a step for every later shard.
static int64_t end_within(const struct shards_request *r, int count, int i, int64_t warm, int64_t begin, double limit) {
    int64_t end = begin + 1, most = r->steps - (count - 1 - i);
    while (end < most && cycles_of(r, warm, begin, end + 1) <= limit) end++;
    return end;
}

// Returns whether `count` shards give the results of all steps if each ends as end_within decides. A shard exceeds the
// limit only if it gives the result of a single step.
static bool suffices(const struct shards_request *r, int count, int64_t warm, double limit) {
    int64_t step = 0;
    for (int i = 0; i < count; i++) step = end_within(r, count, i, warm, step, limit);
    return step == r->steps;
}

// Returns the least limit that suffices, found by bisection. The longest shard has this number of cycles, or more if it
// gives the result of a single step and so cannot be made shorter.
static double shortest_limit(const struct shards_request *r, int count, int64_t warm) {
    double low = 0, high = cycles_of(r, warm, 0, r->steps);
    for (int halvings = 0; halvings < 50; halvings++) {
        double middle = (low + high) / 2;
        if (suffices(r, count, warm, middle)) high = middle;
        else low = middle;
    }
    return high;
}

int shards_divide(const struct shards_request *r, int most, int64_t warm, struct shard *shard) {
    int count = (int64_t)most < r->steps ? most : (int)r->steps;
    double limit = shortest_limit(r, count, warm);
    int64_t step = 0;
    for (int i = 0; i < count; i++) {
        struct shard *s = &shard[i];
        *s = (struct shard){.begin = step};
        s->end = step = end_within(r, count, i, warm, step, limit);
        s->first = first_of(s->begin, warm);
        s->last = last_of(r, s->end);
        s->from = shards_position(r, s->first);
        end_after(r, s);
    }
    return count;
}
