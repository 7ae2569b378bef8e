// SPDX-License-Identifier: Apache-2.0
// Tests the figures of a board file about memory ports, limits and power. Costs, the partition over dies, warnings and
// the report must use them, and docs/boards.md must list them.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gen/command/command.h"
#include "gen/report/design_report.h"
#include "gen/pass/pass.h"
#include "gen/cost/cost.h"
#include "tests/unit/design_fixture.h"

static struct arena arena;
static const struct clock_model no_clock = {.rtl = ""};
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

static struct ir *build(const char *spec) { return build_in(&arena, spec); }

// Returns all output about a design: the report as text and as JSON, and the warnings.
static char *said(struct ir *ir) {
    struct text text = {0};
    struct diag diag;
    char *warnings = NULL;
    size_t len;
    diag_init(&diag, open_memstream(&warnings, &len));
    design_report_text(ir, &no_clock, &text);
    design_report_json(ir, &no_clock, &text);
    design_report_capacity(ir, loc_none(), &diag);
    fclose(diag.out);
    text_add(&text, warnings);
    free(warnings);
    char *copy = arena_strdup(&arena, text_cstr(&text));
    text_free(&text);
    return copy;
}

// The resources for a design on a die are the limit's share of the die, minus the platform (shell) and, on the die at
// the memory, minus the memory ports.
static void ports_and_shell_leave_room_within_the_limits(void **state) {
    (void)state;
    const struct ir *ir = built("configs/gpt2-medium-u55c-16.yaml");
    assert_int_equal(cost_room(ir, 0).lut, 439680 * 65 / 100 - 50000 - 16 * 3000);
    assert_int_equal(cost_room(ir, 1).lut, 432000 * 60 / 100 - 67000);
    assert_int_equal(cost_room(ir, 0).ff, 879360 * 75 / 100 - 100000 - 16 * 4000);
    assert_int_equal(cost_room(ir, 1).bram18, 2 * (672 * 75 / 100 - 96));
    assert_int_equal(cost_room(ir, 2).uram, 320 * 75 / 100);
    assert_int_equal(cost_room(ir, 2).dsp, 3072 * 75 / 100 - 144);
    struct cost_design cost = cost_design(ir);
    struct cost_fill home = cost_fill(ir, &cost, 0), next = cost_fill(ir, &cost, 1);
    assert_int_equal(home.taken.lut, cost_die(ir, &cost, 0).lut + 50000 + 16 * 3000);
    assert_int_equal(home.most.lut, home.taken.lut + 16 * 2000);
    assert_int_equal(home.most.ff, home.taken.ff + 16 * 2500);
    assert_int_equal(next.most.lut, next.taken.lut);
}

// If the platform takes more, the room falls by at most one unit at a time, and ends at 0. So the last room above 0 is
// one unit.
static void the_last_unit_of_a_resource_is_room(void **state) {
    (void)state;
    struct ir *ir = build("configs/gpt2-medium-u55c-16.yaml");
    int64_t last = 0, last_lut = 0;
    for (int64_t room; (room = cost_room(ir, 2).uram) > 0; ir->die[2].shell_uram++) last = room;
    for (int64_t room; (room = cost_room(ir, 2).lut) > 0; ir->die[2].shell_lut++) last_lut = room;
    assert_int_equal(last, 1);
    assert_int_equal(last_lut, 1);
    ir->die[2].shell_uram += 10;
    assert_int_equal(cost_room(ir, 2).uram, 0);
}

// A design cannot use the wires of the platform. The card's budget is the device minus the platform's cells; the
// dynamic region has only a part of it.
static void the_platform_takes_wires_and_cells(void **state) {
    (void)state;
    struct ir *ir = build("configs/gpt2-medium-u55c-16.yaml");
    assert_int_equal(cost_wires(ir, 0).room, 23040 * 60 / 100 - 5339);
    assert_int_equal(cost_wires(ir, 1).room, 23040 * 60 / 100 - 5093);
    ir->design.figures.limits.wires = 100;
    assert_int_equal(cost_wires(ir, 0).room, 23040 - 5339);
    ir->die[0].platform_wires = 0;
    assert_int_equal(cost_wires(ir, 0).room, 20160);
    ir->die[0].platform_wires = 23041;
    assert_int_equal(cost_wires(ir, 0).room, 0);
    assert_int_equal(cost_available(ir).lut, 1303680 - 120472 - 16 * 3000);
    assert_int_equal(cost_available(ir).ff, 2607360 - 162782 - 16 * 4000);
    assert_int_equal(cost_available(ir).dsp, 9020);
    assert_int_equal(cost_available(ir).bram18, 2 * 1816);
    assert_int_equal(cost_available(ir).uram, 960);
    assert_int_equal(cost_capacity(&ir->die[1]).lut, 365000);
    assert_int_equal(cost_capacity(&ir->die[0]).dsp + cost_capacity(&ir->die[1]).dsp + cost_capacity(&ir->die[2]).dsp,
                     2664 + 2784 + 2928);
}

static bool within(const struct cost_resources *r, const struct cost_resources *limit) {
    return r->lut <= limit->lut && r->ff <= limit->ff && r->dsp <= limit->dsp && r->bram18 <= limit->bram18 &&
           r->uram <= limit->uram;
}

// ALL_AND_MOST: also if each memory port needs the most resources that the board file gives (cost_fill.most).
enum claim { ALL, ALL_AND_MOST };

// Checks that the resources of each die and the wires of each boundary are within the limits of the board.
static void hold(const char *spec, enum claim claim) {
    const struct ir *ir = built(spec);
    const struct cost_design cost = cost_design(ir);
    for (int d = 0; d < ir->dies; d++) {
        struct cost_fill fill = cost_fill(ir, &cost, d);
        const struct cost_resources *taken = claim == ALL_AND_MOST ? &fill.most : &fill.taken;
        if (!within(taken, &fill.limit)) fail_msg("%s: %s exceeds its limits", spec, ir->die[d].name);
        if (d + 1 < ir->dies && cost_boundary_bits(ir, d) > cost_wires(ir, d).room)
            fail_msg("%s: too many wires from %s", spec, ir->die[d].name);
    }
}

// Checks the shipped designs that fit the limits of their boards, as their specs and docs/cost.md claim.
static void slow_shipped_designs_are_within_their_limits(void **state) {
    (void)state;
    static const struct {
        const char *spec;
        enum claim claim;
    } designs[] = {{"configs/gpt2-medium-u55c.yaml", ALL},
                   {"configs/gpt2-124m-u55c.yaml", ALL},
                   {"configs/gpt2-medium-u55c-28.yaml", ALL},
                   {"configs/gpt2-medium-u55c-24.yaml", ALL_AND_MOST},
                   {"configs/gpt2-medium-u55c-16.yaml", ALL_AND_MOST},
                   {"configs/gpt2-medium-u280.yaml", ALL},
                   {"configs/gpt2-medium-u50.yaml", ALL}};
    for (size_t s = 0; s < COUNT_OF(designs); s++) hold(designs[s].spec, designs[s].claim);
}

// Changes each figure of the board file. The output must change, which shows that every figure is used.
static void each_figure_changes_what_is_said(void **state) {
    (void)state;
    struct ir *ir = build("configs/gpt2-124m-u55c.yaml");
    const char *before = said(ir);
#define TRY(type, key, low, high, preset, unit, text)                                                                  \
    {                                                                                                                  \
        type was = part->key;                                                                                          \
        part->key = (type)(was < 2 ? was + 7 : was * 3 / 4);                                                           \
        if (!strcmp(before, said(ir))) fail_msg("nothing reads %s", #key);                                             \
        part->key = was;                                                                                               \
    }
#define TRY_SECTION(name, table)                                                                                       \
    {                                                                                                                  \
        struct board_##name *part = &ir->design.figures.name;                                                          \
        table(TRY)                                                                                                     \
    }
    BOARD_SECTIONS(TRY_SECTION)
}

// Returns the number of engine lanes on the die at the memory.
static int lanes_at_memory(const struct ir *ir) {
    int lanes = 0;
    for (int c = 0; c < ir->engine[0].channels; c++) lanes += ir->engine[0].lane_die[c] == cost_memory_die(ir);
    return lanes;
}

// If the memory ports need more resources, fewer lanes are on their die. If fewer wires may cross to the next die, more
// lanes are on the die of the ports again.
static void a_partition_sees_ports_and_wires(void **state) {
    (void)state;
    struct ir *ir = build("configs/gpt2-124m-layer.yaml");
    struct diag diag;
    diag_init(&diag, stderr);
    ir->design.dies = 3;
    ir->design.figures.memory_port.lut = 0;
    ir->design.figures.limits.wires = 100;
    assert_true(pass_place_dies(ir, NULL, &diag));
    int without = lanes_at_memory(ir);
    ir->design.figures.memory_port.lut = 2000000 / ir->design.channels / 8;
    assert_true(pass_place_dies(ir, NULL, &diag));
    int with = lanes_at_memory(ir);
    ir->design.figures.limits.wires = 1;
    assert_true(pass_place_dies(ir, NULL, &diag));
    assert_true(with < without);
    assert_true(lanes_at_memory(ir) > with);
}

// Compares the estimate of power with one computed here: first with the energy of the memory only, then with the energy
// of LUTs only.
static void slow_power_is_the_sum_of_its_parts(void **state) {
    (void)state;
    struct ir *ir = build("configs/tinystories-gpt2-1m.yaml");
    struct board_power *p = &ir->design.figures.power;
    struct cost_design cost = cost_design(ir);
    struct cost_step step = cost_usual_step(ir, ir->design.context / 2);
    double cycles = (double)cost_step_bound(ir, &step).cycles, beats = 0;
    struct cost_load load = cost_load_new(ir);
    cost_load_add(ir, &load, &step);
    for (int c = 0; c < ir->design.channels; c++) beats += (double)load.channel[c];
    *p = (struct board_power){.limit_w = 1,
                              .idle_low_w = 3,
                              .idle_high_w = 5,
                              .hbm_low_pj = 7,
                              .hbm_high_pj = 14,
                              .waiting = 1,
                              .logic_spread = 2};
    double hbm = beats * ir->design.beat_bits * 7e-12 * ir->design.clock_mhz * 1e6 / cycles;
    struct cost_power got = cost_step_power(ir, &cost, &step, cycles);
    assert_true(hbm > 0 && fabs(got.low_w - 3 - hbm) < 1e-9 && fabs(got.high_w - 5 - 2 * hbm) < 1e-9);
    p->hbm_low_pj = p->hbm_high_pj = 0, p->lut_pj = 10;
    double cells = (double)cost.total.lut * 1e-11 * ir->design.clock_mhz * 1e6;
    got = cost_step_power(ir, &cost, &step, cycles);
    assert_true(fabs(got.low_w - 3 - cells / 2) < 1e-6 * cells && fabs(got.high_w - 5 - 2 * cells) < 1e-6 * cells);
    p->waiting = 0;
    struct cost_power idle = cost_step_power(ir, &cost, &step, cycles * 1000);
    assert_true(idle.logic_low_w < got.logic_low_w / 100);
    p->limit_w = 0;
    assert_true(cost_step_power(ir, &cost, &step, cycles).high_w == 0);
}

static void a_card_near_its_limit_is_warned_of(void **state) {
    (void)state;
    struct ir *ir = build("configs/gpt2-medium-u50.yaml");
    assert_null(strstr(said(ir), "the card draws"));
    ir->design.figures.power.limit_w = 60; // 56 W are more than 90 % of it
    assert_non_null(strstr(said(ir), "the card draws"));
}

static void a_boundary_beyond_its_limit_is_warned_of(void **state) {
    (void)state;
    struct ir *ir = build("configs/gpt2-medium-u50.yaml");
    assert_null(strstr(said(ir), "bits cross from SLR0 to SLR1, but the limit"));
    ir->design.figures.limits.wires = 1;
    assert_non_null(strstr(said(ir),
                           "bits cross from SLR0 to SLR1, but the limit of board u50 is 230 of 23040 wires, less "
                           "5300 of the platform"));
}

static int64_t luts_of_all_dies(const struct ir *ir) {
    int64_t luts = 0;
    for (int d = 0; d < ir->dies; d++) luts += cost_room(ir, d).lut;
    return luts;
}

// A design that is not divided over dies may use the resources of all dies, within their limits. The limits are lowered
// until the design just exceeds them.
static void a_board_beyond_its_limits_is_warned_of(void **state) {
    (void)state;
    struct ir *ir = build("configs/tinystories-gpt2-1m.yaml");
    struct cost_design cost = cost_design(ir);
    assert_true(ir->design.dies < 2 && luts_of_all_dies(ir) >= cost.total.lut);
    assert_null(strstr(said(ir), "exceeds the limits of board"));
    struct board_limits *limits = &ir->design.figures.limits;
    while (luts_of_all_dies(ir) >= cost.total.lut && limits->lut > 0) limits->lut -= 0.5, limits->hbm_lut -= 0.5;
    assert_true(cost_room(ir, 0).lut > 0);
    const char *want = arena_printf(&arena,
                                    "the design exceeds the limits of board u55c, by estimate: LUT %lld of %lld "
                                    "[over-board-limit]",
                                    (long long)cost.total.lut, (long long)luts_of_all_dies(ir));
    if (!strstr(said(ir), want)) fail_msg("`%s` not in:\n%s", want, said(ir));
}

// Returns the line of the report about the first boundary between dies, without the end of the line.
static const char *first_boundary(struct ir *ir) {
    const char *at = strstr(said(ir), "  SLR0 to SLR1: ");
    assert_non_null(at);
    return arena_strndup(&arena, at, strcspn(at, "\n"));
}

// The report gives the bits between two dies and their shares of the wires. If the board file does not say how many
// wires there are, the report says nothing about shares and limits.
static void a_boundary_without_wires_has_no_limit(void **state) {
    (void)state;
    struct ir *ir = build("tests/e2e/cases/dies/spec.yaml");
    long long bits = (long long)cost_boundary_bits(ir, 0);
    const char *bare = arena_printf(&arena, "  SLR0 to SLR1: %lld bits cross", bits);
    assert_string_not_equal(first_boundary(ir), bare);
    assert_null(strstr(first_boundary(ir), "over its limit"));
    ir->design.figures.limits.wires = 1;
    assert_non_null(strstr(first_boundary(ir), "; over its limit of 1.0 % by "));
    ir->design.sll = ir->design.sll_region = 0;
    assert_string_equal(first_boundary(ir), bare);
}

// Prints a row for each figure, in the form of the tables in docs/boards.md.
static void list_figures(FILE *out) {
    static const struct {
        const char *section, *key;
        double low, high, preset;
        const char *unit, *text;
    } figures[] = {
#define PORT_ROW(type, key, low, high, preset, unit, text) {"memory_port", #key, low, high, preset, unit, text},
        BOARD_PORT_FIGURES(PORT_ROW)
#define LIMIT_ROW(type, key, low, high, preset, unit, text) {"limits", #key, low, high, preset, unit, text},
            BOARD_LIMIT_FIGURES(LIMIT_ROW)
#define POWER_ROW(type, key, low, high, preset, unit, text) {"power", #key, low, high, preset, unit, text},
                BOARD_POWER_FIGURES(POWER_ROW)};
    for (size_t i = 0; i < COUNT_OF(figures); i++)
        fprintf(out, "| `%s.%s` | %g to %.10g | %s | %g | %s |\n", figures[i].section, figures[i].key, figures[i].low,
                figures[i].high, figures[i].unit, figures[i].preset, figures[i].text);
}

// docs/boards.md must have every row of the tables BOARD_*_FIGURES (list_figures).
static void the_docs_have_every_figure(void **state) {
    (void)state;
    size_t len;
    char *list = NULL;
    const char *why, *docs = file_read(&arena, "docs/boards.md", 1 << 20, &len, &why);
    assert_non_null(docs);
    FILE *out = open_memstream(&list, &len);
    list_figures(out);
    fclose(out);
    int rows = 0;
    for (char *row = strtok(list, "\n"); row; row = strtok(NULL, "\n"), rows++)
        if (!strstr(docs, row)) fail_msg("docs/boards.md lacks: %s", row);
    assert_int_equal(rows, 23);
    free(list);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_platform_takes_wires_and_cells, setup, teardown),
        cmocka_unit_test_setup_teardown(ports_and_shell_leave_room_within_the_limits, setup, teardown),
        cmocka_unit_test_setup_teardown(the_last_unit_of_a_resource_is_room, setup, teardown),
        cmocka_unit_test_setup_teardown(slow_shipped_designs_are_within_their_limits, setup, teardown),
        cmocka_unit_test_setup_teardown(each_figure_changes_what_is_said, setup, teardown),
        cmocka_unit_test_setup_teardown(a_partition_sees_ports_and_wires, setup, teardown),
        cmocka_unit_test_setup_teardown(slow_power_is_the_sum_of_its_parts, setup, teardown),
        cmocka_unit_test_setup_teardown(a_card_near_its_limit_is_warned_of, setup, teardown),
        cmocka_unit_test_setup_teardown(a_boundary_beyond_its_limit_is_warned_of, setup, teardown),
        cmocka_unit_test_setup_teardown(a_board_beyond_its_limits_is_warned_of, setup, teardown),
        cmocka_unit_test_setup_teardown(a_boundary_without_wires_has_no_limit, setup, teardown),
        cmocka_unit_test_setup_teardown(the_docs_have_every_figure, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
