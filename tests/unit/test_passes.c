// SPDX-License-Identifier: Apache-2.0
// Tests the table of passes. The invariant of each pass must hold for a finished design and detect a design that breaks
// it. If a later pass breaks it, an error must say so.
#include "tests/unit/image_fixture.h"

#include "gen/kernel/kernel.h"
#include "gen/pass/pass.h"

static const char spec[] =
    "name: t\nmodel: {family: llama, layers: 2, hidden: 96, heads: 6, kv_heads: 3, head_dim: 16, ffn: 32, vocab: 61, "
    "context: 128}\nboard: u55c\ndesign: {channels: 2, beat_bits: 512, T: 2, fifo: safe, dies: 2, on_chip_kib: 40}\n";

// Returns the first stream whose name contains `name`.
static int named(const struct ir *ir, const char *name) {
    for (int e = 0; e < ir->edges; e++)
        if (strstr(ir->edge[e].name, name)) return e;
    fail_msg("no stream %s", name);
    return 0;
}

static struct ir_port *reader(struct ir *ir, const char *edge) {
    const struct ir_edge *e = &ir->edge[named(ir, edge)];
    return &ir->kernel[e->dst_kernel].port[e->dst_port];
}

// Each of these functions breaks the invariant of one pass (see cases).
static void lose_an_attribute(struct ir *ir) { ir->node[0].attrs.count = 0; }
static void lose_a_shape(struct ir *ir) { ir->tensor[1].rank = 0; }
static void forget_the_output(struct ir *ir) { ir->outputs = 0; }
static void repeat_a_dimension(struct ir *ir) {
    ir->node[1].orders = 2;
    ir->node[1].order[0] = ir->node[1].order[1] = 1;
}
static void lose_the_lanes(struct ir *ir) { ir->node[1].lanes = 0; }
static void lose_a_kernel(struct ir *ir) {
    for (int k = 0; k < ir->kernels; k++)
        if (ir->kernel[k].node == 0) ir->kernel[k].node = IR_NONE;
}
static void lose_a_writer(struct ir *ir) { reader(ir, "to_norm")->edge = IR_NONE; }
static void widen_a_reader(struct ir *ir) { reader(ir, "to_norm")->data_bits *= 2; }
static void widen_a_converter(struct ir *ir) { reader(ir, "to_engine_width")->data_bits *= 2; }
static void leave_a_group(struct ir *ir) { ir->group[0].nodes--; }
static void put_two_in_one_place(struct ir *ir) { ir->segment[1].offset = ir->segment[0].offset; }
static void lose_the_steps(struct ir *ir) { reader(ir, "to_step_fork")->edge = IR_NONE; }
static void lose_a_branch(struct ir *ir) {
    int k = kernel_first(ir, KERNEL_FORK);
    ir->kernel[k].port[ir->kernel[k].ports - 1].edge = IR_NONE;
}
static void lose_a_place(struct ir *ir) { ir->edge[3].depth = 1; }
static void share_a_port(struct ir *ir) {
    ir->edge[0].pool = ir->edge[1].pool = 0;
    ir->edge[0].pool_port = ir->edge[1].pool_port = 1;
}
static void lose_a_memory(struct ir *ir) { ir->edge[3].ram_style = RAM_AUTO, ir->edge[3].pool = IR_NONE; }
static void move_a_kernel(struct ir *ir) { ir->kernel[ir->edge[named(ir, "to_norm")].dst_kernel].die = 7; }
static void run_ahead(struct ir *ir) { ir->edge[0].run_ahead = 1; }

static const struct {
    const char *pass;
    void (*breaks)(struct ir *);
} cases[] = {{"expand-model", lose_an_attribute},
             {"infer-types", lose_a_shape},
             {"drop-unread", forget_the_output},
             {"choose-orders", repeat_a_dimension},
             {"choose-lanes", lose_the_lanes},
             {"bind-operations", lose_a_kernel},
             {"route-streams", lose_a_writer},
             {"insert-layouts", widen_a_reader},
             {"insert-converters", widen_a_converter},
             {"fuse-groups", leave_a_group},
             {"insert-dma", put_two_in_one_place},
             {"insert-control", lose_the_steps},
             {"split-forks", lose_a_branch},
             {"size-fifos", lose_a_place},
             {"overlay-fifos", share_a_port},
             {"allocate-memories", lose_a_memory},
             {"place-dies", move_a_kernel},
             {"mark-ahead", run_ahead}};

static void test_invariants(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct image_fixture x;
        image_begin(&x);
        assert_non_null(pass_table[i].name);
        assert_string_equal(pass_table[i].name, cases[i].pass);
        struct ir *ir = image_build(&x, spec, NULL);
        const char *broken = pass_table[i].invariant(ir);
        if (broken) fail_msg("%s: broken at %s", cases[i].pass, broken);
        cases[i].breaks(ir);
        if (!pass_table[i].invariant(ir)) fail_msg("%s: not found", cases[i].pass);
        image_end(&x);
    }
    assert_null(pass_table[COUNT_OF(cases)].name);
}

// If a later pass breaks the invariant of an earlier one, the message must name the later pass and the invariant.
static void test_later_pass(void **state) {
    (void)state;
    struct image_fixture x;
    image_begin(&x);
    struct ir *ir = image_build(&x, spec, NULL);
    ir->node[1].lanes = 0;
    assert_false(pass_run((int)COUNT_OF(cases) - 1, ir, NULL, &x.f.diag));
    assert_reported(&x.f, "breaks the rule of choose-lanes: Every operation has at least one lane.");
    assert_reported(&x.f, "internal: after mark-ahead");
    image_end(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_invariants), cmocka_unit_test(test_later_pass)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
