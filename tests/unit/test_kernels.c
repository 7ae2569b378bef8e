// SPDX-License-Identifier: Apache-2.0
// Tests the parts for custom kernels: expressions, the reader of Verilog headers, and the check of timing contracts,
// which is given hand-made cycles.
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gen/base/expression.h"
#include "gen/ir/custom_ops.h"
#include "gen/kernel/kernel.h"
#include "gen/base/verilog.h"
#include "verif/harness/contracts.h"

// ---- expressions ----

// The names that the expressions below may use: x is 45, x.1 is 9, lanes is 4.
static bool names(void *context, const char *name, int64_t *value) {
    (void)context;
    *value = !strcmp(name, "x") ? 45 : !strcmp(name, "x.1") ? 9 : !strcmp(name, "lanes") ? 4 : -1;
    return *value >= 0;
}

static void test_expression_values(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
    } good[] = {{"1 + 2 * 3", 7},
                {"(x + lanes - 1) / lanes", 12},
                {"-7 / 2", -3},
                {"1 << 3 | 1", 9},
                {"x > 44 && !0", 1},
                {"32'h3f80_0000", 0x3f800000},
                {"8'b1010", 10},
                {"'d5 % 3", 2},
                {"0x1F", 31},
                {"$clog2(x)", 6},
                {"clog2(1)", 0},
                {"x ? 3 : 1 / 0", 3},
                {"0 ? 1 / 0 : 0 ? 1 : 2", 2},
                {"10 - 3 - 2", 5},
                {"x.1 * 2", 18},
                {"1 < 2 == 1", 1},
                {"~0 + 1", 0},
                {"2 * -3", -6},
                {"0 ? nothing : 4", 4}};
    struct arena a;
    arena_init(&a);
    for (size_t i = 0; i < COUNT_OF(good); i++) {
        int64_t v = -99;
        struct expression_error e = {0};
        if (!expression_value(&a, good[i].text, names, NULL, &v, &e)) fail_msg("%s: %s", good[i].text, e.why);
        if (v != good[i].value) fail_msg("%s is %lld", good[i].text, (long long)v);
    }
    arena_free(&a);
}

static void test_expression_errors(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t at; // offset of the error
    } bad[] = {{"", 0},
               {"1 +", 3},
               {"(1", 2},
               {"1 2", 2},
               {"y", 0},
               {"1 / 0", 5},
               {"9223372036854775807 + 1", 23},
               {"1 << 99", 7},
               {"8'q3", 2},
               {"12ab", 2},
               {"x ? 1", 5},
               {"2 **3", 3}};
    struct arena a;
    arena_init(&a);
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        int64_t v = -99;
        struct expression_error e = {0};
        if (expression_value(&a, bad[i].text, names, NULL, &v, &e)) fail_msg("`%s` is %lld", bad[i].text, (long long)v);
        if (e.at != bad[i].at) fail_msg("`%s`: %s at %zu", bad[i].text, e.why, e.at);
        assert_true((e.unknown != NULL) == (bad[i].text[0] == 'y'));
    }
    struct text deep = {0};
    for (int i = 0; i < 5000; i++) text_add(&deep, "(");
    int64_t v;
    struct expression_error e = {0};
    assert_false(expression_value(&a, text_cstr(&deep), names, NULL, &v, &e));
    text_free(&deep);
    arena_free(&a);
}

// ---- Verilog headers ----

// A file with the modules `helper` and `k`. Comments, a string and a macro contain headers that are no modules.
static const char text[] = "// module not_this (input clk);\n"
                           "/* module nor_this; */\n"
                           "`define MODULE module nor_that\n"
                           "module helper (input wire a, b, output wire c);\n"
                           "    initial $display(\"module in_a_string\");\n"
                           "endmodule\n"
                           "(* keep *) module k #(\n"
                           "    parameter integer LANES = 0, // number\n"
                           "    parameter [31:0] LIMIT = 32'h3f800000, W = (LANES > 1 ? LANES : 2) * 8,\n"
                           "    parameter TEXT = \"a, b)\"\n"
                           ") (\n"
                           "    input  wire clk, rst,\n"
                           "    input  wire [(LANES > 1 ? W : 1)-1:0] x,\n"
                           "    output reg signed [W-1:0] y, /* and */ z\n"
                           ");\n"
                           "endmodule\n";

static bool has_name(const verilog_names *names, const char *name) {
    for (size_t i = 0; i < names->count; i++)
        if (!strcmp(names->items[i], name)) return true;
    return false;
}

static void test_verilog_instances(void **state) {
    (void)state;
    static const char instances[] =
        "// rill_a u_a ();\n/* rill_b #(.W(1)) u_b (); */\n"
        "module rill_c (input wire x); wire rill_d; assign rill_d = x & rill_e;\n"
        "  initial $display(\"rill_f u_f ()\");\n"
        "`ifdef RILL_G\n  rill_h u_h (x);\n`endif\n"
        "  rill_i // of all\n    #(.W(2)) u_i (x);\n  (* keep *) rill_j (* x *) u_j [1:0] (x);\n"
        "  rill_k \\u.k (x);rill_l#(3)u_l(x);\nendmodule\n";
    static const char *const yes[] = {"rill_h", "rill_i", "rill_j", "rill_k", "rill_l"}, *const no[] = {
                                                                                             "rill_a", "rill_b",
                                                                                             "rill_c", "rill_d",
                                                                                             "rill_e", "rill_f",
                                                                                             "RILL_G"};
    struct arena a;
    arena_init(&a);
    verilog_names names = verilog_find_instances(&a, &(struct source){"i.v", instances, strlen(instances)});
    for (size_t i = 0; i < COUNT_OF(yes); i++)
        if (!has_name(&names, yes[i])) fail_msg("%s is not found", yes[i]);
    for (size_t i = 0; i < COUNT_OF(no); i++)
        if (has_name(&names, no[i])) fail_msg("%s is no instance", no[i]);
    arena_free(&a);
}

static void test_verilog_header(void **state) {
    (void)state;
    struct arena a;
    struct diag diag;
    arena_init(&a);
    diag_init(&diag, stderr);
    struct source source = {"k.v", text, strlen(text)};
    verilog_modules modules = verilog_find_modules(&a, &source);
    assert_int_equal(modules.count, 2);
    assert_string_equal(modules.items[0].name, "helper");
    assert_string_equal(modules.items[1].name, "k");
    assert_int_equal(modules.items[1].loc.line, 7);
    assert_int_equal(modules.items[1].loc.col, 19);
    struct verilog_header *h = verilog_read_header(&a, &source, &modules.items[1], &diag);
    assert_non_null(h);
    assert_int_equal(h->params.count, 4);
    assert_string_equal(verilog_find_param(h, "W")->value, "(LANES > 1 ? LANES : 2) * 8");
    assert_int_equal(h->ports.count, 5);
    assert_true(verilog_find_port(h, "rst")->is_input && verilog_find_port(h, "z")->is_output);
    assert_string_equal(verilog_find_port(h, "x")->msb, "(LANES > 1 ? W : 1)-1");
    assert_string_equal(verilog_find_port(h, "z")->lsb, "0");
    assert_null(verilog_find_port(h, "rst")->msb);
    assert_int_equal(verilog_find_port(h, "y")->loc.line, 14);
    h = verilog_read_header(&a, &source, &modules.items[0], &diag);
    assert_true(h && h->ports.count == 3 && verilog_find_port(h, "b")->is_input);
    assert_int_equal(diag.errors, 0);
    arena_free(&a);
}

// ---- contracts of a kernel with one input and one output ----

struct fixture {
    struct arena a;
    struct ir ir;
    struct ir_node node;
    struct ir_tensor tensor[2];
    struct ir_kernel kernel;
    struct custom custom;
    struct contracts *watch;
};

// Opens the check of the contract of a kernel. latency, group and buffers are expressions of the contract; NULL: not
// given. in, out: words of a firing.
static void open_fixture(struct fixture *f, const char *latency, const char *group, const char *buffers, int64_t in,
                         int64_t out) {
    memset(f, 0, sizeof *f);
    arena_init(&f->a);
    f->ir = (struct ir){.arena = &f->a,
                        .node = &f->node,
                        .nodes = 1,
                        .tensor = f->tensor,
                        .tensors = 2,
                        .kernel = &f->kernel,
                        .kernels = 1};
    f->ir.design.tokens = 1;
    f->tensor[0] = (struct ir_tensor){.name = "x", .rank = 1, .shape = {{in, IR_STATIC}}};
    f->tensor[1] = (struct ir_tensor){.name = "y", .rank = 1, .shape = {{out, IR_STATIC}}};
    f->node = (struct ir_node){.name = "n", .op = IR_OPS, .inputs = 1, .outputs = 1, .in = {0}, .out = {1}, .lanes = 1};
    f->kernel = (struct ir_kernel){.name = "n", .module = "k", .node = 0};
    f->custom = (struct custom){
        .name = "k", .module = "k", .inputs = 1, .outputs = 1, .in = {{.name = "x"}}, .out = {{.name = "y"}}};
    f->custom.latency.text = latency;
    f->custom.group.text = group;
    f->custom.buffers.text = buffers;
    kernel_set_customs(&f->ir, &f->custom, 1);
    f->kernel.of_class = kernel_of_op(&f->ir, IR_OPS);
    f->watch = contracts_open(&f->a, &f->ir);
    contracts_reset(f->watch, 0, 0);
}

// Plays one letter per cycle for the input and for the output. `.`: nothing happens. `v`: a word is offered but not
// taken. `t`: a word is taken. `r`: the kernel is ready, but there is no word. `w`: a word is offered while the step
// word is missing. Returns the findings.
static const struct contract_finding *play(struct fixture *f, const char *in, const char *out) {
    for (uint64_t c = 0; in[c]; c++) {
        struct contract_pins pins = {in[c] == 'v' || in[c] == 't' || in[c] == 'w',
                                     in[c] == 'r' || in[c] == 't',
                                     1,
                                     in[c] != 'w',
                                     out[c] == 'v' || out[c] == 't',
                                     out[c] == 't'};
        contracts_cycle(f->watch, 0, &pins, c + 10);
    }
    return contracts_found(f->watch, 0);
}

// Plays the cycles and compares two findings. late: the most cycles by which an output word came later than the
// contract allows. refused: cycles in which an input word was refused against the contract. sizes: words of a firing,
// in and out.
static void expect_buffers(const char *latency, const char *group, const char *buffers, int64_t sizes[2],
                           const char *in, const char *out, uint64_t late, uint64_t refused) {
    struct fixture f;
    open_fixture(&f, latency, group, buffers, sizes[0], sizes[1]);
    const struct contract_finding *found = play(&f, in, out);
    if (found->late != late || found->refused != refused)
        fail_msg("%s / %s: late %llu, refused %llu", in, out, (unsigned long long)found->late,
                 (unsigned long long)found->refused);
    arena_free(&f.a);
}

static void expect(const char *latency, const char *group, int64_t sizes[2], const char *in, const char *out,
                   uint64_t late, uint64_t refused) {
    expect_buffers(latency, group, NULL, sizes, in, out, late, refused);
}

static void test_contracts(void **state) {
    (void)state;
    int64_t same[2] = {8, 8}, quarter[2] = {8, 2};
    expect("2", NULL, same, "tttr..", "..tttr", 0, 0);
    expect("1", NULL, same, "tttr..", "..tttr", 1, 0);       // a cycle late
    expect("2", NULL, same, "ttvvtr...", "..vvtttr.", 0, 0); // the output stalls, so the input may stall
    expect("2", NULL, same, "tvttr...", "..t.tt..", 0, 1);   // a word is refused without reason
    expect("2", NULL, same, "twttr...", "..t.tt..", 0, 0);   // the kernel waits for the step word
    expect("1", "4", quarter, "ttttttttr", "....t...t", 0, 0);
    expect("1", "4", quarter, "ttttttttrr", ".....t...t", 1, 0);
    expect("1", "4", quarter, "tttttrrtttr", "....t.....t", 0, 0);
    // With one buffer, or with two that both hold a group, an input may be refused. With a free buffer it may not.
    expect_buffers("1", "4", "1", quarter, "ttttvvvtttt", "....vvt....", 0, 0);
    expect_buffers("1", "4", "2", quarter, "ttttttttvv.", "....vvvvvt.", 0, 0);
    expect_buffers("1", "4", "2", quarter, "ttttvvvtttt", "....vvt....", 0, 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_expression_values),
                                       cmocka_unit_test(test_expression_errors), cmocka_unit_test(test_verilog_header),
                                       cmocka_unit_test(test_verilog_instances), cmocka_unit_test(test_contracts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
