// SPDX-License-Identifier: Apache-2.0
// Compares the replay of the compiled graph after all passes with the oracle, without RTL, for every case of tests/e2e
// and the TinyStories configurations. The environment variable RILL_ORACLE_SPECS="file file..." selects other specs,
// for which only the passes up to drop-unread run. Also tests that a difference between the compiled graph and the spec
// is found.
#define _GNU_SOURCE
#include "tests/unit/image_fixture.h"

#include <glob.h>

#include "gen/spec/spec.h"
#include "verif/check/check.h"

enum { POSITIONS = 3, NEW_IDS = 3 }; // limits of a request: rows or prompt tokens, and generated tokens

struct graph {
    struct image_fixture x;
    const char *spec;
    struct ir *ir;
    struct replay *golden;
    struct oracle_graph *graph;
    struct oracle *oracle;
    struct check *check;
};

// Builds a spec without the search for FIFO depths, which takes most of the time and changes no value. Returns NULL
// after an error.
static struct ir *build(struct graph *g, const char *path, const char *stop_after) {
    struct rill_spec *spec = rill_spec_read(path, &g->x.f.arena, &g->x.f.diag);
    if (!spec) return NULL;
    spec->design.fifo = SPEC_SAFE;
    return command_build_spec(spec, &g->x.f.arena, &g->x.f.diag, stop_after);
}

// compiled: path of the spec for the compiler; spec: path of the spec for the oracle. Golden files are next to both.
static void open_graph(struct graph *g, const char *compiled, const char *spec, const char *stop_after) {
    g->spec = spec;
    g->ir = build(g, compiled, stop_after);
    if (!g->ir) fail_msg("%s: %s", spec, fixture_text(&g->x.f));
    const char *image = image_pack_golden(&g->x, g->ir, "random:1", "g");
    struct checkpoint *weights = checkpoint_open(&g->x.f.arena, "random:1", &g->x.f.diag);
    g->golden = replay_open(&g->x.f.arena, g->ir, image, 2, &g->x.f.diag);
    g->graph = oracle_read(&g->x.f.arena, spec, &g->x.f.diag);
    g->oracle = g->graph ? oracle_open(&g->x.f.arena, g->graph, ORACLE_EXACT, weights, &g->x.f.diag) : NULL;
    checkpoint_close(weights);
    assert_no_errors(&g->x.f);
    assert_non_null(g->oracle);
    g->check = check_open(&g->x.f.arena, g->ir, g->golden, CHECK_ALL, &g->x.f.diag);
    check_set_oracle(g->check, g->graph, g->oracle, spec);
}

static void close_graph(struct graph *g) {
    replay_close(g->golden);
    oracle_close(g->oracle);
    image_end(&g->x);
}

// Returns random values of an input for POSITIONS positions.
static const float *make_row(struct graph *g, int input) {
    size_t n = (size_t)ir_tensor_elements(&g->ir->tensor[g->ir->input[input]]) * POSITIONS;
    float *row = ARENA_ARRAY(&g->x.f.arena, float, n);
    uint64_t state = 77 + (uint64_t)input;
    for (size_t i = 0; i < n; i++) row[i] = (float)(int16_t)next_random(&state) / 8192.0f;
    return row;
}

// Evaluates a request with both models and compares all tensors. The result is in g->check.
static void run_request(struct graph *g) {
    int64_t context = g->ir->design.context, count = context < POSITIONS ? context : POSITIONS;
    uint32_t ids[POSITIONS] = {1, 0, 1};
    const float *row[IR_MAX_PORTS] = {0};
    for (int i = 0; i < g->ir->inputs && !g->ir->design.is_lm; i++) row[i] = make_row(g, i);
    struct check_request request = {.ids = ids, .count = count, .max_new = NEW_IDS, .row = row};
    check_begin(g->check, &request);
    if (g->ir->design.is_lm) check_golden_ids(g->check, &count);
    else check_oracle_row(g->check, 0, count - 1);
}

static void check_spec(const char *spec, const char *stop_after) {
    struct graph g = {0};
    image_begin(&g.x);
    open_graph(&g, spec, spec, stop_after);
    run_request(&g);
    const char *mismatch = check_mismatch(g.check), *overflow = check_overflow(g.check), *why = "", *left = NULL;
    if (mismatch || overflow) fail_msg("%s: %s", spec, mismatch ? mismatch : overflow);
    struct check_oracle_counts c = check_oracle_counts(g.check);
    for (int t = 0; t < (int)c.named; t++) { // every named tensor must be compared, unless no output depends on it
        left = check_oracle_left(g.check, t, &why);
        if (left && strcmp(why, "no output depends on it") != 0) fail_msg("%s: not `%s`: %s", spec, left, why);
    }
    assert_true(c.tensors > 0 && c.values > 0 && c.positions > 0);
    close_graph(&g);
}

// The last pass for a shipped spec. Under sanitizers it is the pass that completes the graph, because later passes are
// slow there and have separate tests.
#if defined(__SANITIZE_ADDRESS__)
static const char *const last_pass = "drop-unread";
#else
static const char *const last_pass = NULL;
#endif

// Checks all specs whose paths match a pattern. Returns their number.
static int check_pattern(struct fixture *f, const char *pattern) {
    glob_t found;
    const char *root = find_dir(f, "configs/graph-linear.yaml");
    assert_int_equal(glob(arena_printf(&f->arena, "%s/../%s", root, pattern), 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) check_spec(found.gl_pathv[i], last_pass);
    int count = (int)found.gl_pathc;
    globfree(&found);
    return count;
}

static void slow_specs(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f);
    char *others = getenv("RILL_ORACLE_SPECS");
    if (others) {
        for (char *spec = strtok(others, " "); spec; spec = strtok(NULL, " ")) check_spec(spec, "drop-unread");
    } else {
        assert_true(check_pattern(&f, "tests/e2e/cases/*/spec.yaml") >= 22);
        assert_true(check_pattern(&f, "configs/tinystories*.yaml") >= 1);
    }
    fixture_end(&f);
}

// ---- another spec than the compiled one ----

static const char base[] = "name: t\n"
                           "graph:\n"
                           "  context: 9\n"
                           "  inputs: {x: {shape: [16]}, u: {shape: [16]}}\n"
                           "  outputs: [y, g]\n"
                           "  regions:\n"
                           "  - name: m\n"
                           "    ops:\n"
                           "    - {op: quantize, name: q, in: x, exp_min: -20}\n"
                           "    - {op: matmul, name: p, in: q, rows: 16, weight: w, row_offset: 1}\n"
                           "    - {op: dequantize, name: d, in: p}\n"
                           "    - {op: gelu, name: g, in: d}\n"
                           "    - {op: quantize, name: h, in: g, block: 8}\n"
                           "    - {op: kv_quantize, name: k, in: u, heads: 2, role: key}\n"
                           "    - {op: kv_quantize, name: v, in: u, heads: 2, role: value}\n"
                           "    - {op: attn_scores, name: s_acc, in: [h, k]}\n"
                           "    - {op: dequantize, name: s, in: s_acc}\n"
                           "    - {op: softmax, out: [r, inv], in: [s, k, v]}\n"
                           "    - {op: quantize, name: r_q, in: r, block: 64, exp_min: -36}\n"
                           "    - {op: attn_values, name: o_acc, in: [r_q, v]}\n"
                           "    - {op: dequantize, name: o_raw, in: o_acc}\n"
                           "    - {op: scale, name: o, in: [o_raw, inv]}\n"
                           "    - {op: argmax, name: i, in: o}\n"
                           "    - {op: embed, name: e, in: i, rows: 16, cols: 16, weight: e}\n"
                           "    - {op: add, name: y, in: [e, o]}\n";

// Returns the text with every `from` replaced by `to`.
static const char *replaced(struct arena *a, const char *text, const char *from, const char *to) {
    const char *out = "", *mark;
    for (; (mark = strstr(text, from)) != NULL; text = mark + strlen(from))
        out = arena_printf(a, "%s%.*s%s", out, (int)(mark - text), text, to);
    return arena_printf(a, "%s%s", out, text);
}

// Gives the oracle a spec in which `from` is replaced by `to`, while the compiler has the original. The checker's
// message must contain `want`; NULL: there must be no difference.
static void expect_difference(const char *from, const char *to, const char *want) {
    struct graph g = {0};
    image_begin(&g.x);
    const char *compiled = image_path(&g.x, "compiled.yaml"), *spec = image_path(&g.x, "spec.yaml"),
               *other = replaced(&g.x.f.arena, base, from, to);
    write_file(compiled, base, strlen(base));
    write_file(spec, other, strlen(other));
    open_graph(&g, compiled, spec, "drop-unread");
    run_request(&g);
    const char *got = check_mismatch(g.check);
    if (want ? !got || !strstr(got, want) : got != NULL) fail_msg("`%s` for `%s`: %s", to, from, got ? got : "nothing");
    close_graph(&g);
}

static void test_differences(void **state) {
    (void)state;
    static const struct {
        const char *from, *to, *want;
    } cases[] = {
        {"name: t", "name: u", NULL},
        {"op: gelu", "op: silu", "oracle: `g` ("},
        {"op: gelu", "op: silu", "spec.yaml:12), position 0, repetition 0, element 0: the spec makes "},
        {"exp_min: -20", "exp_min: -22", "oracle: `q` ("}, // the same mantissas, another shift
        {"row_offset: 1", "row_offset: 2", "oracle: `p` ("},
        {"block: 8", "block: 16", "oracle: `h` ("},
        {"role: key", "role: value", "oracle: `k` ("}, // the same mantissas, another scale
        {"exp_min: -36", "exp_min: -30", "oracle: `r_q` ("},
        {"weight: e", "weight: f", "oracle: `e` ("},
        {"[e, o]", "[e, u]", "oracle: `y` ("},
        {"in: o}", "in: x}", "oracle: `i` ("},
        {"[y, g]", "[g, y]", "oracle: output `g` is `y` in the design"},
        {"o_raw", "o_rw", "oracle: `o_rw` ("},
        {"context: 9", "context: 10", "the spec's context is 10 and its end ids none, the design's 9 and none"},
        {"in: u, heads: 2, role: v", "in: x, heads: 2, role: v", "oracle: `v` ("},
        {"x: {shape: [16]}, u: {shape: [16]}", "u: {shape: [16]}, x: {shape: [16]}", "oracle: input `u` is `x`"},
        {"in: u, heads: 2, role: v", "in: x, heads: 2, role: v",
         "element 0: the spec makes -84, the compiled graph -52;"},
        {"[y, g]", "[y]", "the spec has 1 outputs, the design 2"},
        {"exp_min: -20", "exp_min: -126", "a fault in the spec alone: "},
    };
    for (size_t c = 0; c < COUNT_OF(cases); c++) expect_difference(cases[c].from, cases[c].to, cases[c].want);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(slow_specs), cmocka_unit_test(test_differences)};
    return cmocka_run_group_tests_name("oracle_graphs", tests, NULL, NULL);
}
