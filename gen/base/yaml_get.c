// SPDX-License-Identifier: Apache-2.0
// Implements the access to the nodes of a YAML tree: typed readers with diagnostics, and checks of keys. yaml.h
// describes the functions.
#include "gen/base/yaml.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// Returns the index of a key, or SIZE_MAX if the map has no such key or is not a map.
static size_t find_key(const struct yaml_node *map, const char *key) {
    for (size_t i = 0; map && map->kind == YAML_KIND_MAP && i < map->count; i++)
        if (strcmp(map->keys[i], key) == 0) return i;
    return SIZE_MAX;
}

const struct yaml_node *yaml_get(const struct yaml_node *map, const char *key) {
    size_t i = find_key(map, key);
    return i == SIZE_MAX ? NULL : map->items[i];
}

struct loc yaml_key_loc(const struct yaml_node *map, const char *key) {
    size_t i = find_key(map, key);
    if (i != SIZE_MAX) return map->key_locs[i];
    return map ? map->loc : loc_none();
}

const char *yaml_kind_name(const struct yaml_node *node) {
    if (node->kind == YAML_KIND_MAP) return "a map";
    if (node->kind == YAML_KIND_SEQ) return "a list";
    return yaml_is_null(node) ? "nothing" : "a value";
}

static bool is_plain(const struct yaml_node *node) { return node->kind == YAML_KIND_SCALAR && !node->quoted; }

bool yaml_is_null(const struct yaml_node *node) {
    return is_plain(node) && (!*node->text || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0);
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool yaml_parse_int(const struct yaml_node *node, int64_t *out) {
    if (!is_plain(node)) return false;
    const char *s = node->text, *digits = s + (*s == '-' || *s == '+');
    bool hex = digits[0] == '0' && digits[1] == 'x' && digits[2] != '-' && digits[2] != '+' && digits[2] != ' ';
    if (!is_digit(*digits) || (!hex && digits[0] == '0' && digits[1])) return false;
    char *end;
    errno = 0;
    long long v = strtoll(s, &end, hex ? 16 : 10);
    if (errno || *end) return false;
    *out = v;
    return true;
}

bool yaml_parse_float(const struct yaml_node *node, double *out) {
    if (!is_plain(node)) return false;
    const char *s = node->text, *first = s + (*s == '-' || *s == '+');
    if (!is_digit(first[*first == '.'])) return false; // excludes inf, nan and spaces
    char *end;
    double v = strtod(s, &end);
    if (*end || !isfinite(v)) return false;
    *out = v;
    return true;
}

bool yaml_nearest_int(const struct yaml_node *node, int64_t min, int64_t max, int64_t *out) {
    double v;
    if (!yaml_parse_float(node, &v)) return false;
    *out = v <= (double)min ? min : v >= (double)max ? max : (int64_t)(v < 0 ? v - 0.5 : v + 0.5);
    return true;
}

bool yaml_parse_bool(const struct yaml_node *node, bool *out) {
    if (!is_plain(node)) return false;
    bool yes = strcmp(node->text, "true") == 0;
    if (!yes && strcmp(node->text, "false") != 0) return false;
    *out = yes;
    return true;
}

bool yaml_expect(const struct yaml_node *node, enum yaml_kind kind, const char *what, struct diag *diag) {
    static const char *const wanted[] = {"a single value", "a list", "a map"};
    if (kind == YAML_KIND_SCALAR && node->kind == kind && yaml_is_null(node)) {
        diag_error(diag, node->loc, MSG_NO_VALUE, what);
        return false;
    }
    if (node->kind == kind) return true;
    diag_error(diag, node->loc, MSG_WRONG_FORM, what, wanted[kind], yaml_kind_name(node));
    if (kind == YAML_KIND_SEQ && node->kind == YAML_KIND_SCALAR && !yaml_is_null(node))
        diag_note(diag, node->loc, "a list of one is written `[%s]`", node->text);
    return false;
}

bool yaml_expect_items(const struct yaml_node *node, enum yaml_kind kind, size_t least, size_t most, const char *what,
                       struct diag *diag) {
    if (!yaml_expect(node, kind, what, diag)) return false;
    if (node->count >= least && node->count <= most) return true;
    diag_error(diag, node->loc, MSG_LIST_LENGTH, what, least, most, node->count);
    return false;
}

// Adds a note that a quoted text is never a number.
static void note_quotes(const struct yaml_node *node, struct diag *diag) {
    if (node->quoted) diag_note(diag, node->loc, "a text in quotes is not a number; write it without quotes");
}

bool yaml_int(const struct yaml_node *node, int64_t min, int64_t max, const char *what, int64_t *out,
              struct diag *diag) {
    int64_t v;
    if (!yaml_expect(node, YAML_KIND_SCALAR, what, diag)) return false;
    if (!yaml_parse_int(node, &v)) {
        diag_error(diag, node->loc, MSG_NOT_INTEGER, what, (long long)min, (long long)max, node->text);
        note_quotes(node, diag);
        if (yaml_nearest_int(node, min, max, &v))
            diag_note(diag, node->loc, "the nearest legal value is %lld", (long long)v);
        return false;
    }
    if (v < min || v > max) {
        diag_error(diag, node->loc, MSG_INTEGER_RANGE, what, (long long)min, (long long)max, (long long)v);
        diag_note(diag, node->loc, "the nearest legal value is %lld", (long long)(v < min ? min : max));
        return false;
    }
    *out = v;
    return true;
}

// Returns whether no earlier item of the list has the same text.
static bool is_first(const struct yaml_node *list, size_t at) {
    for (size_t i = 0; i < at; i++)
        if (list->items[i]->kind == YAML_KIND_SCALAR && !strcmp(list->items[i]->text, list->items[at]->text))
            return false;
    return true;
}

// Adds a note that suggests the list without duplicates, cut to `most` items. Returns false.
static bool refuse_ids(const struct yaml_node *node, int most, const char *what, struct diag *diag) {
    struct text list = {0};
    int count = 0;
    for (size_t i = 0; i < node->count && count < most; i++)
        if (node->items[i]->kind == YAML_KIND_SCALAR && is_first(node, i))
            text_addf(&list, "%s%s", count++ ? ", " : "", node->items[i]->text);
    if (count) diag_note(diag, node->loc, "the nearest legal list is [%s]", text_cstr(&list));
    else diag_note(diag, node->loc, "without `%s` there are none", what);
    text_free(&list);
    return false;
}

// Reads a list of integers that must differ.
static bool read_ids(const struct yaml_node *node, int64_t max, int most, const char *what, int64_t out[],
                     struct diag *diag) {
    for (size_t i = 0; i < node->count; i++) {
        if (!yaml_int(node->items[i], 0, max, what, &out[i], diag)) return false;
        for (size_t j = 0; j < i; j++) {
            if (out[i] != out[j]) continue;
            diag_error(diag, node->items[i]->loc, MSG_ID_TWICE, what, (long long)out[i]);
            return refuse_ids(node, most, what, diag);
        }
    }
    return true;
}

bool yaml_ids(const struct yaml_node *node, int64_t max, int most, const char *what, int64_t out[], int *count,
              struct diag *diag) {
    bool list = node->kind == YAML_KIND_SEQ;
    *count = 0;
    if (list && (node->count < 1 || node->count > (size_t)most)) {
        diag_error(diag, node->loc, MSG_ID_LIST, what, most, node->count);
        return refuse_ids(node, most, what, diag);
    }
    if (list ? !read_ids(node, max, most, what, out, diag) : !yaml_int(node, 0, max, what, out, diag)) return false;
    *count = list ? (int)node->count : 1;
    return true;
}

bool yaml_float(const struct yaml_node *node, double min, double max, const char *what, double *out,
                struct diag *diag) {
    double v;
    if (!yaml_expect(node, YAML_KIND_SCALAR, what, diag)) return false;
    if (!yaml_parse_float(node, &v)) {
        diag_error(diag, node->loc, MSG_NOT_NUMBER, what, min, max, node->text);
        note_quotes(node, diag);
        return false;
    }
    if (v < min || v > max) {
        diag_error(diag, node->loc, MSG_NUMBER_RANGE, what, min, max, v);
        diag_note(diag, node->loc, "the nearest legal value is %g", v < min ? min : max);
        return false;
    }
    *out = v;
    return true;
}

bool yaml_bool(const struct yaml_node *node, const char *what, bool *out, struct diag *diag) {
    if (!yaml_expect(node, YAML_KIND_SCALAR, what, diag)) return false;
    if (yaml_parse_bool(node, out)) return true;
    diag_error(diag, node->loc, MSG_NOT_BOOLEAN, what, node->text);
    static const char *const yes[] = {"yes", "on", "1", "true"}, *const no[] = {"no", "off", "0", "false"};
    for (size_t i = 0; i < COUNT_OF(yes); i++)
        if (!strcasecmp(node->text, yes[i]) || !strcasecmp(node->text, no[i]))
            diag_note(diag, node->loc, "did you mean `%s`?", strcasecmp(node->text, no[i]) ? "true" : "false");
    return false;
}

bool yaml_string(const struct yaml_node *node, const char *what, const char **out, struct diag *diag) {
    if (!yaml_expect(node, YAML_KIND_SCALAR, what, diag)) return false;
    *out = node->text;
    return true;
}

bool yaml_word(const struct yaml_node *node, const char *const *words, size_t count, const char *what, int *out,
               struct diag *diag) {
    if (!yaml_expect(node, YAML_KIND_SCALAR, what, diag)) return false;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(node->text, words[i]) != 0) continue;
        *out = (int)i;
        return true;
    }
    struct text list = {0};
    for (size_t i = 0; i < count; i++) text_addf(&list, "%s%s", i == 0 ? "" : i + 1 < count ? ", " : " or ", words[i]);
    diag_error(diag, node->loc, MSG_NOT_A_CHOICE, what, text_cstr(&list), node->text);
    text_free(&list);
    const char *near = diag_nearest_word(node->text, words, count);
    if (near) diag_note(diag, node->loc, "did you mean `%s`?", near);
    return false;
}

static bool is_known(const char *key, const char *const *keys, size_t count) {
    for (size_t k = 0; k < count; k++)
        if (keys[k] && strcmp(key, keys[k]) == 0) return true;
    return false;
}

bool yaml_is_misspelt(const struct yaml_node *map, const char *key, const char *const *keys, size_t count) {
    for (size_t i = 0; map && i < map->count; i++) {
        if (is_known(map->keys[i], keys, count)) continue;
        const char *near = diag_nearest_word(map->keys[i], keys, count);
        if (!near || strcmp(near, key) == 0) return true; // no other key is more similar, so it may be this one
    }
    return false;
}

static const struct yaml_foreign *find_foreign(const struct yaml_foreign *foreign, const char *key) {
    for (; foreign && foreign->key; foreign++)
        if (!strcmp(foreign->key, key)) return foreign;
    return NULL;
}

bool yaml_check_keys(const struct yaml_node *map, const char *const *keys, size_t count,
                     const struct yaml_foreign *foreign, const char *what, struct diag *diag) {
    bool good = true;
    for (size_t i = 0; i < map->count; i++) {
        if (is_known(map->keys[i], keys, count)) continue;
        good = false;
        const struct yaml_foreign *other = find_foreign(foreign, map->keys[i]);
        diag_error(diag, map->key_locs[i], MSG_UNKNOWN_KEY, map->keys[i], what);
        if (other) diag_note(diag, map->key_locs[i], "%s", other->note);
        else diag_note_words(diag, map->key_locs[i], map->keys[i], keys, count);
    }
    return good;
}
