// SPDX-License-Identifier: Apache-2.0
// Writes a spec in which `context` and the keys of `design` have the values of a point. The section `design` is written
// anew, without its comments. All other lines stay as they are, unless the whole spec is in YAML's flow style, such as
// a JSON file. Then each of its keys gets a line.
#include <string.h>

#include "gen/explore/explore.h"

// Returns a pointer to the beginning of a line of the spec, or to the end of the text if there is no such line.
static const char *line_start(const struct explore *x, uint32_t line) {
    const char *at = x->text, *end = x->text + x->len;
    for (; line > 1 && at < end; line--) {
        const char *next = memchr(at, '\n', (size_t)(end - at));
        at = next ? next + 1 : end;
    }
    return at;
}

static void add_word(struct text *out, const char *word, bool quoted) {
    if (quoted) text_add_json_string(out, word, strlen(word));
    else text_add(out, word);
}

static const struct explore_key *find_key(const struct explore *x, const char *name, const char *pattern) {
    for (int k = 0; k < x->keys; k++) {
        const struct explore_key *key = &x->key[k];
        if (!strcmp(key->name, name) && !key->pattern == !pattern && (!pattern || !strcmp(key->pattern, pattern)))
            return key;
    }
    return NULL;
}

static const char *value_at(const struct explore *x, const struct explore_point *p, const struct explore_key *key) {
    return key->value[p->at[key - x->key]];
}

// Adds a value of the spec in YAML's flow style, with the point's value of `context`.
static void add_value(const struct explore *x, const struct explore_point *p, const struct yaml_node *v,
                      struct text *out) {
    const struct explore_key *context = v == explore_context(x) ? find_key(x, "context", NULL) : NULL;
    if (context) {
        text_add(out, value_at(x, p, context));
        return;
    }
    if (v->kind == YAML_KIND_SCALAR) {
        add_word(out, v->text, v->quoted);
        return;
    }
    bool map = v->kind == YAML_KIND_MAP;
    text_add(out, map ? "{" : "[");
    for (size_t i = 0; i < v->count; i++) {
        if (i) text_add(out, ", ");
        if (map) add_word(out, v->keys[i], true), text_add(out, ": ");
        add_value(x, p, v->items[i], out);
    }
    text_add(out, map ? "}" : "]");
}

static bool has_patterns(const struct explore *x) {
    for (int k = 0; k < x->keys; k++)
        if (x->key[k].pattern) return true;
    return false;
}

// Writes the formats of weights: the default, the patterns of the spec, then those of the search.
static void add_formats(const struct explore *x, const struct explore_point *p, const struct yaml_node *own,
                        struct text *out) {
    const struct explore_key *plain = find_key(x, "weights", NULL);
    const struct yaml_node *preset = own && own->kind == YAML_KIND_MAP ? yaml_get(own, "default") : own;
    text_addf(out, "  weights: {default: %s", plain ? value_at(x, p, plain) : preset ? preset->text : "int8");
    for (size_t i = 0; own && own->kind == YAML_KIND_MAP && i < own->count; i++) {
        if (!strcmp(own->keys[i], "default") || find_key(x, "weights", own->keys[i])) continue;
        text_add(out, ", ");
        add_word(out, own->keys[i], true);
        text_addf(out, ": %s", own->items[i]->text);
    }
    for (int k = 0; k < x->keys; k++) {
        if (!x->key[k].pattern) continue;
        text_add(out, ", ");
        add_word(out, x->key[k].pattern, true);
        text_addf(out, ": %s", value_at(x, p, &x->key[k]));
    }
    text_add(out, "}\n");
}

// Returns whether add_formats writes this key: `weights` with formats for patterns of names.
static bool by_formats(const struct explore *x, const char *name, const struct yaml_node *own) {
    return !strcmp(name, "weights") && (has_patterns(x) || (own && own->kind == YAML_KIND_MAP));
}

// Writes the section `design`: the keys of the spec, with the point's values, then the keys that the search adds.
static void add_design(const struct explore *x, const struct explore_point *p, const struct yaml_node *design,
                       struct text *out) {
    text_add(out, "design:\n");
    for (size_t i = 0; design && i < design->count; i++) {
        const struct explore_key *key = find_key(x, design->keys[i], NULL);
        if (by_formats(x, design->keys[i], design->items[i])) {
            add_formats(x, p, design->items[i], out);
            continue;
        }
        text_addf(out, "  %s: ", design->keys[i]);
        if (key) text_add(out, value_at(x, p, key));
        else add_value(x, p, design->items[i], out);
        text_add(out, "\n");
    }
    for (int k = 0; k < x->keys; k++) { // adds keys that the spec lacks and that are fixed or changed
        const struct explore_key *key = &x->key[k];
        if (key->pattern || !strcmp(key->name, "context") || yaml_get(design, key->name) ||
            by_formats(x, key->name, NULL) || (p->at[k] == key->own && !key->fixed))
            continue;
        text_addf(out, "  %s: %s\n", key->name, value_at(x, p, key));
    }
    if (has_patterns(x) && !yaml_get(design, "weights")) add_formats(x, p, NULL, out);
}

// Copies lines of the spec. If `context` is a key of the search and is in these lines, its value is replaced.
static void add_lines(const struct explore *x, const struct explore_point *p, const char *from, const char *to,
                      struct text *out) {
    const struct yaml_node *node = explore_context(x);
    const struct explore_key *key = node ? find_key(x, "context", NULL) : NULL;
    const char *at = key ? line_start(x, node->loc.line) + node->loc.col - 1 : NULL;
    if (!at || at < from || at >= to) {
        text_add_bytes(out, from, (size_t)(to - from));
        return;
    }
    text_add_bytes(out, from, (size_t)(at - from));
    text_add(out, value_at(x, p, key));
    text_add_bytes(out, at + strlen(node->text), (size_t)(to - at) - strlen(node->text));
}

// Writes a spec in flow style as a block with a line for each key.
static void add_flow_spec(const struct explore *x, const struct explore_point *p, struct text *out) {
    const struct yaml_node *root = x->spec->root;
    for (size_t i = 0; i < root->count; i++) {
        if (!strcmp(root->keys[i], "design")) continue;
        add_word(out, root->keys[i], true);
        text_add(out, ": ");
        add_value(x, p, root->items[i], out);
        text_add(out, "\n");
    }
    add_design(x, p, yaml_get(root, "design"), out);
}

void explore_spec_text(const struct explore *x, const struct explore_point *p, const char *lines, struct text *out) {
    const struct yaml_node *root = x->spec->root, *design = yaml_get(root, "design");
    if (lines) text_add(out, lines);
    if (*(line_start(x, root->loc.line) + root->loc.col - 1) == '{') {
        add_flow_spec(x, p, out);
        return;
    }
    if (!design || design->kind != YAML_KIND_MAP) {
        add_lines(x, p, x->text, x->text + x->len, out);
        if (x->len && x->text[x->len - 1] != '\n') text_add(out, "\n");
        add_design(x, p, NULL, out);
        return;
    }
    const char *from = line_start(x, yaml_key_loc(root, "design").line), *to = line_start(x, design->last_line + 1);
    add_lines(x, p, x->text, from, out);
    add_design(x, p, design, out);
    add_lines(x, p, to, x->text + x->len, out);
}
