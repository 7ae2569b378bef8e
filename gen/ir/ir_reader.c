// SPDX-License-Identifier: Apache-2.0
// Reads the values of the IR's text form: numbers, texts, words and lists at a key of a map (ir_reader.h). ir_read.c
// builds the IR from them.
#include "gen/ir/ir_reader.h"

int64_t reader_int(struct reader *r, const struct yaml_node *map, const char *key) {
    const struct yaml_node *node = yaml_get(map, key);
    int64_t v = 0;
    if (!node) {
        diag_error(r->diag, map->loc, MSG_DUMP_KEY_MISSING, key);
        r->ok = false;
    } else if (!yaml_int(node, INT64_MIN, INT64_MAX, key, &v, r->diag)) r->ok = false;
    return v;
}

double reader_float(struct reader *r, const struct yaml_node *map, const char *key, double min, double max) {
    const struct yaml_node *node = yaml_get(map, key);
    double v = 0;
    if (!node) {
        diag_error(r->diag, map->loc, MSG_DUMP_KEY_MISSING, key);
        r->ok = false;
    } else if (!yaml_float(node, min, max, key, &v, r->diag)) r->ok = false;
    return v;
}

const char *reader_string(struct reader *r, const struct yaml_node *map, const char *key) {
    const struct yaml_node *node = yaml_get(map, key);
    if (node && node->kind == YAML_KIND_SCALAR) return arena_strdup(r->arena, node->text);
    diag_error(r->diag, map->loc, MSG_DUMP_VALUE, key);
    r->ok = false;
    return "";
}

const char *reader_optional(struct reader *r, const struct yaml_node *map, const char *key) {
    return yaml_get(map, key) ? reader_string(r, map, key) : NULL;
}

// Reads a text whose key the writer leaves out if the text is empty.
const char *reader_text(struct reader *r, const struct yaml_node *map, const char *key) {
    return yaml_get(map, key) ? reader_string(r, map, key) : "";
}

int reader_word(struct reader *r, const struct yaml_node *map, const char *key, const char *const *words,
                size_t count) {
    const struct yaml_node *node = yaml_get(map, key);
    int v = 0;
    if (!node) {
        diag_error(r->diag, map->loc, MSG_DUMP_KEY_MISSING, key);
        r->ok = false;
    } else if (!yaml_word(node, words, count, key, &v, r->diag)) r->ok = false;
    return v;
}

enum ram_style reader_style(struct reader *r, const struct yaml_node *map, const char *key) {
    return yaml_get(map, key) ? (enum ram_style)reader_word(r, map, key, ram_style_words, RAM_STYLES) : RAM_AUTO;
}

// Returns the number of items in a list. Reports an error and returns 0 if `list` is NULL, is not a list or has more
// than `max` items.
size_t reader_list_count(struct reader *r, const struct yaml_node *list, size_t max) {
    if (list && list->kind == YAML_KIND_SEQ && list->count <= max) return list->count;
    diag_error(r->diag, list ? list->loc : loc_none(), MSG_DUMP_LIST, max);
    r->ok = false;
    return 0;
}

int64_t reader_item_int(struct reader *r, const struct yaml_node *list, size_t i) {
    int64_t v = 0;
    if (!yaml_int(list->items[i], INT64_MIN, INT64_MAX, "item", &v, r->diag)) r->ok = false;
    return v;
}

int reader_ints(struct reader *r, const struct yaml_node *map, const char *key, int *out, size_t max) {
    const struct yaml_node *list = yaml_get(map, key);
    size_t count = list ? reader_list_count(r, list, max) : 0;
    for (size_t i = 0; i < count; i++) out[i] = (int)reader_item_int(r, list, i);
    return (int)count;
}

int64_t reader_count(struct reader *r, const struct yaml_node *map, const char *key, int64_t absent) {
    return yaml_get(map, key) ? reader_int(r, map, key) : absent;
}

bool reader_flag(struct reader *r, const struct yaml_node *map, const char *key) {
    const struct yaml_node *node = yaml_get(map, key);
    bool v = false;
    if (node && !yaml_bool(node, key, &v, r->diag)) r->ok = false;
    return v;
}

void reader_wrong(struct reader *r, const struct yaml_node *node, const char *key, const char *what) {
    diag_error(r->diag, node->loc, MSG_DUMP_WORD, key, node->kind == YAML_KIND_SCALAR ? node->text : "...", what);
    r->ok = false;
}

int reader_extents(struct reader *r, const struct yaml_node *map, const char *key, struct ir_extent *out, size_t max) {
    const struct yaml_node *list = yaml_get(map, key);
    size_t count = reader_list_count(r, list, max);
    for (size_t i = 0; i < count; i++) {
        const struct yaml_node *item = list->items[i];
        if (item->kind != YAML_KIND_SCALAR || !ir_extent_read(item->text, &out[i]))
            reader_wrong(r, item, key, "no extent: `8`, `tokens<=2`, `positions<=64`");
    }
    return (int)count;
}

// Reports keys of the map that are not in `keys`, and suggests the most similar one of `keys`.
void reader_check_keys(struct reader *r, const struct yaml_node *map, const char *const *keys, size_t count,
                       const char *what) {
    if (!yaml_expect(map, YAML_KIND_MAP, what, r->diag) || !yaml_check_keys(map, keys, count, NULL, what, r->diag))
        r->ok = false;
}
