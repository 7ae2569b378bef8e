// SPDX-License-Identifier: Apache-2.0
// Tests the clock in the report, with a record of the delay model for this design, with one for other RTL, and without
// a record. Also tests the hash of the RTL, by which a record belongs to a design.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "gen/command/command.h"
#include "gen/report/design_report.h"

static const char spec[] = "tests/e2e/cases/dies/spec.yaml";
static struct arena arena;
static struct ir *ir;
static struct emit_rtl rtl;
static char path[] = "/tmp/rill-clock-XXXXXX";
static char *said; // all diagnostics
static size_t said_len;
static struct diag diag;

// Emits the RTL of a design. The number is used as identity and as hash of the layout.
static bool emit(const struct ir *design, uint64_t identity, struct emit_rtl *out) {
    return emit_rtl(emit_plan_make(design, &(struct emit_names){identity, identity}), out, &diag);
}

static int setup(void **state) {
    (void)state;
    arena_init(&arena);
    diag_init(&diag, open_memstream(&said, &said_len));
    ir = command_build(spec, &arena, &diag, NULL);
    strcpy(path + strlen(path) - 6, "XXXXXX");
    int fd = mkstemp(path);
    close(fd);
    return fd < 0 || !ir || !emit(ir, 1, &rtl);
}
static int teardown(void **state) {
    (void)state;
    unlink(path);
    fclose(diag.out);
    free(said);
    arena_free(&arena);
    return 0;
}

#define PATH(ns, text) "{\"ns\": " ns ", \"path\": \"" text "\"}"
#define PART(where, paths) "{\"where\": \"" where "\", \"paths\": [" paths "]}"
static const char parts[] = "[" PART("SLR0", PATH("3.1", "u_a: x_q to y_q")) ",\n" PART(
    "SLR2", PATH("5.3", "u_b: x_q to y_q") ", " PATH(
                "5.1", "u_c: x_q to y_q")) ",\n" PART("resets", PATH("5.1", "u_d: rst to y_q")) "]";

// Writes the record of a design with this hash, and reads it.
static bool read_record(const char *hash, const char *of_parts, struct clock_model *clock) {
    struct text text = {0};
    text_addf(&text, "{\"name\": \"dies\", \"rtl\": \"%s\",\n \"parts\": %s}\n", hash, of_parts);
    assert_null(file_write_text(&arena, path, &text));
    text_free(&text);
    bool ok = clock_read(ir, path, spec, &rtl, clock, &diag);
    fflush(diag.out);
    return ok;
}

// Returns the design's report, as JSON or as the text of its summary.
static const char *report(const struct clock_model *clock, bool json) {
    struct text text = {0};
    if (json) design_report_json(ir, clock, &text);
    else design_report_summary(ir, clock, &text);
    const char *copy = arena_strdup(&arena, text_cstr(&text));
    text_free(&text);
    return copy;
}

static void has(const char *text, const char *line) {
    if (!strstr(text, line)) fail_msg("no `%s` in:\n%s", line, text);
}

static void each_die_has_its_clock_and_the_longest_paths_stand_first(void **state) {
    (void)state;
    struct clock_model clock;
    assert_true(read_record(rtl.hash, parts, &clock));
    assert_int_equal(clock.state, CLOCK_CURRENT);
    has(report(&clock, false), "\nclock: the delay model supports 188 MHz, estimated; the design asks for 250 MHz\n"
                               "  SLR0                       3.10 ns    322 MHz\n"
                               "  SLR2                       5.30 ns    188 MHz\n"
                               "  resets                     5.10 ns    196 MHz\n"
                               "  longest paths\n"
                               "    5.30 ns, SLR2: u_b: x_q to y_q\n"
                               "    5.10 ns, SLR2: u_c: x_q to y_q\n"
                               "    5.10 ns, resets: u_d: rst to y_q\n");
    const char *json = report(&clock, true);
    has(json, "\"clock\": {\"state\": \"current\", \"class\": \"estimated\", \"ns\": 5.30, \"mhz\": 188, \"parts\": [");
    has(json, "{\"where\": \"SLR0\", \"ns\": 3.10, \"mhz\": 322, \"paths\": [{\"ns\": 3.10, \"path\": \"u_a: ");
}

static void a_record_of_other_rtl_says_nothing(void **state) {
    (void)state;
    struct clock_model clock;
    assert_true(read_record("0123456789abcdef", parts, &clock));
    assert_int_equal(clock.state, CLOCK_STALE);
    const char *text = report(&clock, false);
    has(text, "\nclock: stale: its record is of other RTL; docs/clock.md says how to estimate it\n\n");
    assert_null(strstr(text, "5.30 ns"));
    has(report(&clock, true), "\"clock\": {\"state\": \"stale\"}");
    clock_warn(ir, &clock, loc_none(), &diag);
    assert_int_equal(diag.warnings, 0);
}

// Returns the text from which the hash of Verilog is made: without comments, layout and the identity.
static const char *logic(const char *verilog) {
    struct text text = {0};
    emit_logic(verilog, strlen(verilog), &text);
    const char *copy = arena_strdup(&arena, text_cstr(&text));
    text_free(&text);
    return copy;
}

static void comments_and_layout_are_no_logic(void **state) {
    (void)state;
    const char *plain = "module a(input wire x);assign y=x+1;endmodule";
    assert_string_equal(logic("// A comment.\nmodule a (input wire  x); /* one\n more */\n\n  assign y = x + 1; // z\n"
                              "endmodule\n"),
                        plain);
    assert_string_not_equal(logic("module a(input wire x);assign y=x+2;endmodule"), plain);
    assert_string_not_equal(logic("module a(inputwire x);assign y=x+1;endmodule"), plain);
    assert_string_equal(logic("$display(\"a // b\");"), "$display(\"a // b\");");
    assert_string_equal(logic("`ifdef A // c\nwire b;\n`endif"), "`ifdef A\nwire b;`endif");
    assert_string_equal(logic("wire a;\n  assign identity = 64'h12;\nwire b;"), "wire a;wire b;");
}

static void no_record_is_said(void **state) {
    (void)state;
    struct clock_model clock;
    assert_true(clock_read(ir, NULL, spec, &rtl, &clock, &diag));
    assert_int_equal(clock.state, CLOCK_NONE);
    assert_string_equal(clock.path, "tests/e2e/cases/dies/spec.timing.json");
    has(report(&clock, false), "\nclock: not modelled; docs/clock.md says how to estimate it\n");
}

static void a_clock_above_the_model_is_warned_of(void **state) {
    (void)state;
    struct clock_model clock;
    assert_true(read_record(rtl.hash, parts, &clock));
    ir->design.clock_mhz = 188;
    clock_warn(ir, &clock, loc_none(), &diag);
    assert_int_equal(diag.warnings, 0);
    ir->design.clock_mhz = 189;
    clock_warn(ir, &clock, loc_none(), &diag);
    fflush(diag.out);
    has(said, "the design asks for 189 MHz, but by estimate the delay model supports only 188 MHz (5.30 ns, SLR2)");
    has(said, "`clock_mhz: 188` is within it");
}

static void a_wrong_record_is_an_error_at_its_place(void **state) {
    (void)state;
    struct clock_model clock;
    assert_false(read_record(rtl.hash, "[" PART("SLR3", PATH("1", "a")) "]", &clock));
    has(said, ":2:22: error: where must be SLR0, SLR1, SLR2, between dies or resets, not `SLR3`");
    assert_false(read_record(rtl.hash, "[" PART("SLR1", PATH("-1", "a")) "]", &clock));
    assert_false(read_record(rtl.hash, "[" PART("SLR1", "") "]", &clock));
    assert_false(read_record(rtl.hash, "[{\"paths\": [" PATH("1", "a") "]}]", &clock));
    assert_false(read_record(rtl.hash, "[]", &clock));
    assert_false(read_record(rtl.hash, "3", &clock));
    has(said, ":2:47: error: path.ns must be from 0.01 to 10000, not -1");
    has(said, "the delay model's record has an empty list `paths`");
    has(said, "the delay model's record has no `where`");
    has(said, "the delay model's record has an empty list `parts`");
    assert_false(clock_read(ir, "/tmp/nowhere.json", spec, &rtl, &clock, &diag));
}

// The hash of the RTL must not depend on values that only a host reads, or on the requested clock. It must depend on a
// FIFO's depth and on the placement of an instance.
static void the_hash_is_of_what_a_netlist_depends_on(void **state) {
    (void)state;
    struct emit_rtl other;
    ir->design.clock_mhz = 100;
    assert_true(emit(ir, 2, &other));
    assert_string_equal(other.hash, rtl.hash);
    int edge = 0;
    while (ir->edge[edge].depth < 3) edge++;
    ir->edge[edge].depth++;
    assert_true(emit(ir, 1, &other));
    assert_string_not_equal(other.hash, rtl.hash);
    ir->edge[edge].depth--;
    ir->engine[0].lane_die[0] = (ir->engine[0].lane_die[0] + 1) % 3;
    assert_true(emit(ir, 1, &other));
    assert_string_not_equal(other.hash, rtl.hash);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_die_has_its_clock_and_the_longest_paths_stand_first, setup, teardown),
        cmocka_unit_test_setup_teardown(a_record_of_other_rtl_says_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(comments_and_layout_are_no_logic, setup, teardown),
        cmocka_unit_test_setup_teardown(no_record_is_said, setup, teardown),
        cmocka_unit_test_setup_teardown(a_clock_above_the_model_is_warned_of, setup, teardown),
        cmocka_unit_test_setup_teardown(a_wrong_record_is_an_error_at_its_place, setup, teardown),
        cmocka_unit_test_setup_teardown(the_hash_is_of_what_a_netlist_depends_on, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
