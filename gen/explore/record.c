// SPDX-License-Identifier: Apache-2.0
// Writes and reads the result of a point as one line of JSON. The journal has these lines, and workers answer with
// them.
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "gen/explore/explore.h"

static void add_numbers(const char *name, const double *value, struct text *out) {
    text_addf(out, ", \"%s\": {", name);
    for (int m = 0; m < EXPLORE_METRICS; m++)
        text_addf(out, "%s\"%s\": %.17g", m ? ", " : "", explore_metric[m].key, value[m]);
    text_add(out, "}");
}

static void add_changes(const struct explore *x, const struct explore_point *p, struct text *out) {
    const char *sep = "";
    text_add(out, ", \"keys\": {");
    for (int k = 0; k < x->keys; k++) {
        const struct explore_key *key = &x->key[k];
        const char *name = key->pattern ? arena_printf(x->arena, "%s.%s", key->name, key->pattern) : key->name;
        text_add(out, sep);
        text_add_json_string(out, name, strlen(name));
        text_add(out, ": ");
        text_add_json_string(out, key->value[p->at[k]], strlen(key->value[p->at[k]]));
        sep = ", ";
    }
    text_add(out, "}");
}

void explore_write_line(const struct explore *x, const struct explore_point *p, const struct explore_result *r,
                        struct text *out) {
    struct arena_mark mark = arena_mark(x->arena);
    text_addf(out, "{\"point\": \"%016" PRIx64 "\", \"level\": %d, \"legal\": %s, \"fits\": %s, \"beyond\": %.17g",
              explore_hash(x, p), r->level, r->legal ? "true" : "false", r->fits ? "true" : "false", r->beyond);
    add_changes(x, p, out);
    add_numbers("value", r->value, out);
    add_numbers("bound", r->bound, out);
    text_add(out, ", \"words\": ");
    text_add_json_string(out, r->words, strlen(r->words));
    text_add(out, "}\n");
    arena_release(x->arena, mark);
}

static bool read_numbers(const json_t *root, const char *name, double *value) {
    const json_t *of = json_object_get(root, name);
    for (int m = 0; m < EXPLORE_METRICS; m++) {
        const json_t *number = json_object_get(of, explore_metric[m].key);
        if (!json_is_number(number)) return false;
        value[m] = json_number_value(number);
    }
    return true;
}

// Reads the value of a key. Returns false if the value is not among those of this search.
static bool read_key(const struct explore *x, int k, const json_t *keys, struct explore_point *p) {
    const struct explore_key *key = &x->key[k];
    const char *name = key->pattern ? arena_printf(x->arena, "%s.%s", key->name, key->pattern) : key->name;
    const char *value = json_string_value(json_object_get(keys, name));
    p->at[k] = (uint8_t)key->own; // a key that the line does not name has the spec's value
    for (int v = 0; value && v < key->values; v++) {
        if (strcmp(key->value[v], value) != 0) continue;
        p->at[k] = (uint8_t)v;
        return true;
    }
    return !value;
}

// Reads the fields of a line. Missing numbers and flags count as 0 and false, and a missing key has the value of the
// spec. Returns false if a text is missing, or if a key's value is not among the values of this search. Also returns
// false if the hash in the line is not that of the point: the line then belongs to another spec, request or version.
static bool read_result(const struct explore *x, const json_t *root, struct explore_point *p,
                        struct explore_result *r) {
    const char *words = json_string_value(json_object_get(root, "words")),
               *hash = json_string_value(json_object_get(root, "point"));
    *r = (struct explore_result){.level = (int)json_integer_value(json_object_get(root, "level")),
                                 .legal = json_is_true(json_object_get(root, "legal")),
                                 .fits = json_is_true(json_object_get(root, "fits")),
                                 .beyond = json_number_value(json_object_get(root, "beyond"))};
    if (!words || !hash || !read_numbers(root, "value", r->value) || !read_numbers(root, "bound", r->bound))
        return false;
    snprintf(r->words, sizeof r->words, "%s", words);
    for (int k = 0; k < x->keys; k++)
        if (!read_key(x, k, json_object_get(root, "keys"), p)) return false;
    uint64_t said;
    return sscanf(hash, "%" SCNx64, &said) == 1 && said == explore_hash(x, p);
}

bool explore_read_line(const struct explore *x, const char *line, struct explore_point *p, struct explore_result *r) {
    struct arena_mark mark = arena_mark(x->arena);
    json_t *root = json_loads(line, 0, NULL);
    bool ok = json_is_object(root) && read_result(x, root, p, r);
    json_decref(root);
    arena_release(x->arena, mark);
    return ok;
}
