// SPDX-License-Identifier: Apache-2.0
// Tests checkpoints in GGUF files. The test writes files as llama.cpp's converter does, with its names and its order of
// rows, from random weights. The image packed from such a file must equal the image packed from the random weights.
// Also tests metadata that differ from the spec, files that are refused, and chat templates.
#include "tests/unit/image_fixture.h"

#include <math.h>
#include <sys/stat.h>

#include "gen/model/gguf_model.h"
#include "gen/spec/chat.h"
#include "gen/model/checkpoint.h"
#include "gen/model/tokenizer.h"

enum { LAYERS = 2, HIDDEN = 24, HEADS = 4, KV_HEADS = 2, HEAD = 6, FFN = 20, VOCAB = 31, ALIGN = 32 };
// Numbers of types in GGUF files. KIND_*: types of metadata. TYPE_*: types of tensors.
enum { KIND_U32 = 4, KIND_F32 = 6, KIND_STRING = 8, TYPE_F32 = 0 };

// ---- a file that the test makes ----

struct gguf_file {
    struct image_fixture *x;
    struct checkpoint *random;
    struct text pairs, infos, data; // metadata, descriptions of the tensors, and their data
    uint64_t pair_count, tensor_count;
    const char *leave; // a tensor that is not written, or NULL
};

static void put(struct text *t, uint64_t v, size_t bytes) { text_add_bytes(t, &v, bytes); } // little endian
static void put_text(struct text *t, const char *s) {
    put(t, strlen(s), 8);
    text_add(t, s);
}

static void put_u32(struct gguf_file *f, const char *key, uint32_t v) {
    f->pair_count++;
    put_text(&f->pairs, key);
    put(&f->pairs, KIND_U32, 4);
    put(&f->pairs, v, 4);
}

static void put_f32(struct gguf_file *f, const char *key, float v) {
    f->pair_count++;
    put_text(&f->pairs, key);
    put(&f->pairs, KIND_F32, 4);
    text_add_bytes(&f->pairs, &v, sizeof v);
}

static void put_tensor(struct gguf_file *f, const char *name, int64_t rows, int64_t cols, const float *values) {
    if (f->leave && !strcmp(f->leave, name)) return;
    f->tensor_count++;
    put_text(&f->infos, name);
    put(&f->infos, rows ? 2 : 1, 4);
    put(&f->infos, (uint64_t)cols, 8);
    if (rows) put(&f->infos, (uint64_t)rows, 8);
    put(&f->infos, TYPE_F32, 4);
    put(&f->infos, f->data.len, 8);
    text_add_bytes(&f->data, values, sizeof *values * (size_t)((rows ? rows : 1) * cols));
    while (f->data.len % ALIGN) put(&f->data, 0, 1);
}

// Returns the rows of queries or keys in the converter's order, in which row i of the first half of a head is directly
// followed by row i of the second half. heads 0: returns the rows in the order of w.
static const float *paired(struct arena *arena, const float *w, int64_t rows, int64_t cols, int64_t heads) {
    float *out = ARENA_ARRAY(arena, float, (size_t)(rows * cols));
    int64_t n = heads ? rows / heads : rows;
    for (int64_t r = 0; r < rows; r++) {
        int64_t in = r % n, from = heads ? r - in + in % 2 * (n / 2) + in / 2 : r;
        memcpy(out + r * cols, w + from * cols, sizeof *w * (size_t)cols);
    }
    return out;
}

// Adds a matrix of the random weights. gguf: its name in the file; name: its name in a checkpoint.
static void add_matrix(struct gguf_file *f, const char *gguf, const char *name, int64_t rows, int64_t cols,
                       int64_t heads) {
    struct checkpoint_slice s = {.name = name, .rows = rows, .cols = cols};
    const float *w = checkpoint_matrix(f->random, &f->x->f.arena, &s, &f->x->f.diag);
    put_tensor(f, gguf, rows, cols, paired(&f->x->f.arena, w, rows, cols, heads));
}

static void add_gain(struct gguf_file *f, const char *gguf, const char *name) {
    put_tensor(f, gguf, 0, HIDDEN,
               checkpoint_vector(f->random, &f->x->f.arena, name, HIDDEN, 0, 0, CHECKPOINT_GAIN, &f->x->f.diag));
}

static const struct {
    const char *gguf, *name;
    int64_t rows, cols, heads; // rows 0: a gain; heads: heads whose rows are stored in pairs, or 0
} tensors[] = {
    {"attn_norm", "input_layernorm", 0, HIDDEN, 0},
    {"attn_q", "self_attn.q_proj", HEADS *HEAD, HIDDEN, HEADS},
    {"attn_k", "self_attn.k_proj", KV_HEADS *HEAD, HIDDEN, KV_HEADS},
    {"attn_v", "self_attn.v_proj", KV_HEADS *HEAD, HIDDEN, 0},
    {"attn_output", "self_attn.o_proj", HIDDEN, HEADS *HEAD, 0},
    {"ffn_norm", "post_attention_layernorm", 0, HIDDEN, 0},
    {"ffn_gate", "mlp.gate_proj", FFN, HIDDEN, 0},
    {"ffn_up", "mlp.up_proj", FFN, HIDDEN, 0},
    {"ffn_down", "mlp.down_proj", HIDDEN, FFN, 0},
};

static void add_layer(struct gguf_file *f, int layer) {
    struct arena *a = &f->x->f.arena;
    for (size_t i = 0; i < COUNT_OF(tensors); i++) {
        const char *gguf = arena_printf(a, "blk.%d.%s.weight", layer, tensors[i].gguf),
                   *name = arena_printf(a, "layers.%d.%s.weight", layer, tensors[i].name);
        if (!tensors[i].rows) add_gain(f, gguf, name);
        else add_matrix(f, gguf, name, tensors[i].rows, tensors[i].cols, tensors[i].heads);
    }
}

static void add_metadata(struct gguf_file *f, const char *architecture, uint32_t heads) {
    f->pair_count++;
    put_text(&f->pairs, "general.architecture");
    put(&f->pairs, KIND_STRING, 4);
    put_text(&f->pairs, architecture);
    put_u32(f, "llama.block_count", LAYERS);
    put_u32(f, "llama.embedding_length", HIDDEN);
    put_u32(f, "llama.attention.head_count", heads);
    put_u32(f, "llama.attention.head_count_kv", KV_HEADS);
    put_u32(f, "llama.feed_forward_length", FFN);
    put_u32(f, "llama.context_length", 4096);
    put_f32(f, "llama.attention.layer_norm_rms_epsilon", 1e-5f);
    put_f32(f, "llama.rope.freq_base", 5e4f);
}

// Writes the file and returns its path. Frees the parts.
static const char *finish_gguf(struct gguf_file *f) {
    struct text all = {0};
    text_add(&all, "GGUF");
    put(&all, 3, 4);
    put(&all, f->tensor_count, 8);
    put(&all, f->pair_count, 8);
    text_add_bytes(&all, f->pairs.data, f->pairs.len);
    text_add_bytes(&all, f->infos.data, f->infos.len);
    while (all.len % ALIGN) put(&all, 0, 1);
    text_add_bytes(&all, f->data.data, f->data.len);
    const char *path = image_path(f->x, "m.gguf");
    write_file(path, all.data, all.len);
    text_free(&all);
    text_free(&f->pairs);
    text_free(&f->infos);
    text_free(&f->data);
    checkpoint_close(f->random);
    return path;
}

static const char *write_gguf(struct gguf_file *f, const char *architecture, uint32_t heads) {
    add_metadata(f, architecture, heads);
    add_matrix(f, "token_embd.weight", "embed_tokens.weight", VOCAB, HIDDEN, 0);
    for (int i = 0; i < LAYERS; i++) add_layer(f, i);
    add_gain(f, "output_norm.weight", "norm.weight");
    return finish_gguf(f);
}

static struct gguf_file begin_file(struct image_fixture *x) {
    image_begin(x);
    return (struct gguf_file){.x = x, .random = checkpoint_open(&x->f.arena, "random:6", &x->f.diag)};
}

// ---- tests ----

static const char spec[] = "name: t\nmodel: {family: llama, layers: 2, hidden: 24, heads: 4, kv_heads: 2, ffn: 20, "
                           "vocab: 31, context: 20, tied_head: true, norm_eps: 1e-5, rope_theta: 50000}\n"
                           "design: {lanes: 2, weights: int8, fifo: safe}\n";

static void assert_same_file(struct image_fixture *x, const char *a, const char *b, const char *name) {
    size_t a_len, b_len;
    const char *why, *p = file_read(&x->f.arena, arena_printf(&x->f.arena, "%s/%s", a, name), 1 << 24, &a_len, &why),
                     *q = file_read(&x->f.arena, arena_printf(&x->f.arena, "%s/%s", b, name), 1 << 24, &b_len, &why);
    assert_true(p && q && a_len == b_len && a_len > 0);
    assert_memory_equal(p, q, a_len);
}

static void test_same_image(void **state) {
    (void)state;
    struct image_fixture x;
    struct gguf_file f = begin_file(&x);
    const char *path = write_gguf(&f, "llama", HEADS);
    const struct ir *ir = image_build(&x, spec, NULL);
    assert_false(tokenizer_present(&x.f.arena, path));
    const char *own = image_pack(&x, ir, path, "own"), *random = image_pack(&x, ir, "random:6", "random");
    assert_same_file(&x, own, random, "channel_00.bin");
    assert_same_file(&x, own, random, "golden.bin");
    assert_same_file(&x, own, random, "oracle.bin");
    image_end(&x);
}

// The parameter `eot` of the family gets the ids that end a text, a turn and a message. A repeated id counts once.
static void test_end_ids(void **state) {
    (void)state;
    struct image_fixture x;
    struct gguf_file f = begin_file(&x);
    put_u32(&f, "tokenizer.ggml.eos_token_id", 30);
    put_u32(&f, "tokenizer.ggml.eot_token_id", 7);
    put_u32(&f, "tokenizer.ggml.eom_token_id", 30);
    const char *path = write_gguf(&f, "llama", HEADS);
    const struct family *family = family_find("llama", ".", loc_none(), &x.f.arena, &x.f.diag);
    const struct family_values *v = family ? family_config_read(family, path, &x.f.arena, &x.f.diag) : NULL;
    assert_no_errors(&x.f);
    const struct family_value *eot = &v->parameter[family_find_parameter(family, "eot")];
    assert_true(eot->count == 2 && eot->list[0] == 30 && eot->list[1] == 7 && eot->i == 30);
    image_end(&x);
}

// ---- keys of RoPE scaling: old and new names, and the defaults of absent keys ----

static void put_word(struct gguf_file *f, const char *key, const char *word) {
    f->pair_count++;
    put_text(&f->pairs, key);
    put(&f->pairs, KIND_STRING, 4);
    put_text(&f->pairs, word);
}

struct scaling_case {
    const char *type;           // NULL: the key is absent
    float factor, old;          // old: value of the old key scale_linear; 0: the key is absent
    const char *read, *refused; // read: rope_scaling, rope_factor and rope_context; refused: the message
};

static void check_scaling(const struct scaling_case *c) {
    struct image_fixture x;
    struct gguf_file f = begin_file(&x);
    if (c->type) put_word(&f, "llama.rope.scaling.type", c->type);
    if (c->factor > 0) put_f32(&f, "llama.rope.scaling.factor", c->factor);
    if (c->old > 0) put_f32(&f, "llama.rope.scale_linear", c->old);
    const char *path = write_gguf(&f, "llama", HEADS);
    const struct family *family = family_find("llama", ".", loc_none(), &x.f.arena, &x.f.diag);
    const struct family_values *v = family ? family_config_read(family, path, &x.f.arena, &x.f.diag) : NULL;
    assert_int_equal(v != NULL, c->refused == NULL);
    if (c->refused) assert_reported(&x.f, c->refused);
    else {
        const struct family_value *p = v->parameter;
        assert_string_equal(arena_printf(&x.f.arena, "%s %g %d", p[family_find_parameter(family, "rope_scaling")].s,
                                         p[family_find_parameter(family, "rope_factor")].f,
                                         (int)p[family_find_parameter(family, "rope_context")].i),
                            c->read);
    }
    image_end(&x);
}

// Scalings are read as llama.cpp reads them. A scaling without a type is linear. The context of yarn is context_length
// if the file gives no other one.
static void test_scaling(void **state) {
    (void)state;
    static const struct scaling_case cases[] = {
        {NULL, 0, 0, "none 1 8192", NULL},
        {NULL, 1, 1, "none 1 8192", NULL},
        {"linear", 4, 0, "linear 4 8192", NULL},
        {"linear", 4, 4, "linear 4 8192", NULL},
        {"linear", 0, 4, "linear 4 8192", NULL},
        {NULL, 4, 0, "linear 4 8192", NULL},
        {NULL, 0, 4, "linear 4 8192", NULL},
        {"yarn", 4, 0, "yarn 4 4096", NULL},
        {"linear", 0, 0, NULL, "`.rope.scaling.type` is `linear`, but `.rope.scaling.factor` is missing"},
        {"linear", 4, 2, NULL, "`.rope.scale_linear` makes rope_factor 2, but `.rope.scaling.factor` makes it 4"},
        {"yarn", 4, 4, NULL, "`.rope.scale_linear` makes rope_scaling linear, but `.rope.scaling.type` makes it yarn"},
        {"none", 4, 0, NULL,
         "`.rope.scaling.factor` makes rope_scaling linear, but `.rope.scaling.type` makes it none"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) check_scaling(&cases[i]);
}

// Tests keys for which the family has no parameter: a key without effect on the model, a key that is refused unless its
// value is neutral, and an unknown key, which gives a warning.
static void test_unread(void **state) {
    (void)state;
    static const struct {
        const char *key, *said; // said: the message, or NULL for none
        float value;
        bool refused;
    } cases[] = {
        {"llama.rope.scaling.finetuned", NULL, 1, false},
        {"llama.logit_scale", NULL, 1, false},
        {"llama.logit_scale", "m.gguf: error: `.logit_scale` is `0.5`: the family does not scale", 0.5f, true},
        {"llama.strange", "m.gguf: warning: `.strange` is `2.0`: family llama does not read this key", 2, false}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct image_fixture x;
        struct gguf_file f = begin_file(&x);
        put_f32(&f, cases[i].key, cases[i].value);
        const char *path = write_gguf(&f, "llama", HEADS);
        const struct family *family = family_find("llama", ".", loc_none(), &x.f.arena, &x.f.diag);
        assert_int_equal(family_config_read(family, path, &x.f.arena, &x.f.diag) == NULL, cases[i].refused);
        if (cases[i].said) assert_reported(&x.f, cases[i].said);
        else assert_string_equal(fixture_text(&x.f), "");
        image_end(&x);
    }
}

static void test_refused(void **state) {
    (void)state;
    static const struct {
        const char *architecture, *leave, *why;
        uint32_t heads;
    } bad[] = {
        {"mamba", NULL, "`general.architecture` is `mamba`, but family llama reads `llama`", HEADS},
        {"qwen2", NULL, "`general.architecture` is `qwen2`, but family llama reads `llama`", HEADS},
        {"llama", NULL, "`.attention.head_count` is 2, but the spec says 4", 2},
        {"llama", NULL, "`.attention.head_count` is not an integer from 1 to 1024", 0},
        {"llama", "blk.1.attn_v.weight", "tensor layers.1.self_attn.v_proj.weight is missing", HEADS},
    };
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        struct image_fixture x;
        struct gguf_file f = begin_file(&x);
        f.leave = bad[i].leave;
        const char *path = write_gguf(&f, bad[i].architecture, bad[i].heads);
        assert_null(image_try(&x, image_build(&x, spec, NULL), path, "out", false));
        assert_reported(&x.f, bad[i].why);
        image_end(&x);
    }
}

// ---- RoPE frequencies that a tensor divides: the converter writes the scaling llama3 in this form ----

static const char scaled_spec[] = "name: t\nmodel: {family: llama, layers: 2, hidden: 24, heads: 4, kv_heads: 2, "
                                  "ffn: 20, vocab: 31, context: 20, tied_head: true, norm_eps: 1e-5, rope_theta: "
                                  "50000, rope_scaling: llama3, rope_factor: 32, rope_context: 600}\n"
                                  "design: {lanes: 2, weights: int8, fifo: safe}\n";

// Returns the divisor of the frequency of a pair. The three wavelengths are 6.3, 231 and 8527 positions: the first is
// not changed, the last is divided by the factor 32, and the second is between the two limits.
static float llama3_divisor(int pair) {
    double wave = 6.283185307179586 * pow(50000, pair / 3.0), smooth = (600 / wave - 1) / (4 - 1);
    if (wave < 600 / 4.0) return 1;
    return wave > 600 ? 32 : (float)(1 / ((1 - smooth) / 32 + smooth));
}

// Writes a file with `pairs` divisors. times: a factor that makes the second divisor wrong, or 1.
static const char *write_scaled(struct gguf_file *f, int64_t pairs, float times) {
    float divisor[4] = {llama3_divisor(0), llama3_divisor(1) * times, llama3_divisor(2), 32};
    put_u32(f, "llama.rope.scaling.original_context_length", 600);
    put_tensor(f, "rope_freqs.weight", 0, pairs, divisor);
    return write_gguf(f, "llama", HEADS);
}

static void test_scaled_angles(void **state) {
    (void)state;
    static const struct {
        const char *spec;
        int64_t pairs;
        float times;
        const char *why; // the message; NULL: the file is read
    } cases[] = {
        {scaled_spec, 3, 1, NULL},
        {scaled_spec, 3, 1.0002f, "tensor rope_freqs.weight divides frequency 1 by 1.834"},
        {scaled_spec, 4, 1, "tensor rope_freqs.weight: 4 divisors, but the spec rotates 3 pairs"},
        {spec, 3, 1, "`.rope.scaling.type` is llama3, but the spec says none"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct image_fixture x;
        struct gguf_file f = begin_file(&x);
        const char *path = write_scaled(&f, cases[i].pairs, cases[i].times);
        const struct ir *ir = image_build(&x, cases[i].spec, NULL);
        if (cases[i].why) {
            assert_null(image_try(&x, ir, path, "out", false));
            assert_reported(&x.f, cases[i].why);
        } else {
            assert_same_file(&x, image_pack(&x, ir, path, "own"), image_pack(&x, ir, "random:6", "random"),
                             "golden.bin");
        }
        image_end(&x);
    }
}

// ---- GPT-2: the converter transposes the matrices of the blocks ----

static const struct {
    const char *gguf, *name;
    int64_t rows, cols; // cols 0: a vector
    enum checkpoint_role role;
} gpt2_tensors[] = {
    {"attn_norm.weight", "ln_1.weight", HIDDEN, 0, CHECKPOINT_GAIN},
    {"attn_norm.bias", "ln_1.bias", HIDDEN, 0, CHECKPOINT_BIAS},
    {"attn_qkv.weight", "attn.c_attn.weight", 3 * HIDDEN, HIDDEN, CHECKPOINT_BIAS},
    {"attn_qkv.bias", "attn.c_attn.bias", 3 * HIDDEN, 0, CHECKPOINT_BIAS},
    {"attn_output.weight", "attn.c_proj.weight", HIDDEN, HIDDEN, CHECKPOINT_BIAS},
    {"attn_output.bias", "attn.c_proj.bias", HIDDEN, 0, CHECKPOINT_BIAS},
    {"ffn_norm.weight", "ln_2.weight", HIDDEN, 0, CHECKPOINT_GAIN},
    {"ffn_norm.bias", "ln_2.bias", HIDDEN, 0, CHECKPOINT_BIAS},
    {"ffn_up.weight", "mlp.c_fc.weight", FFN, HIDDEN, CHECKPOINT_BIAS},
    {"ffn_up.bias", "mlp.c_fc.bias", FFN, 0, CHECKPOINT_BIAS},
    {"ffn_down.weight", "mlp.c_proj.weight", HIDDEN, FFN, CHECKPOINT_BIAS},
    {"ffn_down.bias", "mlp.c_proj.bias", HIDDEN, 0, CHECKPOINT_BIAS},
};

static void add_vector(struct gguf_file *f, const char *gguf, const char *name, int64_t n, enum checkpoint_role role) {
    put_tensor(f, gguf, 0, n, checkpoint_vector(f->random, &f->x->f.arena, name, n, 0, 0, role, &f->x->f.diag));
}

static void add_gpt2_layer(struct gguf_file *f, int layer) {
    struct arena *a = &f->x->f.arena;
    for (size_t i = 0; i < COUNT_OF(gpt2_tensors); i++) {
        const char *gguf = arena_printf(a, "blk.%d.%s", layer, gpt2_tensors[i].gguf),
                   *name = arena_printf(a, "h.%d.%s", layer, gpt2_tensors[i].name);
        int64_t rows = gpt2_tensors[i].rows, cols = gpt2_tensors[i].cols;
        struct checkpoint_slice s = {.name = name, .rows = rows, .cols = cols, .transpose = true};
        if (!cols) add_vector(f, gguf, name, rows, gpt2_tensors[i].role);
        else put_tensor(f, gguf, rows, cols, checkpoint_matrix(f->random, a, &s, &f->x->f.diag));
    }
}

static void add_positions(struct gguf_file *f, int64_t rows) {
    struct checkpoint_slice s = {.name = "wpe.weight", .rows = rows, .cols = HIDDEN, .is_table = true};
    put_tensor(f, "position_embd.weight", rows, HIDDEN,
               checkpoint_matrix(f->random, &f->x->f.arena, &s, &f->x->f.diag));
}

static const char *write_gpt2(struct gguf_file *f) {
    f->pair_count++;
    put_text(&f->pairs, "general.architecture");
    put(&f->pairs, KIND_STRING, 4);
    put_text(&f->pairs, "gpt2");
    put_u32(f, "gpt2.block_count", LAYERS);
    put_u32(f, "gpt2.embedding_length", HIDDEN);
    put_u32(f, "gpt2.attention.head_count", HEADS);
    put_u32(f, "gpt2.feed_forward_length", FFN);
    put_u32(f, "gpt2.context_length", 20);
    put_f32(f, "gpt2.attention.layer_norm_epsilon", 1e-5f);
    add_matrix(f, "token_embd.weight", "wte.weight", VOCAB, HIDDEN, 0);
    add_positions(f, 20);
    for (int i = 0; i < LAYERS; i++) add_gpt2_layer(f, i);
    add_vector(f, "output_norm.weight", "ln_f.weight", HIDDEN, CHECKPOINT_GAIN);
    add_vector(f, "output_norm.bias", "ln_f.bias", HIDDEN, CHECKPOINT_BIAS);
    return finish_gguf(f);
}

static void test_gpt2(void **state) {
    (void)state;
    static const char gpt2_spec[] =
        "name: t\nmodel: {family: gpt2, layers: 2, hidden: 24, heads: 4, ffn: 20, vocab: 31, "
        "context: 20}\ndesign: {lanes: 2, weights: int8, fifo: safe}\n";
    struct image_fixture x;
    struct gguf_file f = begin_file(&x);
    const char *path = write_gpt2(&f);
    const struct ir *ir = image_build(&x, gpt2_spec, NULL);
    const char *own = image_pack(&x, ir, path, "own"), *random = image_pack(&x, ir, "random:6", "random");
    assert_same_file(&x, own, random, "channel_00.bin");
    assert_same_file(&x, own, random, "golden.bin");
    image_end(&x);
}

// ---- Gemma 3: the converter adds 1 to the gains of norms, because the model multiplies by 1 + gain ----

static const struct {
    const char *gguf, *name;
    int64_t rows, cols; // cols 0: a norm
} gemma_tensors[] = {
    {"attn_norm", "input_layernorm", HIDDEN, 0},
    {"attn_q", "self_attn.q_proj", HEADS *HEAD, HIDDEN},
    {"attn_k", "self_attn.k_proj", KV_HEADS *HEAD, HIDDEN},
    {"attn_v", "self_attn.v_proj", KV_HEADS *HEAD, HIDDEN},
    {"attn_output", "self_attn.o_proj", HIDDEN, HEADS *HEAD},
    {"attn_q_norm", "self_attn.q_norm", HEAD, 0},
    {"attn_k_norm", "self_attn.k_norm", HEAD, 0},
    {"post_attention_norm", "post_attention_layernorm", HIDDEN, 0},
    {"ffn_norm", "pre_feedforward_layernorm", HIDDEN, 0},
    {"ffn_gate", "mlp.gate_proj", FFN, HIDDEN},
    {"ffn_up", "mlp.up_proj", FFN, HIDDEN},
    {"ffn_down", "mlp.down_proj", HIDDEN, FFN},
    {"post_ffw_norm", "post_feedforward_layernorm", HIDDEN, 0},
};

static void add_norm(struct gguf_file *f, const char *gguf, const char *name, int64_t n) {
    struct arena *a = &f->x->f.arena;
    const float *w = checkpoint_vector(f->random, a, name, n, 0, 0, CHECKPOINT_BIAS, &f->x->f.diag);
    float *stored = ARENA_ARRAY(a, float, (size_t)n);
    for (int64_t i = 0; i < n; i++) stored[i] = w[i] + 1;
    put_tensor(f, gguf, 0, n, stored);
}

static void add_gemma_layer(struct gguf_file *f, int layer) {
    struct arena *a = &f->x->f.arena;
    for (size_t i = 0; i < COUNT_OF(gemma_tensors); i++) {
        const char *gguf = arena_printf(a, "blk.%d.%s.weight", layer, gemma_tensors[i].gguf),
                   *name = arena_printf(a, "layers.%d.%s.weight", layer, gemma_tensors[i].name);
        if (!gemma_tensors[i].cols) add_norm(f, gguf, name, gemma_tensors[i].rows);
        else add_matrix(f, gguf, name, gemma_tensors[i].rows, gemma_tensors[i].cols, 0);
    }
}

static const char *write_gemma3(struct gguf_file *f, uint32_t period) {
    f->pair_count++;
    put_text(&f->pairs, "general.architecture");
    put(&f->pairs, KIND_STRING, 4);
    put_text(&f->pairs, "gemma3");
    put_u32(f, "gemma3.block_count", LAYERS);
    put_u32(f, "gemma3.embedding_length", HIDDEN);
    put_u32(f, "gemma3.attention.head_count", HEADS);
    put_u32(f, "gemma3.attention.head_count_kv", KV_HEADS);
    put_u32(f, "gemma3.attention.key_length", HEAD);
    put_u32(f, "gemma3.attention.value_length", HEAD);
    put_u32(f, "gemma3.feed_forward_length", FFN);
    put_u32(f, "gemma3.context_length", 4096);
    put_u32(f, "gemma3.attention.sliding_window", 7);
    put_u32(f, "gemma3.attention.sliding_window_pattern", period);
    put_f32(f, "gemma3.attention.layer_norm_rms_epsilon", 1e-6f);
    put_f32(f, "gemma3.rope.freq_base", 1e6f);
    add_matrix(f, "token_embd.weight", "embed_tokens.weight", VOCAB, HIDDEN, 0);
    for (int i = 0; i < LAYERS; i++) add_gemma_layer(f, i);
    add_norm(f, "output_norm.weight", "norm.weight", HIDDEN);
    return finish_gguf(f);
}

static const char gemma3_spec[] = "name: t\nmodel: {family: gemma3, layers: 2, hidden: 24, heads: 4, kv_heads: 2, "
                                  "head_dim: 6, ffn: 20, vocab: 31, context: 20, window: 7, period: 2}\n"
                                  "design: {lanes: 2, weights: int8}\n";

static void test_gemma3(void **state) {
    (void)state;
    struct image_fixture x;
    struct gguf_file f = begin_file(&x);
    const char *path = write_gemma3(&f, 2);
    const struct ir *ir = image_build(&x, gemma3_spec, NULL);
    const char *own = image_pack(&x, ir, path, "own"), *random = image_pack(&x, ir, "random:6", "random");
    assert_same_file(&x, own, random, "channel_00.bin");
    assert_same_file(&x, own, random, "golden.bin");
    image_end(&x);
}

static void test_gemma3_refused(void **state) {
    (void)state;
    struct image_fixture x;
    struct gguf_file f = begin_file(&x);
    const char *path = write_gemma3(&f, 3);
    assert_null(image_try(&x, image_build(&x, gemma3_spec, NULL), path, "out", false));
    assert_reported(&x.f, "`.attention.sliding_window_pattern` is 3, but the spec says 2");
    image_end(&x);
}

// ---- a family of a user ----

// OWN gives the text of a family with two matrices. The file stores the first matrix transposed, and the rows of the
// second one in pairs. gguf: the content of the family's section `gguf`, which can be made of METADATA and TENSORS.
#define OWN(gguf)                                                                                                      \
    "family: own\nparameters: {width: {type: integer, from: 1, to: 64}, heads: {type: integer, from: 1, to: 8}}\n"     \
    "gguf:\n" gguf "graph:\n  inputs: {x: {shape: ['{width}']}}\n  outputs: [a, b]\n  regions:\n    - name: body\n"    \
    "      ops:\n        - {op: quantize, name: q, in: x}\n"                                                           \
    "        - {op: matmul, name: a_acc, in: q, rows: 20, weight: turned.w}\n"                                         \
    "        - {op: dequantize, name: a, in: a_acc}\n"                                                                 \
    "        - {op: matmul, name: b_acc, in: q, rows: 24, weight: paired.w}\n"                                         \
    "        - {op: dequantize, name: b, in: b_acc}\n"
#define TENSORS(first, second) "  tensors: {first.*: " first ", second.*: " second "}\n"
#define METADATA                                                                                                       \
    "  metadata: [{key: .width, is: width}, {key: [.old, .heads], is: heads}, {key: .half, equals: width / 2}]\n"

static const char own_spec[] = "name: t\nmodel: {family: ./own.yaml, width: 24, heads: 4}\n"
                               "design: {lanes: 2, weights: int8, fifo: safe}\n";

struct own {
    const char *gguf;
    uint32_t width, half; // values of the file's metadata
    const char *why;      // the message; NULL: the file is read
};

static void add_own_tensors(struct gguf_file *f) {
    struct arena *a = &f->x->f.arena;
    struct checkpoint_slice turned = {.name = "turned.w", .rows = 20, .cols = HIDDEN};
    const float *w = checkpoint_matrix(f->random, a, &turned, &f->x->f.diag);
    float *other = ARENA_ARRAY(a, float, 20 * HIDDEN);
    for (int r = 0; r < 20; r++)
        for (int c = 0; c < HIDDEN; c++) other[c * 20 + r] = w[r * HIDDEN + c];
    put_tensor(f, "first.w", HIDDEN, 20, other);
    add_matrix(f, "second.w", "paired.w", 24, HIDDEN, 4);
}

static const char *write_own(struct gguf_file *f, const struct own *own) {
    f->pair_count++;
    put_text(&f->pairs, "general.architecture");
    put(&f->pairs, KIND_STRING, 4);
    put_text(&f->pairs, "mine");
    put_u32(f, "mine.width", own->width);
    put_u32(f, "mine.heads", 4);
    put_u32(f, "mine.half", own->half);
    add_own_tensors(f);
    return finish_gguf(f);
}

static void check_own(const struct own *own) {
    struct image_fixture x;
    struct gguf_file f = begin_file(&x);
    write_file(image_path(&x, "own.yaml"), own->gguf, strlen(own->gguf));
    const char *path = write_own(&f, own);
    const struct ir *ir = image_build(&x, own_spec, NULL);
    if (own->why) {
        assert_null(image_try(&x, ir, path, "out", false));
        assert_reported(&x.f, own->why);
    } else {
        const char *out = image_pack(&x, ir, path, "own"), *random = image_pack(&x, ir, "random:6", "random");
        assert_same_file(&x, out, random, "channel_00.bin");
        assert_same_file(&x, out, random, "golden.bin");
    }
    image_end(&x);
}

static void test_own_family(void **state) {
    (void)state;
    static const struct own cases[] = {
        {OWN("  architectures: [other, mine]\n" METADATA TENSORS("{name: turned.*, transpose: true}",
                                                                 "{name: paired.*, pairs: heads}")),
         24, 12, NULL},
        {OWN("  architectures: [mine]\n" METADATA TENSORS("{name: turned.*, transpose: true}",
                                                          "{name: paired.*, pairs: heads}")),
         25, 12, "`.width` is 25, but the spec says 24"},
        {OWN("  architectures: [mine]\n" METADATA TENSORS("{name: turned.*, transpose: true}",
                                                          "{name: paired.*, pairs: heads}")),
         24, 13, "`.half` is 13, but the family computes 12"},
        {OWN("  architectures: [mine]\n" TENSORS("turned.*", "{name: paired.*, pairs: heads}")), 24, 12,
         "tensor turned.w: the shape is [24, 20], but the spec needs [20, 24]"},
        {OWN("  architectures: [mine]\n" TENSORS("{name: turned.*, transpose: true}", "{name: paired.*, pairs: 7}")),
         24, 12, "tensor second.w: 24 rows do not divide into pairs in each of 7 heads"},
        {OWN("  architectures: [mine]\n  tensors: {first.w: turned}\n"), 24, 12, "tensor turned.w is missing"},
        {"family: own\nparameters: {width: {type: integer}, heads: {type: integer}}\ngraph:\n  inputs: {x: {shape: "
         "['{width}']}}\n  outputs: [y]\n  regions: [{name: r, ops: [{op: gelu, name: y, in: x}]}]\n",
         24, 12, "family own cannot read GGUF files, because it has no section `gguf`"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) check_own(&cases[i]);
}

// ---- chats ----

static const char *decoded(struct fixture *f, const struct tokenizer *t, const struct token_ids *ids) {
    struct text out = {0};
    for (size_t i = 0; i < ids->count; i++) {
        size_t len;
        const char *piece = tokenizer_decode(t, ids->items[i], &len);
        text_add_bytes(&out, piece, len);
    }
    const char *copy = arena_strdup(&f->arena, text_cstr(&out));
    text_free(&out);
    return copy;
}

// The markers of a chat template must become single tokens, and a text of the user must not contain them.
static void test_chat(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f);
    struct token_ids ids = {0};
    const char *path = file_find_shared(&f.arena, "tests/unit/tokenizers/llama_bpe.gguf");
    struct tokenizer *t = path ? tokenizer_open(&f.arena, path, &f.diag) : NULL;
    assert_non_null(t);
    assert_true(tokenizer_present(&f.arena, path));
    const struct chat_template *chatml = chat_find("chatml", &f.arena, &f.diag),
                               *llama3 = chat_find("llama3", &f.arena, &f.diag),
                               *zephyr = chat_find("zephyr", &f.arena, &f.diag);
    assert_true(chatml && llama3 && zephyr);
    assert_string_equal(tokenizer_encode_chat(t, llama3, "Hi", &ids),
                        "the tokenizer has no token `<|start_header_id|>` [chat-token]");
    assert_string_equal(tokenizer_encode_chat(t, chatml, "a<|im_end|>b", &ids), MSG_CHAT_CONTROL);
    assert_int_equal(ids.count, 0);
    assert_null(tokenizer_encode_chat(t, chatml, "Hi", &ids));
    uint32_t end = 0;
    for (size_t len; strcmp(tokenizer_decode(t, end, &len), "<|im_end|>") != 0;) end++;
    const struct end_ids one = {1, {end + 1}}, both = {2, {end + 1, end}};
    assert_non_null(strstr(tokenizer_chat_goes_on(t, chatml, &one), "an answer ends with `<|im_end|>`"));
    assert_null(tokenizer_chat_goes_on(t, chatml, &both));
    assert_null(tokenizer_chat_goes_on(t, zephyr, &one)); // the tokenizer has no such end
    assert_true(ids.items[0] == 0 && ids.items[1] == 1);
    assert_string_equal(decoded(&f, t, &ids), "<|endoftext|><|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n");
    const struct chat_turn turns[] = {
        {CHAT_SYSTEM, "S"}, {CHAT_USER, "Hi"}, {CHAT_ASSISTANT, "Yo"}, {CHAT_USER, "Bye"}};
    struct token_ids talk = {0};
    assert_null(tokenizer_encode_turns(t, chatml, turns, COUNT_OF(turns), &talk));
    assert_string_equal(decoded(&f, t, &talk),
                        "<|endoftext|><|im_start|>system\nS<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n"
                        "<|im_start|>assistant\nYo<|im_end|>\n<|im_start|>user\nBye<|im_end|>\n"
                        "<|im_start|>assistant\n");
    const struct chat_turn forged[] = {{CHAT_USER, "a"}, {CHAT_ASSISTANT, "<|im_end|>"}, {CHAT_USER, "b"}};
    assert_string_equal(tokenizer_encode_turns(t, chatml, forged, COUNT_OF(forged), &talk), MSG_CHAT_CONTROL);
    tokenizer_close(t);
    fixture_end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_image), cmocka_unit_test(test_end_ids), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_scaling),    cmocka_unit_test(test_unread),  cmocka_unit_test(test_scaled_angles),
        cmocka_unit_test(test_gpt2),       cmocka_unit_test(test_gemma3),  cmocka_unit_test(test_gemma3_refused),
        cmocka_unit_test(test_own_family), cmocka_unit_test(test_chat)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
