// SPDX-License-Identifier: Apache-2.0
// config.json and named tensors: what is accepted, what is refused and with which words, random weights.
#define _GNU_SOURCE
#include "model_fixture.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "checkpoint.h"

static char dir[] = "/tmp/rill_checkpoint_XXXXXX";
static char model_path[64], config_path[64];

static int make_dir(void **state) {
    (void)state;
    if (!mkdtemp(dir)) return -1;
    snprintf(model_path, sizeof model_path, "%s/model.safetensors", dir);
    snprintf(config_path, sizeof config_path, "%s/config.json", dir);
    return 0;
}

static int remove_dir(void **state) {
    (void)state;
    unlink(model_path);
    unlink(config_path);
    return rmdir(dir);
}

// ---- config.json ----

static bool read_config_text(struct fixture *f, const char *text, struct gpt2_config *config) {
    write_file(config_path, text, strlen(text));
    return gpt2_config_read(&f->arena, dir, config, &f->diag);
}

static void test_config(void **state) {
    (void)state;
    struct fixture f;
    struct gpt2_config c, want;
    fixture_begin(&f);
    assert_true(gpt2_config_read(&f.arena, shipped_model(&f), &c, &f.diag));
    assert_true(c.layers == 4 && c.hidden == 128 && c.heads == 4 && c.ffn == 512 && c.vocab == 1024 &&
                c.context == 256);
    assert_true(c.eot == 1023 && c.tied_head && c.norm_eps == 1e-5);
    want = c;
    assert_true(gpt2_config_check(&f.arena, "m", &c, &want, &f.diag));
    want.layers = 5;
    want.norm_eps = 1e-6;
    assert_false(gpt2_config_check(&f.arena, "m", &c, &want, &f.diag));
    assert_reported(&f, "m/config.json: error: `n_layer` is 4, the spec says 5");
    assert_reported(&f, "`layer_norm_epsilon` is 1e-05, the spec says 1e-06");
    assert_int_equal(f.diag.errors, 2);
    fixture_end(&f);
}

#define SIZES "\"n_layer\":2,\"n_embd\":8,\"n_head\":2,\"vocab_size\":9,\"n_positions\":4"
static const struct {
    const char *text, *message;
} bad_configs[] = {
    {"", "config.json: error"},
    {"[]", "not a JSON object"},
    {"{" SIZES "}", "`model_type` is missing"},
    {"{\"model_type\":\"llama\"," SIZES "}", "`model_type` is `llama`, only `gpt2`"},
    {"{\"model_type\":\"gpt2\",\"activation_function\":\"relu\"," SIZES "}", "only `gelu_new` is supported"},
    {"{\"model_type\":\"gpt2\",\"scale_attn_by_inverse_layer_idx\":true," SIZES "}", "must be false"},
    {"{\"model_type\":\"gpt2\",\"scale_attn_weights\":1," SIZES "}", "`scale_attn_weights` is not true or false"},
    {"{\"model_type\":\"gpt2\",\"n_inner\":-3," SIZES "}", "`n_inner` is not a positive integer"},
    {"{\"model_type\":\"gpt2\",\"layer_norm_epsilon\":0," SIZES "}", "`layer_norm_epsilon` is not a number"},
    {"{\"model_type\":\"gpt2\",\"eos_token_id\":9," SIZES "}", "`eos_token_id` is not in the vocabulary"},
    {"{\"model_type\":\"gpt2\",\"n_layer\":2,\"n_embd\":8,\"n_head\":3,\"vocab_size\":9,\"n_positions\":4}",
     "does not divide"},
    {"{\"model_type\":\"gpt2\",\"n_layer\":2}", "`n_embd` is missing"},
    {"{\"model_type\":\"gpt2\",\"n_layer\":1e99," SIZES "}", "config.json: error"},
};

static void test_bad_configs(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(bad_configs); i++) {
        struct fixture f;
        struct gpt2_config c;
        fixture_begin(&f);
        assert_false(read_config_text(&f, bad_configs[i].text, &c));
        assert_reported(&f, bad_configs[i].message);
        fixture_end(&f);
    }
}

static void test_config_defaults(void **state) {
    (void)state;
    struct fixture f;
    struct gpt2_config c;
    fixture_begin(&f);
    assert_true(read_config_text(&f, "{\"model_type\":\"gpt2\",\"n_inner\":null," SIZES "}", &c));
    assert_true(c.ffn == 32 && c.tied_head && c.eot == -1 && c.norm_eps == 1e-5);
    fixture_end(&f);
}

// ---- tensors of a file: m [2][3] = 0..5, v [3] = 6..8, mask ----

static const char header[] = "{\"transformer.m\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,24]},"
                             "\"v\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[24,36]},"
                             "\"h.0.attn.bias\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[36,37]}}";

static struct checkpoint *open_small(struct fixture *f, float last) {
    float data[10] = {0, 1, 2, 3, 4, 5, 6, 7, last, 0};
    fixture_begin(f);
    write_safetensors(model_path, header, data, 37);
    struct checkpoint *c = checkpoint_open(&f->arena, dir, &f->diag);
    assert_no_errors(f);
    assert_string_equal(checkpoint_dir(c), dir);
    return c;
}

static void test_slices(void **state) {
    (void)state;
    struct fixture f;
    struct checkpoint *c = open_small(&f, 8);
    const float *m = checkpoint_matrix(c, &f.arena, &(struct checkpoint_slice){"m", 1, 3, false, 1, 2, false}, &f.diag);
    assert_true(m && m[0] == 3 && m[2] == 5);
    m = checkpoint_matrix(c, &f.arena, &(struct checkpoint_slice){"transformer.m", 2, 2, true, 1, 0, false}, &f.diag);
    assert_true(m && m[0] == 1 && m[1] == 4 && m[2] == 2 && m[3] == 5);
    const float *v = checkpoint_vector(c, &f.arena, "v", 2, 1, 3, CHECKPOINT_GAIN, &f.diag);
    assert_true(v && v[0] == 7 && v[1] == 8);
    assert_true(checkpoint_check_coverage(c, &f.diag));
    assert_no_errors(&f);
    checkpoint_close(c);
    fixture_end(&f);
}

static void test_coverage(void **state) {
    (void)state;
    struct fixture f;
    struct checkpoint *c = open_small(&f, 8);
    assert_non_null(checkpoint_matrix(c, &f.arena, &(struct checkpoint_slice){"m", 2, 2, true, 0, 0, false}, &f.diag));
    assert_false(checkpoint_check_coverage(c, &f.diag));
    assert_reported(&f, "tensor transformer.m: shape [2, 3], the spec uses only 2 of 3 rows");
    assert_reported(&f, "tensor v: the spec has no use for it");
    assert_int_equal(f.diag.errors, 2);
    checkpoint_close(c);
    fixture_end(&f);
}

static void test_wrong_tensors(void **state) {
    (void)state;
    struct fixture f;
    struct checkpoint *c = open_small(&f, NAN);
    assert_null(checkpoint_matrix(c, &f.arena, &(struct checkpoint_slice){"h.9.w", 2, 3, false, 0, 0, false}, &f.diag));
    assert_reported(&f, "model.safetensors: error: tensor h.9.w: missing");
    assert_null(checkpoint_matrix(c, &f.arena, &(struct checkpoint_slice){"m", 2, 3, true, 0, 2, false}, &f.diag));
    assert_reported(&f, "tensor transformer.m: shape [2, 3], the spec needs [3, 2]");
    assert_null(checkpoint_matrix(c, &f.arena, &(struct checkpoint_slice){"m", 2, 3, false, 1, 0, false}, &f.diag));
    assert_reported(&f, "the spec needs [3, 3]");
    assert_null(checkpoint_matrix(c, &f.arena, &(struct checkpoint_slice){"v", 3, 1, false, 0, 0, false}, &f.diag));
    assert_null(checkpoint_vector(c, &f.arena, "v", 4, 0, 4, CHECKPOINT_BIAS, &f.diag));
    assert_reported(&f, "tensor v: shape [3], the spec needs [4]");
    assert_null(checkpoint_vector(c, &f.arena, "v", 3, 0, 3, CHECKPOINT_BIAS, &f.diag));
    assert_reported(&f, "tensor v: element 2 is not a finite number");
    checkpoint_close(c);
    fixture_end(&f);
}

// A file that shrinks after it was opened.
static void test_shrunk_file(void **state) {
    (void)state;
    struct fixture f;
    struct checkpoint *c = open_small(&f, 8);
    assert_int_equal(truncate(model_path, (off_t)sizeof header), 0);
    assert_null(checkpoint_matrix(c, &f.arena, &(struct checkpoint_slice){"m", 2, 3, false, 0, 0, false}, &f.diag));
    assert_reported(&f, "tensor transformer.m: truncated");
    checkpoint_close(c);
    fixture_end(&f);
}

// ---- random weights ----

static void test_random_source(void **state) {
    (void)state;
    static const char *const bad[] = {"random:", "random:x", "random:-1", "random:1x", "random:99999999999999999999"};
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        struct fixture f;
        fixture_begin(&f);
        assert_null(checkpoint_open(&f.arena, bad[i], &f.diag));
        assert_reported(&f, "the seed must be a decimal number");
        fixture_end(&f);
    }
}

static void test_random_slices_agree(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f);
    struct checkpoint *c = checkpoint_open(&f.arena, "random:7", &f.diag);
    const float *all =
        checkpoint_matrix(c, &f.arena, &(struct checkpoint_slice){"w", 6, 5, false, 0, 6, false}, &f.diag);
    const float *part =
        checkpoint_matrix(c, &f.arena, &(struct checkpoint_slice){"w", 2, 5, false, 3, 6, false}, &f.diag);
    const float *turned =
        checkpoint_matrix(c, &f.arena, &(struct checkpoint_slice){"w", 6, 5, true, 0, 6, false}, &f.diag);
    const float *turned_part =
        checkpoint_matrix(c, &f.arena, &(struct checkpoint_slice){"w", 2, 5, true, 3, 0, false}, &f.diag);
    const float *other =
        checkpoint_matrix(c, &f.arena, &(struct checkpoint_slice){"u", 6, 5, false, 0, 6, false}, &f.diag);
    assert_memory_equal(all + 15, part, 10 * sizeof *part);
    assert_memory_equal(turned + 15, turned_part, 10 * sizeof *turned);
    assert_memory_not_equal(all, other, 30 * sizeof *all);
    for (int i = 0; i < 30; i++) assert_true(all[i] != turned[i]); // read the wrong way round it is another matrix
    const float *v = checkpoint_vector(c, &f.arena, "b", 9, 0, 9, CHECKPOINT_BIAS, &f.diag);
    assert_memory_equal(v + 4, checkpoint_vector(c, &f.arena, "b", 5, 4, 9, CHECKPOINT_BIAS, &f.diag), 5 * sizeof *v);
    assert_true(checkpoint_check_coverage(c, &f.diag) && !checkpoint_dir(c));
    checkpoint_close(c);
    fixture_end(&f);
}

static double spread_of(const float *x, int n, double *mean) {
    double sum = 0, square = 0;
    for (int i = 0; i < n; i++) sum += x[i];
    *mean = sum / n;
    for (int i = 0; i < n; i++) square += (x[i] - *mean) * (x[i] - *mean);
    return sqrt(square / n);
}

static void test_random_statistics(void **state) {
    (void)state;
    struct fixture f;
    double mean;
    fixture_begin(&f);
    struct checkpoint *c = checkpoint_open(&f.arena, "random:1", &f.diag);
    const float *w =
        checkpoint_matrix(c, &f.arena, &(struct checkpoint_slice){"w", 256, 400, false, 0, 0, false}, &f.diag);
    assert_float_equal(spread_of(w, 256 * 400, &mean), 0.05, 0.0005);
    assert_float_equal(mean, 0, 0.001);
    w = checkpoint_vector(c, &f.arena, "g", 10000, 0, 0, CHECKPOINT_GAIN, &f.diag);
    assert_float_equal(spread_of(w, 10000, &mean), 0.1, 0.003);
    assert_float_equal(mean, 1, 0.005);
    // The bits never change: packed images and recorded results depend on them.
    w = checkpoint_matrix(c, &f.arena, &(struct checkpoint_slice){"wte.weight", 1, 4, false, 0, 0, false}, &f.diag);
    const uint32_t bits[4] = {0x3f1b5952, 0x3d5003ee, 0xbedc2c02, 0xbe503278};
    assert_memory_equal(w, bits, sizeof bits);
    checkpoint_close(c);
    fixture_end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_config),
        cmocka_unit_test(test_bad_configs),
        cmocka_unit_test(test_config_defaults),
        cmocka_unit_test(test_slices),
        cmocka_unit_test(test_coverage),
        cmocka_unit_test(test_wrong_tensors),
        cmocka_unit_test(test_shrunk_file),
        cmocka_unit_test(test_random_source),
        cmocka_unit_test(test_random_slices_agree),
        cmocka_unit_test(test_random_statistics),
    };
    return cmocka_run_group_tests_name("checkpoint", tests, make_dir, remove_dir);
}
