// SPDX-License-Identifier: Apache-2.0
// GGUF's names and keys as those of Hugging Face checkpoints (source: the maps of PyPI's `gguf` package), and the order
// of rows of queries and keys.
#define _POSIX_C_SOURCE 200809L
#include "gen/model/gguf_model.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const architectures[] = {"llama", "qwen2", "qwen3"};

static const struct {
    const char *gguf, *name;
} names[] = {{"token_embd", "model.embed_tokens"}, {"output_norm", "model.norm"}, {"output", "lm_head"}},
  block_names[] = {
      {"attn_norm", "input_layernorm"},    {"attn_q", "self_attn.q_proj"},
      {"attn_k", "self_attn.k_proj"},      {"attn_v", "self_attn.v_proj"},
      {"attn_output", "self_attn.o_proj"}, {"attn_q_norm", "self_attn.q_norm"},
      {"attn_k_norm", "self_attn.k_norm"}, {"ffn_norm", "post_attention_layernorm"},
      {"ffn_gate", "mlp.gate_proj"},       {"ffn_up", "mlp.up_proj"},
      {"ffn_down", "mlp.down_proj"},
};

struct entry {
    struct safetensors_tensor as;
    const struct gguf_tensor *tensor;
    int64_t heads; // whose rows lie in pairs; 0: the rows are as they are
};

struct gguf_model {
    struct arena *arena;
    struct gguf *file;
    struct loc loc;
    const char *architecture;
    VEC(struct entry) entry;
};

bool gguf_is_path(const char *path) {
    struct stat st;
    size_t len = strlen(path);
    return stat(path, &st) == 0 ? S_ISREG(st.st_mode) : len > 5 && !strcmp(path + len - 5, ".gguf");
}

// ---- metadata ----

static const char *architecture_of(const struct gguf_model *m, struct diag *diag) {
    const struct gguf_value *v = gguf_find(m->file, "general.architecture");
    struct gguf_text have = v && v->kind == GGUF_STRING ? v->text : (struct gguf_text){"", 0};
    for (size_t i = 0; i < COUNT_OF(architectures); i++)
        if (gguf_text_is(have, architectures[i])) return architectures[i];
    diag_error(diag, m->loc, "architecture `%.*s` is not supported (llama, qwen2 and qwen3 are)",
               (int)(have.len < 80 ? have.len : 80), have.data);
    return NULL;
}

// NULL: absent. A key with a `.` in front is one of the architecture's.
static const struct gguf_value *value_of(const struct gguf_model *m, const char *key) {
    return gguf_find(m->file, *key == '.' ? arena_printf(m->arena, "%s%s", m->architecture, key) : key);
}

// -1: of another kind, or below 1.
static int64_t integer_of(const struct gguf_model *m, const char *key, int64_t preset) {
    const struct gguf_value *v = value_of(m, key);
    if (!v) return preset;
    return v->kind == GGUF_INT && v->integer > 0 ? v->integer : -1;
}

// ---- tensors ----

static bool block_name(struct arena *arena, const char *rest, const char **name) {
    size_t digits = strspn(rest, "0123456789"),
           len = digits && rest[digits] == '.' ? strcspn(rest + digits + 1, ".") : 0;
    const char *word = rest + digits + 1;
    for (size_t i = 0; len && i < COUNT_OF(block_names); i++) {
        if (strlen(block_names[i].gguf) != len || strncmp(word, block_names[i].gguf, len) != 0) continue;
        *name = arena_printf(arena, "model.layers.%.*s.%s%s", (int)digits, rest, block_names[i].name, word + len);
        return true;
    }
    return false;
}

// A tensor that is not known here keeps its name, and is told to have no use.
static const char *name_of(struct arena *arena, const char *gguf) {
    const char *name = gguf;
    if (!strncmp(gguf, "blk.", 4) && block_name(arena, gguf + 4, &name)) return name;
    size_t len = strcspn(gguf, ".");
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (strlen(names[i].gguf) == len && !strncmp(gguf, names[i].gguf, len))
            return arena_printf(arena, "%s%s", names[i].name, gguf + len);
    return name;
}

// The heads of a tensor whose rows the converter has permuted: weights and biases of queries and keys.
static int64_t paired_heads(const struct gguf_model *m, const char *name) {
    if (strcmp(m->architecture, "llama") != 0) return 0;
    int64_t heads = integer_of(m, ".attention.head_count", -1);
    if (strstr(name, ".self_attn.q_proj.")) return heads;
    if (strstr(name, ".self_attn.k_proj.")) return integer_of(m, ".attention.head_count_kv", heads);
    return 0;
}

static bool add_tensor(struct gguf_model *m, const struct gguf_tensor *t, struct diag *diag) {
    struct entry e = {.tensor = t};
    e.as.name = name_of(m->arena, t->name);
    e.as.dtype_name = t->format->name;
    e.as.rank = t->rank;
    e.as.elements = t->rows * t->cols;
    memcpy(e.as.shape, t->shape, sizeof t->shape);
    e.heads = paired_heads(m, e.as.name);
    if (e.heads < 0 || e.heads > INT32_MAX || (e.heads && (t->rank > 2 || t->shape[0] % (2 * e.heads)))) {
        diag_error(diag, m->loc, "tensor %s: %" PRId64 " rows are no whole pairs in each of %" PRId64 " heads", t->name,
                   t->shape[0], e.heads);
        return false;
    }
    VEC_PUSH(m->arena, m->entry, e);
    return true;
}

static bool read_all(struct gguf_model *m, struct diag *diag) {
    m->architecture = architecture_of(m, diag);
    for (int i = 0; m->architecture && i < gguf_tensor_count(m->file); i++)
        if (!add_tensor(m, gguf_tensor_at(m->file, i), diag)) return false;
    return m->architecture != NULL;
}

struct gguf_model *gguf_model_open(struct arena *arena, const char *path, struct diag *diag) {
    struct gguf_model *m = ARENA_NEW(arena, struct gguf_model);
    m->arena = arena;
    m->loc = loc_file(arena, path);
    m->file = gguf_open(arena, path, diag);
    if (m->file && read_all(m, diag)) return m;
    gguf_model_close(m);
    return NULL;
}

void gguf_model_close(struct gguf_model *m) {
    if (m) gguf_close(m->file);
}

int gguf_model_count(const struct gguf_model *m) { return (int)m->entry.count; }
const struct safetensors_tensor *gguf_model_at(const struct gguf_model *m, int index) {
    return &m->entry.items[index].as;
}

// Where row r of the checkpoint stands in the file: (2, n / 2) of each head became (n / 2, 2).
static int64_t row_in_file(int64_t r, int64_t rows, int64_t heads) {
    if (!heads) return r;
    int64_t n = rows / heads, half = n / 2, in = r % n;
    return r - in + 2 * (in % half) + in / half;
}

float *gguf_model_read(const struct gguf_model *m, int index, struct arena *arena) {
    const struct entry *e = &m->entry.items[index];
    const struct gguf_tensor *t = e->tensor;
    int64_t cols = t->rank == 1 ? 1 : t->cols, rows = e->as.elements / cols;
    float *out = ARENA_ARRAY(arena, float, (size_t)e->as.elements);
    if (t->rank > 1) {
        for (int64_t r = 0; r < rows; r++) gguf_row(t, row_in_file(r, rows, e->heads), out + r * cols);
        return out;
    }
    float *stored = ARENA_ARRAY(arena, float, (size_t)rows);
    gguf_row(t, 0, stored);
    for (int64_t r = 0; r < rows; r++) out[r] = stored[row_in_file(r, rows, e->heads)];
    return out;
}

// ---- config.json ----

static const struct {
    const char *key, *name;
} integers[] =
    {
        {".block_count", "num_hidden_layers"},
        {".embedding_length", "hidden_size"},
        {".attention.head_count", "num_attention_heads"},
        {".attention.head_count_kv", "num_key_value_heads"},
        {".attention.key_length", "head_dim"},
        {".feed_forward_length", "intermediate_size"},
        {".context_length", "max_position_embeddings"},
        {".vocab_size", "vocab_size"},
        {".attention.sliding_window", "sliding_window"},
        {"tokenizer.ggml.bos_token_id", "bos_token_id"},
        {"tokenizer.ggml.eos_token_id", "eos_token_id"},
},
  numbers[] =
      {
          {".attention.layer_norm_rms_epsilon", "rms_norm_eps"},
          {".rope.freq_base", "rope_theta"},
},
  scaling[] = {
      {".rope.scaling.factor", "factor"},
      {".rope.scaling.attn_factor", "attention_factor"},
};

static void put_number(json_t *map, const char *name, const struct gguf_value *v) {
    if (v && v->kind == GGUF_FLOAT) json_object_set_new(map, name, json_real(v->number));
    else if (v && v->kind == GGUF_INT) json_object_set_new(map, name, json_integer(v->integer));
    else if (v) json_object_set_new(map, name, json_string("a list"));
}

static void put_scaling(const struct gguf_model *m, json_t *root) {
    const struct gguf_value *type = value_of(m, ".rope.scaling.type");
    if (!type || type->kind != GGUF_STRING || gguf_text_is(type->text, "none")) return;
    json_t *map = json_object();
    json_object_set_new(map, "rope_type", json_stringn(type->text.data, type->text.len));
    for (size_t i = 0; i < COUNT_OF(scaling); i++) put_number(map, scaling[i].name, value_of(m, scaling[i].key));
    put_number(map, "original_max_position_embeddings", value_of(m, ".rope.scaling.original_context_length"));
    json_object_set_new(root, "rope_scaling", map);
}

// The vocabulary's size is not always told; the table of embeddings has it. A part of a head that turns is told.
static void put_derived(const struct gguf_model *m, json_t *root) {
    const struct gguf_tensor *table = gguf_find_tensor(m->file, "token_embd.weight");
    int64_t heads = integer_of(m, ".attention.head_count", 0), hidden = integer_of(m, ".embedding_length", 0),
            head = integer_of(m, ".attention.key_length", heads > 0 ? hidden / heads : 0),
            turned = integer_of(m, ".rope.dimension_count", head);
    json_object_set_new(root, "model_type", json_string(m->architecture));
    json_object_set_new(root, "tie_word_embeddings", json_boolean(!gguf_find_tensor(m->file, "output.weight")));
    if (table) json_object_set_new(root, "vocab_size", json_integer(table->rows));
    if (turned != head && head > 0)
        json_object_set_new(root, "partial_rotary_factor", json_real((double)turned / (double)head));
}

static const char *config_of(const struct gguf_model *m) {
    json_t *root = json_object();
    for (size_t i = 0; i < COUNT_OF(integers); i++) put_number(root, integers[i].name, value_of(m, integers[i].key));
    for (size_t i = 0; i < COUNT_OF(numbers); i++) put_number(root, numbers[i].name, value_of(m, numbers[i].key));
    put_scaling(m, root);
    put_derived(m, root);
    char *text = json_dumps(root, JSON_COMPACT);
    const char *copy = text ? arena_strdup(m->arena, text) : NULL;
    free(text);
    json_decref(root);
    return copy;
}

const char *gguf_model_config(struct arena *arena, const char *path, struct diag *diag) {
    struct gguf_model *m = gguf_model_open(arena, path, diag);
    const char *text = m ? config_of(m) : NULL;
    if (m && !text) diag_error(diag, m->loc, "the metadata hold a text or a number that JSON cannot hold");
    gguf_model_close(m);
    return text;
}
