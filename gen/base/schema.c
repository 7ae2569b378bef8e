// SPDX-License-Identifier: Apache-2.0
// Fills a struct from a YAML map, as described by a table of fields, and gives ranges and presets as text.
#include "gen/base/schema.h"

#include <string.h>

static void set_preset(const struct schema_field *f, void *member) {
    switch (f->type) {
    case SCHEMA_INT:
    case SCHEMA_WORD: *(int *)member = (int)f->preset; break;
    case SCHEMA_FLOAT: *(double *)member = f->preset; break;
    case SCHEMA_BOOL: *(bool *)member = f->preset != 0; break;
    case SCHEMA_STRING: *(const char **)member = f->preset_text; break;
    }
}

static bool is_legal(const struct schema_field *f, int64_t v) {
    for (size_t i = 0; i < f->count; i++)
        if (f->legal[i] == v) return true;
    return false;
}

// Reads an integer that must be one of the legal values.
static bool read_legal(const struct schema_field *f, const struct yaml_node *node, const char *what, int64_t *out,
                       struct diag *diag) {
    int64_t v = 0;
    if (!yaml_expect(node, YAML_KIND_SCALAR, what, diag)) return false;
    bool number = yaml_parse_int(node, &v);
    if (number && is_legal(f, v)) {
        *out = v;
        return true;
    }
    struct text list = {0};
    for (size_t i = 0; i < f->count; i++)
        text_addf(&list, "%s%lld", i == 0 ? "" : i + 1 < f->count ? ", " : " or ", (long long)f->legal[i]);
    diag_error(diag, node->loc, MSG_NOT_A_CHOICE, what, text_cstr(&list), node->text);
    text_free(&list);
    if (node->quoted) diag_note(diag, node->loc, "a text in quotes is not a number; write it without quotes");
    if (number || yaml_nearest_int(node, 0, 1 << 20, &v))
        diag_note(diag, node->loc, "the nearest legal value is %lld",
                  (long long)diag_nearest_value(v, f->legal, f->count));
    return false;
}

static bool read_int(const struct schema_field *f, const struct yaml_node *node, const char *what, int *out,
                     struct diag *diag) {
    int64_t v;
    bool good = f->legal ? read_legal(f, node, what, &v, diag)
                         : yaml_int(node, (int64_t)f->min, (int64_t)f->max, what, &v, diag);
    if (good) *out = (int)v;
    return good;
}

static bool read_member(const struct schema_field *f, const struct yaml_node *node, const char *what, void *member,
                        struct diag *diag) {
    switch (f->type) {
    case SCHEMA_INT: return read_int(f, node, what, member, diag);
    case SCHEMA_FLOAT: return yaml_float(node, f->min, f->max, what, member, diag);
    case SCHEMA_BOOL: return yaml_bool(node, what, member, diag);
    case SCHEMA_WORD: return yaml_word(node, f->words, f->count, what, member, diag);
    case SCHEMA_STRING: return yaml_string(node, what, member, diag);
    }
    return false;
}

// Returns an array of the keys of the fields and the extra keys, with NULL at its end.
static const char **all_keys(const struct schema_field *fields, size_t count, const char *const *extra,
                             size_t extra_count, struct arena *arena) {
    const char **keys = ARENA_ARRAY(arena, const char *, count + extra_count + 1);
    for (size_t i = 0; i < count; i++) keys[i] = fields[i].key;
    for (size_t i = 0; i < extra_count; i++) keys[count + i] = extra[i];
    return keys; // a NULL follows them
}

// Reads one field into the struct at `out`, or sets its preset. name: name of the map in diagnostics. path: place of
// the table in a spec, for `rill explain`, or NULL. keys: all legal keys of the map. Returns false after an error.
static bool read_field(const struct schema_field *f, const struct yaml_node *map, const char *name, const char *path,
                       const char *const *keys, size_t count, void *out, struct arena *arena, struct diag *diag) {
    const struct yaml_node *node = yaml_get(map, f->key);
    void *member = (char *)out + f->offset;
    set_preset(f, member);
    if (node && read_member(f, node, arena_printf(arena, "%s.%s", name, f->key), member, diag)) return true;
    if (node && path) diag_note(diag, node->loc, "`rill explain %s%s%s` says more", path, *path ? "." : "", f->key);
    if (node || !f->required) return !node;
    if (yaml_is_misspelt(map, f->key, keys, count)) return false; // already reported
    diag_error(diag, map ? map->loc : loc_none(), MSG_MISSING_KEY, name, f->key);
    return false;
}

// Reads the fields of a map and reports unknown keys. NULL is an empty map. Returns true if no error was found.
static bool read_fields(const struct yaml_node *map, const char *name, const char *path,
                        const struct schema_field *fields, size_t count, const char *const *extra, size_t extra_count,
                        void *out, struct arena *arena, struct diag *diag) {
    bool broken = map && !yaml_expect(map, YAML_KIND_MAP, name, diag), good = !broken;
    const char **keys = all_keys(fields, count, extra, extra_count, arena);
    if (map && !broken) good = yaml_check_keys(map, keys, count + extra_count, NULL, name, diag);
    for (size_t i = 0; i < count; i++) {
        if (broken) // already reported, so only set the presets
            set_preset(&fields[i], (char *)out + fields[i].offset);
        else good = read_field(&fields[i], map, name, path, keys, count + extra_count, out, arena, diag) && good;
    }
    return good;
}

bool schema_read(const struct yaml_node *map, const char *name, const struct schema_field *fields, size_t count,
                 const char *const *extra, size_t extra_count, void *out, struct arena *arena, struct diag *diag) {
    return read_fields(map, name, NULL, fields, count, extra, extra_count, out, arena, diag);
}

// ---- whole tables ----

static const char **table_keys(const struct schema_table *t, struct arena *arena) {
    const char **keys = ARENA_ARRAY(arena, const char *, t->count + t->key_count + 1);
    for (size_t i = 0; i < t->count; i++) keys[i] = t->fields[i].key;
    for (size_t i = 0; i < t->key_count; i++) keys[t->count + i] = t->keys[i].key;
    return keys; // a NULL follows them
}

bool schema_read_table(const struct yaml_node *map, const struct schema_table *t, void *out, struct arena *arena,
                       struct diag *diag) {
    const char **keys = table_keys(t, arena);
    return read_fields(map, t->what, t->path, t->fields, t->count, keys + t->count, t->key_count, out, arena, diag);
}

bool schema_check_keys(const struct yaml_node *map, const struct schema_table *t, struct arena *arena,
                       struct diag *diag) {
    return yaml_check_keys(map, table_keys(t, arena), t->count + t->key_count, NULL, t->what, diag);
}

const struct yaml_node *schema_need(const struct yaml_node *map, const char *key, const struct schema_table *t,
                                    struct arena *arena, struct diag *diag) {
    const struct yaml_node *node = yaml_get(map, key);
    bool misspelt = !node && !t->open && yaml_is_misspelt(map, key, table_keys(t, arena), t->count + t->key_count);
    if (!node && !misspelt) diag_error(diag, map->loc, MSG_MISSING_KEY, t->what, key);
    return node;
}

// ---- for documentation and messages ----

static const char *list_of(const struct schema_field *f, struct arena *arena) {
    const char *list = "";
    for (size_t i = 0; i < f->count; i++) {
        const char *comma = i ? ", " : "";
        list = f->words ? arena_printf(arena, "%s%s`%s`", list, comma, f->words[i])
                        : arena_printf(arena, "%s%s%lld", list, comma, (long long)f->legal[i]);
    }
    return list;
}

const char *schema_range(const struct schema_field *f, struct arena *arena) {
    if (f->range) return f->range;
    switch (f->type) {
    case SCHEMA_INT: return f->legal ? list_of(f, arena) : arena_printf(arena, "%.0f to %.0f", f->min, f->max);
    case SCHEMA_FLOAT: return arena_printf(arena, "%g to %g", f->min, f->max);
    case SCHEMA_WORD: return list_of(f, arena);
    case SCHEMA_BOOL: return "true or false";
    case SCHEMA_STRING: return "text";
    }
    return "";
}

const char *schema_preset(const struct schema_field *f, struct arena *arena) {
    if (f->required) return "required";
    if (f->preset_doc) return f->preset_doc;
    switch (f->type) {
    case SCHEMA_INT:
    case SCHEMA_FLOAT: return arena_printf(arena, "%.10g", f->preset);
    case SCHEMA_WORD: return arena_printf(arena, "`%s`", f->words[(int)f->preset]);
    case SCHEMA_BOOL: return f->preset != 0 ? "`true`" : "`false`";
    case SCHEMA_STRING: return f->preset_text ? arena_printf(arena, "`%s`", f->preset_text) : "none";
    }
    return "";
}
