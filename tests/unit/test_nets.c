// SPDX-License-Identifier: Apache-2.0
// Tests the nets of the IR, which connect kernels in addition to the streams: look-up by role and owner, the text form
// of what is connected to a port, and roles that follow from names, because a dump has only the names.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gen/ir/ir.h"

static struct arena arena;

static int setup(void **state) {
    (void)state;
    arena_init(&arena);
    return 0;
}
static int teardown(void **state) {
    (void)state;
    arena_free(&arena);
    return 0;
}

// Makes an IR with two engines (q, p), two attentions (near, far), a client that writes (out), and kernels `a` and `b`.
static struct ir *make(void) {
    struct ir *ir = ARENA_NEW(&arena, struct ir);
    ir->arena = &arena;
    ir_add_region(ir, "main", 1, IR_ALWAYS, loc_none());
    ir_add_node(ir, "near", 0, loc_none());
    ir_add_node(ir, "far", 0, loc_none());
    ir_add_engine(ir, "q", 0, 1);
    ir_add_engine(ir, "p", 1, 1);
    ir_add_kernel(ir, "a", "m", IR_NONE);
    ir_add_kernel(ir, "b", "m", IR_NONE);
    ir_add_client(ir, "out", 1, "", true, 0);
    return ir;
}

// Makes the net of a role and an owner. Checks its name, and that later look-ups find the same net.
static void assert_named(struct ir *ir, enum ir_net_role role, int of, const char *name) {
    int net = ir_net(ir, role, of);
    assert_string_equal(ir->net[net].name, name);
    assert_int_equal(ir_net(ir, role, of), net);
    assert_int_equal(ir_find_net(ir, role, of), net);
}

static void test_a_net_is_of_its_owner(void **state) {
    (void)state;
    struct ir *ir = make();
    assert_int_equal(ir_find_net(ir, IR_NET_WALKER_IDLE, 1), IR_NONE);
    assert_named(ir, IR_NET_AP_START, IR_NONE, "ap_start");
    assert_named(ir, IR_NET_WALKER_IDLE, 0, "q_walker_idle");
    assert_named(ir, IR_NET_WALKER_IDLE, 1, "p_walker_idle");
    assert_named(ir, IR_NET_K_LAYERS_DONE, 0, "near_k_layers_written");
    assert_named(ir, IR_NET_K_LAYERS_DONE, 1, "far_k_layers_written");
    assert_named(ir, IR_NET_K_LAYERS_DONE, IR_NONE, "k_layers_written");
    assert_named(ir, IR_NET_WRITTEN, 0, "out_written");
    assert_named(ir, IR_NET_STEPS_DONE, 1, "b_steps_done");
    ir = make();
    ir->engines = 1;
    assert_named(ir, IR_NET_WALKER_IDLE, 0, "walker_idle");
}

static void test_a_net_knows_its_driver(void **state) {
    (void)state;
    struct ir *ir = make();
    int net = ir_design_net(ir, IR_NET_ROW_HASH), there = ir_add_net(ir, "there");
    ir_add_wire(ir, 0, "in", false, 64, net);
    assert_int_equal(ir_driver(ir, IR_NET_ROW_HASH), IR_NONE);
    ir_add_wire(ir, 1, "out", true, 64, net);
    assert_int_equal(ir_driver(ir, IR_NET_ROW_HASH), 1);
    assert_int_equal(ir->net[net].bits, 64);
    assert_true(ir_net_is_read(ir, net));
    assert_true(ir_retie(ir, 0, net, there));
    assert_false(ir_retie(ir, 0, net, there));
    assert_false(ir_net_is_read(ir, net));
    assert_int_equal(ir_use_whole(&ir->wire[0].use), there);
}

// Checks that a text is read as a use of this kind with this number of parts, and is printed again as the same text.
static void assert_kept(struct ir *ir, const char *text, enum ir_use_kind kind, int parts) {
    struct ir_use use;
    assert_true(ir_use_read(ir, text, &use));
    assert_int_equal(use.kind, kind);
    assert_int_equal(use.parts, parts);
    assert_string_equal(ir_use_print(ir, &use), text);
}

static void test_printed_and_read_back(void **state) {
    (void)state;
    struct ir *ir = make();
    assert_kept(ir, "", IR_USE_OPEN, 0);
    assert_kept(ir, "1'b1", IR_USE_CONSTANT, 0);
    assert_kept(ir, "4096'd0", IR_USE_CONSTANT, 0);
    assert_kept(ir, "status", IR_USE_PART, 1);
    assert_kept(ir, "status[31:16]", IR_USE_PART, 1);
    assert_kept(ir, "~ap_idle", IR_USE_PART, 1);
    assert_kept(ir, "{status[3], ap_idle}", IR_USE_JOINED, 2);
    assert_kept(ir, "ap_idle & status[1]", IR_USE_AND, 2);
    assert_kept(ir, "a + b + c", IR_USE_SUM, 3);
    assert_int_equal(ir->nets, 5);
    static const char *const none[] = {"a[",   "a[1:2]", "a[x]", "a + ", "a b", "{a",
                                       "{a}b", "4'h1",   "1'b",  "3",    "~",   "a - b"};
    for (size_t i = 0; i < COUNT_OF(none); i++) assert_false(ir_use_read(ir, none[i], &(struct ir_use){0}));
}

static void test_parts_of_a_net(void **state) {
    (void)state;
    struct ir *ir = make();
    struct ir_use part, bit, all, again;
    assert_true(ir_use_read(ir, "status[31:16]", &part) && ir_use_read(ir, "status[7]", &bit));
    assert_true(ir_use_read(ir, "status", &all) && ir_use_read(ir, "status[31:16]", &again));
    assert_true(part.part->low == 16 && part.part->width == 16 && bit.part->low == 7 && bit.part->width == 1);
    assert_true(ir_use_whole(&all) == part.part->net && ir_use_whole(&part) == IR_NONE);
    assert_true(ir_use_equal(&part, &again) && !ir_use_equal(&part, &bit) && !ir_use_equal(&part, &all));
}

static void assert_role(const struct ir *ir, const char *name, enum ir_net_role role, int of) {
    for (int n = 0; n < ir->nets; n++)
        if (!strcmp(ir->net[n].name, name)) {
            assert_int_equal(ir->net[n].role, role);
            assert_int_equal(ir->net[n].of, of);
            return;
        }
    fail_msg("no net %s", name);
}

// ir_nets_complete must find role and owner of each net from the net's name. It must also refuse a port that drives
// something other than a whole net.
static void test_roles_follow_from_names(void **state) {
    (void)state;
    struct ir *ir = make();
    struct ir_use use;
    int wire;
    assert_true(
        ir_use_read(ir, "{ap_start, p_walker_idle, far_kv_layers_written, kv_layers_written, out_written}", &use));
    ir_add_use(ir, 0, "x", 5, use);
    assert_true(ir_use_read(ir, "a_steps_done + walker_idle + c_steps_done", &use));
    ir_add_use(ir, 0, "y", 5, use);
    ir_add_wire(ir, 1, "z", true, 1, 0);
    assert_true(ir_nets_complete(ir, &wire));
    assert_role(ir, "ap_start", IR_NET_AP_START, IR_NONE);
    assert_role(ir, "p_walker_idle", IR_NET_WALKER_IDLE, 1);
    assert_role(ir, "far_kv_layers_written", IR_NET_KV_LAYERS_DONE, 1);
    assert_role(ir, "kv_layers_written", IR_NET_KV_LAYERS_DONE, IR_NONE);
    assert_role(ir, "out_written", IR_NET_WRITTEN, 0);
    assert_role(ir, "a_steps_done", IR_NET_STEPS_DONE, 0);
    assert_role(ir, "walker_idle", IR_NET_PLAIN, IR_NONE);  // with two engines the name needs a prefix
    assert_role(ir, "c_steps_done", IR_NET_PLAIN, IR_NONE); // there is no kernel `c`
    assert_int_equal(ir_driver(ir, IR_NET_AP_START), 1);
    ir->wire[2].use = ir->wire[0].use;
    assert_false(ir_nets_complete(ir, &wire));
    assert_int_equal(wire, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_net_is_of_its_owner), cmocka_unit_test(test_a_net_knows_its_driver),
        cmocka_unit_test(test_printed_and_read_back), cmocka_unit_test(test_parts_of_a_net),
        cmocka_unit_test(test_roles_follow_from_names)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
