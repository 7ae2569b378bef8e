// SPDX-License-Identifier: Apache-2.0
// Reads `design.weights` if it is a map: a default format, and formats for tensors whose names match patterns.
#include <string.h>

#include "gen/spec/spec_read.h"

enum { MOST_RULES = 256 }; // most entries of the map, including the default

static struct yaml_node *default_of(const struct yaml_node *map) {
    for (size_t i = 0; i < map->count; i++)
        if (!strcmp(map->keys[i], "default")) return map->items[i];
    return NULL;
}

static void read_rule(const struct yaml_node *map, size_t i, struct spec_design *design, struct arena *arena,
                      struct diag *diag) {
    struct spec_format_rule *rule = &design->rule[design->rules];
    const char *what = arena_printf(arena, "design.weights, pattern `%s`,", map->keys[i]);
    *rule = (struct spec_format_rule){.pattern = map->keys[i], .loc = map->key_locs[i]};
    if (yaml_word(map->items[i], spec_format_words, SPEC_FORMATS, what, &rule->format, diag)) design->rules++;
}

// Checks that the map has a default and not too many patterns.
static bool check_map(const struct yaml_node *map, struct diag *diag) {
    if (!default_of(map)) diag_error(diag, map->loc, MSG_FORMAT_DEFAULT);
    else if (map->count > MOST_RULES) diag_error(diag, map->loc, MSG_FORMAT_PATTERNS, map->count - 1, MOST_RULES - 1);
    else return true;
    return false;
}

const struct yaml_node *spec_take_formats(const struct yaml_node *node, struct spec_design *design, struct arena *arena,
                                          struct diag *diag) {
    const struct yaml_node *map = node && node->kind == YAML_KIND_MAP ? yaml_get(node, "weights") : NULL;
    design->rules = 0;
    if (!map || map->kind != YAML_KIND_MAP) return node;
    struct yaml_node *plain = ARENA_NEW(arena, struct yaml_node);
    *plain = *node;
    plain->items = ARENA_ARRAY(arena, struct yaml_node *, node->count);
    plain->keys = ARENA_ARRAY(arena, const char *, node->count);
    plain->key_locs = ARENA_ARRAY(arena, struct loc, node->count);
    plain->count = 0;
    bool ok = check_map(map, diag);
    for (size_t i = 0; i < node->count; i++) {
        bool weights = node->items[i] == map;
        if (weights && !ok) continue;
        plain->keys[plain->count] = node->keys[i];
        plain->key_locs[plain->count] = node->key_locs[i];
        plain->items[plain->count++] = weights ? default_of(map) : node->items[i];
    }
    design->rule = ARENA_ARRAY(arena, struct spec_format_rule, map->count);
    for (size_t i = 0; ok && i < map->count; i++)
        if (strcmp(map->keys[i], "default") != 0) read_rule(map, i, design, arena, diag);
    return plain;
}
