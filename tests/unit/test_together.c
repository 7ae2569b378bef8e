// SPDX-License-Identifier: Apache-2.0
// Tests query heads that read keys and values together (`query_heads`): the number of such heads, the firings of the
// engine and their order, and the tables of the walkers. Compares the reads and the work of a step in the cost model
// with the timing simulator.
#include "tests/unit/step_beats.h"

#include "gen/ir/fields.h"
#include "gen/kernel/kernel.h"
#include "gen/kernel/kv_cache.h"
#include "gen/ir/ops.h"
#include "gen/ir/schedule.h"

enum { HEADS = 6, GROUP = 3 }; // GROUP: query heads of each KV head

static struct ir *build(struct image_fixture *x, int channels, int query_heads, const char *more) {
    static const char *const text =
        "name: t\nmodel: {family: llama, layers: 2, hidden: 48, heads: 6, kv_heads: 2, head_dim: 16, ffn: 40, "
        "vocab: 50, context: 300}\n"
        "design: {channels: %d, lanes: 4, beat_bits: 256, group: 64, query_heads: %d, fifo: safe, %s}\n";
    return image_build(x, arena_printf(&x->f.arena, text, channels, query_heads, more), NULL);
}

static int scores_of(const struct ir *ir) {
    int n = 0;
    while (!ir_node_is(ir, n, OP_BY_KEYS)) n++;
    return n;
}

// Checks that the number of heads that read together is the largest divisor of GROUP that `query_heads` and T allow.
static void test_how_many(void **state) {
    (void)state;
    static const struct {
        int query_heads, together;
        const char *tokens;
    } of[] = {{1, 1, "T: 8"}, {2, 1, "T: 8"}, {3, 3, "T: 8"}, {8, 3, "T: 8"}, {8, 3, "T: 4"}, {8, 1, "T: 2"}};
    for (size_t i = 0; i < COUNT_OF(of); i++) {
        struct image_fixture x;
        image_begin(&x);
        const struct ir *ir = build(&x, 4, of[i].query_heads, of[i].tokens);
        assert_int_equal(kv_together(ir, scores_of(ir)), of[i].together);
        image_end(&x);
    }
}

// Checks that every head is in one firing of each kind in steps of one token. `want` lists these firings in their
// order, each as `s` (scores) or `v` (values) followed by the number of its KV head.
static void check_order(const struct ir *ir, const char *want) {
    char order[64] = "";
    size_t length = 0;
    int64_t scores = 0, values = 0;
    for (int f = 0; f < ir->firings; f++) {
        const struct ir_firing *firing = &ir->firing[f];
        if (firing->mode <= ENGINE_MODE_INT4 || firing->many) {
            assert_int_equal(firing->heads, 0);
            continue;
        }
        assert_int_equal(firing->heads, GROUP);
        *(firing->mode == ENGINE_MODE_SCORES ? &scores : &values) += firing->heads;
        order[length++] = firing->mode == ENGINE_MODE_SCORES ? 's' : 'v';
        order[length++] = (char)('0' + firing->kv_head);
        if (firing->mode == ENGINE_MODE_VALUES) assert_false(firing->kv_keep);
    }
    assert_int_equal(scores, HEADS);
    assert_int_equal(values, HEADS);
    assert_string_equal(order, want);
}

static void test_order(void **state) {
    (void)state;
    struct image_fixture x;
    image_begin(&x);
    check_order(build(&x, 4, 8, "T: 4"), "s0s1v0v1");
    image_end(&x);
    image_begin(&x);
    const struct ir *ir = build(&x, 12, 8, "T: 4, binding: spatial");
    check_order(ir, "s0v0s1v1");
    for (int f = 0; f < ir->firings; f++) // The last head of a group also fires in steps of one token.
        if (ir->firing[f].mode == ENGINE_MODE_SCORES)
            assert_true(ir->firing[f].many == (ir->firing[f].head % GROUP < 2));
    image_end(&x);
}

// Counts the entries of this kind in the walkers' tables: all of them, and those for steps of one token.
static void count_entries(struct image_fixture *x, const struct ir *ir, enum field_value kind, int count[2]) {
    for (int e = 0; e < ir->engines; e++) {
        struct schedule_table t;
        assert_true(schedule_read(&x->f.arena, &ir->kernel[ir->engine[e].walker], SEGMENT_BITS, &t));
        for (int64_t i = 0; i < t.entries; i++) {
            if (schedule_at(&t, i, SEGMENT_KIND) != kind) continue;
            count[0]++;
            count[1] += !t.many || !t.many[i];
        }
    }
}

// Checks that walkers read keys and values once for each head, and in steps of one token once for each group of heads
// that fire together.
static void test_walkers(void **state) {
    (void)state;
    static const struct {
        int channels;
        const char *design;
    } of[] = {{4, "T: 4"}, {12, "T: 4, binding: spatial"}};
    for (size_t i = 0; i < COUNT_OF(of); i++) {
        struct image_fixture x;
        int keys[2] = {0}, values[2] = {0};
        image_begin(&x);
        const struct ir *ir = build(&x, of[i].channels, 8, of[i].design);
        count_entries(&x, ir, SEGMENT_KIND_K, keys);
        count_entries(&x, ir, SEGMENT_KIND_V, values);
        assert_true(keys[0] == HEADS && keys[1] == HEADS / GROUP);
        assert_true(values[0] == HEADS && values[1] == HEADS / GROUP);
        image_end(&x);
    }
}

static int64_t channels_of_values(const struct ir *ir) {
    int n = 0;
    while (!ir_node_is(ir, n, OP_BY_VALUES)) n++;
    return ir->engine[ir_engine_of(ir, n)].channels;
}

// Compares the beats of heads that read together with those of heads that read separately. In a step of one token, only
// the keys and values of 2 heads instead of 6 must be read, in each of 2 layers. In a step of several tokens, the beats
// must be equal.
static void check_reads(int channels, const char *more) {
    static const int64_t at[] = {0, 4, 64, 100, 256};
    struct image_fixture x, y;
    image_begin(&x);
    image_begin(&y);
    const struct ir *each = build(&x, channels, 1, more), *together = build(&y, channels, 8, more);
    for (size_t i = 0; i < COUNT_OF(at); i++) {
        int64_t before, after, key_channels = ir_key_channels(each), value_channels = channels_of_values(each);
        before = check_step_beats(each, at[i], 1);
        after = check_step_beats(together, at[i], 1);
        int64_t keys = (at[i] + key_channels - 1) / key_channels,
                values = at[i] / 64 * 2 * ((16 + value_channels - 1) / value_channels);
        assert_int_equal(before - after, 2 * (HEADS - HEADS / GROUP) * (keys + values));
        before = check_step_beats(each, at[i], 4);
        after = check_step_beats(together, at[i], 4);
        assert_int_equal(before, after);
    }
    image_end(&x);
    image_end(&y);
}

static void test_reads(void **state) {
    (void)state;
    check_reads(4, "T: 4");
    check_reads(3, "T: 4, A: 2");
    check_reads(12, "T: 4, binding: spatial");
}

// Checks that a request with alternating steps of one and of several tokens ends. Kernels that count firings must use
// the count that belongs to each kind of step.
static void test_steps(void **state) {
    (void)state;
    struct timing_step step[] = {timing_step_at(0, 1, false), timing_step_at(1, 4, false), timing_step_at(5, 1, false),
                                 timing_step_at(6, 1, false), timing_step_at(7, 3, true),  timing_step_at(10, 1, true)};
    struct image_fixture x;
    image_begin(&x);
    const struct ir *ir = build(&x, 4, 8, "T: 4");
    const char *missing = NULL;
    struct timing_options o = {.step = step, .steps = COUNT_OF(step), .memory = timing_memory_at(ir, 0)};
    struct timing_result *r = timing_simulate(&x.f.arena, ir, &o, &missing);
    assert_non_null(r);
    assert_null(r->stuck);
    image_end(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_how_many), cmocka_unit_test(test_order), cmocka_unit_test(test_walkers),
        cmocka_unit_test(test_reads),    cmocka_unit_test(test_steps),
    };
    return cmocka_run_group_tests_name("together", tests, NULL, NULL);
}
