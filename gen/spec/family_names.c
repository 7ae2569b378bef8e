// SPDX-License-Identifier: Apache-2.0
// Reports names and words without a meaning in a family's file, before any model gives values. So it also checks
// defaults that no spec uses and branches of expressions that no model evaluates. family_graph.c checks the names in
// the graph.
#include <ctype.h>
#include <string.h>

#include "gen/spec/family_read.h"
#include "gen/spec/spec_read.h"

// The place of an expression, which decides the names that it may use: parameters, the first `lets` derived names,
// design keys if `design` is set, and `layer` if `layer` is set.
struct place {
    struct family_reader *r;
    size_t lets; // derived names that precede the expression
    bool design, layer;
};

// Returns whether a name has a meaning at this place.
static bool is_known(const struct place *p, const char *name) {
    const struct family *f = p->r->family;
    int parameter = family_find_parameter(f, name);
    for (size_t i = 0; i < p->lets; i++)
        if (!strcmp(f->let[i].name, name)) return true;
    if (!strcmp(name, "clog2") || (p->layer && !strcmp(name, "layer"))) return true;
    if (parameter >= 0)
        return f->parameter[parameter].type == FAMILY_INTEGER || f->parameter[parameter].type == FAMILY_FLAG;
    return family_has_word(f, name) || (p->design && family_is_design_name(name));
}

static bool is_of_name(char c) { return isalnum((unsigned char)c) || c == '_' || c == '.'; }

// Reports the first name of an expression that has no meaning at its place.
static void check_text(const struct place *p, const struct yaml_node *at, const char *text, size_t offset) {
    const struct family_values none = {.family = p->r->family};
    const struct family_scope scope = {.values = &none, .arena = p->r->arena, .diag = p->r->diag};
    for (const char *c = text; *c;) {
        size_t len = 0;
        while (is_of_name(c[len])) len++;
        const char *name = arena_strndup(p->r->arena, c, len);
        // A number begins with a digit, or is the second part of a sized constant such as 8'h1f.
        bool number = isdigit((unsigned char)*c) || (c > text && c[-1] == '\'');
        if (len && !number && !is_known(p, name)) {
            family_refuse_name(&scope, at, text, offset + (size_t)(c - text), name);
            return;
        }
        c += len ? len : 1;
    }
}

// Checks an expression, which may also be absent (NULL) or a truth value.
static void check_expression(const struct place *p, const struct yaml_node *at) {
    bool truth;
    if (at && !yaml_parse_bool(at, &truth)) check_text(p, at, at->text, 0);
}

// Checks every `{expression}` of a text. A parameter alone in braces may have any type.
static void check_pieces(const struct place *p, const struct yaml_node *at) {
    for (const char *open = at->text, *close; (open = strchr(open, '{')) && (close = strchr(open, '}')); open = close) {
        const char *piece = arena_strndup(p->r->arena, open + 1, (size_t)(close - open - 1));
        if (family_find_parameter(p->r->family, piece) < 0) check_text(p, at, piece, (size_t)(open + 1 - at->text));
    }
}

// Checks that a node is one of the words of a parameter.
static void check_word(struct family_reader *r, const struct family_parameter *p, const struct yaml_node *node,
                       const char *what) {
    int word;
    if (p->word_count) yaml_word(node, p->words, p->word_count, what, &word, r->diag);
}

// ---- parameters ----

// Checks the default of a number: a number, or another parameter of this type.
static void check_number(struct family_reader *r, const struct family_parameter *p) {
    const char *words[FAMILY_MAX_NAMES];
    size_t count = 0;
    double number;
    int other = family_find_parameter(r->family, p->preset->text);
    if (yaml_parse_float(p->preset, &number) || (other >= 0 && r->family->parameter[other].type == FAMILY_NUMBER))
        return;
    for (size_t i = 0; i < r->family->parameters; i++)
        if (r->family->parameter[i].type == FAMILY_NUMBER && &r->family->parameter[i] != p)
            words[count++] = r->family->parameter[i].name;
    diag_error(r->diag, p->preset->loc, MSG_FAMILY_DEFAULT, p->name);
    diag_note_words(r->diag, p->preset->loc, p->preset->text, words, count);
}

static void check_default(struct family_reader *r, const struct family_parameter *p) {
    const struct place place = {.r = r};
    if (!p->preset) return;
    if (p->type == FAMILY_WORD) check_word(r, p, p->preset, "default");
    else if (p->type == FAMILY_NUMBER) check_number(r, p);
    else check_expression(&place, p->preset);
}

// ---- keys of a checkpoint ----

// Checks the words that a key of a checkpoint gives to a parameter.
static void check_words(struct family_reader *r, const struct family_parameter *p, const struct family_key *k) {
    for (size_t i = 0; k->words && i < k->words->count; i++) check_word(r, p, k->words->items[i], k->words->keys[i]);
    if (k->preset) check_word(r, p, k->preset, "default");
}

// Checks that the keys in `needs` exist.
static void check_needs(struct family_reader *r, const struct family_keys *keys, const struct family_key *k) {
    for (size_t i = 0; k->needs && i < k->needs->count; i++)
        if (!family_find_key(keys, k->needs->items[i]->text))
            diag_error(r->diag, k->needs->items[i]->loc, MSG_FAMILY_NEEDS, k->needs->items[i]->text);
}

// Checks the expressions, words and `needs` of the keys. Only the expressions of `each` may use `layer`.
static void check_keys(struct family_reader *r, const struct family_keys *keys) {
    struct place place = {.r = r, .lets = r->family->lets};
    for (size_t i = 0; i < keys->count; i++) {
        const struct family_key *k = &keys->item[i];
        const struct family_parameter *p = k->parameter < 0 ? NULL : &r->family->parameter[k->parameter];
        place.layer = false;
        check_expression(&place, k->equals);
        check_expression(&place, k->when);
        check_needs(r, keys, k);
        if (p && p->type == FAMILY_WORD) check_words(r, p, k);
        else if (p && p->type != FAMILY_NUMBER) check_expression(&place, k->preset);
        place.layer = true;
        for (size_t e = 0; k->each && e < k->each->count; e++) check_expression(&place, k->each->items[e]);
    }
}

// ---- the whole ----

void family_check_names(struct family_reader *r) {
    const struct family *f = r->family;
    struct place place = {.r = r};
    for (size_t i = 0; i < f->parameters; i++) check_default(r, &f->parameter[i]);
    for (place.lets = 0; place.lets < f->lets; place.lets++) check_expression(&place, f->let[place.lets].value);
    place.design = true;
    for (size_t i = 0; i < f->checks; i++) {
        check_expression(&place, f->check[i].that);
        check_expression(&place, f->check[i].nearest);
        check_pieces(&place, f->check[i].say);
    }
    check_keys(r, &f->config);
    check_keys(r, &f->gguf.metadata);
}
