// SPDX-License-Identifier: Apache-2.0
// Tests requests in shards (gen/shards): the division of a request, the check of a shard's result, and the join of all
// results.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "gen/shards/shards.h"

enum { SHARDS = 3, WARM = 2 }; // WARM: steps that a shard simulates before its own steps

static struct arena arena;
static const uint32_t prompt[] = {1, 2, 3, 4, 5};
static const uint32_t ids[] = {10, 11, 12, 13, 14, 15, 16};
static const char *hashes[] = {"h0", "h1", "h2", "h3", "h4", "h5", "h6"};
// A request with 5 ids in the prompt, 7 generated ids and 9 steps of at most two tokens. Steps 0 to 2 process the
// prompt (they begin at positions 0, 2 and 4), and steps 3 to 8 one token each (positions 5 to 10).
// The forecast is the same for all steps.
static const struct shards_request request = {prompt, ids, hashes, 5, 7, 9, 2, 1, 1};

// Each shard gives the results of steps begin to end - 1. It simulates the steps first to last: also up to WARM steps
// before `begin`, and the first step of the next shard, so that both shards measure that step. The simulation begins at
// position `from`, and its request has `prompt` prompt tokens and `tokens` generated tokens.
static void test_divide(void **state) {
    struct shard s[SHARDS];
    (void)state;
    assert_int_equal(shards_divide(&request, SHARDS, WARM, s), SHARDS);
    const int64_t want[SHARDS][7] = {
        // begin, end, first, last, from, prompt, tokens
        {0, 4, 0, 4, 0, 5, 3},
        {4, 6, 2, 6, 4, 5, 5},
        {6, 9, 4, 8, 6, 5, 7},
    };
    for (int i = 0; i < SHARDS; i++) {
        const int64_t got[] = {s[i].begin, s[i].end, s[i].first, s[i].last, s[i].from, s[i].prompt, s[i].tokens};
        for (int k = 0; k < 7; k++) assert_int_equal(got[k], want[i][k]);
        assert_false(s[i].cut);
    }
}

static void test_divide_small(void **state) {
    struct shard s[20];
    (void)state;
    assert_int_equal(shards_divide(&request, 20, WARM, s), 9); // one step for each shard
    assert_true(s[0].cut && s[0].prompt == 4 && s[0].tokens == 1);
    assert_true(!s[1].cut && s[1].prompt == 5 && s[1].tokens == 1);
    assert_int_equal(s[8].first, 6);
}

// Returns the forecast cycles that a shard simulates.
static double cycles_of(const struct shards_request *r, int64_t first, int64_t last) {
    double cycles = 0;
    for (int64_t step = first; step <= last; step++)
        cycles += shards_position(r, step) < r->count ? r->prompt_cycles : r->token_cycles;
    return cycles;
}

// Returns the cycles of the longest shard in the best of all divisions of the steps from `begin` on into `count`
// shards.
static double best(const struct shards_request *r, int64_t begin, int count, int64_t warm) {
    int64_t first = begin > warm ? begin - warm : 0;
    if (count == 1) return cycles_of(r, first, r->steps - 1);
    double least = INFINITY;
    for (int64_t end = begin + 1; end <= r->steps - (count - 1); end++)
        least = fmin(least, fmax(cycles_of(r, first, end), best(r, end, count - 1, warm)));
    return least;
}

// No other division has a shorter longest shard, if steps of the prompt take up to seven times as long as others.
static void test_divide_best(void **state) {
    (void)state;
    for (int i = 0; i < 400; i++) {
        struct shards_request r = request;
        struct shard s[4];
        r.count = 1 + i % 8;
        r.steps = (r.count + 1) / 2 + i % 7;
        r.prompt_cycles = 1 + i % 13 * 0.5;
        int64_t warm = i % 4;
        int count = shards_divide(&r, 1 + i % 3, warm, s);
        double most = 0;
        for (int k = 0; k < count; k++) {
            assert_int_equal(s[k].begin, k ? s[k - 1].end : 0);
            most = fmax(most, cycles_of(&r, s[k].first, s[k].last));
        }
        assert_int_equal(s[count - 1].end, r.steps);
        assert_true(most <= best(&r, 0, count, warm) + 1e-9);
    }
}

// ---- results ----

struct result {
    long long from, first_step, values, steps, made, late; // late: additional cycles of the last step
    uint32_t id;                                           // replaces the last id
    const char *hash, *match, *error;                      // match, error: JSON texts
};

// Returns the result of a shard in which all is right.
static struct result good(const struct shard *s) {
    return (struct result){
        s->from, s->first, 100, s->last - s->first + 1, s->tokens, 0, ids[s->tokens - 1], hashes[s->tokens - 1],
        "true",  "null"};
}

static void write_result(const char *path, const struct result *r) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "{\"prompt_ids\": [1, 2, 3, 4, 5], \"token_ids\": [");
    for (long long i = 0; i < r->made; i++) fprintf(file, "%s%u", i ? ", " : "", i == r->made - 1 ? r->id : ids[i]);
    fprintf(file, "], \"from\": %lld, \"first_step\": %lld, \"step_ends\": [", r->from, r->first_step);
    for (long long i = 0; i < r->steps; i++)
        fprintf(file, "%s%lld", i ? ", " : "", 50 + 1000 * (i + 1) + (i == r->steps - 1 ? r->late : 0));
    fprintf(file,
            "], \"cycle_start\": 50, \"logits_register\": \"%s\", \"match\": %s, \"error\": %s, "
            "\"values_compared\": %lld}",
            r->hash, r->match, r->error, r->values);
    assert_int_equal(fclose(file), 0);
}

// Writes the result file of a shard and judges it. Returns the state of the shard.
static enum shard_end judged(struct shard *s, const struct result *r) {
    const char *path = arena_printf(&arena, "/tmp/test_shards.%d.json", (int)getpid());
    write_result(path, r);
    shard_judge(&arena, &request, path, s);
    unlink(path);
    return s->state;
}

static void divide(struct shard *s) { assert_int_equal(shards_divide(&request, SHARDS, WARM, s), SHARDS); }

static void test_judge(void **state) {
    struct shard s[SHARDS];
    (void)state;
    divide(s);
    struct result r = good(&s[1]);
    assert_int_equal(judged(&s[1], &r), SHARD_PASSED);
    assert_int_equal(s[1].cycles[4], 1000);
    shard_judge(&arena, &request, "/tmp/no/such/file", &s[1]);
    assert_int_equal(s[1].state, SHARD_DIED);
}

static void differs(struct result r, const char *why) {
    struct shard s[SHARDS];
    divide(s);
    assert_int_equal(judged(&s[1], &r), SHARD_DIFFERS);
    assert_non_null(strstr(s[1].why, why));
}

static void test_judge_wrong(void **state) {
    struct shard s[SHARDS];
    (void)state;
    divide(s);
    struct result r = good(&s[1]);
    r.error = "\"mismatch\"", differs(r, "mismatch"), r = good(&s[1]);
    r.match = "false", differs(r, "does not match"), r = good(&s[1]);
    r.from++, differs(r, "it began at position 5 instead of 4"), r = good(&s[1]);
    r.first_step++, differs(r, "it began"), r = good(&s[1]);
    r.values = 0, differs(r, "nothing was compared"), r = good(&s[1]);
    r.steps--, differs(r, "4 steps instead of 5"), r = good(&s[1]);
    r.made--, r.id = ids[3], differs(r, "4 tokens instead of 5"), r = good(&s[1]);
    r.id = 9, differs(r, "token 4 differs"), r = good(&s[1]);
    r.hash = "h3", differs(r, "logits_hash is h3 instead of h4"), r = good(&s[1]);
    // The last step takes 0 cycles, so no value of it can have been compared.
    r.late = -1000, differs(r, "nothing of step 6 was compared");
}

// ---- the join of all results ----

static void pass_all(struct shard *s) {
    divide(s);
    for (int i = 0; i < SHARDS; i++) {
        struct result r = good(&s[i]);
        assert_int_equal(judged(&s[i], &r), SHARD_PASSED);
    }
}

static const char *joined(const struct shard *s, int count) {
    struct shards_sum sum = shards_join(&arena, &request, s, count, WARM, true);
    return sum.why;
}

static void test_join(void **state) {
    struct shard s[SHARDS];
    (void)state;
    pass_all(s);
    struct shards_sum sum = shards_join(&arena, &request, s, SHARDS, WARM, true);
    assert_null(sum.why);
    assert_int_equal(sum.cycles, 9000);
    assert_int_equal(sum.values, 300);
    assert_int_equal(sum.seams, 2);
    assert_int_equal(sum.cold, 4);
}

static void test_join_wrong(void **state) {
    struct shard s[SHARDS];
    (void)state;
    pass_all(s);
    assert_string_equal(joined(s, SHARDS - 1), "6 of 9 steps");
    s[2] = s[1];
    assert_string_equal(joined(s, SHARDS), "shard 2 begins with step 4 instead of 6");
    pass_all(s);
    s[1].state = SHARD_LATE;
    assert_string_equal(joined(s, SHARDS), "shard 1 is late");
    pass_all(s);
    s[0].last--; // without the step that both shards simulate
    assert_string_equal(joined(s, SHARDS), "step 4, the first of shard 1, is not in the shard before");
    pass_all(s);
    s[1].cycles[2] = 0;
    assert_string_equal(joined(s, SHARDS), "step 4 was not simulated");
}

static void test_join_seam(void **state) {
    struct shard s[SHARDS];
    (void)state;
    pass_all(s);
    struct result r = good(&s[0]);
    r.late = 84; // the most that is allowed: 2 % plus 64 cycles
    assert_int_equal(judged(&s[0], &r), SHARD_PASSED);
    assert_null(joined(s, SHARDS));
    r.late = 85;
    assert_int_equal(judged(&s[0], &r), SHARD_PASSED);
    assert_string_equal(joined(s, SHARDS), "step 4 takes 1085 cycles in one shard and 1000 in the next");
    assert_null(shards_join(&arena, &request, s, SHARDS, WARM, false).why); // not exact: random memory delays
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_divide),     cmocka_unit_test(test_divide_small), cmocka_unit_test(test_divide_best),
        cmocka_unit_test(test_judge),      cmocka_unit_test(test_judge_wrong),  cmocka_unit_test(test_join),
        cmocka_unit_test(test_join_wrong), cmocka_unit_test(test_join_seam),
    };
    arena_init(&arena);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(&arena);
    return failed;
}
