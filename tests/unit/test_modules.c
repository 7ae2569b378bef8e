// SPDX-License-Identifier: Apache-2.0
// Tests the emitted Verilog: the module that contains each kernel, the names of streams, the probes of the simulation,
// and the header comments.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gen/command/command.h"
#include "gen/emit/emit.h"
#include "gen/kernel/kernel.h"

static struct arena arena;

static struct emit_plan *plan_of(const char *spec) {
    struct diag diag;
    diag_init(&diag, stderr);
    struct ir *ir = command_build(spec, &arena, &diag, NULL);
    assert_non_null(ir);
    return emit_plan_make(ir, NULL);
}

// Checks that a kernel is in the module that emit_plan names `module`.
static void assert_home(const struct emit_plan *p, const char *kernel, const char *module) {
    for (int k = 0; k < p->ir->kernels; k++)
        if (!strcmp(p->ir->kernel[k].name, kernel)) {
            assert_string_equal(p->module[p->home[k]].name, module);
            return;
        }
    fail_msg("no kernel %s", kernel);
}

static void a_kernel_is_in_the_module_of_its_region(void **state) {
    (void)state;
    struct emit_plan *p = plan_of("configs/tinystories-gpt2-1m.yaml");
    static const char *const homes[][2] = {
        {"token_row", "embed"},      {"norm1", "layer"},          {"attention_keys_scale", "layer"},
        {"hidden_loop", "layer"},    {"norm1_param", "layer"},    {"norm_final_param", "head"},
        {"next_id", "head"},         {"engine", "shared"},        {"walker", "shared"},
        {"x_mux", "shared"},         {"y_demux", "shared"},       {"engine_width", "shared"},
        {"token_loop", "control"},   {"step_fork", "control"},    {"ring", "control"},
        {"registers", "control"},    {"image_header", "control"}, {"k_writer", "layer"},
        {"hidden_into_head", "head"}};
    for (size_t i = 0; i < COUNT_OF(homes); i++) assert_home(p, homes[i][0], homes[i][1]);
    assert_int_equal(p->modules, 5);
    assert_string_equal(p->module[0].module, "tinystories_gpt2_1m_embed");
    assert_string_equal(p->module[p->control].name, "control");
}

// Kernels at an engine are in the module `shared` even if all products are in one region. If two regions share a cache,
// the kernels that write the cache are in `shared` as well.
static void what_an_engine_has_is_shared(void **state) {
    (void)state;
    struct emit_plan *p = plan_of("tests/e2e/cases/kernels/spec.yaml");
    assert_home(p, "x_mux", "shared");
    assert_home(p, "y_demux", "shared");
    p = plan_of("tests/e2e/cases/inputs/spec.yaml");
    assert_home(p, "k_writer", "shared");
    assert_home(p, "k_writer_mux", "shared");
    assert_home(p, "keys_scale", "first");
    assert_home(p, "r_keys_scale", "second");
}

static void streams_have_names_of_their_own(void **state) {
    (void)state;
    struct emit_plan *p = plan_of("tests/e2e/cases/inputs/spec.yaml");
    for (int a = 0; a < p->ir->edges; a++)
        for (int b = 0; b < p->ir->edges; b++) {
            assert_string_not_equal(p->from[a], p->to[b]);
            if (a == b) continue;
            assert_string_not_equal(p->from[a], p->from[b]);
            assert_string_not_equal(p->to[a], p->to[b]);
        }
}

// If the name of a kernel ends with the name of its port, the name of the stream has this word only once.
static void no_stream_has_a_word_twice(void **state) {
    (void)state;
    struct emit_plan *p = plan_of("configs/tinystories-gpt2-1m.yaml");
    int found = 0;
    for (int e = 0; e < p->ir->edges; e++) {
        const struct ir_edge *edge = &p->ir->edge[e];
        if (strcmp(p->ir->kernel[edge->src_kernel].name, "norm1_param") != 0) continue;
        assert_string_equal(p->from[e], "from_norm1_param");
        found++;
    }
    assert_int_equal(found, 1);
}

// Checks the probes in the simulation's top. Between the comment with the name of a stream and the next comment, the
// text must have the number of the stream, the nets at its writer, and the fill of its FIFO or pool. wrapper: the
// module around the top, or NULL; top: the path of the top in the simulation.
static void probes_watch_the_stream_of_their_number(const char *spec, const char *wrapper, const char *top) {
    struct emit_plan *p = plan_of(spec);
    struct text text = {0};
    emit_sim_top(p, wrapper, &text);
    const char *at = strstr(text_cstr(&text), "// ---- probes ----");
    for (int e = 0; e < p->ir->edges; e++) {
        const struct ir_edge *edge = &p->ir->edge[e];
        at = strstr(at, arena_printf(&arena, "    // %s\n", edge->name));
        assert_non_null(at);
        const char *end = strstr(at + 4, "    // "), *id = strstr(at, arena_printf(&arena, "#(.ID(%d),", e));
        const char *beats = arena_printf(&arena, ".tvalid(%s.u_%s.%s_tvalid)", top,
                                         p->module[p->home[edge->src_kernel]].name, p->from[e]);
        const char *fill = edge->pool == IR_NONE
                               ? arena_printf(&arena, ".occupancy(%s.u_%s.u_%s.fill)", top,
                                              p->module[emit_link_home(p, e)].name, p->to[e])
                               : arena_printf(&arena, ".u_%s.occupancy[", p->ir->kernel[edge->pool].name);
        const char *watched = strstr(at, beats), *filled = strstr(at, fill);
        assert_true(id && watched && filled && (!end || (id < end && watched < end && filled < end)));
    }
    text_free(&text);
}

static void probes_watch_their_streams(void **state) {
    (void)state;
    probes_watch_the_stream_of_their_number("configs/tinystories-gpt2-1m.yaml", NULL, "u_top");
    probes_watch_the_stream_of_their_number("tests/e2e/cases/dies/spec.yaml", "rill_kernel", "u_kernel.u_top");
}

// The header comment of a file must name both clocks if the multipliers of the design work twice in a cycle.
static void heads_have_the_clocks(void **state) {
    (void)state;
    struct text one = {0}, two = {0};
    emit_header(plan_of("configs/tinystories-gpt2-1m.yaml"), "A file.", &one);
    emit_header(plan_of("configs/gpt2-medium-u55c-a4.yaml"), "A file.", &two);
    assert_non_null(strstr(text_cstr(&one), "4 memory channels of 512 bits; clk, target 250 MHz.\n"));
    assert_non_null(strstr(text_cstr(&two), "clk, target 225 MHz; clk_2x, target 450 MHz.\n"));
    text_free(&one);
    text_free(&two);
}

// The block diagram in the header comment of the top must have all data that modules exchange, and must end with the
// control only if the last region sends something to it.
static void the_top_has_the_block_diagram(void **state) {
    (void)state;
    static const char *const lines[] = {
        ("//   host\n//     |  registers\n//     v\n//   u_control  <-- memory: prompt ids (prompt), header of the "
         "image,"),
        "//              --> memory: generated ids (ring)\n//     |  token, step words\n//     v\n//   u_embed    <-- ",
        "//     |  embedded\n//     v\n//   u_layer x4 <-- u_control: step words, vector parameters (param_load)\n",
        "//              --> u_shared: q_mx, attention_q, ",
        "values of the open block (tail_data, 4 cycles after tail_valid)\n//              <-- u_shared: q, k, v, ",
        "//              --> memory: keys (k_writer), full blocks of values (v_tail)\n",
        "//     |  residual2\n//     v\n//   u_head     <-- u_control: step words, ",
        "//     |  next_id, hash of the logits (row_hash)\n//     v\n//   u_control (the same instance as above)\n//\n",
        "//   u_shared   <-- u_control: step words\n//              <-- memory: weights, keys and values (lane)\n"};
    struct text top = {0}, rows = {0};
    emit_describe_top(plan_of("configs/tinystories-gpt2-1m.yaml"), &top);
    emit_describe_top(plan_of("configs/graph-linear.yaml"), &rows);
    const char *at = text_cstr(&top);
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        at = strstr(at, lines[i]);
        assert_non_null(at);
    }
    assert_non_null(strstr(text_cstr(&rows), "--> memory: output_y"));
    assert_null(strstr(text_cstr(&rows), "the same instance as above"));
    text_free(&top);
    text_free(&rows);
}

// The header comment of the top begins with what one needs to read the file, and ends with the reference. It explains
// terms before it uses them.
static void the_comment_of_the_top_has_its_reference_last(void **state) {
    (void)state;
    static const char *const parts[] = {"// What it does.",
                                        "README.md describes the model",
                                        "// To read this file:",
                                        "ports (from line @ports",
                                        "// Terms:",
                                        "//   open block: the newest 64 positions of values (",
                                        "// Block diagram",
                                        "// Structure:",
                                        "// Memory.",
                                        "pulses load_start",
                                        "image_keep",
                                        "//   Cache: the walker",
                                        "raises flush",
                                        "raises soft_rst",
                                        "// Clock. clk is the only",
                                        "// Resets are",
                                        "at least 16 cycles",
                                        "// Reference:",
                                        "// Fields of the step word",
                                        "// Streams have",
                                        "// Elements of streams:",
                                        "// Widths are",
                                        "// README.md explains the links"};
    struct text top = {0};
    emit_describe_top(plan_of("configs/tinystories-gpt2-1m.yaml"), &top);
    const char *at = text_cstr(&top);
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        at = strstr(at, parts[i]);
        assert_non_null(at);
    }
    text_free(&top);
}

// Returns the text of the module with this name.
static const char *text_of(const struct emit_plan *p, const char *module) {
    for (int m = 0; m < p->modules; m++)
        if (!strcmp(p->module[m].name, module)) return p->module[m].text;
    fail_msg("no module %s", module);
    return "";
}

// The comment of a FIFO tells the simulated case in which it is fullest. The comment of a selector tells whether it
// passes one token or all tokens of a step.
static void comments_tell_the_design(void **state) {
    (void)state;
    const struct emit_plan *plain = plan_of("configs/tinystories-gpt2-1m.yaml"),
                           *drafts = plan_of("tests/e2e/cases/drafts/spec.yaml");
    assert_non_null(
        strstr(text_of(plain, "layer"),
               "// DEPTH: the most words of hidden that wait here for attention_proj in simulated steps. In "));
    assert_non_null(strstr(text_of(plain, "head"), "in steps with head = 1, passes on the last token,"));
    assert_non_null(strstr(text_of(drafts, "head"), "in steps with head = 1, passes on all tokens;"));
}

// Comments of a design with slots speak of runs, slots and parts. They say which kernels cut tensors into parts and
// which one joins them, and which entries of tables are walked once for each part. Comments of a design without slots
// do not.
static void comments_tell_of_slots(void **state) {
    (void)state;
    const struct emit_plan *one = plan_of("configs/tinystories-gpt2-1m.yaml"),
                           *slots = plan_of("tests/e2e/cases/slots_drafts/spec.yaml");
    struct text top = {0};
    emit_describe_top(slots, &top);
    assert_non_null(strstr(text_cstr(&top), "Up to 4 requests run at the same time"));
    assert_non_null(strstr(text_cstr(&top), "//   part: the tokens of one request in a step"));
    assert_non_null(strstr(text_of(slots, "control"), "// pulse: the run has ended"));
    assert_non_null(strstr(text_of(slots, "control"), "next token of the request in `slot`\n"));
    assert_non_null(strstr(text_of(slots, "control"), "sends the words of a step's parts to q_cut, again for each"));
    assert_non_null(strstr(text_of(slots, "layer"), "// q_cut: cuts a step's tensor"));
    assert_non_null(strstr(text_of(slots, "layer"), "// attention_join: joins the tensors"));
    assert_non_null(strstr(text_of(slots, "shared"), "once for each part of the step (entries 3 to 8)\n"));
    assert_non_null(strstr(text_of(slots, "head"), "// for each token of the step a hash of its logits"));
    assert_non_null(strstr(text_of(one, "control"), "// pulse: the request has ended\n"));
    assert_null(strstr(text_of(one, "control"), "`slot`"));
    text_free(&top);
}

// The comment of a table must explain the fields that an entry uses, with the meanings of their values, and must list
// the others. The comment of a stream of mx, that is, of quantized values in blocks, must say which tensor was
// quantized.
static void comments_explain_fields_and_operands(void **state) {
    (void)state;
    const struct emit_plan *p = plan_of("configs/tinystories-gpt2-1m.yaml");
    const char *shared = text_of(p, "shared"), *layer = text_of(p, "layer");
    assert_non_null(strstr(shared, "//   mode[1:0]: what is multiplied: 0 int8 weights; 1 int4 weights; 2 K "));
    assert_non_null(strstr(shared, "//   kv_step[85:80]: mode 3, and mode 2 with windows: "));
    assert_non_null(
        strstr(shared, "// 0 in all entries: groups[67:60], keep[69], kv_layer[79:70], asym[87], heads[91:88].\n"));
    assert_non_null(strstr(shared, "//   outer_stride[153:122]: V: bytes from one run to the next\n"));
    assert_non_null(strstr(layer, "// q_mx: mx [128] (norm1 quantized), from q_mx.y to x_mux.0\n"));
    assert_non_null(strstr(layer, "// attention_q: mx [128] (q quantized), from attention_q.y to x_mux.1\n"));
}

// Returns the position of a stream's link in a module's text.
static const char *link_at(const struct emit_plan *p, int edge) {
    const char *text = p->module[emit_link_home(p, edge)].text,
               *at = strstr(text, arena_printf(&arena, ") u_%s (", p->to[edge]));
    assert_non_null(at);
    return at;
}

// In front of each kernel, the links of the streams that it reads are in the order in which its instance has the ports.
static void links_are_in_the_order_of_ports(void **state) {
    (void)state;
    static const char *const specs[] = {"configs/tinystories-gpt2-1m.yaml", "tests/e2e/cases/pool/spec.yaml",
                                        "tests/e2e/cases/dies/spec.yaml"};
    for (size_t s = 0; s < COUNT_OF(specs); s++) {
        const struct emit_plan *p = plan_of(specs[s]);
        int links = 0;
        for (int k = 0; k < p->ir->kernels; k++) {
            const struct ir_kernel *kernel = &p->ir->kernel[k];
            const char *before = NULL;
            for (int i = 0; i < kernel->ports; i++) {
                const struct ir_port *port = &kernel->port[i];
                if (port->is_output || port->edge == IR_NONE || p->ir->edge[port->edge].pool != IR_NONE) continue;
                const char *at = link_at(p, port->edge);
                assert_true(!before || before < at);
                before = at;
                links++;
            }
        }
        assert_true(links > 10);
    }
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
        cmocka_unit_test_setup_teardown(a_kernel_is_in_the_module_of_its_region, setup, teardown),
        cmocka_unit_test_setup_teardown(heads_have_the_clocks, setup, teardown),
        cmocka_unit_test_setup_teardown(links_are_in_the_order_of_ports, setup, teardown),
        cmocka_unit_test_setup_teardown(the_top_has_the_block_diagram, setup, teardown),
        cmocka_unit_test_setup_teardown(the_comment_of_the_top_has_its_reference_last, setup, teardown),
        cmocka_unit_test_setup_teardown(comments_tell_the_design, setup, teardown),
        cmocka_unit_test_setup_teardown(comments_tell_of_slots, setup, teardown),
        cmocka_unit_test_setup_teardown(comments_explain_fields_and_operands, setup, teardown),
        cmocka_unit_test_setup_teardown(what_an_engine_has_is_shared, setup, teardown),
        cmocka_unit_test_setup_teardown(streams_have_names_of_their_own, setup, teardown),
        cmocka_unit_test_setup_teardown(no_stream_has_a_word_twice, setup, teardown),
        cmocka_unit_test_setup_teardown(probes_watch_their_streams, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
