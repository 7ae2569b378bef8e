// SPDX-License-Identifier: Apache-2.0
// Tests config.json, named tensors and random weights: files that are accepted, files that are refused, and the
// messages.
#define _GNU_SOURCE
#include "tests/unit/model_fixture.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gen/model/checkpoint.h"
#include "gen/spec/family.h"

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

static struct family *gpt2(struct fixture *f) {
    struct family *family = family_find("gpt2", ".", loc_none(), &f->arena, &f->diag);
    assert_non_null(family);
    return family;
}

static struct family_values *read_config_text(struct fixture *f, const struct family *family, const char *text) {
    write_file(config_path, text, strlen(text));
    return family_config_read(family, dir, &f->arena, &f->diag);
}

static struct family_value *value(const struct family_values *v, const char *name) {
    return &v->parameter[family_find_parameter(v->family, name)];
}

// The shipped config.json must be read, and compared with a spec. Only keys that the spec gives or that change results
// are compared.
static void test_config(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f);
    const struct family *family = gpt2(&f);
    struct family_values *c = family_config_read(family, shipped_model(&f), &f.arena, &f.diag), want;
    assert_non_null(c);
    assert_true(value(c, "layers")->i == 4 && value(c, "hidden")->i == 128 && value(c, "heads")->i == 4 &&
                value(c, "ffn")->i == 512 && value(c, "vocab")->i == 1024 && value(c, "context")->most == 256);
    assert_true(value(c, "eot")->i == 1023 && value(c, "tied_head")->i && value(c, "norm_eps")->f == 1e-5);
    want = *c;
    want.parameter = ARENA_ARRAY(&f.arena, struct family_value, family->parameters);
    memcpy(want.parameter, c->parameter, sizeof *c->parameter * family->parameters);
    assert_true(family_config_check(c, &want, "m", &f.arena, &f.diag));
    value(&want, "layers")->i = 5;
    value(&want, "norm_eps")->f = 1e-6;
    value(&want, "norm_eps")->given = false; // the spec has the default
    value(&want, "eot")->i = 7;              // this difference is allowed
    assert_false(family_config_check(c, &want, "m", &f.arena, &f.diag));
    assert_reported(&f, "m/config.json: error: `n_layer` is 4, but the spec says 5");
    assert_reported(&f, "`layer_norm_epsilon` is 1e-05, but the spec says 1e-06 by default");
    assert_reported(&f, "write `norm_eps: 1e-05` under `model` in the spec");
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
    {"{\"model_type\":\"llama\"," SIZES "}", "`model_type` is `llama`, but only `gpt2`"},
    {"{\"model_type\":\"gpt2\",\"activation_function\":\"relu\"," SIZES "}",
     "only `gelu_new`, `gelu_pytorch_tanh` is supported"},
    {"{\"model_type\":\"gpt2\",\"scale_attn_by_inverse_layer_idx\":true," SIZES "}", "must be false"},
    {"{\"model_type\":\"gpt2\",\"scale_attn_weights\":1," SIZES "}", "`scale_attn_weights` is not true or false"},
    {"{\"model_type\":\"gpt2\",\"n_inner\":-3," SIZES "}", "`n_inner` is not an integer from 1 to 32768"},
    {"{\"model_type\":\"gpt2\",\"n_inner\":2.5," SIZES "}", "`n_inner` is not an integer from 1 to 32768"},
    {"{\"model_type\":\"gpt2\",\"layer_norm_epsilon\":0," SIZES "}", "`layer_norm_epsilon` is not a number"},
    {"{\"model_type\":\"gpt2\",\"eos_token_id\":[4,9]," SIZES "}", "model.eot (9) is no token of a vocabulary of 9"},
    {"{\"model_type\":\"gpt2\",\"eos_token_id\":[0,1,2,3,4,5,6,7,8]," SIZES "}",
     "`eos_token_id` gives 9 values, but at most 8 are possible"},
    {"{\"model_type\":\"gpt2\",\"eos_token_id\":[1,\"a\"]," SIZES "}", "`eos_token_id` is not an integer from 0 to"},
    {"{\"model_type\":\"gpt2\",\"n_layer\":2,\"n_embd\":8,\"n_head\":3,\"vocab_size\":9,\"n_positions\":4}",
     "model.heads (3) must divide model.hidden (8)"},
    {"{\"model_type\":\"gpt2\",\"n_layer\":2}", "`n_embd` is missing"},
    {"{\"model_type\":\"gpt2\",\"n_layer\":1e99," SIZES "}", "config.json: error"},
};

static void test_bad_configs(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(bad_configs); i++) {
        struct fixture f;
        fixture_begin(&f);
        assert_null(read_config_text(&f, gpt2(&f), bad_configs[i].text));
        assert_reported(&f, bad_configs[i].message);
        fixture_end(&f);
    }
}

// A config.json of another kind of model lacks keys, so defaults that are computed from them have no value. This must
// give one error for the cause, not one for each key.
static void test_config_of_one_cause(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } configs[] = {
        {"{\"model_type\":\"gpt2\",\"n_layer\":2}", "`model_type` is `gpt2`, but only `llama`, `mistral`"},
        {"{\"model_type\":\"llama\",\"num_attention_heads\":4,\"num_hidden_layers\":2,\"intermediate_size\":128,"
         "\"vocab_size\":500,\"max_position_embeddings\":64,\"rms_norm_eps\":1e-5}",
         "`hidden_size` is missing"}};
    for (size_t i = 0; i < COUNT_OF(configs); i++) {
        struct fixture f;
        fixture_begin(&f);
        const struct family *llama = family_find("llama", ".", loc_none(), &f.arena, &f.diag);
        assert_null(read_config_text(&f, llama, configs[i].text));
        assert_reported(&f, configs[i].message);
        assert_int_equal(f.diag.errors, 1);
        fixture_end(&f);
    }
}

static void test_config_defaults(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f);
    const struct family_values *c =
        read_config_text(&f, gpt2(&f), "{\"model_type\":\"gpt2\",\"n_inner\":null,\"eos_token_id\":[5,6,5]," SIZES "}");
    assert_non_null(c);
    assert_true(value(c, "ffn")->i == 32 && value(c, "tied_head")->i && value(c, "eot")->i == 5 &&
                value(c, "eot")->count == 2 && value(c, "eot")->list[1] == 6 && value(c, "norm_eps")->f == 1e-5);
    c = read_config_text(&f, gpt2(&f), "{\"model_type\":\"gpt2\"," SIZES "}");
    assert_true(c && value(c, "eot")->i == -1);
    fixture_end(&f);
}

// A family whose section `config` has all features: keys with an old and a new name, words with several names, keys in
// inner maps, values that are refused with a reason, a default that depends on another key, and one of the first
// parameter.
static const char spellings[] =
    "family: f\n"
    "parameters:\n"
    "  theta: {type: number, from: 1, to: 1e6, default: 1e4}\n"
    "  size: {type: integer, from: 1, to: 99}\n"
    "  half: {type: integer, from: 1, to: 99, default: size / 2}\n"
    "  act: {type: word, of: [gelu, silu], default: gelu}\n"
    "config:\n"
    "  - {key: [hidden_size, n_embd], is: size}\n"
    "  - {key: largest, most: size}\n"
    "  - {key: largest_half, most: half}\n"
    "  - {key: half, is: half, default: size - 1}\n"
    "  - {key: hidden_act, is: act, words: {gelu_new: gelu, swish: silu}}\n"
    "  - {key: [rope_parameters.rope_theta, rope_theta], is: theta, default: 9e3}\n"
    "  - {key: rope_scaling.type, refuse: {dynamic: the table would depend on the length}}\n"
    "  - {key: layer_types, each: {full: '(layer + 1) % 3 == 0', sliding: '(layer + 1) % 3'}}\n"
    "graph: {}\n";

static const struct {
    const char *text, *message; // config.json and the expected message; NULL: it is read, with the values below
    int size, half;
    const char *act;
    double theta;
} spelled[] = {
    {"{\"n_embd\":8}", NULL, 8, 7, "gelu", 9e3},
    {"{\"n_embd\":8,\"hidden_size\":6,\"half\":2}", NULL, 6, 2, "gelu", 9e3}, // the newer name counts
    {"{\"n_embd\":8,\"hidden_act\":\"swish\",\"rope_theta\":500}", NULL, 8, 7, "silu", 500},
    {"{\"n_embd\":8,\"rope_parameters\":{\"rope_theta\":7},\"rope_theta\":5}", NULL, 8, 7, "gelu", 7},
    {"{\"n_embd\":8,\"hidden_act\":\"relu\"}", "`hidden_act` is `relu`, which the family does not support", 0, 0, "",
     0},
    {"{\"n_embd\":8,\"rope_scaling\":{\"type\":\"dynamic\"}}",
     "`rope_scaling.type` is `dynamic`: the table would depend on the length", 0, 0, "", 0},
    {"{\"n_embd\":100}", "`n_embd` is not an integer from 1 to 99", 0, 0, "", 0},
    {"{\"half\":1}", "`hidden_size` is missing", 0, 0, "", 0},
    {"{\"n_embd\":8,\"layer_types\":[\"sliding\",\"sliding\",\"full\",\"sliding\"]}", NULL, 8, 7, "gelu", 9e3},
    {"{\"n_embd\":8,\"layer_types\":[\"sliding\",\"full\"]}",
     "`layer_types` has `full` for layer 1, but the family computes another kind", 0, 0, "", 0},
    {"{\"n_embd\":8,\"layer_types\":[\"chunked\"]}", "`layer_types` has `chunked` for layer 0", 0, 0, "", 0},
    {"{\"n_embd\":8,\"layer_types\":\"full\"}", "`layer_types` is not a list", 0, 0, "", 0},
};

static void test_spellings(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(spelled); i++) {
        struct fixture f;
        fixture_begin(&f);
        const struct family *family = family_read_bytes("f.yaml", spellings, strlen(spellings), &f.arena, &f.diag);
        assert_no_errors(&f);
        const struct family_values *v = read_config_text(&f, family, spelled[i].text);
        if (spelled[i].message) assert_reported(&f, spelled[i].message);
        assert_int_equal(v != NULL, spelled[i].message == NULL);
        if (v) {
            assert_true(value(v, "size")->i == spelled[i].size && value(v, "half")->i == spelled[i].half);
            assert_string_equal(value(v, "act")->s, spelled[i].act);
            assert_true(value(v, "theta")->f == spelled[i].theta);
        }
        fixture_end(&f);
    }
}

// A key may give the largest value of any parameter, also of the first one, wherever it is in the list of keys.
static void test_largest(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f);
    const struct family *family = family_read_bytes("f.yaml", spellings, strlen(spellings), &f.arena, &f.diag);
    const struct family_values *v =
        read_config_text(&f, family, "{\"hidden_size\":8,\"largest\":50,\"largest_half\":9,\"half\":3}");
    assert_no_errors(&f);
    assert_true(v && value(v, "size")->i == 8 && value(v, "half")->i == 3);
    assert_int_equal(value(v, "size")->most, 50);
    assert_int_equal(value(v, "half")->most, 9);
    v = read_config_text(&f, family, "{\"hidden_size\":8,\"largest\":0,\"largest_half\":\"9\"}");
    assert_no_errors(&f);
    assert_true(v && value(v, "size")->most == 0 && value(v, "half")->most == 0); // no bounds
    fixture_end(&f);
}

// ---- tensors of a file: m [2][3] = 0..5, v [3] = 6..8, and a mask, which no spec needs ----

static const char header[] = "{\"transformer.m\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,24]},"
                             "\"v\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[24,36]},"
                             "\"h.0.attn.bias\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[36,37]}}";

// Opens this file. last: last element of v. The caller closes the checkpoint and ends the fixture.
static struct checkpoint *open_small(struct fixture *f, float last) {
    float data[10] = {0, 1, 2, 3, 4, 5, 6, 7, last, 0};
    fixture_begin(f);
    write_safetensors(model_path, header, data, 37);
    static const char *const unused[] = {"h.*.attn.bias"};
    struct checkpoint *c = checkpoint_open(&f->arena, dir, &f->diag);
    assert_no_errors(f);
    checkpoint_set_names(c, "transformer.", unused, 1);
    assert_string_equal(checkpoint_dir(c), dir);
    return c;
}

// Members of a slice in their order: name, rows, cols, transpose, first row, rows of the whole matrix (0: not given),
// is_table.
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
    assert_reported(&f, "tensor transformer.m: the shape is [2, 3], but the spec uses only 2 of 3 rows");
    assert_reported(&f, "tensor v: the spec does not use it");
    assert_int_equal(f.diag.errors, 2);
    checkpoint_close(c);
    fixture_end(&f);
}

// A file may store a copy of a tied matrix. The copy must equal the matrix: a wrong last element or shape is refused.
static void test_copies(void **state) {
    (void)state;
    static const struct {
        const char *shape, *why; // why: the message; NULL: the copy is accepted
        float last;
    } cases[] = {{"[2,3]", NULL, 5},
                 {"[2,3]", "tensor head differs from transformer.m, which the spec uses instead", 6},
                 {"[3,2]", "tensor head differs from transformer.m", 5}};
    static const char *const unused[] = {"v", "transformer.head = m"};
    const struct checkpoint_slice m = {"m", 2, 3, false, 0, 2, false}, own = {"head", 2, 3, false, 0, 0, false};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct fixture f;
        float data[12] = {0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, cases[i].last};
        fixture_begin(&f);
        const char *text =
            arena_printf(&f.arena,
                         "{\"transformer.m\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,24]},"
                         "\"head\":{\"dtype\":\"F32\",\"shape\":%s,\"data_offsets\":[24,48]}}",
                         cases[i].shape);
        write_safetensors(model_path, text, data, sizeof data);
        struct checkpoint *c = checkpoint_open(&f.arena, dir, &f.diag);
        assert_no_errors(&f);
        checkpoint_set_names(c, "transformer.", unused, 2);
        assert_non_null(checkpoint_matrix(c, &f.arena, &m, &f.diag));
        assert_int_equal(checkpoint_check_coverage(c, &f.diag), cases[i].why == NULL);
        if (cases[i].why) assert_reported(&f, cases[i].why);
        else if (checkpoint_matrix(c, &f.arena, &own, &f.diag)) // a graph may also read the copy itself
            assert_true(checkpoint_check_coverage(c, &f.diag));
        checkpoint_close(c);
        fixture_end(&f);
    }
}

// The tensors of a multimodal model's text part are found under both prefixes that libraries have given it. A table may
// have more rows than the spec uses; a matrix may not.
static void test_text_model(void **state) {
    (void)state;
    static const char *const part[] = {"language_model.model.", "model.language_model."};
    static const char *const unused[] = {"vision_tower.*"};
    for (size_t i = 0; i < COUNT_OF(part); i++)
        for (int is_table = 0; is_table < 2; is_table++) {
            struct fixture f;
            float data[12] = {0, 1, 2, 3, 4, 5, 6};
            fixture_begin(&f);
            const char *text = arena_printf(&f.arena,
                                            "{\"%sm\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,24]},"
                                            "\"vision_tower.w\":{\"dtype\":\"F32\",\"shape\":[2,3],"
                                            "\"data_offsets\":[24,48]}}",
                                            part[i]);
            write_safetensors(model_path, text, data, sizeof data);
            struct checkpoint *c = checkpoint_open(&f.arena, dir, &f.diag);
            assert_no_errors(&f);
            checkpoint_set_names(c, "model.", unused, 1);
            const struct checkpoint_slice first = {.name = "m", .rows = 1, .cols = 3, .is_table = is_table};
            const float *row = checkpoint_matrix(c, &f.arena, &first, &f.diag);
            assert_true(row && row[2] == 2);
            assert_int_equal(checkpoint_check_coverage(c, &f.diag), is_table);
            if (!is_table) assert_reported(&f, "the shape is [2, 3], but the spec uses only 1 of 2 rows");
            checkpoint_close(c);
            fixture_end(&f);
        }
}

static void test_wrong_tensors(void **state) {
    (void)state;
    struct fixture f;
    struct checkpoint *c = open_small(&f, NAN);
    assert_null(checkpoint_matrix(c, &f.arena, &(struct checkpoint_slice){"h.9.w", 2, 3, false, 0, 0, false}, &f.diag));
    assert_reported(&f, "model.safetensors: error: tensor h.9.w is missing");
    checkpoint_set_names(c, NULL, NULL, 0);
    assert_null(checkpoint_matrix(c, &f.arena, &(struct checkpoint_slice){"m", 2, 3, false, 0, 0, false}, &f.diag));
    assert_reported(&f, "there is transformer.m: `weights: {prefix: transformer.}` in `graph`");
    checkpoint_set_names(c, "transformer.", NULL, 0);
    assert_null(checkpoint_matrix(c, &f.arena, &(struct checkpoint_slice){"m", 2, 3, true, 0, 2, false}, &f.diag));
    assert_reported(&f, "tensor transformer.m: the shape is [2, 3], but the spec needs [3, 2]");
    assert_null(checkpoint_matrix(c, &f.arena, &(struct checkpoint_slice){"m", 2, 3, false, 1, 0, false}, &f.diag));
    assert_reported(&f, "the spec needs [3, 3]");
    assert_null(checkpoint_matrix(c, &f.arena, &(struct checkpoint_slice){"v", 3, 1, false, 0, 0, false}, &f.diag));
    assert_null(checkpoint_vector(c, &f.arena, "v", 4, 0, 4, CHECKPOINT_BIAS, &f.diag));
    assert_reported(&f, "tensor v: the shape is [3], but the spec needs [4]");
    assert_null(checkpoint_vector(c, &f.arena, "v", 3, 0, 3, CHECKPOINT_BIAS, &f.diag));
    assert_reported(&f, "tensor v: element 2 is not a finite number");
    checkpoint_close(c);
    fixture_end(&f);
}

// ---- several files with an index: m [2][3] in a, v [3] as bf16 in b ----

static void write_in_dir(const char *name, const char *header_text, const void *data, size_t len) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    if (header_text) write_safetensors(path, header_text, data, len);
    else write_file(path, data, len);
}

static const struct {
    const char *index, *message; // NULL: accepted
} indexes[] = {
    {"{\"metadata\":{},\"weight_map\":{\"m\":\"a.safetensors\",\"v\":\"b.safetensors\"}}", NULL},
    {"{\"weight_map\":{\"m\":\"a.safetensors\",\"v\":\"../b.safetensors\"}}",
     "a file must be in the folder of the index"},
    {"{\"weight_map\":{\"m\":\"a.safetensors\",\"v\":7}}", "tensor v in ``: no file name"},
    {"{\"weight_map\":{\"m\":\"a.safetensors\",\"v\":\"a.safetensors\"}}",
     "a.safetensors: error: tensor v is missing, although the index says"},
    {"{\"weight_map\":{\"m\":\"a.safetensors\",\"v\":\"c.safetensors\"}}",
     "c.safetensors: error: cannot be read: No such file"},
    {"{\"weight_map\":{\"m\":\"a.safetensors\",\"v\":\"b.safetensors\",\"w\":\"d.safetensors\"}}",
     "d.safetensors: error: the index does not say that tensor m is in this file"},
    {"{\"weight_map\":{}}", "`weight_map` is missing or not a map"},
    {"[", "index.json: error"},
};

// Opens the files with this index. message: the expected error; NULL: the tensors must be read.
static void check_index(const char *index, const char *message) {
    struct fixture f;
    fixture_begin(&f);
    write_in_dir("model.safetensors.index.json", NULL, index, strlen(index));
    struct checkpoint *c = checkpoint_open(&f.arena, dir, &f.diag);
    assert_int_equal(c != NULL, message == NULL);
    if (message) assert_reported(&f, message);
    if (c) {
        const struct checkpoint_slice slice = {"m", 2, 3, false, 0, 2, false};
        const float *m = checkpoint_matrix(c, &f.arena, &slice, &f.diag);
        assert_true(m && m[5] == 5);
        assert_false(checkpoint_check_coverage(c, &f.diag));
        assert_reported(&f, "b.safetensors: error: tensor v: the spec does not use it");
        const float *v = checkpoint_vector(c, &f.arena, "v", 3, 0, 3, CHECKPOINT_BIAS, &f.diag);
        assert_true(v && v[0] == 1 && v[1] == -2 && v[2] == 0.5);
        assert_null(checkpoint_vector(c, &f.arena, "u", 3, 0, 3, CHECKPOINT_BIAS, &f.diag));
        assert_reported(&f, "model.safetensors.index.json: error: tensor u is missing");
    }
    checkpoint_close(c);
    fixture_end(&f);
}

static void test_several_files(void **state) {
    (void)state;
    static const char *const names[] = {"a.safetensors", "b.safetensors", "d.safetensors",
                                        "model.safetensors.index.json"};
    static const uint16_t bf16[] = {0x3f80, 0xc000, 0x3f00};
    static const float m[] = {0, 1, 2, 3, 4, 5, 6};
    unlink(model_path);
    write_in_dir("a.safetensors", "{\"m\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,24]}}", m, 24);
    write_in_dir("b.safetensors", "{\"v\":{\"dtype\":\"BF16\",\"shape\":[3],\"data_offsets\":[0,6]}}", bf16, 6);
    write_in_dir("d.safetensors",
                 "{\"m\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,24]},"
                 "\"w\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[24,28]}}",
                 m, 28);
    for (size_t i = 0; i < COUNT_OF(indexes); i++) check_index(indexes[i].index, indexes[i].message);
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        unlink(path);
    }
}

// If a file shrinks after it was opened, reading a tensor must fail with a message.
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
    // Random values depend on the place in the file, so the transposed layout gives another matrix.
    for (int i = 0; i < 30; i++) assert_true(all[i] != turned[i]);
    const float *v = checkpoint_vector(c, &f.arena, "b", 9, 0, 9, CHECKPOINT_BIAS, &f.diag);
    assert_memory_equal(v + 4, checkpoint_vector(c, &f.arena, "b", 5, 4, 9, CHECKPOINT_BIAS, &f.diag), 5 * sizeof *v);
    assert_true(checkpoint_check_coverage(c, &f.diag) && !checkpoint_dir(c));
    checkpoint_close(c);
    fixture_end(&f);
}

// Reads a slice in pieces of four rows. The result must equal the slice read at once, and the slice must count as used
// only after the last piece.
static void check_pieces(struct fixture *f, const char *source, const struct checkpoint_slice *s) {
    struct checkpoint *c = checkpoint_open(&f->arena, source, &f->diag), *other;
    assert_no_errors(f);
    const float *all = checkpoint_matrix(c, &f->arena, s, &f->diag);
    other = checkpoint_open(&f->arena, source, &f->diag);
    for (int64_t first = 0; first < s->rows; first += 4) {
        int64_t rows = s->rows - first < 4 ? s->rows - first : 4;
        const float *piece = checkpoint_rows(other, &f->arena, s, first, rows, &f->diag);
        assert_no_errors(f);
        assert_memory_equal(piece, all + first * s->cols, sizeof *all * (size_t)(rows * s->cols));
        int errors = f->diag.errors;
        assert_int_equal(checkpoint_check_coverage(other, &f->diag), first + rows == s->rows || !checkpoint_dir(other));
        f->diag.errors = errors;
    }
    checkpoint_close(c);
    checkpoint_close(other);
}

static void test_pieces(void **state) {
    (void)state;
    struct fixture f;
    float m[10 * 6];
    fixture_begin(&f);
    for (int i = 0; i < 60; i++) m[i] = (float)(i * 37 % 61);
    char *dir = arena_strdup(&f.arena, "/tmp/rill_pieces_XXXXXX");
    assert_non_null(mkdtemp(dir));
    const char *path = arena_printf(&f.arena, "%s/model.safetensors", dir);
    write_safetensors(path, "{\"m\":{\"dtype\":\"F32\",\"shape\":[10,6],\"data_offsets\":[0,240]}}", m, sizeof m);
    check_pieces(&f, dir, &(struct checkpoint_slice){.name = "m", .rows = 10, .cols = 6});
    check_pieces(&f, dir, &(struct checkpoint_slice){.name = "m", .rows = 7, .cols = 6, .row_offset = 3});
    check_pieces(&f, dir, &(struct checkpoint_slice){.name = "m", .rows = 6, .cols = 10, .transpose = true});
    check_pieces(&f, "random:3", &(struct checkpoint_slice){.name = "m", .rows = 9, .cols = 6, .row_offset = 2});
    check_pieces(&f, "random:3", &(struct checkpoint_slice){.name = "m", .rows = 9, .cols = 6, .transpose = true});
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(dir), 0);
    fixture_end(&f);
}

static void test_size_of_a_piece(void **state) {
    (void)state;
    struct checkpoint_slice s = {.rows = 128256, .cols = 4096}, wide = {.rows = 9, .cols = 1 << 24};
    int64_t rows = checkpoint_piece(&s);
    assert_true(rows >= 2 && rows % 2 == 0 && rows * s.cols * 4 <= 64 << 20);
    assert_int_equal(checkpoint_piece(&wide), 2);
    s.transpose = true;
    assert_int_equal(checkpoint_piece(&s), s.rows);
    s = (struct checkpoint_slice){.rows = 5, .cols = 8};
    assert_int_equal(checkpoint_piece(&s), 5);
}

// Returns the standard deviation, and the mean in *mean.
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
        cmocka_unit_test(test_config_of_one_cause),
        cmocka_unit_test(test_config_defaults),
        cmocka_unit_test(test_spellings),
        cmocka_unit_test(test_largest),
        cmocka_unit_test(test_slices),
        cmocka_unit_test(test_coverage),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_text_model),
        cmocka_unit_test(test_wrong_tensors),
        cmocka_unit_test(test_shrunk_file),
        cmocka_unit_test(test_several_files),
        cmocka_unit_test(test_random_source),
        cmocka_unit_test(test_random_slices_agree),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_size_of_a_piece),
        cmocka_unit_test(test_random_statistics),
    };
    return cmocka_run_group_tests_name("checkpoint", tests, make_dir, remove_dir);
}
