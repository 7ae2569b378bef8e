// SPDX-License-Identifier: Apache-2.0
// Reads the result files of the simulations, compares them with the results of the replay, and joins them into a
// verdict about the whole request.
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "gen/shards/shards.h"

enum { MOST_BYTES = 1 << 30 }; // size limit of a result file

// Reads a JSON file; *hash receives the hash of its bytes. NULL after an error, which *why describes.
static json_t *read_json(struct arena *arena, const char *path, uint64_t *hash, const char **why) {
    size_t len;
    json_error_t error;
    const char *text = file_read(arena, path, MOST_BYTES, &len, why);
    json_t *root = text ? json_loadb(text, len, 0, &error) : NULL;
    if (text && !root) *why = arena_printf(arena, "%s: %s", path, error.text);
    if (root) *hash = bytes_hash(text, len);
    return root;
}

// Returns an integer of the result, or -1 if it is absent.
static int64_t number(const json_t *root, const char *key) {
    const json_t *value = json_object_get(root, key);
    return json_is_integer(value) ? json_integer_value(value) : -1;
}

static const uint32_t *ids_of(struct arena *arena, const json_t *root, const char *key, int64_t *count) {
    const json_t *list = json_object_get(root, key);
    *count = (int64_t)json_array_size(list);
    uint32_t *ids = ARENA_ARRAY(arena, uint32_t, (size_t)*count + 1);
    for (int64_t i = 0; i < *count; i++) ids[i] = (uint32_t)json_integer_value(json_array_get(list, (size_t)i));
    return ids;
}

// Reads the request from the replay's JSON file. Lists that are absent become empty, and numbers -1.
static struct shards_request *take_request(struct arena *arena, const json_t *root) {
    struct shards_request *r = ARENA_NEW(arena, struct shards_request);
    const json_t *hashes = json_object_get(root, "logits_hashes");
    r->prompt = ids_of(arena, root, "prompt_ids", &r->count);
    r->ids = ids_of(arena, root, "token_ids", &r->made);
    r->steps = number(root, "steps");
    r->tokens = number(root, "tokens_per_step");
    r->prompt_cycles = json_number_value(json_object_get(root, "prompt_step_cycles"));
    r->token_cycles = json_number_value(json_object_get(root, "token_step_cycles"));
    r->hashes = ARENA_ARRAY(arena, const char *, (size_t)r->made + 1);
    for (int64_t i = 0; i < r->made; i++) {
        const char *hash = json_string_value(json_array_get(hashes, (size_t)i));
        r->hashes[i] = arena_strdup(arena, hash ? hash : "");
    }
    return r;
}

struct shards_request *shards_read_request(struct arena *arena, const char *path, const char **why) {
    uint64_t hash;
    json_t *root = read_json(arena, path, &hash, why);
    if (!root) return NULL;
    struct shards_request *r = take_request(arena, root);
    json_decref(root);
    if (r->count > 0 && r->made > 0 && r->steps > 0 && r->tokens > 0 && r->prompt_cycles > 0 && r->token_cycles > 0)
        return r;
    *why = arena_printf(arena, "%s: not the result of `--write-state`", path);
    return NULL;
}

// ---- one shard ----

static const char *string(const json_t *root, const char *key) {
    const char *value = json_string_value(json_object_get(root, key));
    return value ? value : "";
}

// Compares a shard's token ids, and the hash of its last logits, with those of the whole request. Returns the first
// difference, or NULL. If the shard is cut, only the prompt and the number of tokens are compared.
static const char *ids_fault(struct arena *arena, const struct shards_request *r, const struct shard *s,
                             const json_t *root) {
    int64_t count, made;
    const uint32_t *prompt = ids_of(arena, root, "prompt_ids", &count), *ids = ids_of(arena, root, "token_ids", &made);
    if (count != s->prompt || memcmp(prompt, r->prompt, (size_t)count * sizeof *prompt) != 0)
        return "its prompt is another one";
    if (made != s->tokens)
        return arena_printf(arena, "%lld tokens instead of %lld", (long long)made, (long long)s->tokens);
    if (s->cut) return NULL;
    for (int64_t i = 0; i < made; i++)
        if (ids[i] != r->ids[i]) return arena_printf(arena, "token %lld differs", (long long)i);
    if (strcmp(string(root, "logits_register"), r->hashes[made - 1]) != 0)
        return arena_printf(arena, "logits_hash is %s instead of %s", string(root, "logits_register"),
                            r->hashes[made - 1]);
    return NULL;
}

// Gets the cycles of each step, from the cycles at which the steps end. A step ends when the last stream has finished
// it. Returns NULL, or a fault.
static const char *take_cycles(struct arena *arena, struct shard *s, const json_t *root) {
    const json_t *ends = json_object_get(root, "step_ends");
    int64_t count = s->last - s->first + 1, before = number(root, "cycle_start");
    if ((int64_t)json_array_size(ends) != count)
        return arena_printf(arena, "%lld steps instead of %lld", (long long)json_array_size(ends), (long long)count);
    s->cycles = ARENA_ARRAY(arena, uint64_t, (size_t)count + 1);
    for (int64_t i = 0; i < count; i++) {
        int64_t end = json_integer_value(json_array_get(ends, (size_t)i));
        if (end <= before) return arena_printf(arena, "nothing of step %lld was compared", (long long)(s->first + i));
        s->cycles[i] = (uint64_t)(end - before);
        before = end;
    }
    return NULL;
}

// Checks a shard's result against the plan and the request. Returns the first fault, or NULL.
static const char *fault_of(struct arena *arena, const struct shards_request *r, struct shard *s, const json_t *root) {
    const char *error = string(root, "error");
    if (*error) return arena_strdup(arena, error);
    if (!json_is_true(json_object_get(root, "match"))) return "it does not match";
    if (number(root, "from") != s->from || number(root, "first_step") != s->first)
        return arena_printf(arena, "it began at position %lld instead of %lld", (long long)number(root, "from"),
                            (long long)s->from);
    s->values = (uint64_t)number(root, "values_compared");
    if (number(root, "values_compared") < 1) return "nothing was compared";
    const char *why = ids_fault(arena, r, s, root);
    return why ? why : take_cycles(arena, s, root);
}

void shard_judge(struct arena *arena, const struct shards_request *r, const char *path, struct shard *s) {
    json_t *root = read_json(arena, path, &s->result, &s->why);
    s->state = SHARD_DIED;
    if (!root) return;
    s->why = fault_of(arena, r, s, root);
    s->state = s->why ? SHARD_DIFFERS : SHARD_PASSED;
    json_decref(root);
}

// ---- all shards ----

// Returns the cycles of a step in this shard; 0 if the shard does not simulate it.
static uint64_t cycles_of(const struct shard *s, int64_t step) {
    return step < s->first || step > s->last || !s->cycles ? 0 : s->cycles[step - s->first];
}

// Checks that the shards cover the request: each step belongs to one shard, and each shard also simulates the first
// step of the next one.
static const char *covered(struct arena *arena, const struct shards_request *r, const struct shard *shard, int count) {
    int64_t next = 0;
    for (int i = 0; i < count; i++) {
        const struct shard *s = &shard[i];
        if (s->state != SHARD_PASSED) return arena_printf(arena, "shard %d is %s", i, shard_ends[s->state]);
        if (s->begin != next)
            return arena_printf(arena, "shard %d begins with step %lld instead of %lld", i, (long long)s->begin,
                                (long long)next);
        for (int64_t step = s->begin; step < s->end; step++)
            if (!cycles_of(s, step)) return arena_printf(arena, "step %lld was not simulated", (long long)step);
        if (i + 1 < count && !cycles_of(s, s->end))
            return arena_printf(arena, "step %lld, the first of shard %d, is not in the shard before",
                                (long long)s->end, i + 1);
        next = s->end;
    }
    return next == r->steps ? NULL : arena_printf(arena, "%lld of %lld steps", (long long)next, (long long)r->steps);
}

// The cycles of a step may differ between two shards by SEAM_PERCENT plus SEAM_CYCLES, which is also the tolerance
// between a forecast and a simulation.
enum { SEAM_PERCENT = 2, SEAM_CYCLES = 64 };

// Compares the cycles of the step that both shards simulate: the first own step of the later one.
static void compare_seam(struct arena *arena, const struct shard *before, const struct shard *after,
                         struct shards_sum *sum) {
    uint64_t a = cycles_of(before, after->begin), b = cycles_of(after, after->begin);
    uint64_t apart = a > b ? a - b : b - a;
    double fraction = (double)apart / (double)b;
    sum->seams++;
    if (fraction > sum->most) sum->most = fraction;
    if (apart > b * SEAM_PERCENT / 100 + SEAM_CYCLES && !sum->why)
        sum->why = arena_printf(arena, "step %lld takes %" PRIu64 " cycles in one shard and %" PRIu64 " in the next",
                                (long long)after->begin, a, b);
}

struct shards_sum shards_join(struct arena *arena, const struct shards_request *r, const struct shard *shard, int count,
                              int64_t warm, bool exact) {
    struct shards_sum sum = {.why = covered(arena, r, shard, count)};
    if (sum.why) return sum;
    for (int i = 0; i < count; i++) {
        const struct shard *s = &shard[i];
        for (int64_t step = s->begin; step < s->end; step++) sum.cycles += cycles_of(s, step);
        sum.values += s->values;
        sum.cold += s->begin - s->first;
        // Compares the step that both shards simulate, if its cycles can be equal. They cannot be equal without
        // warm-up, with random memory delays, or if the earlier shard's request ends in its prompt (its last step then
        // includes the head).
        if (i > 0 && warm > 0 && exact && !shard[i - 1].cut) compare_seam(arena, &shard[i - 1], s, &sum);
    }
    return sum;
}
