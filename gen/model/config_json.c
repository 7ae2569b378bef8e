// SPDX-License-Identifier: Apache-2.0
// Reads the values of a model from config.json of a checkpoint, with the keys that a family describes, and compares
// them with a spec. The metadata of a GGUF file is converted to JSON first (gguf_model.c) and read in the same way.
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "gen/model/checkpoint.h"
#include "gen/model/config_unread.h"
#include "gen/spec/family.h"
#include "gen/model/gguf_model.h"
#include "gen/model/json_text.h"

enum { MAX_CONFIG_BYTES = 1 << 20 };

struct config_reader {
    struct loc loc;             // the file that is read
    const json_t *root, *outer; // root: map with the keys; outer: the file, if `root` is a map in it; else NULL
    const char *text;           // text of config.json; NULL: a GGUF file
    size_t len;
    json_t *beside;  // another file of the folder, while one of its keys is read; else NULL
    json_t *place;   // number that first_layer made last, or NULL; owned by the reader
    const char *dir; // folder of the checkpoint, or path of the GGUF file
    struct arena *arena;
    struct diag *diag;
    struct family_values *values;
    const struct family_keys *keys; // the family's keys for config.json, or for the metadata of a GGUF file
    bool ok, other_kind;            // ok: no error so far; other_kind: the checkpoint is for another family
};

static void fail(struct config_reader *r, const char *message) {
    diag_error_text(r->diag, r->loc, message);
    r->ok = false;
}

// ---- finding a key ----

// Returns the value of a key, or NULL if it is absent. A dot in its path separates maps, unless a key has the whole
// path as its name.
static const json_t *find_path(const json_t *map, const char *path) {
    char key[128];
    size_t len = strcspn(path, ".");
    const json_t *own = json_object_get(map, path);
    if (own || !path[len] || len >= sizeof key) return own;
    memcpy(key, path, len);
    key[len] = '\0';
    return find_path(json_object_get(map, key), path + len + 1);
}

// Returns whether the file has the map that would contain this spelling of a key. Returns false for a spelling without
// dots, which would be in `root` itself.
static bool has_place(const json_t *root, const char *path) {
    const char *dot = strrchr(path, '.');
    char map[128];
    size_t len = dot ? (size_t)(dot - path) : 0;
    if (!len || len >= sizeof map) return false;
    memcpy(map, path, len);
    map[len] = '\0';
    return json_is_object(find_path(root, map));
}

static const json_t *find_in(const json_t *root, const struct family_key *k, const char **spelling) {
    for (size_t i = 0; i < k->spellings; i++) {
        const json_t *value = find_path(root, k->spelling[i]);
        if (!value || json_is_null(value)) continue;
        *spelling = k->spelling[i];
        return value;
    }
    return NULL;
}

// Returns the value of a key, or NULL if it is absent or null. For messages, *spelling receives the spelling in the
// file. If the key is absent, this is the first spelling whose map exists, or else the first one. Keys that are not
// compared with the spec, such as the ids that end a text, may also be in the outer map of a multimodal model.
static const json_t *find_key(const struct config_reader *r, const struct family_key *k, const char **spelling) {
    const json_t *root = k->file ? r->beside : r->root;
    *spelling = k->spelling[0];
    for (size_t i = k->spellings; i-- > 0;)
        if (has_place(root, k->spelling[i])) *spelling = k->spelling[i];
    const json_t *value = find_in(root, k, spelling);
    return value || k->file || k->compare ? value : find_in(r->outer, k, spelling);
}

// ---- values with a fixed meaning ----

// Returns a value as text for messages and comparisons, at most 64 bytes long.
static const char *text_of(const struct config_reader *r, const json_t *value) {
    char *text = json_is_string(value) ? NULL : json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    const char *copy = arena_strdup(r->arena, text ? text : json_is_string(value) ? json_string_value(value) : "?");
    free(text);
    return strlen(copy) > 64 ? arena_printf(r->arena, "%.61s...", copy) : copy;
}

// Reports a value that the family refuses, with the family's reason.
static void check_refused(struct config_reader *r, const struct family_key *k, const char *key, const char *have) {
    const struct yaml_node *why = k->refuse ? yaml_get(k->refuse, have) : NULL;
    if (!why) return;
    diag_error(r->diag, r->loc, MSG_CONFIG_REFUSED, key, have, why->text);
    r->ok = false;
}

static bool is_legal(const struct yaml_node *values, const char *have) {
    for (size_t i = 0; i < values->count; i++)
        if (!strcmp(values->items[i]->text, have)) return true;
    return false;
}

// Reports a value that is none of the values that the family supports.
static void check_values(struct config_reader *r, const struct family_key *k, const char *key, const json_t *value) {
    const char *have = text_of(r, value);
    bool truth;
    if (is_legal(k->values, have)) return;
    if (k->values->count == 1 && yaml_parse_bool(k->values->items[0], &truth)) {
        if (!json_is_boolean(value)) fail(r, arena_printf(r->arena, MSG_CONFIG_NOT_BOOLEAN, key));
        else fail(r, arena_printf(r->arena, truth ? MSG_CONFIG_MUST_BE_TRUE : MSG_CONFIG_MUST_BE_FALSE, key));
        return;
    }
    struct text list = {0};
    for (size_t i = 0; i < k->values->count; i++) text_addf(&list, "%s`%s`", i ? ", " : "", k->values->items[i]->text);
    diag_error(r->diag, r->loc, MSG_CONFIG_CHOICE, key, have, text_cstr(&list));
    text_free(&list);
    r->ok = false;
    r->other_kind = family_key_is_kind(k);
    if (r->other_kind)
        diag_note(r->diag, r->loc, "it is of another family than %s; `rill import` writes a spec for it",
                  r->values->family->name);
}

// ---- values of parameters ----

static void read_integer(struct config_reader *r, const struct family_parameter *p, const char *key,
                         const json_t *value, struct family_value *v) {
    v->i = json_integer_value(value);
    if (json_is_integer(value) && (double)v->i >= p->from && (double)v->i <= p->to) return;
    fail(r, arena_printf(r->arena, MSG_CONFIG_INTEGER, key, p->from, p->to));
}

static void read_number(struct config_reader *r, const struct family_parameter *p, const char *key, const json_t *value,
                        struct family_value *v) {
    v->f = json_number_value(value);
    if (json_is_number(value) && v->f >= p->from && v->f <= p->to) return;
    fail(r, arena_printf(r->arena, MSG_CONFIG_NUMBER, key, p->from, p->to));
}

static void read_word(struct config_reader *r, const struct family_key *k, const struct family_parameter *p,
                      const char *key, const json_t *value, struct family_value *v) {
    const char *have = text_of(r, value);
    const struct yaml_node *mapped = k->words ? yaml_get(k->words, have) : NULL;
    if (k->words && !mapped) mapped = yaml_get(k->words, "*");
    for (size_t i = 0; i < p->word_count; i++)
        if (!strcmp(p->words[i], mapped ? mapped->text : have)) v->s = p->words[i];
    if (!v->s) fail(r, arena_printf(r->arena, MSG_CONFIG_WORD, key, have));
}

static bool holds_value(const struct family_value *v, int64_t value) {
    for (int i = 0; i < v->count; i++)
        if (v->list[i] == value) return true;
    return false;
}

// Reads one value or a list, and adds those values that no earlier key gave.
static void read_list(struct config_reader *r, const struct family_parameter *p, const char *key, const json_t *value,
                      struct family_value *v) {
    size_t more = json_is_array(value) ? json_array_size(value) : 1;
    int64_t *list = ARENA_ARRAY(r->arena, int64_t, (size_t)v->count + more + 1);
    if (v->count) memcpy(list, v->list, sizeof *list * (size_t)v->count);
    struct loc *where = ARENA_ARRAY(r->arena, struct loc, (size_t)v->count + more + 1);
    if (v->count) memcpy(where, v->where, sizeof *where * (size_t)v->count);
    v->list = list;
    v->where = where;
    for (size_t i = 0; i < more && r->ok; i++) {
        struct family_value one = {0};
        read_integer(r, p, key, json_is_array(value) ? json_array_get(value, i) : value, &one);
        if (!r->ok || holds_value(v, one.i)) continue;
        where[v->count] = r->loc;
        list[v->count++] = one.i;
    }
    if (v->count > p->list) fail(r, arena_printf(r->arena, MSG_CONFIG_COUNT, key, v->count, p->list));
    v->known = v->given = v->count > 0;
    v->i = list[0];
}

// Checks that two keys of the file that give the same parameter agree. before: the value before this key was read.
static void check_agreement(struct config_reader *r, const struct family_key *k, const char *key,
                            const struct family_value *before) {
    const struct family_parameter *p = &r->values->family->parameter[k->parameter];
    struct family_value *v = &r->values->parameter[k->parameter];
    if (r->ok && before->by) {
        const char *first = family_value_text(r->arena, p, before), *second = family_value_text(r->arena, p, v);
        if (strcmp(first, second) != 0)
            fail(r, arena_printf(r->arena, MSG_CONFIG_CONTRADICTION, key, p->name, second, before->by, first));
    }
    v->by = key;
}

// Reads the value of a parameter, and checks that it agrees with an earlier key of the same parameter.
static void read_value(struct config_reader *r, const struct family_key *k, const char *key, const json_t *value) {
    const struct family_parameter *p = &r->values->family->parameter[k->parameter];
    struct family_value *v = &r->values->parameter[k->parameter], before = *v;
    if (p->list) return read_list(r, p, key, value, v);
    *v = (struct family_value){.known = true, .given = true, .most = before.most};
    switch (p->type) {
    case FAMILY_INTEGER: read_integer(r, p, key, value, v); break;
    case FAMILY_NUMBER: read_number(r, p, key, value, v); break;
    case FAMILY_FLAG:
        if (!json_is_boolean(value)) fail(r, arena_printf(r->arena, MSG_CONFIG_NOT_BOOLEAN, key));
        v->i = json_is_true(value);
        break;
    case FAMILY_WORD: read_word(r, k, p, key, value, v); break;
    }
    check_agreement(r, k, key, &before);
}

// Evaluates the default of an absent key from the values read so far. After an earlier error, names in the default may
// have no value. This is then not reported as an error of the family's file.
static void take_preset(struct config_reader *r, const struct family_key *k) {
    struct family_value *v = &r->values->parameter[k->parameter];
    const struct family_parameter *p = &r->values->family->parameter[k->parameter];
    struct family_scope scope = {.values = r->values, .arena = r->arena, .diag = r->ok ? r->diag : NULL};
    bool flag = false, ok = true;
    if (p->type == FAMILY_NUMBER) ok = yaml_parse_float(k->preset, &v->f);
    else if (p->type == FAMILY_WORD) v->s = k->preset->text;
    else if (yaml_parse_bool(k->preset, &flag)) v->i = flag;
    else ok = family_evaluate(&scope, k->preset, k->preset->text, 0, &v->i);
    v->known = v->given = true;
    if (!ok && r->ok && !diag_failed(r->diag)) diag_error(r->diag, k->preset->loc, MSG_FAMILY_PRESET, p->name);
    r->ok = r->ok && ok;
}

// Checks an integer that must equal an expression of the values read so far.
static void check_equal(struct config_reader *r, const struct family_key *k, const char *key, const json_t *value) {
    struct family_scope scope = {.values = r->values, .arena = r->arena, .diag = r->diag};
    int64_t want;
    if (!r->ok) return; // names may have no value after an error
    if (!family_evaluate(&scope, k->equals, k->equals->text, 0, &want)) r->ok = false;
    else if (!json_is_integer(value) || json_integer_value(value) != want)
        fail(r, arena_printf(r->arena, MSG_CONFIG_EQUALS, key, text_of(r, value), want));
}

// Reads the largest value that the model was trained for. Ignores anything but a positive integer.
static void read_most(struct config_reader *r, const struct family_key *k, const json_t *value) {
    if (json_is_integer(value) && json_integer_value(value) > 0)
        r->values->parameter[k->most].most = json_integer_value(value);
}

// Notes a key that was looked up, for the table that `rill import` prints.
static void note(struct config_reader *r, const struct family_key *k, const char *key, const json_t *value) {
    struct family_notes *n = &r->values->notes;
    if (k->file) key = arena_printf(r->arena, "%s of %s", key, k->file);
    n->key[n->keys++] = (struct family_note){k, key, value ? text_of(r, value) : NULL};
}

// Checks that another key that this value needs is present, such as the factor of a kind of scaling.
static void check_needs(struct config_reader *r, const struct family_key *k, const char *key, const char *have) {
    const struct yaml_node *need = k->needs ? yaml_get(k->needs, have) : NULL;
    const char *missing;
    if (k->needs && !need) need = yaml_get(k->needs, "*");
    if (!need || find_key(r, family_find_key(r->keys, need->text), &missing)) return;
    diag_error(r->diag, r->loc, MSG_CONFIG_KEY_NEEDED, key, have, missing);
    diag_note(r->diag, r->loc, "add `%s` as the publisher of the checkpoint gives it", missing);
    r->ok = false;
}

// Returns whether the key is read: it has no `when`, or its `when` holds. After an error, names in the expression may
// have no value, so a key with `when` is not read.
static bool counts(struct config_reader *r, const struct family_key *k) {
    struct family_scope scope = {.values = r->values, .arena = r->arena, .diag = r->diag};
    int64_t yes = 1;
    if (!k->when) return true;
    if (!r->ok) return false;
    if (!family_evaluate(&scope, k->when, k->when->text, 0, &yes)) r->ok = false;
    return yes;
}

// Returns the number of the first layer whose item in the list `value` is the word k->first, counted from 1. Returns
// NULL if no item is this word, or if `value` is not a list.
static const json_t *first_layer(struct config_reader *r, const struct family_key *k, const json_t *value) {
    for (size_t i = 0; i < json_array_size(value); i++)
        if (!strcmp(text_of(r, json_array_get(value, i)), k->first->text)) {
            json_decref(r->place);
            return r->place = json_integer((json_int_t)i + 1);
        }
    return NULL;
}

// Reads a key, or its default if it is absent, and checks its value. A key with `when` or `first` may be absent if an
// earlier key gave its parameter.
static void read_found(struct config_reader *r, const struct family_key *k) {
    const char *key;
    const json_t *value = find_key(r, k, &key);
    if (!counts(r, k)) value = NULL;
    if (value && k->first) value = first_layer(r, k, value);
    note(r, k, key, value);
    if (!value) {
        if (k->parameter >= 0 && k->preset) take_preset(r, k);
        else if ((k->when || k->first) && r->values->parameter[k->parameter].known) return;
        else if (k->required || (k->parameter >= 0 && !r->values->family->parameter[k->parameter].preset))
            fail(r, arena_printf(r->arena, MSG_CONFIG_KEY_MISSING, key));
        return;
    }
    if (k->refuse) check_refused(r, k, key, text_of(r, value));
    if (k->needs) check_needs(r, k, key, text_of(r, value));
    if (k->values) check_values(r, k, key, value);
    if (k->equals) check_equal(r, k, key, value);
    if (k->most >= 0) read_most(r, k, value);
    if (k->parameter >= 0) read_value(r, k, key, value);
}

// Reads another JSON file of the folder, which read_key releases after it has read the key. Returns NULL if the file
// does not exist, or after an error.
static json_t *load_beside(struct config_reader *r, const char *file) {
    json_t *root;
    if (!json_file_object(r->arena, arena_printf(r->arena, "%s/%s", r->dir, file), MAX_CONFIG_BYTES, r->diag, &root))
        r->ok = false;
    return root;
}

static void read_key(struct config_reader *r, const struct family_key *k) {
    struct loc loc = r->loc;
    if (k->file) {
        r->beside = load_beside(r, k->file);
        r->loc = loc_file(r->arena, arena_printf(r->arena, "%s/%s", r->dir, k->file));
    }
    read_found(r, k);
    json_decref(r->beside);
    r->beside = NULL;
    r->loc = loc;
}

// ---- lists with one word per layer ----

// Checks the word of one layer: the expression that the key's `each` gives for this word must hold for the layer. A
// word without an expression is an error.
static void check_word_of_layer(struct config_reader *r, const struct family_key *k, const char *key, int64_t layer,
                                const json_t *value) {
    const char *have = text_of(r, value);
    const struct yaml_node *rule = yaml_get(k->each, have);
    struct family_scope scope = {
        .values = r->values, .has_layer = true, .layer = layer, .arena = r->arena, .diag = r->diag};
    int64_t yes = 0;
    if (rule && !family_evaluate(&scope, rule, rule->text, 0, &yes)) r->ok = false;
    else if (!yes) fail(r, arena_printf(r->arena, MSG_CONFIG_LAYER, key, have, layer));
}

// Checks lists with one word per layer. Runs after all parameters have values.
static void check_layers(struct config_reader *r) {
    for (size_t i = 0; r->ok && i < r->keys->count; i++) {
        const char *key;
        const struct family_key *k = &r->keys->item[i];
        const json_t *list = k->each ? find_key(r, k, &key) : NULL;
        if (list && !json_is_array(list)) fail(r, arena_printf(r->arena, MSG_CONFIG_NOT_LIST, key));
        for (size_t n = 0; r->ok && n < json_array_size(list); n++)
            check_word_of_layer(r, k, key, (int64_t)n, json_array_get(list, n));
    }
}

static bool is_read(const struct family_keys *keys, size_t parameter) {
    for (size_t i = 0; i < keys->count; i++)
        if (keys->item[i].parameter == (int)parameter) return true;
    return false;
}

// Returns whether the family has a key for every parameter without a default. If not, derived values are not computed
// here, because some parameters are only in the spec.
static bool all_known(const struct config_reader *r) {
    const struct family *f = r->values->family;
    for (size_t i = 0; i < f->parameters; i++)
        if (!f->parameter[i].preset && !is_read(r->keys, i)) return false;
    return true;
}

// Reads all keys. Stops if the checkpoint is of another kind, because errors about its other keys would be misleading.
static void read_keys(struct config_reader *r) {
    for (size_t i = 0; i < r->keys->count && !r->other_kind; i++) read_key(r, &r->keys->item[i]);
}

// Reads and checks all keys. Returns NULL after an error.
static struct family_values *read_root(struct config_reader *r, const struct family *f) {
    struct family_values *v = r->values = ARENA_NEW(r->arena, struct family_values);
    v->family = f;
    v->parameter = ARENA_ARRAY(r->arena, struct family_value, f->parameters + 1);
    v->let = ARENA_ARRAY(r->arena, int64_t, f->lets + 1);
    v->notes.key = ARENA_ARRAY(r->arena, struct family_note, r->keys->count + 1);
    read_keys(r);
    const struct config_text file = {r->root, r->outer, r->text, r->len, r->loc};
    if (!r->other_kind && !config_check_unread(&file, r->keys, v, r->arena, r->diag)) r->ok = false;
    if (r->ok && all_known(r)) r->ok = family_derive(v, NULL, r->loc, r->arena, r->diag);
    check_layers(r);
    return r->ok ? v : NULL;
}

// Returns the file with the keys: config.json in a folder, or a GGUF file itself.
static const char *path_of(struct arena *arena, const char *source) {
    return gguf_is_path(source) ? source : arena_printf(arena, "%s/config.json", source);
}

static const struct family_keys *keys_of(const struct family *f, const char *source) {
    return gguf_is_path(source) ? &f->gguf.metadata : &f->config;
}

// Returns the text of config.json, or the metadata of a GGUF file as JSON text. Returns NULL after an error.
static const char *config_text(const struct config_reader *r, const struct family *f, const char *source, size_t *len) {
    const char *why, *text = "{}"; // used if the family has no `config`
    if (!gguf_is_path(source)) {
        *len = strlen(text);
        if (f->config.count) text = file_read(r->arena, path_of(r->arena, source), MAX_CONFIG_BYTES, len, &why);
        if (!text) diag_error_text(r->diag, r->loc, why);
        return text;
    }
    text = gguf_model_config(r->arena, f, source, r->diag);
    *len = text ? strlen(text) : 0;
    return text;
}

struct family_values *family_config_read(const struct family *f, const char *dir, struct arena *arena,
                                         struct diag *diag) {
    struct config_reader r = {.loc = loc_file(arena, path_of(arena, dir)),
                              .dir = dir,
                              .arena = arena,
                              .diag = diag,
                              .keys = keys_of(f, dir),
                              .ok = true};
    struct family_values *values = NULL;
    size_t len;
    const char *text = checkpoint_is_there(arena, dir, diag) ? config_text(&r, f, dir, &len) : NULL;
    if (!text) return NULL;
    json_t *root = json_text_object(text, len, r.loc, diag);
    r.root = root;
    if (!gguf_is_path(dir)) {
        r.text = text, r.len = len;
        const json_t *model = json_object_get(root, CONFIG_TEXT_MODEL);
        if (json_is_object(model)) r.root = model, r.outer = root;
    }
    if (root) values = read_root(&r, f);
    json_decref(r.place);
    json_decref(root);
    return values;
}

// ---- comparison with a spec ----

static const char *list_text(struct arena *arena, const struct family_value *v) {
    const char *text = "[";
    for (int i = 0; i < v->count; i++) text = arena_printf(arena, "%s%s%" PRId64, text, i ? ", " : "", v->list[i]);
    return arena_printf(arena, "%s]", text);
}

const char *family_value_text(struct arena *arena, const struct family_parameter *p, const struct family_value *v) {
    if (p->type == FAMILY_NUMBER)
        return arena_printf(arena, (float)strtod(arena_printf(arena, "%g", v->f), NULL) == (float)v->f ? "%g" : "%.9g",
                            v->f);
    if (p->type == FAMILY_WORD) return v->s ? v->s : "";
    if (p->type == FAMILY_FLAG) return v->i ? "true" : "false";
    return v->count > 1 ? list_text(arena, v) : arena_printf(arena, "%" PRId64, v->i);
}

// Warns if the spec (`want`) has a larger value than the model was trained for, for example a longer context.
static void warn_untrained(const struct family_values *have, const struct family_values *want,
                           const struct family_key *k, struct loc loc, struct diag *diag) {
    int64_t most = k->most < 0 ? 0 : have->parameter[k->most].most;
    if (most && want->parameter[k->most].i > most)
        diag_warning(diag, loc, MSG_CONFIG_UNTRAINED, k->spelling[0], most, have->family->parameter[k->most].name,
                     want->parameter[k->most].i);
}

// Where an error is reported: its place, the memory for its text, and its receiver.
struct report_at {
    struct loc loc;
    struct arena *arena;
    struct diag *diag;
};

// Reports that the checkpoint has the value `a` and the spec the value `b`.
static void report_other(const struct family_key *k, const struct family_parameter *p, const struct family_value *a,
                         const struct family_value *b, const struct report_at *r) {
    const char *have = family_value_text(r->arena, p, a), *want = family_value_text(r->arena, p, b);
    const char *word = b->given ? "" : " by default";
    if (k->source == FAMILY_WITHOUT)
        diag_error(r->diag, r->loc, MSG_CONFIG_TENSOR, k->tensor, p->name, have, want, word);
    else diag_error(r->diag, r->loc, MSG_CONFIG_DIFFERS, k->spelling[0], have, want, word);
    if (!b->given) diag_note(r->diag, r->loc, "write `%s: %s` under `model` in the spec", p->name, have);
}

// Returns whether an earlier key in the list gives the same parameter and was compared.
static bool was_before(const struct family_keys *keys, size_t item) {
    for (size_t i = 0; i < item; i++)
        if (keys->item[i].parameter == keys->item[item].parameter && keys->item[i].compare) return true;
    return false;
}

bool family_config_check(const struct family_values *have, const struct family_values *want, const char *dir,
                         struct arena *arena, struct diag *diag) {
    struct loc loc = loc_file(arena, path_of(arena, dir));
    const struct family *f = have->family;
    const struct family_keys *keys = keys_of(f, dir);
    int errors = diag->errors;
    for (size_t i = 0; i < keys->count; i++) {
        int n = keys->item[i].parameter;
        warn_untrained(have, want, &keys->item[i], loc, diag);
        if (n < 0 || !keys->item[i].compare || !have->parameter[n].known || was_before(keys, i)) continue;
        const struct family_parameter *p = &f->parameter[n];
        const struct family_value *a = &have->parameter[n], *b = &want->parameter[n];
        bool same = p->type == FAMILY_NUMBER ? (float)a->f == (float)b->f
                                             : !strcmp(family_value_text(arena, p, a), family_value_text(arena, p, b));
        if (!same) report_other(&keys->item[i], p, a, b, &(struct report_at){loc, arena, diag});
    }
    return diag->errors == errors;
}
