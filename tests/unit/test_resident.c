// SPDX-License-Identifier: Apache-2.0
// Tests engines whose weights stay on chip: which engines they are, their lanes, the store of their weights, the order
// of the weights in the image, and the beats that a step reads.
#include "tests/unit/step_beats.h"

#include "gen/ir/fields.h"
#include "gen/ir/schedule.h"
#include "gen/kernel/kernel.h"

#include <string.h>

// Builds a graph of three products, which have 40 rows of 96 weights, 24 rows of 40, and 5 rows of 24. design: keys of
// the section `design`.
static struct ir *build(struct image_fixture *x, const char *design) {
    static const char *const text = "name: t\n"
                                    "graph:\n"
                                    "  inputs: {x: {shape: [96]}}\n"
                                    "  outputs: [z]\n"
                                    "  regions:\n"
                                    "    - name: all\n"
                                    "      ops:\n"
                                    "        - {op: linear, name: a, in: [x], rows: 40, weight: wa}\n"
                                    "        - {op: linear, name: b, in: [a], rows: 24, weight: wb}\n"
                                    "        - {op: linear, name: z, in: [b], rows: 5, weight: wz}\n"
                                    "design: {lanes: 4, beat_bits: 256, group: 64, fifo: safe, %s}\n";
    return image_build(x, arena_printf(&x->f.arena, text, design), NULL);
}

// Checks the engines of a design. want: the lanes of each engine, with `*` if the weights of the engine stay on chip.
static void check_engines(const char *design, const char *want) {
    struct image_fixture x;
    struct text have = {0};
    image_begin(&x);
    const struct ir *ir = build(&x, design);
    for (int e = 0; e < ir->engines; e++) {
        const struct ir_engine *engine = &ir->engine[e];
        text_addf(&have, "%s%d%s", e ? " " : "", engine->lanes, ir_is_resident(engine) ? "*" : "");
        assert_int_equal(ir_param_int(&ir->kernel[engine->kernel], "CHANNELS", 0), engine->lanes);
        assert_true(ir_is_resident(engine) == (engine->store != IR_NONE));
        if (ir_is_resident(engine))
            assert_int_equal(ir_param_int(&ir->kernel[engine->store], "LANES", 0), engine->lanes);
    }
    assert_string_equal(have.data, want);
    text_free(&have);
    image_end(&x);
}

static void test_engines(void **state) {
    (void)state;
    check_engines("channels: 2", "2");
    check_engines("channels: 2, resident: all", "2*");
    check_engines("channels: 1, resident: all, resident_lanes: 7", "7*");
    check_engines("channels: 1, resident: all, resident_lanes: 80", "32*");
    check_engines("channels: 1, resident: auto, resident_lanes: 7", "7*");
    check_engines("channels: 6, binding: spatial", "3 2 1");
    check_engines("channels: 1, resident: all, binding: spatial", "1* 1* 1*");
    check_engines("channels: 1, resident: all, resident_lanes: 12, binding: spatial", "8* 3* 1*");
    check_engines("channels: 1, resident: all, resident_lanes: 256, binding: spatial", "32* 32* 32*");
}

// Engines that read a cache keep their channels, and the others need none.
static void test_attention(void **state) {
    (void)state;
    struct image_fixture x;
    image_begin(&x);
    const struct ir *ir = image_build(
        &x, image_tinystories(&x, "  channels: 3\n  binding: spatial\n  resident: all\n  resident_lanes: 20\n"), NULL);
    int lanes = 0, channels = 0;
    for (int e = 0; e < ir->engines; e++) {
        lanes += ir_is_resident(&ir->engine[e]) ? ir->engine[e].lanes : 0;
        channels += ir->engine[e].channels;
    }
    assert_int_equal(lanes, 20);
    assert_int_equal(channels, 3); // channels of the engines for scores and values
    image_end(&x);
}

// Returns the first segment of a product's weights.
static const struct ir_segment *weights_of(const struct ir *ir, const char *node) {
    for (int s = 0; s < ir->segments; s++)
        if (ir->segment[s].kind == IR_SEG_WEIGHTS && !strcmp(ir->segment[s].name, node)) return &ir->segment[s];
    fail_msg("no weights of `%s`", node);
    return NULL;
}

static uint8_t *read_segment(struct image_fixture *x, const char *dir, int channel, const struct ir_segment *s) {
    FILE *f = fopen(arena_printf(&x->f.arena, "%s/channel_%02d.bin", dir, channel), "rb");
    uint8_t *data = arena_alloc(&x->f.arena, (size_t)s->bytes, 1);
    assert_non_null(f);
    assert_int_equal(fseek(f, (long)s->offset, SEEK_SET), 0);
    assert_int_equal(fread(data, 1, (size_t)s->bytes, f), (size_t)s->bytes);
    fclose(f);
    return data;
}

// The store gets beat 0 of each lane, then beat 1 of each lane, and so on. Lane l has the beats that channel l has in a
// design whose lanes read memory.
static void test_image(void **state) {
    (void)state;
    static const char *const node[] = {"a_acc", "b_acc", "z_acc"};
    enum { LANES = 3, BEAT = 32 };
    struct image_fixture x;
    image_begin(&x);
    const struct ir *far = build(&x, "channels: 3"), *near = build(&x, "channels: 1, resident: all, resident_lanes: 3");
    const char *there = image_pack(&x, far, "random:3", "far"), *here = image_pack(&x, near, "random:3", "near");
    for (size_t n = 0; n < COUNT_OF(node); n++) {
        const struct ir_segment *apart = weights_of(far, node[n]), *all = weights_of(near, node[n]);
        assert_int_equal(all->bytes, LANES * apart->bytes);
        assert_int_equal(all->channel, 0);
        const uint8_t *stored = read_segment(&x, here, 0, all);
        for (int lane = 0; lane < LANES; lane++) {
            const uint8_t *beats = read_segment(&x, there, lane, apart);
            for (int64_t b = 0; b < apart->bytes / BEAT; b++)
                assert_memory_equal(stored + (b * LANES + lane) * BEAT, beats + b * BEAT, BEAT);
        }
    }
    image_end(&x);
}

// The weights of an engine's products are stored one after another. The depth of the store must be the number of beats
// that all products have in one lane.
static void test_store(void **state) {
    (void)state;
    struct image_fixture x;
    image_begin(&x);
    const struct ir *ir = build(&x, "channels: 1, resident: all, resident_lanes: 3");
    const struct ir_segment *a = weights_of(ir, "a_acc"), *b = weights_of(ir, "b_acc"), *z = weights_of(ir, "z_acc");
    assert_int_equal(b->offset, a->offset + a->bytes);
    assert_int_equal(z->offset, b->offset + b->bytes);
    // Row-steps of 3, 2 and 1 beats, and a beat of parameters for 4 row-steps.
    const int beats = 14 * 3 + 4 + 8 * 2 + 2 + 2 * 1 + 1;
    assert_int_equal(ir_param_int(&ir->kernel[ir->engine[0].store], "DEPTH", 0), beats);
    assert_int_equal(check_step_beats(ir, 0, 1), beats);
    struct cost_load load = cost_load_new(ir);
    cost_load_add(ir, &load, &(struct cost_step){0, 1, true});
    assert_int_equal(load.channel[0], 12 + 1); // a row of x and a row of z
    image_end(&x);
}

// After the first step, the engine never waits for weights.
static void test_speed(void **state) {
    (void)state;
    struct timing_step step[] = {timing_step_at(0, 1, true), timing_step_at(1, 1, true), timing_step_at(2, 1, true),
                                 timing_step_at(3, 1, true)};
    struct image_fixture x;
    image_begin(&x);
    const struct ir *ir = build(&x, "channels: 1, resident: all, resident_lanes: 3");
    const char *missing = NULL;
    struct timing_options o = {.step = step, .steps = COUNT_OF(step), .memory = timing_memory_at(ir, 0)};
    struct timing_result *r = timing_simulate(&x.f.arena, ir, &o, &missing);
    assert_non_null(r);
    assert_null(r->stuck);
    for (int f = ir->firings; f < ir->firings * (int)COUNT_OF(step); f++)
        assert_int_equal(r->firing[f].wait[TIMING_FOR_BEATS], 0);
    image_end(&x);
}

// Checks that a design is refused with this message.
static void check_refused(const char *design, const char *message) {
    struct image_fixture x;
    image_begin(&x);
    const char *path = image_path(&x, "spec.yaml"), *spec = image_tinystories(&x, design);
    write_file(path, spec, strlen(spec));
    command_build(path, &x.f.arena, &x.f.diag, NULL);
    assert_reported(&x.f, message);
    image_end(&x);
}

static void test_refused(void **state) {
    (void)state;
    check_refused("  channels: 4\n  resident: all\n", "design.resident is `all`, but attn_scores");
    check_refused("  channels: 16\n  resident: all\n  binding: spatial\n  resident_lanes: 2\n",
                  "design.resident_lanes is 2, but");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_engines), cmocka_unit_test(test_attention), cmocka_unit_test(test_image),
        cmocka_unit_test(test_store),   cmocka_unit_test(test_speed),     cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests_name("resident", tests, NULL, NULL);
}
