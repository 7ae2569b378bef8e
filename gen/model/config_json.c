// SPDX-License-Identifier: Apache-2.0
// config.json of a Hugging Face GPT-2 checkpoint.
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "checkpoint.h"

enum { MAX_CONFIG_BYTES = 1 << 20 };

struct config_reader {
    struct loc loc;
    const json_t *root;
    struct diag *diag;
    bool ok;
};

static void fail(struct config_reader *r, const char *key, const char *why) {
    diag_error(r->diag, r->loc, "`%s` %s", key, why);
    r->ok = false;
}

// Absent or null is the fallback; fallback 0: required.
static int64_t get_size(struct config_reader *r, const char *key, int64_t fallback) {
    const json_t *value = json_object_get(r->root, key);
    if (!value || json_is_null(value)) {
        if (fallback > 0) return fallback;
        return fail(r, key, "is missing"), 1;
    }
    if (json_is_integer(value) && json_integer_value(value) >= 1 && json_integer_value(value) <= INT32_MAX)
        return json_integer_value(value);
    fail(r, key, "is not a positive integer");
    return 1;
}

static bool get_bool(struct config_reader *r, const char *key, bool fallback) {
    const json_t *value = json_object_get(r->root, key);
    if (!value) return fallback;
    if (!json_is_boolean(value)) fail(r, key, "is not true or false");
    return json_is_true(value);
}

static double get_eps(struct config_reader *r, const char *key, double fallback) {
    const json_t *value = json_object_get(r->root, key);
    if (!value) return fallback;
    double eps = json_number_value(value);
    if (!json_is_number(value) || !(eps > 0 && eps < 1)) fail(r, key, "is not a number between 0 and 1");
    return eps;
}

// Absent is fine (GPT-2's own), another word is a model that nothing here computes.
static void expect_word(struct config_reader *r, const char *key, const char *word, const char *other) {
    const json_t *value = json_object_get(r->root, key);
    if (!value) return;
    const char *have = json_string_value(value);
    if (have && (strcmp(have, word) == 0 || (other && strcmp(have, other) == 0))) return;
    diag_error(r->diag, r->loc, "`%s` is `%s`, only `%s` is supported", key, have ? have : "no text", word);
    r->ok = false;
}

static void expect_bool(struct config_reader *r, const char *key, bool expected) {
    if (get_bool(r, key, expected) != expected) fail(r, key, expected ? "must be true" : "must be false");
}

static void read_config(struct config_reader *r, struct gpt2_config *c) {
    if (!json_object_get(r->root, "model_type")) fail(r, "model_type", "is missing");
    expect_word(r, "model_type", "gpt2", NULL);
    expect_word(r, "activation_function", "gelu_new", "gelu_pytorch_tanh"); // two names of one function
    expect_bool(r, "scale_attn_weights", true);
    expect_bool(r, "scale_attn_by_inverse_layer_idx", false);
    expect_bool(r, "add_cross_attention", false);
    c->layers = get_size(r, "n_layer", 0);
    c->hidden = get_size(r, "n_embd", 0);
    c->heads = get_size(r, "n_head", 0);
    c->vocab = get_size(r, "vocab_size", 0);
    c->context = get_size(r, "n_positions", 0);
    c->ffn = get_size(r, "n_inner", 4 * c->hidden);
    c->norm_eps = get_eps(r, "layer_norm_epsilon", 1e-5);
    c->tied_head = get_bool(r, "tie_word_embeddings", true);
    const json_t *eot = json_object_get(r->root, "eos_token_id");
    c->eot = json_is_integer(eot) ? json_integer_value(eot) : -1;
    if (c->eot < -1 || c->eot >= c->vocab) fail(r, "eos_token_id", "is not in the vocabulary");
    if (r->ok && c->hidden % c->heads != 0) fail(r, "n_head", "does not divide `n_embd`");
}

bool gpt2_config_read(struct arena *arena, const char *dir, struct gpt2_config *config, struct diag *diag) {
    const char *path = arena_printf(arena, "%s/config.json", dir), *why;
    struct config_reader r = {loc_file(arena, path), NULL, diag, true};
    size_t len;
    char *text = file_read(arena, path, MAX_CONFIG_BYTES, &len, &why);
    if (!text) return diag_error(diag, r.loc, "%s", why), false;
    json_error_t error;
    json_t *root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &error);
    r.root = root;
    if (json_is_object(root)) {
        read_config(&r, config);
    } else {
        diag_error(diag, r.loc, "%s", root ? "not a JSON object" : error.text);
        r.ok = false;
    }
    json_decref(root);
    return r.ok;
}

bool gpt2_config_check(struct arena *arena, const char *dir, const struct gpt2_config *have,
                       const struct gpt2_config *want, struct diag *diag) {
    struct loc loc = loc_file(arena, arena_printf(arena, "%s/config.json", dir));
    const struct {
        const char *key;
        int64_t have, want;
    } sizes[] = {
        {"n_layer", have->layers, want->layers},
        {"n_embd", have->hidden, want->hidden},
        {"n_head", have->heads, want->heads},
        {"n_inner", have->ffn, want->ffn},
        {"vocab_size", have->vocab, want->vocab},
        {"n_positions", have->context, want->context},
        {"tie_word_embeddings", have->tied_head, want->tied_head},
    };
    int errors = diag->errors;
    for (size_t i = 0; i < COUNT_OF(sizes); i++)
        if (sizes[i].have != sizes[i].want)
            diag_error(diag, loc, "`%s` is %" PRId64 ", the spec says %" PRId64, sizes[i].key, sizes[i].have,
                       sizes[i].want);
    if ((float)have->norm_eps != (float)want->norm_eps)
        diag_error(diag, loc, "`layer_norm_epsilon` is %g, the spec says %g", have->norm_eps, want->norm_eps);
    return diag->errors == errors;
}
