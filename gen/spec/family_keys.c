// SPDX-License-Identifier: Apache-2.0
// Reads the parts of a family's file that say how the family reads a checkpoint: `config` (keys of config.json) and
// `gguf` (keys and tensors of a GGUF file).
#include "gen/spec/family_read.h"

#include <string.h>

#define VALUE_KEYS                                                                                                     \
    KEY("values", false, "the only values that the family supports", LIST),                                            \
        KEY("refuse", false, "values that the family does not support, each with the reason", MAP),                    \
        KEY("words", false, "map from the checkpoint's text to the value of a word", MAP),                             \
        KEY("is", false, "the parameter whose value it gives", TEXT),                                                  \
        KEY("most", false, "the parameter for which it is the largest value that the model was trained for", TEXT),    \
        KEY("equals", false, "an expression of what was read so far, which the value must equal", EXPRESSION),         \
        KEY("default", false, "value if the key is absent", EXPRESSION),                                               \
        KEY("when", false, "an expression of what was read so far. If it does not hold, the key counts as absent",     \
            EXPRESSION),                                                                                               \
        KEY("needs", false, "map from a value, or `*` for any, to another key that must then be present", MAP),        \
        KEY("required", false, "the key must be present, although it has `values`", FLAG),                             \
        KEY("compare", false, "false: it may differ from the value in the spec", FLAG),                                \
        KEY("each", false, "for a list with a word for each layer: map from the word to an expression of `layer`",     \
            MAP),                                                                                                      \
        KEY("first", false,                                                                                            \
            "for such a list: a word. The value is the place of the first layer that has it, counted from 1", TEXT)

static const struct schema_key config_keys[] = {
    KEY("key", true, "name of the key, or a list of its spellings", TEXTS),
    KEY("file", false, "the file in the folder that has the key, if it exists", TEXT), VALUE_KEYS};
const struct schema_table family_config_table = {
    .what = "a key of config.json", .keys = config_keys, .key_count = COUNT_OF(config_keys)};

static const struct schema_key metadata_keys[] = {
    KEY("key", false,
        "name of the key, or a list of its spellings. A leading `.` stands for the name of the architecture", TEXTS),
    KEY("rows", false, "instead of `key`: a tensor, whose number of rows is the value", TEXT),
    KEY("without", false, "instead of `key`: a tensor. The value is true if the file does not have it", TEXT),
    KEY("with", false, "instead of `key`: a tensor. The value is true if the file has it, else absent", TEXT),
    KEY("largest", false, "instead of `key`: a tensor of F32, whose largest element is the value", TEXT),
    VALUE_KEYS};
static const struct schema_table metadata_table = {
    .what = "a key of the metadata", .keys = metadata_keys, .key_count = COUNT_OF(metadata_keys)};

static const struct schema_key tensor_keys[] = {
    KEY("name", false, "the name by which the graph reads it", TEXT),
    KEY("divides", false, "instead of `name`, a `rope_table` of the graph: it divides the frequencies, as its scaling",
        TEXT),
    KEY("pairs", false, "heads, an expression: in each the rows of its halves alternate in the file", EXPRESSION),
    KEY("transpose", false, "true: the file holds the transposed matrix", FLAG),
    KEY("plus", false, "of a vector: what is added to each element of the file", NUMBER),
};
static const struct schema_table tensor_table = {
    .what = "a tensor", .keys = tensor_keys, .key_count = COUNT_OF(tensor_keys)};

// JSON Schema of `tensors`: each value is a name or a map with the keys of tensor_table.
#define TENSORS                                                                                                        \
    "{\"type\": \"object\", \"additionalProperties\": {\"anyOf\": [" TEXT ", {\"type\": \"object\", "                  \
    "\"additionalProperties\": false, \"properties\": {\"name\": " TEXT ", \"divides\": " TEXT                         \
    ", \"pairs\": " EXPRESSION ", \"transpose\": " FLAG ", \"plus\": " NUMBER "}}]}}"

static const struct schema_key gguf_keys[] = {
    KEY("architectures", true, "values of `general.architecture`", LIST),
    {.key = "metadata", .doc = "keys of the file's metadata", .holds = SCHEMA_HOLDS_LIST, .table = &metadata_table},
    KEY("tensors", true, "map from patterns of the file's names to the names of the graph", TENSORS),
};
const struct schema_table family_gguf_table = {.what = "gguf", .keys = gguf_keys, .key_count = COUNT_OF(gguf_keys)};

// ---- keys ----

const struct family_key *family_find_key(const struct family_keys *keys, const char *spelling) {
    for (size_t i = 0; i < keys->count; i++)
        if (keys->item[i].spellings && !strcmp(keys->item[i].spelling[0], spelling)) return &keys->item[i];
    return NULL;
}

static void read_spellings(struct family_reader *r, const struct yaml_node *node, struct family_key *k) {
    bool list = node->kind == YAML_KIND_SEQ;
    size_t count = list ? node->count : 1;
    k->spelling = ARENA_ARRAY(r->arena, const char *, count + 1);
    for (size_t i = 0; i < count; i++)
        if (yaml_string(list ? node->items[i] : node, "key", &k->spelling[k->spellings], r->diag)) k->spellings++;
    if (!count) diag_error(r->diag, node->loc, MSG_FAMILY_SPELLING);
}

// Returns the index of the parameter that the value of `key` names, or -1 if the key is absent or after an error.
static int read_subject(struct family_reader *r, const struct yaml_node *map, const char *key) {
    const struct yaml_node *is = yaml_get(map, key);
    const char *name = NULL;
    if (!is || !yaml_string(is, key, &name, r->diag)) return -1;
    int p = family_find_parameter(r->family, name);
    bool of_design = !strncmp(name, "design.", 7);
    if (p < 0 && !of_design) family_check_parameter(r, name, is->loc);
    if (p < 0 && of_design) diag_error(r->diag, is->loc, MSG_UNKNOWN_PARAMETER, name);
    return p;
}

// Reads `most`, which must name an integer. Returns the index of the parameter, or -1.
static int read_most(struct family_reader *r, const struct yaml_node *map) {
    int p = read_subject(r, map, "most");
    if (p < 0 || r->family->parameter[p].type == FAMILY_INTEGER) return p;
    diag_error(r->diag, yaml_get(map, "most")->loc, MSG_FAMILY_NOT_INTEGER, r->family->parameter[p].name);
    return -1;
}

// Returns the value of a key, which must be of this kind: a scalar, or a list or map of scalars. Returns NULL if the
// key is absent or after an error.
static const struct yaml_node *part(struct family_reader *r, const struct yaml_node *map, const char *key,
                                    enum yaml_kind kind) {
    const struct yaml_node *node = yaml_get(map, key);
    if (!node || !yaml_expect(node, kind, key, r->diag)) return NULL;
    for (size_t i = 0; kind != YAML_KIND_SCALAR && i < node->count; i++)
        if (!yaml_expect(node->items[i], YAML_KIND_SCALAR, key, r->diag)) return NULL;
    return node;
}

// Reads what the value of a key means and which rules it must meet. A key without any use is an error.
static void read_rules(struct family_reader *r, const struct yaml_node *map, const char *what, struct family_key *k) {
    static const char *const rules[] = {"is", "most", "values", "refuse", "equals", "each"};
    const struct yaml_node *required = yaml_get(map, "required"), *compare = yaml_get(map, "compare");
    k->parameter = read_subject(r, map, "is");
    k->most = read_most(r, map);
    if (required) yaml_bool(required, "required", &k->required, r->diag);
    if (compare) yaml_bool(compare, "compare", &k->compare, r->diag);
    k->values = part(r, map, "values", YAML_KIND_SEQ);
    k->refuse = part(r, map, "refuse", YAML_KIND_MAP);
    k->words = part(r, map, "words", YAML_KIND_MAP);
    k->equals = part(r, map, "equals", YAML_KIND_SCALAR);
    k->preset = part(r, map, "default", YAML_KIND_SCALAR);
    k->each = part(r, map, "each", YAML_KIND_MAP);
    k->first = part(r, map, "first", YAML_KIND_SCALAR);
    k->when = part(r, map, "when", YAML_KIND_SCALAR);
    k->needs = part(r, map, "needs", YAML_KIND_MAP);
    for (size_t i = 0; i < COUNT_OF(rules); i++)
        if (yaml_get(map, rules[i])) return;
    diag_error(r->diag, map->loc, MSG_FAMILY_KEY_RULE, what);
}

// Reads the tensor that gives a value. The value has no key in the metadata, so messages call it by `word` and tensor.
static void read_told(struct family_reader *r, const struct yaml_node *map, const char *word, struct family_key *k) {
    k->spelling = ARENA_ARRAY(r->arena, const char *, 1);
    k->spelling[k->spellings++] = word;
    if (yaml_string(yaml_get(map, word), word, &k->tensor, r->diag))
        k->spelling[0] = arena_printf(r->arena, "%s %s", word, k->tensor);
}

// Reads the source of a value of a GGUF file. Exactly one of the keys in `words` must be present.
static void read_source(struct family_reader *r, const struct yaml_node *map, struct family_key *k) {
    static const char *const words[] = {[FAMILY_KEY] = "key",
                                        [FAMILY_ROWS] = "rows",
                                        [FAMILY_WITHOUT] = "without",
                                        [FAMILY_WITH] = "with",
                                        [FAMILY_LARGEST] = "largest"};
    int found = 0;
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (yaml_get(map, words[i])) k->source = (enum family_source)i, found++;
    if (found != 1) diag_error(r->diag, map->loc, MSG_FAMILY_VALUE_PLACE);
    else if (k->source == FAMILY_KEY) read_spellings(r, yaml_get(map, "key"), k);
    else read_told(r, map, words[k->source], k);
}

// Reads a key of config.json or of the metadata of a GGUF file, as `table` says.
static void read_key(struct family_reader *r, const struct yaml_node *map, const struct schema_table *table,
                     struct family_keys *keys) {
    struct family_key k = {.loc = map->loc, .parameter = -1, .most = -1, .compare = true};
    if (!yaml_expect(map, YAML_KIND_MAP, table->what, r->diag)) return;
    schema_check_keys(map, table, r->arena, r->diag);
    if (table == &metadata_table) {
        read_source(r, map, &k);
    } else {
        const struct yaml_node *key = family_need(r, map, "key", table);
        if (key) read_spellings(r, key, &k);
        const struct yaml_node *file = yaml_get(map, "file");
        if (file) yaml_string(file, "file", &k.file, r->diag);
    }
    read_rules(r, map, table->what, &k);
    keys->item[keys->count++] = k;
}

static void read_keys(struct family_reader *r, const struct yaml_node *root, const char *name,
                      const struct schema_table *table, struct family_keys *keys) {
    const struct yaml_node *list = family_container(r, root, name, YAML_KIND_SEQ, FAMILY_MAX_ITEMS);
    if (!list) return;
    keys->item = ARENA_ARRAY(r->arena, struct family_key, list->count + 1);
    for (size_t i = 0; i < list->count; i++) read_key(r, list->items[i], table, keys);
}

void family_read_config(struct family_reader *r, const struct yaml_node *root) {
    read_keys(r, root, "config", &family_config_table, &r->family->config);
}

// ---- tensors of a GGUF file ----

// Returns the number of `*` in a name. Each must be a whole piece between dots. Returns -1 after an error.
static int count_stars(struct family_reader *r, const char *name, struct loc loc) {
    int count = 0;
    for (const char *p = name; (p = strchr(p, '*')) != NULL; p++, count++) {
        if ((p == name || p[-1] == '.') && (p[1] == '\0' || p[1] == '.')) continue;
        diag_error(r->diag, loc, MSG_FAMILY_STAR, name);
        return -1;
    }
    return count;
}

// Checks that pattern and name of a tensor have equally many `*`, at most FAMILY_MAX_STARS.
static void check_stars(struct family_reader *r, const struct family_tensor *t, struct loc loc) {
    int have = count_stars(r, t->pattern, t->loc), want = t->name ? count_stars(r, t->name, loc) : -1;
    if (have < 0 || want < 0) return;
    if (have != want) diag_error(r->diag, loc, MSG_FAMILY_STARS_DIFFER, t->name, want, t->pattern, have);
    else if (have > FAMILY_MAX_STARS) diag_error(r->diag, t->loc, MSG_FAMILY_STARS, FAMILY_MAX_STARS, have);
}

static void read_tensor_map(struct family_reader *r, const struct yaml_node *map, struct family_tensor *t) {
    const struct yaml_node *name = yaml_get(map, "name"), *divides = yaml_get(map, "divides"),
                           *transpose = yaml_get(map, "transpose"), *plus = yaml_get(map, "plus");
    bool known = schema_check_keys(map, &tensor_table, r->arena, r->diag);
    if (known && !name == !divides) diag_error(r->diag, map->loc, MSG_FAMILY_TENSOR);
    if (name) yaml_string(name, "name", &t->name, r->diag);
    if (divides) yaml_string(divides, "divides", &t->divides, r->diag);
    if (transpose) yaml_bool(transpose, "transpose", &t->transpose, r->diag);
    if (plus) yaml_float(plus, -1e6, 1e6, "plus", &t->plus, r->diag);
    t->pairs = part(r, map, "pairs", YAML_KIND_SCALAR);
}

static void read_tensor(struct family_reader *r, const char *pattern, struct loc loc, const struct yaml_node *node) {
    struct family_gguf *g = &r->family->gguf;
    struct family_tensor t = {.loc = loc, .pattern = pattern};
    if (node->kind == YAML_KIND_MAP) read_tensor_map(r, node, &t);
    else yaml_string(node, pattern, &t.name, r->diag);
    check_stars(r, &t, node->loc);
    g->tensor[g->tensors++] = t;
}

static void read_tensors(struct family_reader *r, const struct yaml_node *gguf) {
    const struct yaml_node *map = family_need(r, gguf, "tensors", &family_gguf_table);
    if (!map || !family_container(r, gguf, "tensors", YAML_KIND_MAP, FAMILY_MAX_ITEMS)) return;
    r->family->gguf.tensor = ARENA_ARRAY(r->arena, struct family_tensor, map->count + 1);
    for (size_t i = 0; i < map->count; i++) read_tensor(r, map->keys[i], map->key_locs[i], map->items[i]);
}

static void read_architectures(struct family_reader *r, const struct yaml_node *gguf) {
    struct family_gguf *g = &r->family->gguf;
    const struct yaml_node *list = family_need(r, gguf, "architectures", &family_gguf_table);
    if (!list || !family_container(r, gguf, "architectures", YAML_KIND_SEQ, FAMILY_MAX_ITEMS)) return;
    g->architecture = ARENA_ARRAY(r->arena, const char *, list->count + 1);
    for (size_t i = 0; i < list->count; i++)
        if (yaml_string(list->items[i], "an architecture", &g->architecture[g->architectures], r->diag))
            g->architectures++;
    if (!list->count) diag_error(r->diag, list->loc, MSG_FAMILY_ARCHITECTURES);
}

void family_read_gguf(struct family_reader *r, const struct yaml_node *root) {
    const struct yaml_node *map = yaml_get(root, "gguf");
    if (!map || !yaml_expect(map, YAML_KIND_MAP, "gguf", r->diag)) return;
    schema_check_keys(map, &family_gguf_table, r->arena, r->diag);
    read_architectures(r, map);
    read_keys(r, map, "metadata", &metadata_table, &r->family->gguf.metadata);
    read_tensors(r, map);
}
