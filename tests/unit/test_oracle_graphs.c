// SPDX-License-Identifier: Apache-2.0
// Every spec of the tests: the golden model on the compiled graph, after all passes, against the oracle, without RTL.
// RILL_ORACLE_SPECS="file file..." in the environment takes other specs, and the passes up to drop-unread alone.
#define _GNU_SOURCE
#include "image_fixture.h"

#include <glob.h>

#include "../../verif/check/check.h"

enum { POSITIONS = 3, NEW_IDS = 3 };

struct graph {
    struct image_fixture x;
    const char *spec;
    struct ir *ir;
    struct golden_run *golden;
    struct oracle_graph *graph;
    struct oracle *oracle;
    struct check *check;
};

// Of the file itself: golden files stand beside it.
static void open_graph(struct graph *g, const char *spec, const char *stop_after) {
    image_begin(&g->x);
    g->spec = spec;
    g->ir = command_build(spec, &g->x.f.arena, &g->x.f.diag, stop_after);
    if (!g->ir) fail_msg("%s: %s", spec, fixture_text(&g->x.f));
    const char *image = image_pack_golden(&g->x, g->ir, "random:1", "g");
    struct checkpoint *weights = checkpoint_open(&g->x.f.arena, "random:1", &g->x.f.diag);
    g->golden = golden_run_open(&g->x.f.arena, g->ir, image, 2, &g->x.f.diag);
    g->graph = oracle_read(&g->x.f.arena, spec, &g->x.f.diag);
    g->oracle = g->graph ? oracle_open(&g->x.f.arena, g->graph, ORACLE_EXACT, weights, &g->x.f.diag) : NULL;
    checkpoint_close(weights);
    assert_no_errors(&g->x.f);
    assert_non_null(g->oracle);
    g->check = check_open(&g->x.f.arena, g->ir, g->golden, CHECK_ALL, &g->x.f.diag);
    check_set_oracle(g->check, g->graph, g->oracle, spec);
}

static void close_graph(struct graph *g) {
    golden_run_close(g->golden);
    oracle_close(g->oracle);
    image_end(&g->x);
}

static const float *make_row(struct graph *g, int input) {
    size_t n = (size_t)ir_tensor_elements(&g->ir->tensor[g->ir->input[input]]) * POSITIONS;
    float *row = ARENA_ARRAY(&g->x.f.arena, float, n);
    uint64_t state = 77 + (uint64_t)input;
    for (size_t i = 0; i < n; i++) row[i] = (float)(int16_t)next_random(&state) / 8192.0f;
    return row;
}

static void run_request(struct graph *g) {
    int64_t context = g->ir->design.context, count = context < POSITIONS ? context : POSITIONS;
    uint32_t ids[POSITIONS] = {1, 0, 1};
    const float *row[IR_MAX_PORTS] = {0};
    for (int i = 0; i < g->ir->inputs && !g->ir->design.is_lm; i++) row[i] = make_row(g, i);
    struct check_request request = {.ids = ids, .count = count, .max_new = NEW_IDS, .eot = -1, .row = row};
    check_begin(g->check, &request);
    if (g->ir->design.is_lm) check_golden_ids(g->check, &count);
    else check_oracle_row(g->check, 0, count - 1);
}

static void check_spec(const char *spec, const char *stop_after) {
    struct graph g = {0};
    open_graph(&g, spec, stop_after);
    run_request(&g);
    const char *mismatch = check_mismatch(g.check), *overflow = check_overflow(g.check), *why = "", *left = NULL;
    if (mismatch || overflow) fail_msg("%s: %s", spec, mismatch ? mismatch : overflow);
    struct check_oracle_counts c = check_oracle_counts(g.check);
    for (int t = 0; t < (int)c.named; t++) { // all names but those that nothing needs
        left = check_oracle_left(g.check, t, &why);
        if (left && strcmp(why, "no output depends on it") != 0) fail_msg("%s: not `%s`: %s", spec, left, why);
    }
    assert_true(c.tensors > 0 && c.values > 0 && c.positions > 0);
    close_graph(&g);
}

static int check_pattern(struct fixture *f, const char *pattern) {
    glob_t found;
    const char *root = find_dir(f, "configs/graph-linear.yaml");
    assert_int_equal(glob(arena_printf(&f->arena, "%s/../%s", root, pattern), 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) check_spec(found.gl_pathv[i], NULL);
    int count = (int)found.gl_pathc;
    globfree(&found);
    return count;
}

static void test_specs(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f);
    char *others = getenv("RILL_ORACLE_SPECS");
    if (others) {
        for (char *spec = strtok(others, " "); spec; spec = strtok(NULL, " ")) check_spec(spec, "drop-unread");
    } else {
        assert_true(check_pattern(&f, "tests/e2e/specs/*.yaml") >= 17);
        assert_true(check_pattern(&f, "configs/tinystories*.yaml") >= 1);
    }
    fixture_end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_specs)};
    return cmocka_run_group_tests_name("oracle_graphs", tests, NULL, NULL);
}
