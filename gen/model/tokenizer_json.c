// SPDX-License-Identifier: Apache-2.0
// Loads Hugging Face's tokenizer.json. Supports BPE on bytes or characters, with the normalizers and splittings of
// common models. Any other part of the file is refused by name, because a tokenizer that almost fits would give wrong
// ids silently.
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "gen/model/tokenizer_internal.h"
#include "gen/model/json_text.h"

// The state of loading a file. root: the whole JSON document; model: its section `model`.
struct loader {
    struct tokenizer_builder b;
    struct tokenizer *t;
    json_t *root, *model;
    bool prepends, replaces; // the normalizer puts a space before the text, or replaces spaces by TOKENIZER_SPACE
};

static bool refuse(struct loader *l, const char *part, const char *what) {
    diag_error(l->b.diag, l->b.loc, MSG_TOKENIZER_PART, part, what);
    return false;
}

static const char *text_of(const json_t *map, const char *key) { // "" if absent
    const char *text = json_string_value(json_object_get(map, key));
    return text ? text : "";
}

static bool truth_of(const json_t *map, const char *key, bool preset) {
    const json_t *v = json_object_get(map, key);
    return json_is_boolean(v) ? json_is_true(v) : preset;
}

// Reads a part of the file. Returns false after an error.
typedef bool part_function(struct loader *, const json_t *part);
// Calls f for a part of the file, unless it is absent. If the part has the type `Sequence`, calls f for each item of
// its list `key` instead. Returns false after an error.
static bool each_part(struct loader *l, const json_t *part, const char *key, part_function *f) {
    const json_t *one;
    size_t i;
    if (!part || json_is_null(part)) return true;
    if (strcmp(text_of(part, "type"), "Sequence") != 0) return f(l, part);
    json_array_foreach(json_object_get(part, key), i, one) {
        if (!f(l, one)) return false;
    }
    return true;
}

// ---- normalizer ----

// Reads a normalizer: NFC, a space before the text, or TOKENIZER_SPACE in place of spaces. Refuses all others.
static bool read_normalizer(struct loader *l, const json_t *part) {
    const char *type = text_of(part, "type"), *space = text_of(json_object_get(part, "pattern"), "String");
    if (!strcmp(type, "NFC")) return l->t->nfc = true;
    if (!strcmp(type, "Prepend") && !strcmp(text_of(part, "prepend"), TOKENIZER_SPACE))
        return l->t->prefix = TOKENIZER_PREFIX_EACH, l->prepends = true;
    if (!strcmp(type, "Replace") && !strcmp(space, " ") && !strcmp(text_of(part, "content"), TOKENIZER_SPACE))
        return l->t->marks_space = l->replaces = true;
    return refuse(l, "normalizer", type);
}

// ---- pre_tokenizer ----

static bool read_byte_level(struct loader *l, const json_t *part) {
    if (truth_of(part, "add_prefix_space", true)) return refuse(l, "pre_tokenizer", "ByteLevel with add_prefix_space");
    l->t->model = TOKENIZER_BYTE_BPE;
    return !truth_of(part, "use_regex", true) || tokenizer_add_stage(&l->b, "gpt2");
}

// Reads a splitting by a regular expression, which must be one of the table. Gemma's splitting at spaces is ignored: it
// has no effect, because Gemma's normalizer has already replaced the spaces.
static bool read_split(struct loader *l, const json_t *part) {
    const json_t *pattern = json_object_get(part, "pattern");
    const char *written = text_of(pattern, "Regex"), *stage = tokenizer_splitting_of(&l->b, written);
    if (l->t->marks_space && !strcmp(text_of(pattern, "String"), " ")) return true;
    if (stage && !strcmp(text_of(part, "behavior"), "Isolated") && !truth_of(part, "invert", false))
        return tokenizer_add_stage(&l->b, stage);
    if (stage) return refuse(l, "pre_tokenizer: Split", text_of(part, "behavior"));
    refuse(l, "pre_tokenizer: Split", written);
    tokenizer_note_known(&l->b, l->b.splittings, "");
    return false;
}

// Reads Metaspace, which replaces spaces by TOKENIZER_SPACE. Its scheme says where it adds a space before the text;
// `first` and `never` are supported.
static bool read_metaspace(struct loader *l, const json_t *part) {
    const char *scheme = text_of(part, "prepend_scheme");
    if (!*scheme) scheme = truth_of(part, "add_prefix_space", true) ? "always" : "never";
    if (strcmp(text_of(part, "replacement"), TOKENIZER_SPACE) != 0) return refuse(l, "pre_tokenizer", "Metaspace");
    l->t->marks_space = true;
    if (!strcmp(scheme, "first")) l->t->prefix = TOKENIZER_PREFIX_FIRST;
    else if (strcmp(scheme, "never") != 0) return refuse(l, "pre_tokenizer: Metaspace: prepend_scheme", scheme);
    return !truth_of(part, "split", true) || tokenizer_add_stage(&l->b, "marks");
}

static bool read_pre_tokenizer(struct loader *l, const json_t *part) {
    const char *type = text_of(part, "type");
    if (!strcmp(type, "ByteLevel")) return read_byte_level(l, part);
    if (!strcmp(type, "Split")) return read_split(l, part);
    if (!strcmp(type, "Metaspace")) return read_metaspace(l, part);
    if (!strcmp(type, "Digits") && truth_of(part, "individual_digits", false))
        return tokenizer_add_stage(&l->b, "digits");
    return refuse(l, "pre_tokenizer", type);
}

// ---- tokens ----

static struct tokenizer_token token_of(struct loader *l, const char *text) {
    if (l->t->model == TOKENIZER_BYTE_BPE) return tokenizer_from_alphabet(l->b.arena, text, strlen(text));
    return (struct tokenizer_token){arena_strdup(l->b.arena, text), strlen(text), TOKENIZER_NONE};
}

static bool check_id(struct loader *l, const char *text, const json_t *id) {
    if (json_is_integer(id) && json_integer_value(id) >= 0 && json_integer_value(id) < TOKENIZER_MAX_IDS) return true;
    diag_error(l->b.diag, l->b.loc, MSG_TOKENIZER_JSON_ID, text, TOKENIZER_MAX_IDS - 1);
    return false;
}

// Sets *ids to the largest id plus one. Returns false after an error.
static bool count_ids(struct loader *l, size_t *ids) {
    json_int_t last = -1;
    const char *text;
    json_t *value;
    size_t i;
    json_object_foreach(json_object_get(l->model, "vocab"), text, value) {
        if (!check_id(l, text, value)) return false;
        if (json_integer_value(value) > last) last = json_integer_value(value);
    }
    json_array_foreach(json_object_get(l->root, "added_tokens"), i, value) {
        const json_t *id = json_object_get(value, "id");
        if (!check_id(l, text_of(value, "content"), id)) return false;
        if (json_integer_value(id) > last) last = json_integer_value(id);
    }
    *ids = (size_t)(last + 1);
    return true;
}

static bool add_vocabulary(struct loader *l) {
    const char *text;
    json_t *id;
    json_object_foreach(json_object_get(l->model, "vocab"), text, id) {
        if (!tokenizer_put(&l->b, (uint32_t)json_integer_value(id), token_of(l, text))) return false;
    }
    return true;
}

// Adds an item of `added_tokens` as a special. Its text is plain, not in the byte alphabet. Returns false after an
// error.
static bool add_added(struct loader *l, const json_t *one) {
    const char *text = text_of(one, "content");
    uint32_t id = (uint32_t)json_integer_value(json_object_get(one, "id"));
    struct tokenizer_token token = {arena_strdup(l->b.arena, text), strlen(text), TOKENIZER_NONE};
    bool strips = truth_of(one, "lstrip", false) || truth_of(one, "rstrip", false);
    if (strips || truth_of(one, "single_word", false)) return refuse(l, "added_tokens: lstrip, rstrip", text);
    if (!l->t->tokens[id].bytes && !tokenizer_put(&l->b, id, token)) return false;
    if (!truth_of(one, "normalized", false))
        return tokenizer_put_special(&l->b, id, truth_of(one, "special", false)), true;
    if (l->prepends || (l->replaces && (strchr(text, ' ') || strstr(text, TOKENIZER_SPACE))))
        return refuse(l, "added_tokens: normalized, with spaces that the normalizer changes", text);
    tokenizer_put_normalized(&l->b, id, truth_of(one, "special", false));
    return true;
}

// Reads the vocabulary and the added tokens, and finds the tokens of single bytes. Returns false after an error.
static bool read_tokens(struct loader *l) {
    const json_t *one;
    size_t i, ids;
    if (!count_ids(l, &ids) || !tokenizer_reserve(&l->b, ids) || !add_vocabulary(l)) return false;
    json_array_foreach(json_object_get(l->root, "added_tokens"), i, one) {
        if (!add_added(l, one)) return false;
    }
    if (l->t->model == TOKENIZER_BYTE_BPE) return tokenizer_find_bytes(&l->b);
    if (truth_of(l->model, "byte_fallback", false)) tokenizer_find_fallback(&l->b);
    return true;
}

// ---- merges ----

// Reads "a b" or ["a", "b"]. Only in the second form may a symbol begin with a space.
static bool add_merge(struct loader *l, const json_t *pair, size_t index) {
    const char *where = arena_printf(l->b.arena, "merge %zu", index), *text = json_string_value(pair);
    const char *left = json_string_value(json_array_get(pair, 0)), *right = json_string_value(json_array_get(pair, 1));
    const char *space = text ? strchr(text, ' ') : NULL;
    if (space) left = arena_strndup(l->b.arena, text, (size_t)(space - text)), right = space + 1;
    if (!left || !right || !*left || !*right)
        return diag_error(l->b.diag, l->b.loc, MSG_TOKENIZER_SYMBOLS, where), false;
    return tokenizer_put_merge(&l->b, token_of(l, left), token_of(l, right), where);
}

static bool read_merges(struct loader *l) {
    const json_t *list = json_object_get(l->model, "merges"), *pair;
    size_t i;
    tokenizer_reserve_merges(&l->b, json_array_size(list));
    json_array_foreach(list, i, pair) {
        if (!add_merge(l, pair, i)) return false;
    }
    return true;
}

// ---- the ids before and after a text ----

// Sets `begin` to the token that a template puts before a single text. Ignores all other parts of the post-processor.
static bool read_post_processor(struct loader *l, const json_t *part) {
    const json_t *first = json_array_get(json_object_get(part, "single"), 0);
    const char *text = text_of(json_object_get(first, "SpecialToken"), "id");
    uint32_t id = tokenizer_find(l->t, text, strlen(text));
    if (*text && id != TOKENIZER_NONE) l->t->begin = id;
    return true;
}

// Returns the text of a token in tokenizer_config.json, which gives it as a string or as a map; "": absent.
static const char *named(const json_t *config, const char *key) {
    const json_t *token = json_object_get(config, key);
    return json_is_string(token) ? json_string_value(token) : text_of(token, "content");
}

// Finds the token that ends a text, which tokenizer_config.json in the same folder names. If the file or the name is
// absent, it is GPT-2's end-of-text token. A flag in that file may put the begin token before each text.
static bool find_ends(struct loader *l, const char *path) {
    const char *config = arena_printf(l->b.arena, "%s/tokenizer_config.json", file_dir(l->b.arena, path));
    json_t *root;
    if (!json_file_object(l->b.arena, config, TOKENIZER_MAX_BYTES, l->b.diag, &root)) return false;
    const char *text = named(root, "eos_token"), *begin = named(root, "bos_token");
    if (!*text) text = l->b.end_of_text;
    uint32_t id = tokenizer_find(l->t, text, strlen(text)), first = tokenizer_find(l->t, begin, strlen(begin));
    if (id != TOKENIZER_NONE) l->t->eot = id;
    bool adds = l->t->begin < 0 && *begin && truth_of(root, "add_bos_token", false);
    if (adds && first != TOKENIZER_NONE) l->t->begin = first;
    json_decref(root);
    return true;
}

// ---- the whole ----

// Returns whether the key has a text that is not empty.
static bool is_set(const json_t *map, const char *key) {
    const json_t *v = json_object_get(map, key);
    return v && !json_is_null(v) && *text_of(map, key);
}

// Reads the section `model`. Refuses kinds and settings of BPE that the tokenizer does not support.
static bool read_model(struct loader *l) {
    const char *type = text_of(l->model, "type"), *unknown = text_of(l->model, "unk_token");
    if (strcmp(type, "BPE") != 0) return refuse(l, "model", *type ? type : "without a type");
    if (is_set(l->model, "continuing_subword_prefix")) return refuse(l, "model", "continuing_subword_prefix");
    if (is_set(l->model, "end_of_word_suffix")) return refuse(l, "model", "end_of_word_suffix");
    if (json_is_number(json_object_get(l->model, "dropout"))) return refuse(l, "model", "dropout");
    l->t->whole = truth_of(l->model, "ignore_merges", false);
    l->t->fuses_unknown = truth_of(l->model, "fuse_unk", false);
    if (!read_tokens(l) || !read_merges(l)) return false;
    uint32_t id = tokenizer_find(l->t, unknown, strlen(unknown));
    if (*unknown && id != TOKENIZER_NONE) l->t->unknown = id;
    return true;
}

static bool read_all(struct loader *l, const char *path) {
    l->t->model = TOKENIZER_CHAR_BPE; // until a ByteLevel changes it
    if (!each_part(l, json_object_get(l->root, "normalizer"), "normalizers", read_normalizer) ||
        !each_part(l, json_object_get(l->root, "pre_tokenizer"), "pretokenizers", read_pre_tokenizer) ||
        !read_model(l) || !each_part(l, json_object_get(l->root, "post_processor"), "processors", read_post_processor))
        return false;
    return find_ends(l, path);
}

struct tokenizer *tokenizer_load_json(struct arena *arena, const char *path, struct diag *diag) {
    struct loader l = {.b = tokenizer_begin(arena, diag, loc_file(arena, path))};
    const char *why;
    size_t len;
    char *text = file_read(arena, path, TOKENIZER_MAX_BYTES, &len, &why);
    if (!text) return diag_error_text(diag, l.b.loc, why), NULL;
    l.t = l.b.t;
    l.root = json_text_object(text, len, l.b.loc, diag);
    l.model = json_object_get(l.root, "model");
    bool ok = l.root && tokenizer_read_table(&l.b) && read_all(&l, path);
    json_decref(l.root);
    if (ok) return tokenizer_finish(&l.b);
    return tokenizer_close(l.t), NULL;
}
