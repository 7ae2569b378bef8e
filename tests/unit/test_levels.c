// SPDX-License-Identifier: Apache-2.0
// What goes to all dies or comes from them: every instance hangs on the reset of the die that it is placed on, all dies
// leave it together, each fault keeps its place at the token loop.
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
    const char *top, *placement;
};

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
    emit_top(d.ir, &(struct emit_names){0}, &top);
    emit_placement(d.ir, &placement);
    d.top = kept(&top), d.placement = kept(&placement);
    return d;
}

// The die of a line that places an instance as a whole, by name or by `u_read_*`; -1: none.
static int placed_on(const struct design *d, const char *instance) {
    char pattern[160], name[32];
    for (const char *line = strstr(d->placement, "rill_place"); line; line = strstr(line + 1, "rill_place")) {
        if (sscanf(line, "rill_place pblock_%31[^ ] {%159[^}]}", name, pattern) != 2) continue;
        size_t len = strlen(pattern);
        bool any = pattern[len - 1] == '*' && !strchr(pattern, '/');
        if (any ? strncmp(pattern, instance, len - 1) : strcmp(pattern, instance)) continue;
        for (int die = 0; die < d->ir->dies; die++)
            if (!strcmp(d->ir->die[die].name, name)) return die;
    }
    return -1;
}

// The instance that a place in the text is in: the last ` u_<name> (` before it.
static const char *instance_at(const char *text, const char *at) {
    char name[160];
    while (at > text && strncmp(at, " u_", 3) != 0) at--;
    assert_int_equal(sscanf(at, " %159[a-zA-Z0-9_] (", name), 1);
    return arena_printf(&arena, "%s", name);
}

static void every_instance_has_the_reset_of_its_die(void **state) {
    (void)state;
    struct design d = design_of("tests/e2e/specs/dies.yaml");
    int instances[IR_MAX_DIES] = {0}, die, index;
    for (const char *at = strstr(d.top, ".rst(core_rst_"); at; at = strstr(at + 1, ".rst(core_rst_")) {
        const char *instance = instance_at(d.top, at);
        assert_int_equal(sscanf(at, ".rst(core_rst_%d[%d])", &die, &index), 2);
        if (strstr(instance, "_probe_")) continue; // of a simulation alone
        int place = placed_on(&d, instance);
        if (place >= 0) assert_int_equal(die, place); // the others lie where the tool likes
        instances[die]++;
    }
    for (die = 0; die < 3; die++) assert_true(instances[die] > 0);
    assert_null(strstr(d.top, ".rst(core_rst["));
}

// Ways to and from all dies have as many stages as the token loop waits for, the border crossed between two of them.
static void all_dies_leave_the_reset_together(void **state) {
    (void)state;
    struct design d = design_of("tests/e2e/specs/dies.yaml");
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

// kernel_fault[i] is that of the kernel i among those that have one, over whatever die it comes.
static void a_fault_keeps_its_place(void **state) {
    (void)state;
    struct design d = design_of("tests/e2e/specs/dies.yaml");
    const char *at = strstr(d.top, "assign kernel_fault = {");
    assert_non_null(at);
    for (int k = d.ir->kernels - 1; k >= 0; k--) {
        const char *name = d.ir->kernel[k].name;
        if (!d.ir->kernel[k].has_fault) continue;
        const char *told = arena_printf(&arena, "told_of_%s", name);
        at = strstr(at, told);
        assert_non_null(at); // in the order of the kernels
        const char *out = strstr(d.top, arena_printf(&arena, "u_fault_way_%d (", d.ir->kernel[k].die));
        assert_non_null(out);
        const char *from = strstr(out, arena_printf(&arena, "fault_of_%s", name)), *to = strstr(out, told),
                   *end = strstr(out, ");\n");
        assert_true(from && to && from < to && to < end);
    }
}

static void a_design_of_one_die_has_no_way(void **state) {
    (void)state;
    struct design d = design_of("tests/e2e/specs/five.yaml");
    assert_int_equal(emit_way_stages(d.ir), 0);
    assert_null(strstr(d.top, "rill_hop #"));
    assert_non_null(strstr(d.top, ".rst(core_rst[0])"));
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
        cmocka_unit_test_setup_teardown(a_design_of_one_die_has_no_way, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
