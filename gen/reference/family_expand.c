// SPDX-License-Identifier: Apache-2.0
// Expands a model family as docs/families.md describes: every `{...}` is evaluated where it occurs, and names are
// looked up only then. Error messages are short, because the compiler reports errors with their place.
#include "gen/reference/family_expand.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/expression.h"

// Limits, so that every expansion ends: nesting of names, nodes of the new document, passes of a loop.
enum { MOST_DEPTH = 64, MOST_NODES = 1 << 18, MOST_TURNS = 65535 };

struct turn {                 // one pass of a loop
    const char *name;         // of the loop's variable
    int64_t at;               // its value
    const struct turn *outer; // the loop around it; NULL: none
};

// The state of an expansion: the loaded documents, the parts of them that names refer to, and the place in the graph.
struct maker {
    struct arena *arena;
    yaml_document_t *family, *spec, *made;
    const yaml_node_t *parameters, *lets, *model, *design;
    const struct turn *turn;
    int64_t repeat, layer; // repeat: of the enclosing region; layer: its repetition, -1: `layer` stays in the text
    bool met_layer;        // the expression evaluated last depends on `layer`
    int depth, nodes;      // depth: names that are being evaluated; nodes: nodes of the new document so far
    const char *why;       // NULL: no error
};

// Notes an error, if it is the first one. The expansion then ends at once.
static void give_up(struct maker *m, const char *what, const char *word) {
    if (!m->why) m->why = arena_printf(m->arena, "%s `%s`", what, word);
}

// ---- documents ----

static const char *text(const yaml_node_t *n) {
    return n && n->type == YAML_SCALAR_NODE ? (const char *)n->data.scalar.value : NULL;
}

static const yaml_node_t *find(yaml_document_t *doc, const yaml_node_t *map, const char *key) {
    if (!map || map->type != YAML_MAPPING_NODE) return NULL;
    for (const yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top; p++) {
        const char *name = text(yaml_document_get_node(doc, p->key));
        if (name && !strcmp(name, key)) return yaml_document_get_node(doc, p->value);
    }
    return NULL;
}

static const char *text_at(yaml_document_t *doc, const yaml_node_t *map, const char *key) {
    return text(find(doc, map, key));
}

// ---- names ----

static bool number_of(void *context, const char *name, int64_t *value);

// Evaluates an expression. False: it has an error or an unknown name, or its names are nested too deeply.
static bool calculate(struct maker *m, const char *expression, int64_t *value) {
    struct expression_error error;
    if (m->depth > MOST_DEPTH) return give_up(m, "names that need each other, at", expression), false;
    m->depth++;
    bool ok = expression_value(m->arena, expression, number_of, m, value, &error);
    m->depth--;
    return ok;
}

// Evaluates a value as it is written, which may be a number or a flag.
static bool plain(struct maker *m, const char *written, int64_t *value) {
    if (!strcmp(written, "true") || !strcmp(written, "false")) return *value = *written == 't', true;
    return calculate(m, written, value);
}

// Returns the text of a value. For a list, this is its first value, because expressions use that.
static const char *first_text(yaml_document_t *doc, const yaml_node_t *n) {
    bool list = n && n->type == YAML_SEQUENCE_NODE && n->data.sequence.items.start < n->data.sequence.items.top;
    return text(list ? yaml_document_get_node(doc, n->data.sequence.items.start[0]) : n);
}

// Returns the text of a parameter: from the spec's `model`, or its default in the family; NULL if neither has it.
static const char *written_of(struct maker *m, const char *name) {
    const char *given = first_text(m->spec, find(m->spec, m->model, name));
    return given ? given : text_at(m->family, find(m->family, m->parameters, name), "default");
}

static bool is_type(struct maker *m, const char *name, const char *type) {
    const char *have = text_at(m->family, find(m->family, m->parameters, name), "type");
    return have && !strcmp(have, type);
}

// Evaluates `parameter.word`: 1 if the parameter of type `word` has that value, else 0. False: there is no such
// parameter.
static bool has_word(struct maker *m, const char *name, const char *dot, int64_t *value) {
    const char *parameter = arena_strndup(m->arena, name, (size_t)(dot - name)),
               *written = is_type(m, parameter, "word") ? written_of(m, parameter) : NULL;
    if (written) *value = !strcmp(written, dot + 1);
    return written != NULL;
}

// Looks up a name of an expression: loops (the innermost first), `layer`, `design.group`, words, lets, parameters.
static bool number_of(void *context, const char *name, int64_t *value) {
    struct maker *m = context;
    const char *dot = strchr(name, '.'), *written;
    for (const struct turn *t = m->turn; t; t = t->outer)
        if (!strcmp(t->name, name)) return *value = t->at, true;
    if (!strcmp(name, "layer")) {
        m->met_layer = true;
        return *value = m->layer < 0 ? 0 : m->layer, true;
    }
    if (!strcmp(name, "design.group")) {
        const char *group = text_at(m->spec, m->design, "group");
        return plain(m, group ? group : "128", value);
    }
    if (dot) return has_word(m, name, dot, value);
    if ((written = text_at(m->family, m->lets, name)) != NULL) return calculate(m, written, value);
    written = is_type(m, name, "integer") || is_type(m, name, "flag") ? written_of(m, name) : NULL;
    return written && plain(m, written, value);
}

// ---- texts ----

// Returns the format that `design` gives for `weights`, `head` or `embedding`. By default an embedding has the head's
// format, or int8 if that is int4_asym, which no embedding can have.
static const char *format_of(struct maker *m, const char *name) {
    const char *given = text_at(m->spec, m->design, name);
    if (given || strcmp(name, "embedding") != 0) return given ? given : "int8";
    given = format_of(m, "head");
    return strcmp(given, "int4_asym") != 0 ? given : "int8";
}

// Returns the text of a name that is not an integer: a number, a word or a format of the design. NULL: it is none of
// these.
static const char *as_written(struct maker *m, const char *name) {
    static const char *const formats[] = {"weights", "head", "embedding"};
    for (size_t i = 0; i < COUNT_OF(formats); i++)
        if (!strncmp(name, "design.", 7) && !strcmp(name + 7, formats[i])) return format_of(m, formats[i]);
    if (!is_type(m, name, "number") && !is_type(m, name, "word")) return NULL;
    const char *written = written_of(m, name);
    // The value may be the name of another number.
    for (int hops = 0; written && is_type(m, written, "number") && hops < MOST_DEPTH; hops++)
        written = written_of(m, written);
    return written;
}

// Replaces the names of an expression by their values, except `layer` and the function `clog2`.
static const char *without_names(struct maker *m, const char *p) {
    struct text out = {0};
    while (*p) {
        size_t len = 0;
        int64_t v;
        if (isdigit((unsigned char)*p)) // so that 0x1f is not taken for a name
            while (isalnum((unsigned char)p[len])) len++;
        bool number = len > 0;
        while (!number && (isalnum((unsigned char)p[len]) || (p[len] && strchr("_.", p[len])))) len++;
        const char *word = arena_strndup(m->arena, p, len ? len : 1);
        if (len && !number && strcmp(word, "layer") && strcmp(word, "clog2") && calculate(m, word, &v))
            text_addf(&out, v < 0 ? "(%lld)" : "%lld", (long long)v);
        else text_add(&out, word);
        p += len ? len : 1;
    }
    const char *copy = arena_strdup(m->arena, text_cstr(&out));
    text_free(&out);
    return copy;
}

// Returns the text for one `{expression}`. While `layer` has no value, an expression that depends on it stays in
// braces.
static const char *worked_out(struct maker *m, const char *expression) {
    const char *word = as_written(m, expression);
    int64_t v = 0;
    if (word) return word;
    m->met_layer = false;
    if (!calculate(m, expression, &v)) give_up(m, "no value of", expression);
    if (m->met_layer && m->layer < 0) return arena_printf(m->arena, "{%s}", without_names(m, expression));
    return arena_printf(m->arena, "%lld", (long long)v);
}

// Returns the pattern with every `{expression}` replaced.
static const char *filled(struct maker *m, const char *pattern) {
    struct text out = {0};
    for (const char *open; (open = strchr(pattern, '{')) != NULL;) {
        size_t len = strcspn(open, "}");
        text_add_bytes(&out, pattern, (size_t)(open - pattern));
        text_add(&out, worked_out(m, arena_strndup(m->arena, open + 1, len - 1)));
        pattern = open + len;
        if (*pattern) pattern++;
        else give_up(m, "no end of", open);
    }
    text_add(&out, pattern);
    const char *copy = arena_strdup(m->arena, text_cstr(&out));
    text_free(&out);
    return copy;
}

// ---- the new document ----

// The functions that add a node return its index in the new document, or 0 if they add none.

// Gives a new node the line of the family's node from which it was made, and counts it. Returns its index.
static int placed(struct maker *m, int index, const yaml_node_t *from) {
    yaml_node_t *n = yaml_document_get_node(m->made, index);
    if (n) n->start_mark = from->start_mark;
    if (!n || ++m->nodes > MOST_NODES) give_up(m, "too large a graph", "");
    return index;
}

static int add_text(struct maker *m, const char *value, const yaml_node_t *from) {
    int index = yaml_document_add_scalar(m->made, NULL, (const yaml_char_t *)value, (int)strlen(value),
                                         YAML_PLAIN_SCALAR_STYLE);
    return placed(m, index, from);
}

// Whether the pattern is the format `{design.weights}` and the spec gives `weights` as a map. The operation then gets
// no format, because the map selects formats by the names of tensors.
static bool is_by_name(struct maker *m, const char *pattern) {
    const yaml_node_t *weights = strcmp(pattern, "{design.weights}") ? NULL : find(m->spec, m->design, "weights");
    return weights && weights->type == YAML_MAPPING_NODE;
}

// Returns the list that `model` gives for a parameter whose name is alone in braces; NULL if there is none.
static const yaml_node_t *list_given(struct maker *m, const char *pattern) {
    size_t len = strlen(pattern);
    const char *name = len > 2 && *pattern == '{' ? arena_strndup(m->arena, pattern + 1, len - 2) : "";
    const yaml_node_t *given = is_type(m, name, "integer") ? find(m->spec, m->model, name) : NULL;
    return given && given->type == YAML_SEQUENCE_NODE ? given : NULL;
}

// Adds the list that `model` gives for a parameter.
static int add_list(struct maker *m, const yaml_node_t *given, const yaml_node_t *from) {
    int list = placed(m, yaml_document_add_sequence(m->made, NULL, YAML_FLOW_SEQUENCE_STYLE), from);
    for (const yaml_node_item_t *i = given->data.sequence.items.start; i < given->data.sequence.items.top; i++) {
        const char *value = text(yaml_document_get_node(m->spec, *i));
        if (value) yaml_document_append_sequence_item(m->made, list, add_text(m, value, from));
        else give_up(m, "no value in the list at", text(from));
    }
    return list;
}

// Adds one value, or a list with one value per repetition if these differ. Only a text that is a single `{...}` becomes
// a list; in longer texts, such as names of tensors, `{...}` with `layer` stays.
static int add_scalar(struct maker *m, const yaml_node_t *from) {
    if (is_by_name(m, text(from))) return 0;
    const yaml_node_t *given = list_given(m, text(from));
    if (given) return add_list(m, given, from);
    const char *pattern = text(from), *value = filled(m, pattern);
    bool alone = pattern[0] == '{' && pattern[strcspn(pattern, "}")] && !pattern[strcspn(pattern, "}") + 1];
    if (!alone || !strchr(value, '{')) return add_text(m, value, from);
    int list = placed(m, yaml_document_add_sequence(m->made, NULL, YAML_FLOW_SEQUENCE_STYLE), from);
    const char *first = NULL;
    bool differ = false;
    for (m->layer = 0; !m->why && m->layer < m->repeat; m->layer++) {
        value = filled(m, pattern);
        if (!first) first = value;
        differ |= strcmp(first, value) != 0;
        yaml_document_append_sequence_item(m->made, list, add_text(m, value, from));
    }
    m->layer = -1;
    return differ || !first ? list : add_text(m, first, from);
}

// Adds a node of the family with everything in it.
static int add(struct maker *, const yaml_node_t *from);
static void add_items(struct maker *, const yaml_node_t *from, int list);

// Evaluates the expression of a key that must be there.
static int64_t asked(struct maker *m, const yaml_node_t *map, const char *key) {
    const char *expression = text_at(m->family, map, key);
    int64_t v = 0;
    if (!expression || !calculate(m, expression, &v)) give_up(m, "no value of", key);
    return v;
}

// Returns the branch of an `if` that its condition selects; NULL: there is none.
static const yaml_node_t *branch(struct maker *m, const yaml_node_t *choice) {
    return find(m->family, choice, asked(m, choice, "if") ? "then" : "else");
}

// Appends the items of a loop (`for`, `count`, `do`) to a list, once for each pass.
static void add_turns(struct maker *m, const yaml_node_t *loop, int list) {
    const yaml_node_t *body = find(m->family, loop, "do");
    struct turn turn = {text_at(m->family, loop, "for"), 0, m->turn};
    int64_t count = asked(m, loop, "count");
    if (!turn.name || !body || count > MOST_TURNS) return give_up(m, "no loop of", turn.name ? turn.name : "?");
    for (m->turn = &turn; !m->why && turn.at < count; turn.at++) {
        if (++m->nodes > MOST_NODES) give_up(m, "too large a graph", "");
        add_items(m, body, list);
    }
    m->turn = turn.outer;
}

// Appends one item of a list. If the item is a loop or an `if`, appends all items that the loop or the chosen branch
// gives.
static void add_item(struct maker *m, const yaml_node_t *from, int list) {
    if (m->why) return;
    if (find(m->family, from, "for")) return add_turns(m, from, list);
    if (!find(m->family, from, "if")) {
        int index = add(m, from);
        if (index) yaml_document_append_sequence_item(m->made, list, index);
        return;
    }
    const yaml_node_t *taken = branch(m, from);
    if (taken && taken->type == YAML_SEQUENCE_NODE) add_items(m, taken, list);
    else if (taken) add_item(m, taken, list);
}

static void add_items(struct maker *m, const yaml_node_t *from, int list) {
    if (from->type != YAML_SEQUENCE_NODE) return give_up(m, "no list", "do");
    for (const yaml_node_item_t *i = from->data.sequence.items.start; i < from->data.sequence.items.top; i++)
        add_item(m, yaml_document_get_node(m->family, *i), list);
}

// Adds a map. If the map is a region (it has `ops`), its `repeat` is the length of lists with one value per repetition
// inside it.
static int add_map(struct maker *m, const yaml_node_t *from) {
    int map = placed(m, yaml_document_add_mapping(m->made, NULL, YAML_BLOCK_MAPPING_STYLE), from);
    int64_t outer = m->repeat;
    const char *repeat = text_at(m->family, from, "repeat");
    if (find(m->family, from, "ops")) m->repeat = repeat ? strtoll(filled(m, repeat), NULL, 0) : 1;
    for (const yaml_node_pair_t *p = from->data.mapping.pairs.start; p < from->data.mapping.pairs.top; p++) {
        const yaml_node_t *key = yaml_document_get_node(m->family, p->key);
        int value = m->why ? 0 : add(m, yaml_document_get_node(m->family, p->value));
        if (value) yaml_document_append_mapping_pair(m->made, map, add_text(m, filled(m, text(key)), key), value);
    }
    m->repeat = outer;
    return map;
}

static int add(struct maker *m, const yaml_node_t *from) {
    if (m->why || !from) return 0;
    if (from->type == YAML_SCALAR_NODE) return add_scalar(m, from);
    if (from->type == YAML_MAPPING_NODE && find(m->family, from, "if")) return add(m, branch(m, from));
    if (from->type == YAML_MAPPING_NODE) return add_map(m, from);
    int list = placed(m, yaml_document_add_sequence(m->made, NULL, YAML_BLOCK_SEQUENCE_STYLE), from);
    add_items(m, from, list);
    return list;
}

const char *oracle_family(struct arena *arena, yaml_document_t *family, yaml_document_t *spec, yaml_document_t *made) {
    const yaml_node_t *root = yaml_document_get_root_node(family), *top = yaml_document_get_root_node(spec);
    struct maker m = {.arena = arena, .family = family, .spec = spec, .made = made, .repeat = 0, .layer = -1};
    m.parameters = find(family, root, "parameters");
    m.lets = find(family, root, "let");
    m.model = find(spec, top, "model");
    m.design = find(spec, top, "design");
    if (!find(family, root, "graph")) give_up(&m, "no", "graph");
    add(&m, find(family, root, "graph"));
    return m.why;
}
