// SPDX-License-Identifier: Apache-2.0
// Evaluates a family's expressions: looks up loop variables, parameters, derived names, `design.*` keys and `layer`,
// and explains unknown names. Also replaces `{...}` in texts.
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "gen/base/expression.h"
#include "gen/spec/family.h"
#include "gen/spec/family_read.h"
#include "gen/spec/spec_read.h"

// Keys whose value is an integer.
static const struct {
    const char *name;
    size_t offset;
    bool decides; // the key affects results, so a graph may use it
} design_names[] = {{"design.lanes", offsetof(struct spec_design, lanes), false},
                    {"design.channels", offsetof(struct spec_design, channels), false},
                    {"design.T", offsetof(struct spec_design, tokens), false},
                    {"design.group", offsetof(struct spec_design, group), true},
                    {"design.beat_bits", offsetof(struct spec_design, beat_bits), false}};
// Keys whose value is a word. A text may have them alone in braces.
static const struct {
    const char *name;
    size_t offset;
    const char *(*word)(int format);
} design_words[] = {{"design.weights", offsetof(struct spec_design, weights), spec_format_name},
                    {"design.head", offsetof(struct spec_design, head), spec_format_name},
                    {"design.embedding", offsetof(struct spec_design, embedding), spec_table_format_name}};

// ---- integers ----

// Looks up `parameter.word`: *value becomes 1 if the parameter's value is that word, else 0. Returns false if the name
// is not of this form or the parameter has no value yet.
static bool find_word(const struct family_values *v, const char *name, int64_t *value) {
    const struct family *f = v->family;
    const char *dot = strchr(name, '.');
    for (size_t i = 0; dot && i < f->parameters; i++) {
        const struct family_parameter *p = &f->parameter[i];
        size_t len = (size_t)(dot - name);
        if (p->type != FAMILY_WORD || strlen(p->name) != len || strncmp(p->name, name, len) != 0) continue;
        for (size_t w = 0; w < p->word_count && v->parameter[i].known; w++) {
            if (strcmp(p->words[w], dot + 1) != 0) continue;
            *value = !strcmp(v->parameter[i].s, dot + 1);
            return true;
        }
    }
    return false;
}

// Looks up a key of the design. A graph (in_graph) may only use keys that affect results.
static bool find_design(const struct spec_design *d, bool in_graph, const char *name, int64_t *value) {
    for (size_t i = 0; d && i < COUNT_OF(design_names); i++) {
        if (strcmp(design_names[i].name, name) != 0 || (in_graph && !design_names[i].decides)) continue;
        *value = *(const int *)((const char *)d + design_names[i].offset);
        return true;
    }
    return false;
}

// Looks up a name of an integer expression: `layer`, variables of loops, derived names, parameters, words, design keys.
static bool find_name(void *context, const char *name, int64_t *value) {
    const struct family_scope *s = context;
    const struct family_values *v = s->values;
    if (s->has_layer && !strcmp(name, "layer")) return *value = s->layer, true;
    for (const struct family_loop *l = s->loop; l; l = l->outer)
        if (!strcmp(l->name, name)) return *value = l->value, true;
    for (size_t i = 0; i < v->lets; i++)
        if (!strcmp(v->family->let[i].name, name)) return *value = v->let[i], true;
    int p = family_find_parameter(v->family, name);
    if (p >= 0) {
        enum family_type type = v->family->parameter[p].type;
        *value = v->parameter[p].i;
        return v->parameter[p].known && (type == FAMILY_INTEGER || type == FAMILY_FLAG);
    }
    return find_word(v, name, value) || find_design(v->design, s->in_graph, name, value);
}

// Returns the location of the character at `offset` in a YAML scalar of one line.
static struct loc inside(const struct yaml_node *at, size_t offset) {
    struct loc loc = at->loc;
    loc.col += (uint32_t)(offset + at->quoted);
    return loc;
}

static bool is_let(const struct family *f, const char *name) {
    for (size_t i = 0; i < f->lets; i++)
        if (!strcmp(f->let[i].name, name)) return true;
    return false;
}

bool family_is_design_name(const char *name) {
    for (size_t i = 0; i < COUNT_OF(design_names); i++)
        if (!strcmp(design_names[i].name, name)) return true;
    return false;
}

// Returns the parameter in `parameter.word`, even if it does not allow the word, or NULL if there is none.
static const struct family_parameter *word_of(const struct family *f, const char *name) {
    size_t len = strcspn(name, ".");
    for (size_t i = 0; name[len] && i < f->parameters; i++)
        if (f->parameter[i].type == FAMILY_WORD && strlen(f->parameter[i].name) == len &&
            !strncmp(f->parameter[i].name, name, len))
            return &f->parameter[i];
    return NULL;
}

bool family_has_word(const struct family *f, const char *name) {
    const struct family_parameter *p = word_of(f, name);
    for (size_t w = 0; p && w < p->word_count; w++)
        if (!strcmp(p->words[w], strchr(name, '.') + 1)) return true;
    return false;
}

// Adds a note that says why a name is unknown here, or which names are similar.
static void note_name(const struct family_scope *s, struct loc loc, const char *name) {
    const struct family *f = s->values->family;
    const char *words[2 * FAMILY_MAX_NAMES + COUNT_OF(design_names)];
    size_t count = 0;
    int p = family_find_parameter(f, name);
    const struct family_parameter *word = word_of(f, name);
    if (word) {
        diag_note_words(s->diag, loc, strchr(name, '.') + 1, word->words, word->word_count);
        return;
    }
    if (family_is_design_name(name)) {
        diag_note(s->diag, loc, "it changes no result, so only checks can use it; a graph can use `design.group`");
        return;
    }
    if (p >= 0 && (f->parameter[p].type == FAMILY_NUMBER || f->parameter[p].type == FAMILY_WORD)) {
        diag_note(s->diag, loc, "a %s is used alone in braces: `{%s}`",
                  f->parameter[p].type == FAMILY_WORD ? "word" : "number", name);
        return;
    }
    if (p >= 0 || is_let(f, name)) {
        diag_note(s->diag, loc, "it is defined further down, but an expression can use only names above it");
        return;
    }
    if (!strcmp(name, "layer")) {
        diag_note(s->diag, loc,
                  "`layer`, the number of the repetition, has a value only in attributes of a region's operations");
        return;
    }
    for (size_t i = 0; i < f->parameters; i++) words[count++] = f->parameter[i].name;
    for (size_t i = 0; i < f->lets; i++) words[count++] = f->let[i].name;
    for (size_t i = 0; i < COUNT_OF(design_names); i++) words[count++] = design_names[i].name;
    diag_note_words(s->diag, loc, name, words, count);
}

void family_refuse_name(const struct family_scope *s, const struct yaml_node *at, const char *text, size_t offset,
                        const char *name) {
    struct loc loc = inside(at, offset);
    diag_error(s->diag, loc, MSG_EXPRESSION_NAME, text, name);
    note_name(s, loc, name);
}

bool family_evaluate(const struct family_scope *s, const struct yaml_node *at, const char *text, size_t offset,
                     int64_t *value) {
    struct expression_error error;
    struct family_scope scope = *s;
    if (expression_value(s->arena, text, find_name, &scope, value, &error)) return true;
    if (!s->diag) return false;
    struct loc loc = inside(at, offset + error.at);
    diag_error(s->diag, loc, MSG_EXPRESSION, text, error.why);
    if (error.unknown) note_name(s, loc, error.unknown);
    return false;
}

// ---- texts ----

static bool is_letter(char c) { return isalnum((unsigned char)c) || c == '_' || c == '.'; }

// Returns whether an expression uses `layer`.
static bool has_layer(const char *text, size_t len) {
    for (size_t i = 0; i + 5 <= len; i++)
        if (!strncmp(text + i, "layer", 5) && (i == 0 || !is_letter(text[i - 1])) &&
            (i + 5 == len || !is_letter(text[i + 5])))
            return true;
    return false;
}

// Returns the value of a name alone in braces as text if it is a parameter of type number or word, or a format of the
// design. Returns NULL if the braces contain an integer expression.
static const char *alone(const struct family_scope *s, const char *name) {
    const struct family_values *v = s->values;
    int p = family_find_parameter(v->family, name);
    if (p >= 0 && v->parameter[p].known && v->family->parameter[p].type == FAMILY_NUMBER)
        return arena_printf(s->arena, "%.17g", v->parameter[p].f);
    if (p >= 0 && v->parameter[p].known && v->family->parameter[p].type == FAMILY_WORD) return v->parameter[p].s;
    for (size_t i = 0; v->design && i < COUNT_OF(design_words); i++)
        if (!strcmp(design_words[i].name, name))
            return design_words[i].word(*(const int *)((const char *)v->design + design_words[i].offset));
    return NULL;
}

// Returns the expression, in braces, with every name except `layer` replaced by its value, or NULL after an error.
static const char *keep_layer(const struct family_scope *s, const struct yaml_node *at, const char *text,
                              size_t offset) {
    const char *out = "{", *p = text;
    struct family_scope any = *s;
    int64_t v;
    any.has_layer = true; // first checks that the whole expression evaluates
    if (!family_evaluate(&any, at, text, offset, &v)) return NULL;
    while (*p) {
        size_t len = strspn(p, "0123456789"), word = 0;
        while (!len && is_letter(p[word])) word++;
        if (!len) len = word;
        if (!len) len = 1;
        const char *piece = arena_strndup(s->arena, p, len);
        bool name = word && strcmp(piece, "layer") && strcmp(piece, "clog2");
        if (name && !family_evaluate(s, at, piece, offset + (size_t)(p - text), &v)) return NULL;
        out = !name ? arena_printf(s->arena, "%s%s", out, piece)
                    : arena_printf(s->arena, v < 0 ? "%s(%" PRId64 ")" : "%s%" PRId64, out, v);
        p += len;
    }
    return arena_printf(s->arena, "%s}", out);
}

// Returns the value of one pair of braces as text. An expression with `layer` stays in braces if `layer` has no value
// yet. Returns NULL after an error.
static const char *piece_text(const struct family_scope *s, const struct yaml_node *at, const char *text,
                              size_t offset) {
    const char *word = alone(s, text);
    int64_t v;
    if (word) return word;
    if (!s->has_layer && has_layer(text, strlen(text))) return keep_layer(s, at, text, offset);
    return family_evaluate(s, at, text, offset, &v) ? arena_printf(s->arena, "%" PRId64, v) : NULL;
}

static const char *brace_error(const struct family_scope *s, const struct yaml_node *at, const char *p) {
    if (s->diag)
        diag_error(s->diag, inside(at, (size_t)(p - at->text)), *p == '{' ? MSG_EXPRESSION_OPEN : MSG_EXPRESSION_CLOSE);
    return NULL;
}

const char *family_text(const struct family_scope *s, const struct yaml_node *at) {
    const char *out = "", *p = at->text, *open;
    while ((open = strpbrk(p, "{}")) != NULL) {
        const char *close = *open == '{' ? strchr(open, '}') : NULL;
        if (!close) return brace_error(s, at, open);
        const char *text = arena_strndup(s->arena, open + 1, (size_t)(close - open - 1)),
                   *piece = piece_text(s, at, text, (size_t)(open + 1 - at->text));
        if (!piece) return NULL;
        out = arena_printf(s->arena, "%s%.*s%s", out, (int)(open - p), p, piece);
        p = close + 1;
    }
    return arena_printf(s->arena, "%s%s", out, p);
}
