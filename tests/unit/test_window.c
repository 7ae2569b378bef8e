// SPDX-License-Identifier: Apache-2.0
// Tests sliding windows: compares the position at which reading begins with its definition, and the reads and the work
// of a step in the cost model with the timing simulator.
#include "tests/unit/step_beats.h"

#include "gen/ir/ops.h"
#include "gen/ir/window.h"

// Builds a design of three layers: the first has a window of 20 positions, the second none, the third one of 33.
static struct ir *build_gemma(struct image_fixture *x, int channels, int tokens, const char *binding) {
    static const char *const text =
        "name: t\nmodel: {family: gemma3, layers: 3, hidden: 32, heads: 4, kv_heads: 2, head_dim: 16, ffn: 40, "
        "vocab: 50, context: 460, window: 20, period: 2}\n"
        "design: {channels: %d, lanes: 4, beat_bits: 256, group: 64, T: %d, binding: %s, fifo: safe}\n";
    struct ir *ir = image_build(x, arena_printf(&x->f.arena, text, channels, tokens, binding), NULL);
    for (int n = 0; n < ir->nodes; n++) {
        static const int64_t window[] = {20, 0, 33};
        if (ir_node_is(ir, n, OP_OF_SCORES)) ir_attr_set_list(ir, &ir->node[n].attrs, "window", window, 3);
    }
    return ir;
}

static int softmax_of(const struct ir *ir) {
    int n = 0;
    while (!ir_node_is(ir, n, OP_OF_SCORES)) n++;
    return n;
}

// Checks for every position and layer that no position of the window is left out, and that reading begins as late as
// possible, but at a position where both a block (64 positions of values) and a row-step (a position of keys for each
// channel) begin. Also checks that no step reads more than window_most positions, which is the context here, as layer 1
// has no window.
static void check_begins(const struct ir *ir, int channels) {
    static const int64_t window[] = {20, 460, 33};
    int node = softmax_of(ir);
    for (int64_t pos = 0; pos < 460; pos++)
        for (int r = 0; r < 3; r++) {
            int64_t begin = window_begin(ir, node, r, pos), seen = pos - window[r] + 1, next = begin + 1;
            while (next % 64 || next % channels) next++;
            assert_true(begin % 64 == 0 && begin % channels == 0 && begin <= (seen > 0 ? seen : 0));
            assert_true(next > seen);
            assert_true(pos - begin + ir->design.tokens <= window_most(ir, node) || r == 1);
        }
}

static void test_begins(void **state) {
    (void)state;
    static const int channels[] = {1, 3, 4, 6, 7};
    for (size_t i = 0; i < COUNT_OF(channels); i++) {
        struct image_fixture x;
        image_begin(&x);
        check_begins(build_gemma(&x, channels[i], 1, "shared"), channels[i]);
        image_end(&x);
    }
}

// The positions are multiples of 4, the most tokens of a step. 0, 64, 128 and 448 begin a block. 84, 96, 148, 212 and
// 224 are the first ones from which a layer with a window begins to read at a later block, and 80 is the last one
// before 84.
static void check_steps(int channels, int tokens, const char *binding) {
    struct image_fixture x;
    image_begin(&x);
    const struct ir *ir = build_gemma(&x, channels, tokens, binding);
    static const int64_t at[] = {0, 64, 80, 84, 96, 128, 148, 212, 224, 400, 448};
    for (size_t i = 0; i < COUNT_OF(at); i++) check_step_beats(ir, at[i], tokens);
    image_end(&x);
}

static void test_steps(void **state) {
    (void)state;
    check_steps(4, 1, "shared");
    check_steps(3, 4, "shared");
    check_steps(12, 2, "spatial");
}

// Compares the beats of two steps at positions that are equally far after the place where reading begins (384 and 0).
// Layers with a window read equally much at both, so the whole difference comes from the layer without a window. With 4
// channels, each channel reads, for a head, one beat of keys for each row-step of 4 positions, and 8 beats of values
// for each complete block of 64 positions. The open block is not read from memory. The late step sees 452 positions:
// 113 row-steps and 7 complete blocks. The early one sees 68 positions: 17 row-steps and 1 complete block.
static void test_bytes(void **state) {
    (void)state;
    struct image_fixture x;
    image_begin(&x);
    const struct ir *ir = build_gemma(&x, 4, 1, "shared");
    const struct cost_step late = {451, 1, true},
                           early = {67, 1, true}; // both are 3 positions after the beginning of a block
    int64_t heads = 4, more = heads * (113 + 7 * 8) - heads * (17 + 1 * 8);
    assert_int_equal(window_begin(ir, softmax_of(ir), 0, 451), 384);
    assert_int_equal(window_begin(ir, softmax_of(ir), 2, 451), 384);
    assert_int_equal(cost_step_beats(ir, 0, &late).memory - cost_step_beats(ir, 0, &early).memory, more);
    image_end(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_begins),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_bytes),
    };
    return cmocka_run_group_tests_name("window", tests, NULL, NULL);
}
