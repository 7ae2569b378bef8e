// SPDX-License-Identifier: Apache-2.0
// Tests the replay of a compiled graph: values across regions and repetitions, attention over positions, requests and
// faults. Also tests that parameters of the design change no bit of the results.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "tests/unit/image_fixture.h"
#include "tests/unit/quantize_fixture.h"

#include <jansson.h>
#include <math.h>

#include "gen/numerics/numerics.h"
#include "verif/replay/replay_internal.h"
#include "gen/model/checkpoint.h"
#include "verif/replay/replay.h"
#include "tests/unit/golden_products.h"

static void assert_same(const float *want, const float *have, size_t n) {
    assert_memory_equal(want, have, n * sizeof *want);
}

// Returns the value of a tensor. The test fails if the replay has no such value.
static struct replay_value value_of(const struct replay *run, const char *name, int64_t repetition, int64_t position) {
    struct replay_value v = {0};
    if (!replay_value(run, ir_find_tensor(run->ir, name), repetition, position, &v))
        fail_msg("no value of `%s` in repetition %d at position %d", name, (int)repetition, (int)position);
    return v;
}

static bool has_value(const struct replay *run, const char *name, int64_t repetition, int64_t position) {
    struct replay_value v;
    return replay_value(run, ir_find_tensor(run->ir, name), repetition, position, &v);
}

// Fills x with n random numbers in [-1, 1).
static void random_row(uint64_t *state, float *x, int n) {
    for (int i = 0; i < n; i++) x[i] = (float)((double)(next_random(state) >> 40) * 0x1p-23 - 1.0);
}

// ---- integer sums: the fast functions of the replay (dot_*) against those of gen/numerics (golden_*) ----

// K: longest row, or most positions. BLOCK: elements of a block. BLOCKS: blocks of K elements. DIMS: size of a head.
enum { K = 300, BLOCK = 64, BLOCKS = 5, DIMS = 24 };

static void test_dot(void **state) {
    (void)state;
    uint64_t seed = 7;
    int8_t w[K];
    int16_t x[K];
    uint8_t scale[BLOCKS], shift[BLOCKS], scales[2 * BLOCKS];
    int8_t offsets[2 * BLOCKS];
    int32_t sums[2 * BLOCKS];
    for (int round = 0; round < 200; round++) {
        for (int g = 0; g < 2 * BLOCKS; g++)
            scales[g] = (uint8_t)next_random(&seed), offsets[g] = (int8_t)next_random(&seed);
        for (int i = 0; i < K; i++)
            w[i] = (int8_t)next_random(&seed), x[i] = (int16_t)(next_random(&seed) % 1023 - 511);
        for (int b = 0; b < BLOCKS; b++) scale[b] = (uint8_t)next_random(&seed), shift[b] = next_random(&seed) & 31;
        int n = 1 + (int)(next_random(&seed) % K);
        assert_true(dot_product(n, BLOCK, w, NULL, x, shift) == golden_dot((size_t)n, BLOCK, w, NULL, x, shift));
        dot_group_sums(n, x, sums);
        assert_true(dot_product_asym(n, BLOCK, w, scales, offsets, x, sums, shift) ==
                    golden_dot_asym((size_t)n, BLOCK, w, scales, offsets, x, shift));
        assert_true(dot_product(n, BLOCK, w, scale, x, shift) == golden_dot((size_t)n, BLOCK, w, scale, x, shift));
    }
}

// Tests the longest legal rows, in one block, with the largest factors and shifts (docs/numerics.md section 5). The
// sums must not overflow.
static void test_longest(void **state) {
    (void)state;
    static int8_t w[GOLDEN_K_MAX];
    static int16_t x[GOLDEN_K_MAX];
    const int n = GOLDEN_K_MAX;
    const uint8_t scale[1] = {255}, eight[1] = {31}, ten[1] = {29};
    for (int i = 0; i < n; i++) w[i] = -127, x[i] = 511;
    const int64_t most = -127ll * 511 * n * (1ll << 29);
    assert_true(dot_product(n, n, w, NULL, x, ten) == most &&
                golden_dot((size_t)n, (size_t)n, w, NULL, x, ten) == most);
    for (int i = 0; i < n; i++) w[i] = -8, x[i] = 127;
    int128 least = (int128)(-8 * 255 * 127) * n * (1ll << 31);
    assert_true(dot_product(n, n, w, scale, x, eight) == least &&
                golden_dot((size_t)n, (size_t)n, w, scale, x, eight) == least);
    for (int i = 0; i < n; i++) x[i] = 511;
    least = (int128)(-8 * 255 * 511) * n * (1ll << 29);
    assert_true(dot_product(n, n, w, scale, x, ten) == least &&
                golden_dot((size_t)n, (size_t)n, w, scale, x, ten) == least);
}

// Tests the longest rows for int4_asym as well. The sums of this format do not fit in 65 bits. 3064 is the largest
// magnitude of a weight: 8 * 255 from its value and scale, and 8 * 128 from its offset.
static void test_longest_asym(void **state) {
    (void)state;
    enum { GROUPS = GOLDEN_K_MAX / GOLDEN_ASYM_GROUP };
    static int8_t w[GOLDEN_K_MAX], offsets[GROUPS];
    static int16_t x[GOLDEN_K_MAX];
    static uint8_t scales[GROUPS];
    static int32_t sums[GROUPS];
    const int n = GOLDEN_K_MAX;
    const uint8_t eight[1] = {31}, ten[1] = {29};
    memset(w, -8, sizeof w), memset(offsets, -128, sizeof offsets), memset(scales, 255, sizeof scales);
    for (int bits = 8; bits <= 10; bits += 2) {
        int most = (int)golden_mx_limit(bits);
        const uint8_t *shift = bits == 8 ? eight : ten;
        for (int i = 0; i < n; i++) x[i] = (int16_t)most;
        dot_group_sums(n, x, sums);
        int128 least = (int128)(-3064 * most) * n * (1ll << shift[0]);
        assert_true(least < -((int128)1 << 64));
        assert_true(dot_product_asym(n, n, w, scales, offsets, x, sums, shift) == least);
        assert_true(golden_dot_asym((size_t)n, (size_t)n, w, scales, offsets, x, shift) == least);
        assert_true(g_from_int128(least) == -(float)(3064 * most) * (float)n * (float)(1ll << shift[0]));
    }
}

static void test_weighted_sum(void **state) {
    (void)state;
    uint64_t seed = 9;
    static int8_t v[K * DIMS];
    int16_t p[K];
    uint8_t shift[BLOCKS];
    int32_t sum[DIMS];
    int128 acc[DIMS];
    for (int i = 0; i < K * DIMS; i++) v[i] = (int8_t)next_random(&seed);
    for (int i = 0; i < K; i++) p[i] = (int16_t)(next_random(&seed) % 1023 - 511);
    for (int b = 0; b < BLOCKS; b++) shift[b] = next_random(&seed) & 31;
    for (int n = 1; n < K; n += 21) {
        dot_weighted_sum(n, BLOCK, p, shift, DIMS, DIMS, v, sum, acc);
        for (int d = 0; d < DIMS; d++) {
            int64_t want = 0;
            for (int t = 0; t < n; t++) want += (int64_t)p[t] * v[t * DIMS + d] * ((int64_t)1 << shift[t / BLOCK]);
            assert_true(acc[d] == want);
        }
    }
}

// ---- regions, repetitions, carries ----

enum { N = 40, LAYERS = 3 };

static const char graph_spec[] = "name: g\n"
                                 "graph:\n"
                                 "  inputs:\n"
                                 "    x: {shape: [40]}\n"
                                 "  outputs: [y]\n"
                                 "  regions:\n"
                                 "    - name: blocks\n"
                                 "      repeat: 3\n"
                                 "      carry:\n"
                                 "        h: {init: x, next: h_next}\n"
                                 "      ops:\n"
                                 "        - {op: quantize, name: h_q, in: [h]}\n"
                                 "        - {op: matmul, name: acc, in: [h_q], rows: 40, weight: \"w.{layer}\", bias: "
                                 "\"b.{layer}\", weights: int4}\n"
                                 "        - {op: dequantize, name: wh, in: [acc]}\n"
                                 "        - {op: gelu, name: g, in: [wh]}\n"
                                 "        - {op: add, name: h_next, in: [g, h]}\n"
                                 "    - name: tail\n"
                                 "      ops:\n"
                                 "        - {op: silu, name: s, in: [h]}\n"
                                 "        - {op: rmsnorm, name: n, in: [s], gamma: gain}\n"
                                 "        - {op: mul, name: y, in: [n, wh]}\n"
                                 "board: u55c\n"
                                 "design: {channels: 2}\n";

// Computes one layer of graph_spec with the golden functions only. h: its input and output; wh: the tensor `wh`.
static void compute_block(struct fixture *f, struct checkpoint *c, int layer, float h[N], float wh[N]) {
    struct golden_fault fault = {0};
    struct checkpoint_slice slice = {.name = arena_printf(&f->arena, "w.%d", layer), .rows = N, .cols = N};
    struct qmatrix m =
        quantize_matrix(&f->arena, checkpoint_matrix(c, &f->arena, &slice, &f->diag), N, N, QFORMAT_INT4, 128);
    const float *bias =
        checkpoint_vector(c, &f->arena, arena_printf(&f->arena, "b.%d", layer), N, 0, N, CHECKPOINT_BIAS, &f->diag);
    float scale[N], g[N];
    int16_t q[N];
    uint8_t shift;
    for (int i = 0; i < N; i++) scale[i] = golden_stored_scale(m.row_scale[i], GOLDEN_MX_EXP_MIN, &fault);
    golden_quantize_mx(N, 128, 8, GOLDEN_MX_EXP_MIN, h, q, &shift, &fault);
    whole_product(N, N, 128, m.q, m.group_scale, scale, bias, q, &shift, wh, &fault);
    golden_gelu(N, wh, g, &fault);
    golden_add(N, g, h, h, &fault);
    assert_false(fault.raised);
}

// Compares the values of the replay at one position with the golden functions. row: the input x at this position.
static void check_graph(struct image_fixture *x, struct checkpoint *c, const struct replay *run, const float *row,
                        int64_t position) {
    struct golden_fault fault = {0};
    float h[N], wh[N], y[N];
    memcpy(h, row, sizeof h);
    for (int layer = 0; layer < LAYERS; layer++) {
        assert_same(h, value_of(run, "h", layer, position).f32, N);
        compute_block(&x->f, c, layer, h, wh);
        assert_same(wh, value_of(run, "wh", layer, position).f32, N);
        assert_same(h, value_of(run, "h_next", layer, position).f32, N);
    }
    assert_same(h, value_of(run, "h", LAYERS, position).f32, N); // later regions read this value
    golden_silu(N, h, y, &fault);
    golden_rmsnorm(N, 1e-5f, y, checkpoint_vector(c, &x->f.arena, "gain", N, 0, N, CHECKPOINT_GAIN, &x->f.diag), y,
                   &fault);
    golden_mul(N, y, wh, y, &fault);
    assert_same(y, value_of(run, "y", 0, position).f32, N);
    assert_false(fault.raised);
}

static void test_graph(void **state) {
    (void)state;
    struct image_fixture x;
    image_begin(&x);
    struct ir *ir = image_build(&x, graph_spec, "drop-unread");
    struct replay *run = replay_open(&x.f.arena, ir, image_pack_golden(&x, ir, "random:5", "g"), 2, &x.f.diag);
    struct checkpoint *c = checkpoint_open(&x.f.arena, "random:5", &x.f.diag);
    assert_no_errors(&x.f);
    uint64_t seed = 3;
    for (int64_t position = 0; position < 4; position++) {
        float row[N];
        random_row(&seed, row, N);
        assert_true(replay_step(run, 0, (const float *[]){row}, position, true));
        check_graph(&x, c, run, row, position);
        assert_true(has_value(run, "y", 0, position - 1) == (position > 0)); // the window keeps two positions
        assert_false(has_value(run, "y", 0, position - 2) || has_value(run, "y", 0, position + 1));
    }
    assert_false(has_value(run, "h", LAYERS + 1, 3) || has_value(run, "wh", LAYERS, 3) || has_value(run, "wh", -1, 3));
    replay_close(run);
    checkpoint_close(c);
    image_end(&x);
}

// ---- attention ----

enum { HEADS = 2, HD = 32, WIDTH = HEADS * HD, POSITIONS = 70 };

static const char attention_spec[] = "name: a\n"
                                     "graph:\n"
                                     "  inputs:\n"
                                     "    q: {shape: [64]}\n"
                                     "    k: {shape: [64]}\n"
                                     "    v: {shape: [64]}\n"
                                     "  outputs: [o]\n"
                                     "  context: 80\n"
                                     "  regions:\n"
                                     "    - name: main\n"
                                     "      ops:\n"
                                     "        - {op: quantize, name: q_mx, in: [q], block: 32}\n"
                                     "        - {op: kv_quantize, name: keys, in: [k], heads: 2, role: key}\n"
                                     "        - {op: kv_quantize, name: values, in: [v], heads: 2, role: value}\n"
                                     "        - {op: attn_scores, name: s_acc, in: [q_mx, keys]}\n"
                                     "        - {op: dequantize, name: s, in: [s_acc]}\n"
                                     "        - {op: softmax, out: [p, inv], in: [s, keys, values]}\n"
                                     "        - {op: quantize, name: p_mx, in: [p], block: 64, exp_min: -36}\n"
                                     "        - {op: attn_values, name: w_acc, in: [p_mx, values]}\n"
                                     "        - {op: dequantize, name: w, in: [w_acc]}\n"
                                     "        - {op: scale, name: o, in: [w, inv]}\n"
                                     "board: u55c\n"
                                     "design: {channels: 1}\n";

struct head_cache {
    int8_t k[POSITIONS][HD], v[POSITIONS][HD];
    float kscale[POSITIONS], vscale[POSITIONS]; // scales of the rows of k and v; kscale has the factor 1 / sqrt(HD)
};

// Computes one head at one position with the golden functions only. Adds the position's key and value to the cache.
// scores receives position + 1 raw scores.
static void compute_head(struct head_cache *c, int position, const float *q, const float *k, const float *v,
                         float scores[], float o[HD]) {
    struct golden_fault fault = {0};
    const int8_t *krow[POSITIONS], *vrow[POSITIONS];
    int16_t qq[HD], pq[POSITIONS];
    uint8_t shift, pshift[2];
    float p[POSITIONS];
    size_t n = (size_t)position + 1;
    c->kscale[position] =
        golden_k_scale(golden_quantize_kv(HD, k, c->k[position], &fault), golden_rsqrt_head(HD), &fault);
    c->vscale[position] = golden_quantize_kv(HD, v, c->v[position], &fault);
    for (size_t t = 0; t < n; t++) krow[t] = c->k[t], vrow[t] = c->v[t];
    golden_quantize_mx(HD, HD, 8, GOLDEN_MX_EXP_MIN, q, qq, &shift, &fault);
    whole_scores(n, HD, qq, shift, GOLDEN_MX_EXP_MIN, krow, scores, &fault);
    float inv = golden_softmax(n, 0, scores, c->kscale, c->vscale, p, &fault);
    golden_quantize_mx(n, GOLDEN_P_BLOCK, 8, GOLDEN_MX_EXP_MIN_P, p, pq, pshift, &fault);
    whole_values(n, HD, pq, pshift, GOLDEN_MX_EXP_MIN_P, vrow, inv, NULL, o, &fault);
    assert_false(fault.raised);
}

// Compares the replay with compute_head for all heads at one position. row: the inputs q, k and v.
static void run_attention(const struct replay *run, struct head_cache *cache, float row[3][WIDTH], int position) {
    float scores[POSITIONS], o[HD];
    struct replay_value s = value_of(run, "s", 0, position), out = value_of(run, "o", 0, position),
                        keys = value_of(run, "keys", 0, position);
    assert_true(s.rows == HEADS && s.cols == position + 1 && s.stride == 80);
    for (int h = 0; h < HEADS; h++) {
        compute_head(&cache[h], position, row[0] + h * HD, row[1] + h * HD, row[2] + h * HD, scores, o);
        assert_same(scores, s.f32 + h * s.stride, (size_t)s.cols);
        assert_same(o, out.f32 + h * HD, HD);
        assert_memory_equal(keys.q + h * keys.stride, cache[h].k[position], HD);
        assert_same(&cache[h].kscale[position], &keys.scale[h], 1);
    }
}

// Runs two requests. The second one must not read the keys of the first one.
static void test_attention(void **state) {
    (void)state;
    struct image_fixture x;
    image_begin(&x);
    struct ir *ir = image_build(&x, attention_spec, "drop-unread");
    struct replay *run = replay_open(&x.f.arena, ir, image_pack_golden(&x, ir, "random:5", "a"), 1, &x.f.diag);
    assert_no_errors(&x.f);
    uint64_t seed = 11;
    for (int request = 0; request < 2; request++) {
        struct head_cache *cache = ARENA_ARRAY(&x.f.arena, struct head_cache, HEADS);
        for (int position = 0; position < POSITIONS; position++) {
            float row[3][WIDTH];
            random_row(&seed, row[0], 3 * WIDTH);
            assert_true(replay_step(run, 0, (const float *[]){row[0], row[1], row[2]}, position, true));
            run_attention(run, cache, row, position);
        }
    }
    replay_close(run);
    image_end(&x);
}

// ---- faults ----

static void test_fault(void **state) {
    (void)state;
    struct image_fixture x;
    image_begin(&x);
    struct ir *ir = image_build(&x, graph_spec, "drop-unread");
    struct replay *run = replay_open(&x.f.arena, ir, image_pack_golden(&x, ir, "random:5", "g"), 1, &x.f.diag);
    assert_no_errors(&x.f);
    float row[N] = {1.0f};
    const float *rows[] = {row};
    assert_true(replay_step(run, 0, rows, 0, true));
    assert_null(replay_fault(run));
    row[3] = INFINITY;
    assert_false(replay_step(run, 0, rows, 1, true));
    const char *text = replay_fault(run);
    assert_non_null(strstr(text, "`h_q`"));
    assert_non_null(strstr(text, "repetition 0, position 1"));
    row[3] = 0;
    assert_false(replay_step(run, 0, rows, 2, true)); // the fault remains until the next request
    assert_string_equal(replay_fault(run), text);
    assert_true(replay_step(run, 0, rows, 0, true));
    assert_null(replay_fault(run));
    replay_close(run);
    image_end(&x);
}

// ---- language models ----

// Opens the replay of the shipped model with these design lines. window: number of latest positions whose values the
// replay keeps. name: name of the folder of the image.
static struct replay *open_model(struct image_fixture *x, const char *design, const char *name, int window) {
    struct ir *ir = image_build(x, image_tinystories(x, design), "drop-unread");
    const char *image = image_pack_golden(x, ir, shipped_model(&x->f), name);
    struct replay *run = replay_open(&x->f.arena, ir, image, window, &x->f.diag);
    assert_no_errors(&x->f);
    return run;
}

// Runs a prompt of expected.json and compares 32 generated tokens with those of the float model.
static void check_case(struct replay *run, const json_t *one) {
    const json_t *ids = json_object_get(one, "ids"), *item;
    size_t i, prompt = json_array_size(ids);
    int64_t position = 0;
    json_array_foreach(ids, i, item)
        assert_true(replay_step(run, (uint32_t)json_integer_value(item), NULL, position++, i + 1 == prompt));
    json_array_foreach(json_object_get(one, "greedy32"), i, item) {
        assert_int_equal(replay_next_id(run), json_integer_value(item));
        assert_true(replay_step(run, replay_next_id(run), NULL, position++, true));
    }
}

// With int8 weights, the model must generate the same tokens as the float model for these prompts.
static void test_expected(void **state) {
    (void)state;
    struct image_fixture x;
    image_begin(&x);
    struct replay *run = open_model(&x, "  channels: 1\n", "m", 1);
    json_t *root = json_load_file(arena_printf(&x.f.arena, "%s/expected.json", shipped_model(&x.f)), 0, NULL), *one;
    size_t i;
    json_array_foreach(json_object_get(root, "cases"), i, one) check_case(run, one);
    assert_true(i > 0);
    json_decref(root);
    replay_close(run);
    image_end(&x);
}

// Designs that differ in channels, bits of a beat, lanes and T must give the same logits.
static void test_same_logits(void **state) {
    (void)state;
    static const char *const designs[] = {"  channels: 1\n  beat_bits: 256\n  lanes: 4\n  weights: int4\n",
                                          "  channels: 3\n  T: 2\n  weights: int4\n"};
    struct image_fixture x;
    image_begin(&x);
    struct replay *a = open_model(&x, designs[0], "a", 1), *b = open_model(&x, designs[1], "b", 1);
    uint32_t id = 1023;
    for (int64_t position = 0; position < 20; position++) {
        assert_true(replay_step(a, id, NULL, position, true) && replay_step(b, id, NULL, position, true));
        assert_same(value_of(a, "logits", 0, position).f32, value_of(b, "logits", 0, position).f32, 1024);
        id = replay_next_id(a);
    }
    replay_close(a);
    replay_close(b);
    image_end(&x);
}

// Values of an earlier request must not be available, and neither must the logits and the id of a step that did not run
// the language-model head.
static void test_requests(void **state) {
    (void)state;
    struct image_fixture x;
    image_begin(&x);
    struct replay *run = open_model(&x, "  channels: 1\n", "m", 8);
    for (int64_t position = 0; position < 6; position++) assert_true(replay_step(run, 5, NULL, position, true));
    assert_true(has_value(run, "logits", 0, 1) && has_value(run, "residual2", 3, 5));
    assert_true(replay_step(run, 5, NULL, 0, false));
    assert_true(replay_step(run, 6, NULL, 1, false));
    assert_true(has_value(run, "residual2", 3, 1));
    assert_false(has_value(run, "logits", 0, 1) || has_value(run, "next_id", 0, 1) ||
                 has_value(run, "residual2", 3, 5));
    assert_false(replay_step(run, 1024, NULL, 2, true)); // no such id
    assert_non_null(strstr(replay_fault(run), "`token_row`"));
    replay_close(run);
    image_end(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dot),          cmocka_unit_test(test_longest),  cmocka_unit_test(test_longest_asym),
        cmocka_unit_test(test_weighted_sum), cmocka_unit_test(test_graph),    cmocka_unit_test(test_attention),
        cmocka_unit_test(test_fault),        cmocka_unit_test(test_expected), cmocka_unit_test(test_same_logits),
        cmocka_unit_test(test_requests),
    };
    return cmocka_run_group_tests_name("golden", tests, NULL, NULL);
}
