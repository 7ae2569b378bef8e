// SPDX-License-Identifier: Apache-2.0
// Tests the signals in the emitted Verilog that go to all dies or come from all dies: every instance uses the reset of
// its die, all dies leave reset in the same cycle, and the fault of each kernel arrives as the right bit at the token
// loop.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gen/command/command.h"
#include "gen/emit/emit.h"
#include "gen/ir/ir.h"
#include "gen/kernel/kernel.h"

static struct arena arena;

struct design {
    struct ir *ir;
    const struct emit_plan *plan;
    const char *top, *placement; // texts of rill_top.v and of the placement
};

// Returns a copy of the text in the arena, and frees the text.
static const char *kept(struct text *text) {
    const char *copy = arena_printf(&arena, "%s", text_cstr(text));
    text_free(text);
    return copy;
}

static struct design design_of(const char *spec) {
    struct diag diag;
    struct text top = {0}, placement = {0};
    diag_init(&diag, stderr);
    struct design d = {.ir = command_build(spec, &arena, &diag, NULL)};
    assert_non_null(d.ir);
    d.plan = emit_plan_make(d.ir, NULL);
    emit_top(d.plan, &top);
    emit_placement(d.plan, &placement);
    d.top = kept(&top), d.placement = kept(&placement);
    return d;
}

// Returns the die on which a line places the whole instance; -1: there is no such line.
static int placed_on(const struct design *d, const char *path) {
    char pattern[240], name[32];
    for (const char *line = strstr(d->placement, "rill_place"); line; line = strstr(line + 1, "rill_place")) {
        if (sscanf(line, "rill_place pblock_%31[^ ] {%239[^}]}", name, pattern) != 2 || strcmp(pattern, path)) continue;
        for (int die = 0; die < d->ir->dies; die++)
            if (!strcmp(d->ir->die[die].name, name)) return die;
    }
    return -1;
}

// Returns the instance that a place in the text belongs to: the last ` u_<name> (` before it.
static const char *instance_at(const char *text, const char *at) {
    char name[160];
    while (at > text && strncmp(at, " u_", 3) != 0) at--;
    assert_int_equal(sscanf(at, " %159[a-zA-Z0-9_] (", name), 1);
    return arena_printf(&arena, "%s", name);
}

// Returns the part that uses the k-th of `count` resets of an instance. A link has a reset for each die on its way.
static const char *part_at(const char *instance, int k, int count) {
    if (count == 1) return instance;
    if (k == 0) return arena_printf(&arena, "%s/gen_far.u_send", instance);
    if (k == count - 1) return arena_printf(&arena, "%s/gen_far.u_fifo", instance);
    return arena_printf(&arena, "%s/gen_far.gen_way[%d].u_way", instance, k - 1);
}

// port: the port .rst of an instance. If it is connected to a wire, returns the declaration of the wire, which lists
// copies of core_rst. Otherwise returns `port`.
static const char *resets_at(const char *text, const char *port) {
    char name[160];
    if (sscanf(port, ".rst(%159[a-z0-9_])", name) != 1) return port;
    const char *wire = strstr(text, arena_printf(&arena, " %s = ", name));
    return wire ? wire : port;
}

// Checks that each reset of an instance is that of the die where its part is placed. path: path of the instance. at:
// the text that lists its resets, the last one first. Adds the resets of each die to `instances`. Returns the number of
// resets if the instance is a link, otherwise 0.
static int check_resets(const struct design *d, const char *path, const char *at, int instances[IR_MAX_DIES]) {
    int die[IR_MAX_DIES], count = 0, links = 0;
    const char *end = at + strcspn(at, ");");
    for (at = strstr(at, "core_rst_"); at && at < end; at = strstr(at + 1, "core_rst_"))
        assert_int_equal(sscanf(at, "core_rst_%d", &die[count++]), 1);
    for (int i = 0; i < count; i++) {
        int place = placed_on(d, part_at(path, count - 1 - i, count));
        if (place >= 0)
            assert_int_equal(die[i], place); // the vendor's tool may place an instance without a line anywhere
        if (count > 1) assert_true(place >= 0);
        links += count > 1;
        instances[die[i]]++;
    }
    return links;
}

static void every_instance_has_the_reset_of_its_die(void **state) {
    (void)state;
    struct design d = design_of("tests/e2e/cases/dies/spec.yaml");
    int instances[IR_MAX_DIES] = {0}, links = 0;
    for (int m = 0; m < d.plan->modules; m++) {
        const char *text = d.plan->module[m].text;
        for (const char *at = strstr(text, ".rst("); at; at = strstr(at + 1, ".rst(")) {
            const char *path = arena_printf(&arena, "%s/%s", emit_module_path(d.plan, m), instance_at(text, at));
            links += check_resets(&d, path, resets_at(text, at), instances);
        }
        assert_null(strstr(text, " = core_rst["));
    }
    for (int die = 0; die < 3; die++) assert_true(instances[die] > 0);
    assert_true(links > 3);
}

// The path of the reset to each die has RESET_WAY - IR_RESET_LEAST register stages. The token loop waits for these and
// for the IR_RESET_LEAST registers on the die itself. The path crosses die boundaries between two stages.
static void all_dies_leave_the_reset_together(void **state) {
    (void)state;
    struct design d = design_of("tests/e2e/cases/dies/spec.yaml");
    int loop = kernel_first(d.ir, KERNEL_LOOP), home = d.ir->kernel[loop].die;
    int stages = (int)ir_param_int(&d.ir->kernel[loop], "RESET_WAY", 0) - IR_RESET_LEAST;
    assert_int_equal(stages, 3);
    for (int die = 0; die < 3; die++) {
        assert_non_null(strstr(d.top, arena_printf(&arena, "STAGES(%d)) u_core_rst_way_%d (", stages, die)));
        for (int k = 0; k < stages; k++) {
            int on = k < abs(die - home) ? home + (die > home ? k : -k) : die;
            const char *stage = arena_printf(&arena, "u_core_rst_way_%d/gen_stage[%d].u_stage", die, k);
            assert_int_equal(placed_on(&d, stage), on);
        }
    }
}

// Returns the number of fault bits of the module that the net is named after; 1 for other nets.
static int bits_of_net(const struct design *d, const char *net) {
    for (int m = 0; m < d->plan->modules; m++)
        if (!strcmp(net, arena_printf(&arena, "faults_of_%s", d->plan->module[m].name)))
            return d->plan->module[m].faults;
    return 1;
}

// Writes the names of the bits of a Verilog list to `bits`, the last one first: `a[2:1], b` gives b, a[1], a[2].
// Returns their number.
static int bits_of(const struct design *d, const char *list, const char *end, const char *bits[256]) {
    int count = 0, high, low;
    char name[120];
    for (const char *at = end; at > list; at--) {
        if (at[-1] != ' ' && at[-1] != '{' && at[-1] != '(') continue;
        int found = sscanf(at, "%119[a-z0-9_][%d:%d]", name, &high, &low);
        if (found < 1) continue;
        if (found == 2) low = high;
        if (found == 1) low = 0, high = bits_of_net(d, name) - 1;
        bool alone = found == 1 && !high;
        for (int i = low; i <= high; i++)
            bits[count++] = alone ? arena_strdup(&arena, name) : arena_printf(&arena, "%s[%d]", name, i);
    }
    return count;
}

static int find_bit(const char *bits[256], int count, const char *bit) {
    for (int i = 0; i < count; i++)
        if (!strcmp(bits[i], bit)) return i;
    return -1;
}

// kernel_fault[i] must be the fault of the i-th kernel that has a fault output, for kernels on all dies.
static void a_fault_keeps_its_place(void **state) {
    (void)state;
    struct design d = design_of("tests/e2e/cases/dies/spec.yaml");
    int place = 0, of_module[64] = {0}, told = 0;
    const char *list = strstr(d.top, " fault_at = "), *all[256];
    assert_non_null(list);
    int faults = bits_of(&d, list + strlen(" fault_at = "), strchr(list, ';'), all);
    for (int k = 0; k < d.ir->kernels; k++) {
        int home = d.plan->home[k];
        if (!d.ir->kernel[k].has_fault) continue;
        const char *way = strstr(d.top, arena_printf(&arena, "u_fault_way_%d (", d.ir->kernel[k].die));
        assert_non_null(way);
        const char *from = strstr(way, ".d("), *to = strstr(way, ".q("), *bits_from[256], *bits_to[256];
        assert_true(from && to && from < to);
        int n = bits_of(&d, from, strchr(from, ')'), bits_from), taken = bits_of(&d, to, strchr(to, ')'), bits_to);
        const char *name = d.plan->module[home].name;
        bool alone = d.plan->module[home].faults == 1;
        const char *fault = alone ? arena_printf(&arena, "faults_of_%s", name)
                                  : arena_printf(&arena, "faults_of_%s[%d]", name, of_module[home]);
        of_module[home]++;
        assert_int_equal(find_bit(all, faults, fault), place);
        int at = find_bit(bits_from, n, arena_printf(&arena, "fault_at[%d]", place));
        assert_true(n == taken && at >= 0);
        assert_string_equal(bits_to[at], arena_printf(&arena, "kernel_fault[%d]", place++));
        told++;
    }
    assert_true(told > 3);
}

// The register stages that bring parameters to other dies have no reset, so no copy of the reset is made for them.
static void only_registers_with_a_reset_take_a_copy(void **state) {
    (void)state;
    struct design d = design_of("tests/e2e/cases/dies/spec.yaml");
    const char *text = d.plan->module[d.plan->control].text;
    const char *stage = strstr(text, " u_param_load_to_1_out (");
    assert_non_null(stage);
    assert_non_null(strstr(stage, ".rst(1'b0)"));
    assert_true(strstr(stage, ".rst(1'b0)") < strchr(stage, ';'));
    assert_null(strstr(text, "rst_param_load_to_1_out"));
}

static void a_design_of_one_die_has_no_way(void **state) {
    (void)state;
    struct design d = design_of("tests/e2e/cases/five/spec.yaml");
    assert_int_equal(emit_way_stages(d.ir), 0);
    assert_null(strstr(d.top, "rill_hop #"));
    assert_non_null(strstr(d.plan->module[0].text, " = core_rst[0];"));
}

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_instance_has_the_reset_of_its_die, setup, teardown),
        cmocka_unit_test_setup_teardown(all_dies_leave_the_reset_together, setup, teardown),
        cmocka_unit_test_setup_teardown(a_fault_keeps_its_place, setup, teardown),
        cmocka_unit_test_setup_teardown(only_registers_with_a_reset_take_a_copy, setup, teardown),
        cmocka_unit_test_setup_teardown(a_design_of_one_die_has_no_way, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
