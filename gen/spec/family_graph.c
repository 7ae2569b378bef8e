// SPDX-License-Identifier: Apache-2.0
// Expands the graph of a family for the values of a model. Expressions, choices (`if`, `then`, `else`) and loops
// (`for`, `count`, `do`) are resolved; everything else is copied. The result is read like a graph in a spec.
#include <inttypes.h>
#include <string.h>

#include "gen/spec/family.h"
#include "gen/spec/spec_read.h"

enum { MOST_REPEAT = 65535, MOST_COUNT = 65535 }; // largest `repeat` of a region, largest `count` of a loop

struct expander {
    struct family_scope scope; // its `loop` is the innermost loop around the present place
    int64_t repeat;            // repetitions of the region around the present place; 0: outside of regions
    size_t nodes;              // nodes made so far plus iterations of loops, at most FAMILY_MAX_NODES
    bool ok;                   // no error so far
};

typedef VEC(struct yaml_node *) node_list;

static struct arena *arena_of(struct expander *e) { return e->scope.arena; }

static void wrong(struct expander *e, struct loc loc, const char *message) {
    diag_error_text(e->scope.diag, loc, message);
    e->ok = false;
}

// Returns a copy of a node that still has the original's children. Counts the copy.
static struct yaml_node *new_node(struct expander *e, const struct yaml_node *from) {
    struct yaml_node *n = ARENA_NEW(arena_of(e), struct yaml_node);
    *n = *from;
    if (++e->nodes == FAMILY_MAX_NODES)
        wrong(e, from->loc, arena_printf(arena_of(e), MSG_FAMILY_GRAPH_SIZE, e->scope.values->family->name));
    return n;
}

// ---- values ----

static struct yaml_node *scalar(struct expander *e, const struct yaml_node *from, const char *text, bool quoted) {
    struct yaml_node *n = new_node(e, from);
    n->kind = YAML_KIND_SCALAR;
    n->text = text;
    n->quoted = quoted;
    return n;
}

// Returns whether the text is one expression in braces and nothing else.
static bool is_whole(const char *text) {
    size_t len = strlen(text);
    return text[0] == '{' && strchr(text, '}') == text + len - 1;
}

// Expands a scalar that depends on `layer`. Returns a list with one value per repetition, or a single value if all are
// equal.
static struct yaml_node *per_layer(struct expander *e, const struct yaml_node *from) {
    struct family_scope scope = e->scope;
    node_list list = {0};
    bool same = true;
    scope.has_layer = true;
    for (scope.layer = 0; scope.layer < e->repeat && e->ok; scope.layer++) {
        const char *text = family_text(&scope, from);
        if (!text) return e->ok = false, NULL;
        VEC_PUSH(arena_of(e), list, scalar(e, from, text, false));
        same = same && !strcmp(text, list.items[0]->text);
    }
    if (same && list.count) return list.items[0];
    struct yaml_node *n = new_node(e, from);
    n->kind = YAML_KIND_SEQ;
    n->items = list.items;
    n->count = list.count;
    return n;
}

// Returns the values of the parameter NAME if a text is only `{NAME}` and this parameter has several values. Otherwise
// returns NULL; a single value is expanded like any expression.
static const struct family_value *list_of(const struct expander *e, const char *text) {
    const struct family *f = e->scope.values->family;
    const char *name = is_whole(text) ? arena_strndup(e->scope.arena, text + 1, strlen(text) - 2) : "";
    int p = family_find_parameter(f, name);
    return p >= 0 && e->scope.values->parameter[p].count > 1 ? &e->scope.values->parameter[p] : NULL;
}

// Returns a list of all values of a list parameter.
static struct yaml_node *expand_values(struct expander *e, const struct yaml_node *from, const struct family_value *v) {
    struct yaml_node *n = new_node(e, from);
    n->kind = YAML_KIND_SEQ;
    n->items = ARENA_ARRAY(arena_of(e), struct yaml_node *, (size_t)v->count);
    n->count = (size_t)v->count;
    for (int i = 0; i < v->count; i++)
        n->items[i] = scalar(e, from, arena_printf(arena_of(e), "%" PRId64, v->list[i]), false);
    return n;
}

// Returns whether a scalar is the format `{design.weights}` in a design that sets formats by tensor names. The key of
// the scalar is then left out, because the names of tensors decide.
static bool is_by_name(const struct expander *e, const struct yaml_node *in) {
    const struct spec_design *design = e->scope.values->design;
    return design && design->rules && !strcmp(in->text, "{design.weights}");
}

// Expands a scalar. A text without braces is copied. A text that is one expression becomes a plain value, and a text
// that only contains expressions becomes a quoted string. If the value still has a `{`, it depends on `layer`: it
// becomes a list with one value per repetition, or an error outside of a region.
static struct yaml_node *expand_scalar(struct expander *e, const struct yaml_node *in) {
    if (is_by_name(e, in)) return NULL;
    if (!strpbrk(in->text, "{}")) return new_node(e, in);
    const struct family_value *list = list_of(e, in->text);
    if (list) return expand_values(e, in, list);
    const char *text = family_text(&e->scope, in);
    if (!text) return e->ok = false, NULL;
    if (!is_whole(in->text)) return scalar(e, in, text, true);
    if (!strchr(text, '{')) return scalar(e, in, text, false);
    if (e->repeat) return per_layer(e, in);
    wrong(e, in->loc, arena_printf(arena_of(e), MSG_FAMILY_LAYER, in->text));
    return NULL;
}

// ---- choices and loops ----

// Reports keys of a map that are none of the three in `keys`.
static bool check_keys(struct expander *e, const struct yaml_node *map, const char *const *keys, const char *what) {
    bool ok = yaml_check_keys(map, keys, 3, NULL, what, e->scope.diag);
    e->ok = e->ok && ok;
    return ok;
}

// Evaluates the expression of a key, which must be present. Returns false after an error.
static bool evaluate(struct expander *e, const struct yaml_node *map, const char *key, int64_t *value) {
    const struct yaml_node *node = yaml_get(map, key);
    bool ok = false;
    if (!node) wrong(e, map->loc, arena_printf(arena_of(e), MSG_FAMILY_LOOP_KEY, key));
    else
        ok = yaml_expect(node, YAML_KIND_SCALAR, key, e->scope.diag) &&
             family_evaluate(&e->scope, node, node->text, 0, value);
    e->ok = e->ok && ok;
    return ok;
}

// Returns the branch that a choice takes, or NULL if it has no `else` to take or after an error.
static const struct yaml_node *choose(struct expander *e, const struct yaml_node *map) {
    static const char *const keys[] = {"if", "then", "else"};
    int64_t yes;
    if (!check_keys(e, map, keys, "a choice") || !evaluate(e, map, "if", &yes)) return NULL;
    if (!yaml_get(map, "then")) wrong(e, map->loc, arena_printf(arena_of(e), MSG_FAMILY_LOOP_KEY, "then"));
    return yaml_get(map, yes ? "then" : "else");
}

static struct yaml_node *expand(struct expander *, const struct yaml_node *);
static void expand_items(struct expander *, const struct yaml_node *, node_list *);

// Returns whether the name of a loop's variable already has a meaning.
static bool is_taken(const struct expander *e, const char *name) {
    for (const struct family_loop *l = e->scope.loop; l; l = l->outer)
        if (!strcmp(l->name, name)) return true;
    const struct family *f = e->scope.values->family;
    for (size_t i = 0; i < f->lets; i++)
        if (!strcmp(f->let[i].name, name)) return true;
    return family_find_parameter(f, name) >= 0 || !strcmp(name, "layer");
}

// Checks the keys of a loop and evaluates its number of iterations.
static bool check_loop(struct expander *e, const struct yaml_node *map, int64_t *count) {
    static const char *const keys[] = {"for", "count", "do"};
    const struct yaml_node *name = yaml_get(map, "for"), *body = yaml_get(map, "do");
    if (!check_keys(e, map, keys, "a loop") || !evaluate(e, map, "count", count)) return false;
    if (name->kind != YAML_KIND_SCALAR || !spec_is_name(name->text, false)) wrong(e, name->loc, MSG_FAMILY_LOOP_NAME);
    else if (is_taken(e, name->text))
        wrong(e, name->loc, arena_printf(arena_of(e), MSG_FAMILY_LOOP_NAME_TAKEN, name->text));
    if (!body) wrong(e, map->loc, arena_printf(arena_of(e), MSG_FAMILY_LOOP_KEY, "do"));
    else if (!yaml_expect(body, YAML_KIND_SEQ, "do", e->scope.diag)) e->ok = false;
    if (*count < 0 || *count > MOST_COUNT)
        wrong(e, yaml_get(map, "count")->loc, arena_printf(arena_of(e), MSG_FAMILY_LOOP_COUNT, *count));
    return e->ok;
}

// Expands the body of a loop once for each value of its variable, from 0. Iterations count as nodes, so that the work
// is bounded even if the body yields nothing.
static void expand_loop(struct expander *e, const struct yaml_node *map, node_list *list) {
    int64_t count;
    if (!check_loop(e, map, &count)) return;
    const struct family_loop *outer = e->scope.loop;
    const struct yaml_node *body = yaml_get(map, "do");
    for (int64_t i = 0; i < count && e->ok; i++) {
        struct family_loop loop = {yaml_get(map, "for")->text, i, outer};
        e->scope.loop = &loop;
        if (++e->nodes == FAMILY_MAX_NODES)
            wrong(e, map->loc, arena_printf(arena_of(e), MSG_FAMILY_GRAPH_SIZE, e->scope.values->family->name));
        expand_items(e, body, list);
    }
    e->scope.loop = outer;
}

// Expands an item of a list and adds the results, which may be none, one or several items.
static void expand_item(struct expander *e, const struct yaml_node *in, node_list *list) {
    bool map = in->kind == YAML_KIND_MAP;
    if (map && yaml_get(in, "for")) {
        expand_loop(e, in, list);
    } else if (map && yaml_get(in, "if")) {
        const struct yaml_node *branch = choose(e, in);
        if (branch && branch->kind == YAML_KIND_SEQ) expand_items(e, branch, list);
        else if (branch) expand_item(e, branch, list);
    } else {
        struct yaml_node *made = expand(e, in);
        if (made) VEC_PUSH(arena_of(e), *list, made);
    }
}

static void expand_items(struct expander *e, const struct yaml_node *in, node_list *list) {
    for (size_t i = 0; i < in->count && e->ok; i++) expand_item(e, in->items[i], list);
}

// ---- containers ----

static struct yaml_node *expand_list(struct expander *e, const struct yaml_node *in) {
    struct yaml_node *n = new_node(e, in);
    node_list list = {0};
    expand_items(e, in, &list);
    n->items = list.items;
    n->count = list.count;
    return n;
}

static const char *expand_key(struct expander *e, const char *key, struct loc loc) {
    const struct yaml_node at = {.kind = YAML_KIND_SCALAR, .loc = loc, .text = key, .quoted = true};
    const char *text = family_text(&e->scope, &at);
    if (!text) e->ok = false;
    return text;
}

static void add_entry(struct expander *e, struct yaml_node *map, const char *key, struct loc loc,
                      struct yaml_node *value) {
    for (size_t i = 0; i < map->count; i++)
        if (!strcmp(map->keys[i], key)) wrong(e, loc, arena_printf(arena_of(e), MSG_KEY_TWICE, key));
    map->keys[map->count] = key;
    map->key_locs[map->count] = loc;
    map->items[map->count++] = value;
}

// Returns the number of repetitions of a region, which the expansion of its operations needs.
static int64_t repeat_of(struct expander *e, const struct yaml_node *region) {
    const struct yaml_node *node = yaml_get(region, "repeat");
    const char *text = node && node->kind == YAML_KIND_SCALAR ? family_text(&e->scope, node) : NULL;
    struct yaml_node value = {.kind = YAML_KIND_SCALAR, .text = text};
    int64_t repeat = 1;
    // The reader of the graph reports a wrong value.
    if (text && (!yaml_parse_int(&value, &repeat) || repeat < 1 || repeat > MOST_REPEAT)) repeat = 1;
    return repeat;
}

// Expands a map. If it has `ops`, it is a region, and its operations are expanded with its number of repetitions.
static struct yaml_node *expand_map(struct expander *e, const struct yaml_node *in) {
    struct yaml_node *n = new_node(e, in);
    int64_t outer = e->repeat;
    n->count = 0;
    n->keys = ARENA_ARRAY(arena_of(e), const char *, in->count + 1);
    n->key_locs = ARENA_ARRAY(arena_of(e), struct loc, in->count + 1);
    n->items = ARENA_ARRAY(arena_of(e), struct yaml_node *, in->count + 1);
    if (yaml_get(in, "ops")) e->repeat = repeat_of(e, in);
    for (size_t i = 0; i < in->count && e->ok; i++) {
        const char *key = expand_key(e, in->keys[i], in->key_locs[i]);
        struct yaml_node *value = key ? expand(e, in->items[i]) : NULL;
        if (value) add_entry(e, n, key, in->key_locs[i], value);
    }
    e->repeat = outer;
    return n;
}

// Returns the expanded node. Returns NULL if nothing is left of the node, or after an error.
static struct yaml_node *expand(struct expander *e, const struct yaml_node *in) {
    if (!e->ok || !in) return NULL;
    if (in->kind == YAML_KIND_SCALAR) return expand_scalar(e, in);
    if (in->kind == YAML_KIND_SEQ) return expand_list(e, in);
    if (yaml_get(in, "if")) return expand(e, choose(e, in));
    if (!yaml_get(in, "for")) return expand_map(e, in);
    wrong(e, in->loc, MSG_FAMILY_LOOP_PLACE);
    return NULL;
}

const struct yaml_node *family_graph(const struct family_values *v, struct arena *arena, struct diag *diag) {
    struct expander e = {.scope = {.values = v, .arena = arena, .diag = diag, .in_graph = true}, .ok = true};
    int before = diag->errors;
    struct yaml_node *graph = expand(&e, v->family->graph);
    return diag->errors == before ? graph : NULL;
}
