// SPDX-License-Identifier: Apache-2.0
// Computes the values of a family's parameters: given values from `model`, defaults and derived values. Applies the
// family's checks and suggests the nearest legal value.
#include <string.h>

#include "gen/spec/family.h"
#include "gen/spec/spec_read.h"

enum { FARTHEST = 4096 /* largest distance at which a legal value is searched */ };

struct checker {
    const struct family_values *values;
    const struct yaml_node *model; // NULL: the values come from a checkpoint, or checks of the design run
    struct loc loc;                // place for parameters that `model` does not give
    struct arena *arena;
    struct diag *diag;
};

// Returns the scope of expressions outside of the graph, without loops and `layer`.
static struct family_scope scope_of(const struct family_values *v, struct arena *arena, struct diag *diag) {
    return (struct family_scope){.values = v, .arena = arena, .diag = diag};
}

// ---- given values ----

static bool read_list(const struct family_parameter *p, const struct yaml_node *node, const char *what,
                      struct family_value *v, struct arena *arena, struct diag *diag) {
    int64_t *list = ARENA_ARRAY(arena, int64_t, (size_t)p->list);
    if (!yaml_ids(node, (int64_t)p->to, p->list, what, list, &v->count, diag)) return false;
    v->list = list;
    v->i = list[0];
    return true;
}

// Reads the value that `model` gives to a parameter. Returns false after an error.
static bool read_given(const struct family_parameter *p, const struct yaml_node *node, struct family_value *v,
                       struct arena *arena, struct diag *diag) {
    const char *what = arena_printf(arena, "model.%s", p->name);
    bool flag = false, ok = false;
    int word = 0;
    v->given = true;
    switch (p->type) {
    case FAMILY_INTEGER:
        ok = p->list ? read_list(p, node, what, v, arena, diag)
                     : yaml_int(node, (int64_t)p->from, (int64_t)p->to, what, &v->i, diag);
        break;
    case FAMILY_NUMBER: ok = yaml_float(node, p->from, p->to, what, &v->f, diag); break;
    case FAMILY_FLAG: ok = yaml_bool(node, what, &flag, diag); break;
    case FAMILY_WORD: ok = yaml_word(node, p->words, p->word_count, what, &word, diag); break;
    }
    if (p->type == FAMILY_FLAG) v->i = flag;
    if (ok && p->type == FAMILY_WORD) v->s = p->words[word];
    return v->known = ok;
}

// Returns the legal keys of `model`: the parameters, then `family`.
static const char **keys_of(const struct family *f, struct arena *arena) {
    const char **keys = ARENA_ARRAY(arena, const char *, f->parameters + 1);
    for (size_t i = 0; i < f->parameters; i++) keys[i] = f->parameter[i].name;
    keys[f->parameters] = "family";
    return keys;
}

// Returns the names that parameters have in config.json, if these differ from the parameters' own names. They are not
// legal keys of `model`. The note of the error tells which parameter is meant.
static const struct yaml_foreign *foreign_keys(const struct family *f, struct arena *arena) {
    VEC(struct yaml_foreign) all = {0};
    for (size_t k = 0; k < f->config.count; k++) {
        const struct family_key *key = &f->config.item[k];
        for (size_t s = 0; key->parameter >= 0 && s < key->spellings; s++) {
            const char *name = f->parameter[key->parameter].name;
            struct yaml_foreign one = {.key = key->spelling[s]};
            one.note = arena_printf(arena, "here it is `%s`; the other name is config.json's", name);
            if (strcmp(one.key, name) != 0) VEC_PUSH(arena, all, one);
        }
    }
    VEC_PUSH(arena, all, (struct yaml_foreign){0});
    return all.items;
}

// ---- defaults ----

// Computes the default of a parameter. The default of a number is a number or the name of another number parameter.
// The default of an integer or a flag is an expression. Returns false after an error. Without s->diag this function
// reports nothing and cannot find the default of a word.
static bool preset_of(const struct family_scope *s, const struct family_parameter *p, struct family_value *v) {
    bool flag = false;
    int word = 0;
    if (p->type == FAMILY_INTEGER) return family_evaluate(s, p->preset, p->preset->text, 0, &v->i);
    if (p->type == FAMILY_NUMBER) {
        if (yaml_parse_float(p->preset, &v->f)) return true;
        int other = family_find_parameter(s->values->family, p->preset->text);
        bool fine = other >= 0 && s->values->parameter[other].known &&
                    s->values->family->parameter[other].type == FAMILY_NUMBER;
        if (fine) v->f = s->values->parameter[other].f;
        else if (s->diag) diag_error(s->diag, p->preset->loc, MSG_FAMILY_DEFAULT, p->name);
        return fine;
    }
    if (p->type == FAMILY_FLAG && yaml_parse_bool(p->preset, &flag)) return v->i = flag, true;
    if (p->type == FAMILY_FLAG) {
        bool ok = family_evaluate(s, p->preset, p->preset->text, 0, &v->i);
        v->i = v->i != 0;
        return ok;
    }
    if (!s->diag || !yaml_word(p->preset, p->words, p->word_count, "default", &word, s->diag)) return false;
    v->s = p->words[word];
    return true;
}

// Computes the derived names in their order, so that each one can use the earlier ones.
static bool derive_lets(struct family_values *v, const struct family_scope *s) {
    const struct family *f = v->family;
    for (v->lets = 0; v->lets < f->lets; v->lets++)
        if (!family_evaluate(s, f->let[v->lets].value, f->let[v->lets].value->text, 0, &v->let[v->lets])) return false;
    return true;
}

// Computes all defaults and derived names from the given values.
static bool derive(struct family_values *v, struct arena *arena, struct diag *diag) {
    struct family_scope s = scope_of(v, arena, diag);
    for (size_t i = 0; i < v->family->parameters; i++) {
        struct family_value *value = &v->parameter[i];
        const struct family_parameter *p = &v->family->parameter[i];
        if (value->given || !p->preset) continue;
        value->known = false;
        // A default word depends on no other value, so it is found only once.
        if (p->type == FAMILY_WORD && value->s) value->known = true;
        else if (!preset_of(&s, p, value)) return false;
        value->known = true;
    }
    return derive_lets(v, &s);
}

// ---- checks ----

static bool of_design(const struct family_check *c) { return !strncmp(c->of, "design.", 7); }

static struct family_values *copy_values(const struct family_values *v, struct arena *arena) {
    struct family_values *c = ARENA_NEW(arena, struct family_values);
    *c = *v;
    c->parameter = ARENA_ARRAY(arena, struct family_value, v->family->parameters + 1);
    c->let = ARENA_ARRAY(arena, int64_t, v->family->lets + 1);
    memcpy(c->parameter, v->parameter, sizeof *v->parameter * v->family->parameters);
    memcpy(c->let, v->let, sizeof *v->let * v->family->lets);
    return c;
}

// Returns whether a check holds for the present values. An expression that fails counts as not holding.
static bool holds_now(const struct family_values *v, const struct family_check *c, struct arena *arena,
                      struct diag *diag) {
    struct family_scope s = scope_of(v, arena, diag);
    int64_t ok = 0;
    return family_evaluate(&s, c->that, c->that->text, 0, &ok) && ok;
}

// Returns NULL if the check holds, or the values for which it fails. If the subject is a list, each of its items is
// checked as if it were the value, and the result has the first wrong item as the value.
static const struct family_values *fails(const struct family_values *v, const struct family_check *c,
                                         struct arena *arena, struct diag *diag) {
    int p = family_find_parameter(v->family, c->of), count = p < 0 ? 0 : v->parameter[p].count;
    if (!count) return holds_now(v, c, arena, diag) ? NULL : v;
    struct family_values *one = copy_values(v, arena);
    for (int i = 0; i < count; i++) {
        one->parameter[p].i = v->parameter[p].list[i];
        if (!holds_now(one, c, arena, diag)) return one;
    }
    return NULL;
}

static bool holds(const struct family_values *v, const struct family_check *c, struct arena *arena, struct diag *diag) {
    return !fails(v, c, arena, diag);
}

// Returns whether all checks of the subject `of` hold, or, if `of` is NULL, all checks except those of design keys.
static bool all_hold(const struct family_values *v, const char *of, struct arena *arena) {
    for (size_t i = 0; i < v->family->checks; i++) {
        const struct family_check *c = &v->family->check[i];
        if ((of ? !strcmp(c->of, of) : !of_design(c)) && !holds(v, c, arena, NULL)) return false;
    }
    return true;
}

// Returns whether checks would hold if the parameter with index `p` had this value: all checks of parameters if `all`
// is set, otherwise only the checks of this one.
static bool would_fit(const struct family_values *v, int p, int64_t value, bool all, struct arena *arena) {
    const struct family_parameter *parameter = &v->family->parameter[p];
    if ((double)value < parameter->from || (double)value > parameter->to) return false;
    struct arena_mark mark = arena_mark(arena);
    struct family_values *c = copy_values(v, arena);
    c->parameter[p] = (struct family_value){.known = true, .given = true, .i = value};
    bool fits = derive(c, arena, NULL) && all_hold(c, all ? NULL : parameter->name, arena);
    arena_release(arena, mark);
    return fits;
}

// Searches for a value that would fit, outward from the present one and up to FARTHEST away. Of two equally near values
// it tries the smaller one first.
static bool search_with(const struct family_values *v, int p, bool all, int64_t *value, struct arena *arena) {
    int64_t from = v->parameter[p].i;
    for (int64_t d = 1; d <= FARTHEST; d++) {
        if (would_fit(v, p, from - d, all, arena)) return *value = from - d, true;
        if (would_fit(v, p, from + d, all, arena)) return *value = from + d, true;
    }
    return false;
}

// Finds the nearest value with which all checks hold. If other values are wrong as well, it is enough that the checks
// of this parameter hold.
static bool search(const struct family_values *v, int p, int64_t *value, struct arena *arena) {
    return search_with(v, p, true, value, arena) || search_with(v, p, false, value, arena);
}

// Adds a note with the nearest legal value, which the check's `nearest` gives or a search finds.
static void note_nearest(const struct checker *k, const struct family_check *c, struct loc loc) {
    struct family_scope s = scope_of(k->values, k->arena, k->diag);
    int p = family_find_parameter(k->values->family, c->of);
    bool whole = p >= 0 && k->values->family->parameter[p].type == FAMILY_INTEGER;
    int64_t value;
    if (c->nearest) {
        if (family_evaluate(&s, c->nearest, c->nearest->text, 0, &value))
            diag_note(k->diag, loc, "the nearest legal value of `%s` is %lld", c->of, (long long)value);
    } else if (whole && search(k->values, p, &value, k->arena)) {
        diag_note(k->diag, loc, "the nearest legal value of `%s` is %lld", c->of, (long long)value);
    } else if (whole) {
        diag_note(k->diag, loc, "no value of `%s` near it fits", c->of);
    }
}

// Reports a check that fails, and gives the nearest value that passes it. A list whose items have places comes from a
// checkpoint and holds token ids, which a nearby value cannot replace. So the note then asks for the likely cause.
static void refuse(const struct checker *k, const struct family_check *c, struct loc loc) {
    struct family_scope s = scope_of(k->values, k->arena, k->diag);
    const char *say = family_text(&s, c->say);
    if (!say) return;
    diag_error(k->diag, loc, MSG_FAMILY_CHECK, say);
    int p = family_find_parameter(k->values->family, c->of);
    if (p < 0 || !k->values->parameter[p].where) note_nearest(k, c, loc);
    else diag_note(k->diag, loc, "another checkpoint's file, or a tokenizer with more tokens than the model has rows?");
}

// Returns the place for a message about the subject `of`: the wrong item of its list, its value, or k->loc.
static struct loc place_of(const struct checker *k, const char *of) {
    const struct yaml_node *node = k->model ? yaml_get(k->model, of) : NULL;
    int p = family_find_parameter(k->values->family, of);
    int64_t item;
    for (size_t i = 0; node && node->kind == YAML_KIND_SEQ && i < node->count; i++)
        if (yaml_parse_int(node->items[i], &item) && item == k->values->parameter[p].i) return node->items[i]->loc;
    const struct family_value *v = !node && p >= 0 ? &k->values->parameter[p] : NULL;
    for (int i = 0; v && v->where && i < v->count; i++)
        if (v->list[i] == v->i) return v->where[i];
    return node ? node->loc : k->loc;
}

// Applies the checks of parameters and reports at most one error per subject.
static void check_parameters(const struct checker *k) {
    const struct family *f = k->values->family;
    for (size_t i = 0; i < f->checks; i++) {
        const struct family_check *c = &f->check[i];
        bool again = false;
        int before = k->diag->errors;
        for (size_t j = 0; j < i && !again; j++)
            again = !strcmp(f->check[j].of, c->of) && !holds(k->values, &f->check[j], k->arena, NULL);
        if (again || of_design(c)) continue;
        struct checker one = *k;
        one.values = fails(k->values, c, k->arena, k->diag);
        if (one.values && k->diag->errors == before) refuse(&one, c, place_of(&one, c->of));
    }
}

bool family_derive(struct family_values *v, const struct yaml_node *model, struct loc loc, struct arena *arena,
                   struct diag *diag) {
    struct checker k = {v, model, loc, arena, diag};
    int before = diag->errors;
    if (derive(v, arena, diag)) check_parameters(&k);
    return diag->errors == before;
}

static struct family_values *new_values(const struct family *f, struct arena *arena) {
    struct family_values *v = ARENA_NEW(arena, struct family_values);
    v->family = f;
    v->parameter = ARENA_ARRAY(arena, struct family_value, f->parameters + 1);
    v->let = ARENA_ARRAY(arena, int64_t, f->lets + 1);
    return v;
}

struct family_values *family_values_read(const struct family *f, const struct yaml_node *model, struct arena *arena,
                                         struct diag *diag) {
    struct family_values *v = new_values(f, arena);
    const char **keys = keys_of(f, arena);
    int before = diag->errors;
    // The errors are counted in diag->errors, so the result is not needed. (v->lets is 0 already.)
    if (!yaml_check_keys(model, keys, f->parameters + 1, foreign_keys(f, arena), "model", diag)) v->lets = 0;
    for (size_t i = 0; i < f->parameters; i++) {
        const struct yaml_node *node = yaml_get(model, keys[i]);
        if (node) read_given(&f->parameter[i], node, &v->parameter[i], arena, diag);
        else if (!f->parameter[i].preset && !yaml_is_misspelt(model, keys[i], keys, f->parameters + 1))
            diag_error(diag, model->loc, MSG_MISSING_PARAMETER, keys[i]);
    }
    return diag->errors == before && family_derive(v, model, model->loc, arena, diag) ? v : NULL;
}

// ---- derived values ----

// Returns whether the value of an integer is a default that an expression computes.
static bool follows(const struct family_parameter *p, const struct family_value *v) {
    int64_t plain;
    return p->type == FAMILY_INTEGER && p->preset && v->known && !v->given && !yaml_parse_int(p->preset, &plain);
}

static void add_size(struct text *out, const char *name, int64_t value) {
    text_addf(out, "%s%s %lld", out->len ? ", " : "", name, (long long)value);
}

const char *family_derived(const struct family_values *v, struct arena *arena) {
    const struct family *f = v->family;
    struct text out = {0};
    for (size_t i = 0; i < f->parameters; i++)
        if (follows(&f->parameter[i], &v->parameter[i])) add_size(&out, f->parameter[i].name, v->parameter[i].i);
    for (size_t i = 0; i < v->lets; i++) add_size(&out, f->let[i].name, v->let[i]);
    const char *all = out.len ? arena_strndup(arena, text_cstr(&out), out.len) : NULL;
    text_free(&out);
    return all;
}

// ---- the design ----

bool family_check_design(const struct family_values *v, struct loc (*loc_of)(void *context, const char *key),
                         void *context, struct arena *arena, struct diag *diag) {
    struct family_values *mine = copy_values(v, arena);
    struct checker k = {.values = mine, .arena = arena, .diag = diag};
    int before = diag->errors;
    for (size_t i = 0; i < v->family->checks; i++) {
        const struct family_check *c = &v->family->check[i];
        int errors = diag->errors;
        if (of_design(c) && !holds(mine, c, arena, diag) && diag->errors == errors)
            refuse(&k, c, loc_of(context, c->of));
    }
    return diag->errors == before;
}

bool family_allows(const struct family_values *v, const char *key, int64_t value, struct arena *arena) {
    struct spec_design design = {.lanes = (int)value};
    struct family_values *mine = copy_values(v, arena);
    if (strcmp(key, "design.lanes") != 0) return true;
    mine->design = &design;
    return all_hold(mine, key, arena);
}
