// SPDX-License-Identifier: Apache-2.0
// Tests the statistics of activations that calibration collects (gen/reference/calibrate.h). Windows of a text that are
// evaluated together give the same result as windows that are evaluated one after the other. The file can be read back,
// but not for other weights or models. The packer and the oracle quantize equally with the statistics.
#include "tests/unit/image_fixture.h"

#include <math.h>

#include "gen/reference/execute.h"
#include "gen/reference/calibrate.h"
#include "gen/reference/statistics.h"

enum { IDS = 41, WINDOW = 16, HIDDEN = 64, VOCAB = 97, LANES = 5 };
// IDS: tokens of the text. LANES: texts that are evaluated together, a group of four and one more.

// Returns a spec with further keys of `model` and with the keys of `design`.
static const char *spec_of(struct image_fixture *x, const char *model, const char *design) {
    return arena_printf(&x->f.arena,
                        "name: t\nmodel: {family: gpt2, layers: 2, hidden: 64, heads: 2, ffn: 100, vocab: 97, %s}\n"
                        "design: {%s}\n",
                        model, design);
}

static struct oracle_graph *graph_of(struct image_fixture *x, const char *model, const char *design) {
    struct oracle_graph *g = oracle_read_text(&x->f.arena, "t.yaml", spec_of(x, model, design), NULL, &x->f.diag);
    assert_no_errors(&x->f);
    return g;
}

static struct oracle_graph *usual_graph(struct image_fixture *x) { return graph_of(x, "context: 40", "weights: int4"); }

static struct checkpoint *weights_of(struct image_fixture *x, const char *source) {
    struct checkpoint *c = checkpoint_open(&x->f.arena, source, &x->f.diag);
    assert_non_null(c);
    return c;
}

static void make_ids(uint32_t ids[IDS]) {
    uint64_t state = 3;
    for (int i = 0; i < IDS; i++) ids[i] = (uint32_t)(next_random(&state) % VOCAB);
}

// Returns the statistics of a random text with random weights.
static struct statistics *collect(struct image_fixture *x, const struct oracle_graph *g) {
    static uint32_t ids[IDS];
    make_ids(ids);
    struct calibration text = {.ids = ids, .count = IDS, .window = WINDOW, .from = "\"text\".txt"};
    struct statistics *s = statistics_collect(&x->f.arena, g, weights_of(x, "random:1"), &text, &x->f.diag);
    assert_no_errors(&x->f);
    return s;
}

// ---- measuring ----

// Adds the squares of a tensor's elements at the present position.
static void add_squares(const struct oracle *o, int tensor, int64_t repetition, double sum[HIDDEN]) {
    const struct oracle_value *v = oracle_value(o, tensor, repetition);
    assert_non_null(v);
    for (int i = 0; i < HIDDEN; i++) sum[i] += (double)v->f32[i] * v->f32[i];
}

static void assert_means(const float *mean, const double sum[HIDDEN]) {
    assert_non_null(mean);
    for (int i = 0; i < HIDDEN; i++) assert_true(fabs(mean[i] - sum[i] / IDS) <= 1e-6 * sum[i] / IDS);
}

// Compares the mean squares of three windows, of which the last one is shorter, with sums over an evaluation position
// by position. "norm2" is the operand of c_fc, "norm_final" that of the LM head, whose weights are wte.
static void test_means(void **state) {
    (void)state;
    struct image_fixture x;
    uint32_t ids[IDS];
    double second[HIDDEN] = {0}, head[HIDDEN] = {0};
    image_begin(&x);
    make_ids(ids);
    struct oracle_graph *g = usual_graph(&x);
    struct statistics *s = collect(&x, g);
    struct oracle *o = oracle_open(&x.f.arena, g, ORACLE_FLOAT, weights_of(&x, "random:1"), &x.f.diag);
    for (int i = 0; i < IDS; i++) {
        assert_true(oracle_step(o, ids[i], NULL, i % WINDOW, true));
        add_squares(o, oracle_find(g, "norm2"), 1, second);
        add_squares(o, oracle_find(g, "norm_final"), 0, head);
    }
    assert_means(statistics_of(s, "h.1.mlp.c_fc.weight", 100, 0, HIDDEN), second);
    assert_means(statistics_of(s, "wte.weight", VOCAB, 0, HIDDEN), head);
    assert_non_null(statistics_of(s, "h.0.attn.c_attn.weight", HIDDEN, HIDDEN, HIDDEN)); // keys
    assert_null(statistics_of(s, "h.0.attn.c_attn.weight", HIDDEN, 1, HIDDEN));
    assert_null(statistics_of(s, "h.2.mlp.c_fc.weight", 100, 0, HIDDEN));
    assert_null(statistics_of(NULL, "wte.weight", VOCAB, 0, HIDDEN));
    oracle_close(o);
    image_end(&x);
}

// Evaluating several texts together gives the same bits as evaluating each separately.
static void test_lanes(void **state) {
    (void)state;
    struct image_fixture x;
    uint32_t ids[IDS];
    image_begin(&x);
    make_ids(ids);
    struct oracle_graph *g = usual_graph(&x);
    struct oracle *lane[LANES],
        *alone = oracle_open(&x.f.arena, g, ORACLE_FLOAT, weights_of(&x, "random:1"), &x.f.diag);
    lane[0] = oracle_open_short(&x.f.arena, g, ORACLE_FLOAT, weights_of(&x, "random:1"), 4, &x.f.diag);
    for (int i = 1; i < LANES; i++) lane[i] = oracle_open_beside(&x.f.arena, lane[0], &x.f.diag);
    for (int p = 0; p < 4; p++) assert_true(oracle_step_all(lane, LANES, ids + LANES * p, p, true));
    for (int i = 0; i < LANES; i++) {
        for (int p = 0; p < 4; p++) assert_true(oracle_step(alone, ids[LANES * p + i], NULL, p, true));
        assert_memory_equal(oracle_logits(lane[i]), oracle_logits(alone), VOCAB * sizeof(float));
        assert_int_equal(oracle_next_id(lane[i]), oracle_next_id(alone));
        oracle_close(lane[i]);
    }
    oracle_close(alone);
    image_end(&x);
}

// ---- the file ----

static const char *written(struct image_fixture *x, const struct statistics *s) {
    struct text text = {0};
    statistics_write(s, &text);
    const char *copy = arena_strdup(&x->f.arena, text_cstr(&text));
    text_free(&text);
    return copy;
}

static struct statistics *read_back(struct image_fixture *x, const char *text, const struct oracle_graph *g,
                                    const char *weights) {
    const char *path = image_path(x, "statistics.json");
    write_file(path, text, strlen(text));
    return statistics_read(&x->f.arena, path, g, weights_of(x, weights), &x->f.diag);
}

static void test_file(void **state) {
    (void)state;
    struct image_fixture x;
    image_begin(&x);
    struct oracle_graph *g = usual_graph(&x);
    const char *text = written(&x, collect(&x, g));
    struct statistics *s = read_back(&x, text, g, "random:1");
    assert_no_errors(&x.f);
    assert_string_equal(written(&x, s), text);
    assert_string_equal(statistics_about(s, &x.f.arena), "41 tokens of \"text\".txt");
    // Formats, groups and the context do not change what products multiply.
    assert_non_null(
        read_back(&x, text, graph_of(&x, "context: 20", "weights: {default: int8, '*.c_fc.*': int4}"), "random:1"));
    assert_non_null(read_back(&x, text, graph_of(&x, "context: 40", "group: 256, weights: int4, T: 4"), "random:1"));
    assert_no_errors(&x.f);
    assert_null(read_back(&x, text, g, "random:2"));
    assert_reported(&x.f, "the statistics are of other weights");
    image_end(&x);
}

static void test_other_model(void **state) {
    (void)state;
    struct image_fixture x;
    image_begin(&x);
    const char *text = written(&x, collect(&x, usual_graph(&x)));
    struct oracle_graph *eps = graph_of(&x, "context: 40, norm_eps: 1e-4", "weights: int4");
    assert_null(read_back(&x, text, eps, "random:1"));
    assert_reported(&x.f, "the statistics are of another model");
    image_end(&x);
}

// The hash of the graph must include attributes that only attention has (cap, window, root of the scores), because they
// change the operands of later products.
static void test_other_attention(void **state) {
    (void)state;
    struct image_fixture x;
    image_begin(&x);
    struct oracle_graph *g = usual_graph(&x);
    uint64_t hash = statistics_graph(g);
    struct oracle_node *n = &g->node.items[0];
    static const int64_t window[] = {8};
    n->cap = 30;
    assert_true(statistics_graph(g) != hash);
    n->cap = 0, n->window = (struct oracle_each){window, 1};
    assert_true(statistics_graph(g) != hash);
    n->window = (struct oracle_each){0}, n->scale_root = 64;
    assert_true(statistics_graph(g) != hash);
    n->scale_root = 0;
    assert_true(statistics_graph(g) == hash);
    image_end(&x);
}

// The hash of the graph must include each value that a region carries from one repetition to the next: the tensor in
// the region, the one with which it begins, and the one from which it goes on.
static void test_other_carry(void **state) {
    (void)state;
    struct image_fixture x;
    image_begin(&x);
    struct oracle_graph *g = usual_graph(&x);
    uint64_t hash = statistics_graph(g);
    int carries = 0;
    for (size_t r = 0; r < g->region.count; r++)
        for (int c = 0; c < g->region.items[r].carries; c++, carries++) {
            struct oracle_carry *carry = &g->region.items[r].carry[c];
            int *const member[] = {&carry->local, &carry->init, &carry->next};
            for (size_t m = 0; m < COUNT_OF(member); m++) {
                ++*member[m];
                assert_true(statistics_graph(g) != hash);
                --*member[m];
            }
        }
    assert_int_equal(carries, 1);
    assert_true(statistics_graph(g) == hash);
    image_end(&x);
}

// Replaces the first `from` in the file by `to`. Reading it must then fail with this message.
static void refuse(const char *from, const char *to, const char *message) {
    struct image_fixture x;
    image_begin(&x);
    struct oracle_graph *g = usual_graph(&x);
    const char *text = written(&x, collect(&x, g)), *at = strstr(text, from);
    assert_non_null(at);
    text = arena_printf(&x.f.arena, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    assert_null(read_back(&x, text, g, "random:1"));
    assert_reported(&x.f, message);
    image_end(&x);
}

static void test_damaged(void **state) {
    (void)state;
    refuse("\"rill_statistics\": 1", "\"rill_statistics\": 2", "these are not statistics of this version");
    refuse("\"mean_squares\": [", "\"mean_squares\": [-1, ", "matrix 0 of the list is damaged");
    refuse("\"mean_squares\": [", "\"mean_squares\": [\"\", ", "matrix 0 of the list is damaged");
    refuse("\"tensor\"", "\"tenser\"", "matrix 0 of the list is damaged");
    refuse("\"matrices\"", "\"matrixes\"", "the statistics list no matrix");
    refuse("{", "[", "line 1");
}

// ---- quantizing with the statistics ----

// Runs five steps and returns the logits of the last one.
static const float *run(struct oracle *o) {
    assert_non_null(o);
    for (int p = 0; p < 5; p++) assert_true(oracle_step(o, (uint32_t)(7 * p), NULL, p, true));
    return oracle_logits(o);
}

// Packs an image with these statistics (or without, NULL) and returns the logits of an oracle that reads it. The caller
// closes *o.
static const float *run_image(struct image_fixture *x, const struct oracle_graph *g, const struct ir *ir,
                              const struct statistics *s, const char *name, struct oracle **o) {
    struct output out;
    output_begin(&out, &x->f.arena, image_path(x, name));
    assert_true(pack_image_by(ir, "random:1", s, &out, &x->f.diag) && output_commit(&out));
    *o = oracle_open_image(&x->f.arena, g, arena_printf(&x->f.arena, "%s/%s/image", x->dir, name), &x->f.diag);
    return run(*o);
}

static long size_of(struct image_fixture *x, const char *name) {
    FILE *file = fopen(image_path(x, name), "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    fclose(file);
    return size;
}

static void test_weights(void **state) {
    (void)state;
    struct image_fixture x;
    image_begin(&x);
    struct oracle_graph *g = usual_graph(&x);
    struct ir *ir = image_build(&x, spec_of(&x, "context: 40", "weights: int4"), NULL);
    struct statistics *s = collect(&x, g);
    struct oracle *image[2], *own[2];
    const float *packed = run_image(&x, g, ir, s, "by", &image[0]),
                *plain = run_image(&x, g, ir, NULL, "plain", &image[1]);
    own[0] = oracle_open(&x.f.arena, g, ORACLE_EXACT, weights_of(&x, "random:1"), &x.f.diag);
    oracle_use_statistics(g, s);
    own[1] = oracle_open(&x.f.arena, g, ORACLE_EXACT, weights_of(&x, "random:1"), &x.f.diag);
    assert_memory_equal(run(own[0]), plain, VOCAB * sizeof(float));
    assert_memory_equal(run(own[1]), packed, VOCAB * sizeof(float));
    assert_true(memcmp(packed, plain, VOCAB * sizeof(float)) != 0);
    // oracle.bin does not contain the weights that the image has, so statistics do not change its size.
    assert_int_equal(size_of(&x, "by/image/oracle.bin"), size_of(&x, "plain/image/oracle.bin"));
    for (int i = 0; i < 2; i++) oracle_close(image[i]), oracle_close(own[i]);
    image_end(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_means),       cmocka_unit_test(test_lanes),           cmocka_unit_test(test_file),
        cmocka_unit_test(test_other_model), cmocka_unit_test(test_other_attention), cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_weights),     cmocka_unit_test(test_other_carry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
