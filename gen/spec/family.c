// SPDX-License-Identifier: Apache-2.0
// Finds and reads the file of a family, and checks its declarations without the values of a model. family_keys.c reads
// `config` and `gguf`; family_names.c checks the names in expressions.
#define _POSIX_C_SOURCE 200809L
#include "gen/spec/family.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gen/spec/family_read.h"
#include "gen/spec/spec_read.h"

static const char *const type_words[] = {"integer", "number", "flag", "word"};

// ---- the keys of a family's file ----

static const struct schema_key parameter_keys[] = {
    KEY("type", true, "kind of its value", "{\"enum\": [\"integer\", \"number\", \"flag\", \"word\"]}"),
    KEY("from", false, "lowest value of an integer or a number", NUMBER),
    KEY("to", false, "largest value", NUMBER),
    KEY("of", false, "the legal values of a word", LIST),
    KEY("list", false, "for an integer: it may be a list of at most this many different values", NUMBER),
    KEY("default", false, "value if the spec gives none: an expression, a number or a word", EXPRESSION),
    KEY("doc", false, "what it means, for `rill explain` and editors", TEXT),
};
static const struct schema_table parameter_table = {
    .what = "a parameter", .keys = parameter_keys, .key_count = COUNT_OF(parameter_keys)};

// This table has the keys of parameter_table. It is separate because the message about a missing `of` names its
// entries: "a word" here, "a parameter" there.
static const struct schema_table word_table = {
    .what = "a word", .keys = parameter_keys, .key_count = COUNT_OF(parameter_keys)};

static const struct schema_key check_keys[] = {
    KEY("that", true, "expression that must not be 0", EXPRESSION),
    KEY("of", true, "the parameter whose value is wrong otherwise, or `design.` and a key", TEXT),
    KEY("say", true, "text of the error. `{expression}` stands for its value", TEXT),
    KEY("nearest", false, "the nearest legal value, an expression", EXPRESSION),
};
static const struct schema_table check_table = {
    .what = "a check", .keys = check_keys, .key_count = COUNT_OF(check_keys)};

static const struct schema_key family_keys[] = {
    KEY("family", true, "its name: letters, digits, `_` and `-`", TEXT),
    {.key = "parameters", .doc = "keys of `model` in a spec", .holds = SCHEMA_HOLDS_NAMED, .table = &parameter_table},
    KEY("let", false, "further names. The value of each is an expression of the earlier ones", MAP),
    {.key = "checks", .doc = "conditions that the values must meet", .holds = SCHEMA_HOLDS_LIST, .table = &check_table},
    {.key = "config",
     .doc = "keys of a checkpoint's config.json, and what they mean for the model",
     .holds = SCHEMA_HOLDS_LIST,
     .table = &family_config_table},
    {.key = "gguf", .doc = "how GGUF files are read", .holds = SCHEMA_HOLDS_ONE, .table = &family_gguf_table},
    {.key = "kernels",
     .doc = "custom kernels of the graph, as `kernels` of a spec. Their files are relative to the family's file",
     .holds = SCHEMA_HOLDS_NAMED,
     .table = &spec_kernel_table},
    KEY("graph", true, "as `graph` of a spec, with expressions, choices and loops", "{\"type\": \"object\"}"),
};
const struct schema_table family_table = {.what = "a family", .keys = family_keys, .key_count = COUNT_OF(family_keys)};

const struct yaml_node *family_need(struct family_reader *r, const struct yaml_node *map, const char *key,
                                    const struct schema_table *table) {
    return schema_need(map, key, table, r->arena, r->diag);
}

const struct yaml_node *family_container(struct family_reader *r, const struct yaml_node *map, const char *key,
                                         enum yaml_kind kind, size_t most) {
    const struct yaml_node *node = yaml_get(map, key);
    if (!node || !yaml_expect(node, kind, key, r->diag)) return NULL;
    if (node->count <= most) return node;
    diag_error(r->diag, node->loc, MSG_LIST_TOO_LONG, key, most, node->count);
    return NULL;
}

// Checks that a name can be used in expressions and has no other meaning there. Returns false if it is not even a legal
// name.
static bool check_name(struct family_reader *r, const char *name, struct loc loc) {
    static const char *const taken[] = {"layer", "clog2", "design"};
    if (!spec_is_name(name, false)) {
        diag_error(r->diag, loc, MSG_NAME_OF_PARAMETER, name);
        return false;
    }
    for (size_t i = 0; i < COUNT_OF(taken); i++)
        if (!strcmp(name, taken[i])) diag_error(r->diag, loc, MSG_NAME_RESERVED, name);
    return true;
}

// ---- parameters ----

static void read_words(struct family_reader *r, const struct yaml_node *list, struct family_parameter *p) {
    if (!yaml_expect(list, YAML_KIND_SEQ, "of", r->diag)) return;
    p->words = ARENA_ARRAY(r->arena, const char *, list->count + 1);
    for (size_t i = 0; i < list->count; i++)
        if (yaml_string(list->items[i], "of", &p->words[p->word_count], r->diag) &&
            check_name(r, p->words[p->word_count], list->items[i]->loc))
            p->word_count++;
    if (!list->count) diag_error(r->diag, list->loc, MSG_FAMILY_WORD);
}

// Reads `from` and `to`. Without them, an integer is from 0 to 2^30 and a number from -1e30 to 1e30.
static void read_range(struct family_reader *r, const struct yaml_node *map, struct family_parameter *p) {
    const struct yaml_node *from = yaml_get(map, "from"), *to = yaml_get(map, "to");
    bool whole = p->type == FAMILY_INTEGER;
    double most = whole ? 1 << 30 : 1e30;
    int64_t i;
    p->from = whole ? 0 : -most, p->to = most;
    if (from && whole && yaml_int(from, -(1 << 30), 1 << 30, "from", &i, r->diag)) p->from = (double)i;
    if (to && whole && yaml_int(to, -(1 << 30), 1 << 30, "to", &i, r->diag)) p->to = (double)i;
    if (from && !whole) yaml_float(from, -most, most, "from", &p->from, r->diag);
    if (to && !whole) yaml_float(to, -most, most, "to", &p->to, r->diag);
    if (p->from > p->to) diag_error(r->diag, map->loc, MSG_FAMILY_FROM_TO);
}

// Reads `list`. Only an integer from 0 up may be a list.
static void read_list(struct family_reader *r, const struct yaml_node *map, struct family_parameter *p) {
    const struct yaml_node *list = yaml_get(map, "list");
    int64_t most;
    if (!list || !yaml_int(list, 1, FAMILY_MAX_LIST, "list", &most, r->diag)) return;
    p->list = (int)most;
    if (p->type != FAMILY_INTEGER || p->from != 0) diag_error(r->diag, list->loc, MSG_FAMILY_LIST);
}

// Reads a parameter. After an error the parameter stays in the list, so that its uses are not reported as unknown.
static void read_parameter(struct family_reader *r, const char *name, struct loc loc, const struct yaml_node *map) {
    struct family_parameter *p = &r->family->parameter[r->family->parameters++];
    int type = FAMILY_INTEGER;
    *p = (struct family_parameter){.name = name, .loc = loc};
    if (!yaml_expect(map, YAML_KIND_MAP, "a parameter", r->diag)) return;
    schema_check_keys(map, &parameter_table, r->arena, r->diag);
    const struct yaml_node *word = family_need(r, map, "type", &parameter_table), *of = yaml_get(map, "of");
    if (word) yaml_word(word, type_words, COUNT_OF(type_words), "type", &type, r->diag);
    p->type = (enum family_type)type;
    p->preset = yaml_get(map, "default");
    if (p->preset) yaml_expect(p->preset, YAML_KIND_SCALAR, "default", r->diag);
    const struct yaml_node *doc = yaml_get(map, "doc");
    if (doc && yaml_expect(doc, YAML_KIND_SCALAR, "doc", r->diag)) p->doc = doc->text;
    read_range(r, map, p);
    read_list(r, map, p);
    if (p->type == FAMILY_WORD && (of || schema_need(map, "of", &word_table, r->arena, r->diag))) read_words(r, of, p);
}

int family_find_parameter(const struct family *f, const char *name) {
    for (size_t i = 0; i < f->parameters; i++)
        if (!strcmp(f->parameter[i].name, name)) return (int)i;
    return -1;
}

static void read_parameters(struct family_reader *r, const struct yaml_node *root) {
    const struct yaml_node *map = family_container(r, root, "parameters", YAML_KIND_MAP, FAMILY_MAX_NAMES);
    if (!map) return;
    r->family->parameter = ARENA_ARRAY(r->arena, struct family_parameter, map->count + 1);
    for (size_t i = 0; i < map->count; i++) {
        check_name(r, map->keys[i], map->key_locs[i]);
        if (!strcmp(map->keys[i], "family")) diag_error(r->diag, map->key_locs[i], MSG_FAMILY_NAMES_ITSELF);
        read_parameter(r, map->keys[i], map->key_locs[i], map->items[i]);
    }
}

// ---- derived names and checks ----

// Reads the derived names. A name must not be that of a parameter.
static void read_lets(struct family_reader *r, const struct yaml_node *root) {
    struct family *f = r->family;
    const struct yaml_node *map = family_container(r, root, "let", YAML_KIND_MAP, FAMILY_MAX_NAMES);
    if (!map) return;
    f->let = ARENA_ARRAY(r->arena, struct family_let, map->count + 1);
    for (size_t i = 0; i < map->count; i++) {
        if (!check_name(r, map->keys[i], map->key_locs[i])) continue;
        int other = family_find_parameter(f, map->keys[i]);
        if (other >= 0) {
            diag_error(r->diag, map->key_locs[i], MSG_PARAMETER_TWICE, map->keys[i]);
            diag_note(r->diag, f->parameter[other].loc, "it is here");
        }
        if (yaml_expect(map->items[i], YAML_KIND_SCALAR, map->keys[i], r->diag))
            f->let[f->lets++] = (struct family_let){map->keys[i], map->items[i]};
    }
}

// Reports a name after `design.` that is not a key of `design`.
static void check_design_key(struct family_reader *r, const char *key, struct loc loc) {
    const struct schema_table *t = &spec_design_table;
    const char **words = ARENA_ARRAY(r->arena, const char *, t->count + 1);
    for (size_t i = 0; i < t->count; i++) {
        if (!strcmp(t->fields[i].key, key)) return;
        words[i] = t->fields[i].key;
    }
    diag_error(r->diag, loc, MSG_FAMILY_DESIGN_KEY, key);
    diag_note_words(r->diag, loc, key, words, t->count);
}

void family_check_parameter(struct family_reader *r, const char *name, struct loc loc) {
    const char *words[FAMILY_MAX_NAMES];
    if (name && !strncmp(name, "design.", 7)) check_design_key(r, name + 7, loc);
    if (!name || !strncmp(name, "design.", 7) || family_find_parameter(r->family, name) >= 0) return;
    for (size_t i = 0; i < r->family->parameters; i++) words[i] = r->family->parameter[i].name;
    diag_error(r->diag, loc, MSG_UNKNOWN_PARAMETER, name);
    diag_note_words(r->diag, loc, name, words, r->family->parameters);
}

// Reads a check and adds it if it has its keys and their values have the right kinds. An unknown name in `of` and an
// unknown key are reported as errors too, but the check is added.
static void read_check(struct family_reader *r, const struct yaml_node *map) {
    if (!yaml_expect(map, YAML_KIND_MAP, "a check", r->diag)) return;
    schema_check_keys(map, &check_table, r->arena, r->diag);
    struct family_check c = {.loc = map->loc,
                             .that = family_need(r, map, "that", &check_table),
                             .say = family_need(r, map, "say", &check_table),
                             .nearest = yaml_get(map, "nearest")};
    const struct yaml_node *of = family_need(r, map, "of", &check_table);
    bool ok = c.that && c.say && of && yaml_expect(c.that, YAML_KIND_SCALAR, "that", r->diag) &&
              yaml_expect(c.say, YAML_KIND_SCALAR, "say", r->diag) && yaml_string(of, "of", &c.of, r->diag) &&
              (!c.nearest || yaml_expect(c.nearest, YAML_KIND_SCALAR, "nearest", r->diag));
    if (!ok) return;
    family_check_parameter(r, c.of, of->loc);
    r->family->check[r->family->checks++] = c;
}

static void read_checks(struct family_reader *r, const struct yaml_node *root) {
    const struct yaml_node *list = family_container(r, root, "checks", YAML_KIND_SEQ, FAMILY_MAX_ITEMS);
    if (!list) return;
    r->family->check = ARENA_ARRAY(r->arena, struct family_check, list->count + 1);
    for (size_t i = 0; i < list->count; i++) read_check(r, list->items[i]);
}

// ---- the file ----

// Reads the whole file. Names in expressions are checked only if everything else is right, because an unread
// declaration would make its uses look wrong.
static void read_tree(struct family_reader *r, const struct yaml_node *root) {
    int before = r->diag->errors;
    if (!yaml_expect(root, YAML_KIND_MAP, "a family", r->diag)) return;
    schema_check_keys(root, &family_table, r->arena, r->diag);
    const struct yaml_node *name = family_need(r, root, "family", &family_table),
                           *graph = family_need(r, root, "graph", &family_table);
    if (name && yaml_string(name, "family", &r->family->name, r->diag) && !spec_is_name(r->family->name, true))
        diag_error(r->diag, name->loc, MSG_NAME_OF_FAMILY, r->family->name);
    read_parameters(r, root);
    read_lets(r, root);
    read_checks(r, root);
    family_read_config(r, root);
    family_read_gguf(r, root);
    r->family->kernels = yaml_get(root, "kernels");
    if (graph && yaml_expect(graph, YAML_KIND_MAP, "graph", r->diag)) r->family->graph = graph;
    if (r->diag->errors == before) family_check_names(r);
}

static struct family *read_root(const char *path, const struct yaml_node *root, struct arena *arena,
                                struct diag *diag) {
    struct family_reader r = {ARENA_NEW(arena, struct family), arena, diag};
    int before = diag->errors;
    if (!root) return NULL;
    r.family->path = path;
    r.family->source = root->loc.source;
    read_tree(&r, root);
    return diag->errors == before ? r.family : NULL;
}

struct family *family_read_bytes(const char *path, const void *data, size_t len, struct arena *arena,
                                 struct diag *diag) {
    return read_root(path, yaml_read_bytes(path, data, len, arena, diag), arena, diag);
}

// ---- finding ----

size_t family_names(struct arena *arena, const char *words[FAMILY_MAX_INSTALLED]) {
    file_names names = file_list_shared(arena, "families");
    size_t count = names.count < FAMILY_MAX_INSTALLED ? names.count : FAMILY_MAX_INSTALLED;
    for (size_t i = 0; i < count; i++) words[i] = names.items[i];
    return count;
}

// Adds a note that names the family for models of the kind `name` (a `model_type` of config.json), or otherwise a
// family with a similar name. If no families are installed, another note says how to set RILL_HOME.
static void note_families(const char *name, struct loc loc, struct arena *arena, struct diag *diag) {
    const char *words[FAMILY_MAX_INSTALLED];
    size_t count = family_names(arena, words);
    if (!count)
        diag_note(diag, loc,
                  "the folder `families` is not installed with the program; set RILL_HOME to the folder that has it");
    for (size_t i = 0; i < count; i++) {
        struct family *f = family_find(words[i], ".", loc_none(), arena, diag);
        if (f && family_is_for(f, "config.json", name)) {
            diag_note(diag, loc, "family `%s` is for models of that kind", words[i]);
            return;
        }
    }
    diag_note_words(diag, loc, name, words, count);
}

struct family *family_find(const char *name, const char *base_dir, struct loc loc, struct arena *arena,
                           struct diag *diag) {
    bool is_path = file_is_path(name);
    const char *path = is_path ? file_from(arena, base_dir, name)
                               : file_find_shared(arena, arena_printf(arena, "families/%s.yaml", name));
    if (path && access(path, R_OK) == 0) return read_root(path, yaml_read_file(path, arena, diag), arena, diag);
    if (is_path) {
        diag_error(diag, loc, MSG_NO_FAMILY_FILE, path);
        diag_note(diag, loc, "a path is relative to the spec; a family of the installation is a name, as `gpt2`");
    } else {
        diag_error(diag, loc, MSG_UNKNOWN_FAMILY, name);
        note_families(name, loc, arena, diag);
    }
    return NULL;
}
