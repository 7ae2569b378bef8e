// SPDX-License-Identifier: Apache-2.0
// Classifies the keys of a checkpoint that its family does not use, by families/checkpoint/keys.yaml: harmless, refused
// (an error, unless the key has a harmless value), or unknown (a warning).
#include "gen/model/config_unread.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#define FILE_NAME "families/checkpoint/keys.yaml"
enum { MAX_DEPTH = 4 }; // most names in the path of a key: those of its maps, and its own

struct unread {
    const struct config_text *file;
    const struct family_keys *keys;
    struct family_values *values;
    const struct yaml_node *harmless, *refused;
    struct arena *arena;
    struct diag *diag;
    const char *part[MAX_DEPTH]; // the current key: the names of its maps, then its name
    int parts;
};

// ---- the table ----

static const struct yaml_node *read_table(struct unread *u) {
    const char *path = file_find_shared(u->arena, FILE_NAME);
    if (path) return yaml_read_file(path, u->arena, u->diag);
    diag_error(u->diag, u->file->loc, MSG_CHECKPOINT_KEYS_MISSING);
    diag_note(u->diag, loc_none(), "set RILL_HOME to the folder that has it");
    return NULL;
}

// Checks the form of the table, because RILL_HOME may name a folder with another version of it.
static bool check_table(struct unread *u) {
    if (!yaml_expect(u->harmless, YAML_KIND_SEQ, "harmless", u->diag) ||
        !yaml_expect(u->refused, YAML_KIND_MAP, "refused", u->diag))
        return false;
    for (size_t i = 0; i < u->refused->count; i++) {
        const struct yaml_node *one = u->refused->items[i], *values = yaml_get(one, "values"),
                               *why = yaml_get(one, "why");
        if (values && why && values->kind == YAML_KIND_SEQ && why->kind == YAML_KIND_SCALAR) continue;
        diag_error(u->diag, one->loc, MSG_CHECKPOINT_RULE, u->refused->keys[i]);
        return false;
    }
    return true;
}

static bool is_harmless(const struct unread *u, const char *path) {
    for (size_t i = 0; i < u->harmless->count; i++)
        if (u->harmless->items[i]->text && !fnmatch(u->harmless->items[i]->text, path, 0)) return true;
    return false;
}

// ---- the place of a key in the text ----

// Returns the offset of the closing quote of the string whose opening quote is at `at`, or the text's length if the
// string does not end.
static size_t string_end(const char *text, size_t len, size_t at) {
    for (at++; at < len && text[at] != '"'; at++) at += text[at] == '\\';
    return at < len ? at : len;
}

// Returns whether the string from `begin` to its quote at `end` is `name` and a colon follows.
static bool is_key(const char *text, size_t len, size_t begin, size_t end, const char *name) {
    if (end - begin - 1 != strlen(name) || memcmp(text + begin + 1, name, strlen(name)) != 0) return false;
    for (end++; end < len && isspace((unsigned char)text[end]); end++) continue;
    return end < len && text[end] == ':';
}

// Returns the offset of the current key in the text, or the text's length if it is not found, for example because it is
// written with escapes. depth: number of brackets that are open at `at`. found: number of names of the key's path whose
// maps are open at `at`.
static size_t offset_of(const struct unread *u) {
    const char *text = u->file->text;
    size_t len = text ? u->file->len : 0;
    int depth = 0, found = 0;
    for (size_t at = 0; at < len; at++) {
        if (text[at] == '{' || text[at] == '[') depth++;
        bool closes = text[at] == '}' || text[at] == ']';
        depth -= closes;
        if (closes && found >= depth && found > 0) found--; // leaves a map of the key's path
        if (text[at] != '"') continue;
        size_t end = string_end(text, len, at);
        if (depth == found + 1 && is_key(text, len, at, end, u->part[found]) && ++found == u->parts) return at;
        at = end;
    }
    return len;
}

// Returns the place of the current key, or the file if it is not found.
static struct loc place_of(const struct unread *u) {
    struct loc loc = u->file->loc;
    size_t at = offset_of(u);
    if (!u->file->text || at >= u->file->len) return loc;
    struct source *source = ARENA_NEW(u->arena, struct source);
    *source = (struct source){loc.source->path, u->file->text, u->file->len};
    loc = (struct loc){source, 1, 1};
    for (size_t i = 0; i < at; i++) {
        loc.col += ((unsigned char)u->file->text[i] & 0xc0) != 0x80;
        if (u->file->text[i] == '\n') loc.line++, loc.col = 1;
    }
    return loc;
}

// ---- keys ----

enum asked { ASKED_NOT, ASKED_INSIDE, ASKED };

// Returns whether the family uses a key (ASKED), only a key in the map that is its value (ASKED_INSIDE), or neither
// (ASKED_NOT). Keys that the family reads from other files do not count.
static enum asked how_asked(const struct family_keys *keys, const char *path) {
    size_t len = strlen(path);
    enum asked asked = ASKED_NOT;
    for (size_t i = 0; i < keys->count; i++)
        for (size_t j = 0; !keys->item[i].file && j < keys->item[i].spellings; j++) {
            const char *s = keys->item[i].spelling[j];
            if (strncmp(s, path, len) != 0 || (s[len] && s[len] != '.')) continue;
            if (!s[len]) return ASKED;
            asked = ASKED_INSIDE;
        }
    return asked;
}

static const char *text_of(const struct unread *u, const json_t *value) {
    char *text = json_is_string(value) ? NULL : json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    const char *copy = arena_strdup(u->arena, text ? text : json_is_string(value) ? json_string_value(value) : "?");
    free(text);
    return strlen(copy) > 64 ? arena_printf(u->arena, "%.61s...", copy) : copy;
}

// Reports a key that may change the result, unless its value is one of the rule's harmless values.
static void refuse(struct unread *u, const struct yaml_node *rule, const char *path, const json_t *value) {
    const struct yaml_node *values = yaml_get(rule, "values");
    const char *have = text_of(u, value);
    for (size_t i = 0; i < values->count; i++)
        if (values->items[i]->text && !strcmp(values->items[i]->text, have)) return;
    diag_error(u->diag, place_of(u), MSG_CONFIG_KEY_REFUSED, path, have, yaml_get(rule, "why")->text);
    diag_note(u->diag, loc_none(), "a family file that you write can compute it (docs/models.md)");
}

static void warn(struct unread *u, const char *path, const json_t *value) {
    diag_warning(u->diag, place_of(u), MSG_CONFIG_KEY_UNREAD, path, text_of(u, value), u->values->family->name);
}

static void check_map(struct unread *u, const json_t *map, const char *before);

// Checks a key. Nothing is reported if the family uses the key, if its value is null, or if it is harmless. If the
// family uses a key in its map, the map is checked.
static void check_key(struct unread *u, const char *path, const json_t *value) {
    const struct yaml_node *rule = yaml_get(u->refused, path);
    enum asked asked = how_asked(u->keys, path);
    if (asked == ASKED || json_is_null(value)) return;
    if (is_harmless(u, path)) return;
    if (rule) refuse(u, rule, path, value);
    else if (asked == ASKED_INSIDE && json_is_object(value) && u->parts < MAX_DEPTH) check_map(u, value, path);
    else warn(u, path, value);
}

static void check_map(struct unread *u, const json_t *map, const char *before) {
    void *i = json_object_iter((json_t *)(uintptr_t)map);
    for (; i; i = json_object_iter_next((json_t *)(uintptr_t)map, i)) {
        const char *name = json_object_iter_key(i),
                   *path = *before ? arena_printf(u->arena, "%s.%s", before, name) : name;
        u->part[u->parts++] = name;
        check_key(u, path, json_object_iter_value(i));
        u->parts--;
    }
}

// Lists the keys of the model's map (`root`) that the family does not use, without those in maps inside it.
static void note_all(struct unread *u) {
    struct family_notes *n = &u->values->notes;
    void *i = json_object_iter((json_t *)(uintptr_t)u->file->root);
    n->unread = ARENA_ARRAY(u->arena, const char *, json_object_size(u->file->root) + 1);
    for (; i; i = json_object_iter_next((json_t *)(uintptr_t)u->file->root, i))
        if (how_asked(u->keys, json_object_iter_key(i)) == ASKED_NOT)
            n->unread[n->unreads++] = arena_strdup(u->arena, json_object_iter_key(i));
}

bool config_check_unread(const struct config_text *file, const struct family_keys *keys, struct family_values *values,
                         struct arena *arena, struct diag *diag) {
    struct unread u = {.file = file, .keys = keys, .values = values, .arena = arena, .diag = diag};
    int errors = diag->errors;
    note_all(&u);
    if (!json_object_size(file->root)) return true;
    const struct yaml_node *table = read_table(&u),
                           *part = table ? yaml_get(table, file->text ? "config" : "gguf") : NULL;
    if (part) u.harmless = yaml_get(part, "harmless"), u.refused = yaml_get(part, "refused");
    if (part && u.harmless && u.refused && check_table(&u)) {
        if (file->outer) check_map(&u, file->outer, "");
        if (file->outer) u.part[u.parts++] = CONFIG_TEXT_MODEL;
        check_map(&u, file->root, "");
    } else if (table && diag->errors == errors) {
        diag_error(diag, table->loc, MSG_CHECKPOINT_SECTIONS);
    }
    return diag->errors == errors;
}
