// SPDX-License-Identifier: Apache-2.0
// Makes the names of the spec's tensors and weights from the names in the ONNX model.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gen/onnx/spec.h"

enum { MOST_NAME = 40 }; // most characters of a legal name; composites and kernels append more to it

// A name that is in use.
struct claim {
    const char *name;
    const struct onnx_data *data; // of the weight with this name; NULL: it is the name of a tensor
};
// The names that are in use. Tensors and weights have separate names.
struct naming {
    struct spec *s;
    VEC(struct claim) tensor, weight;
};

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

// ---- numbers in names ----

// Finds the number by which two otherwise equal names differ: it begins at *begin and has *a_len and *b_len digits.
// Returns false if the names differ otherwise, or if a number has more than six digits.
static bool differing_digits(const char *a, const char *b, size_t *begin, size_t *a_len, size_t *b_len) {
    size_t i = 0;
    while (a[i] && a[i] == b[i]) i++;
    while (i > 0 && is_digit(a[i - 1])) i--;
    *begin = i;
    for (*a_len = 0; is_digit(a[i + *a_len]);) ++*a_len;
    for (*b_len = 0; is_digit(b[i + *b_len]);) ++*b_len;
    return *a_len && *b_len && *a_len < 7 && *b_len < 7 && !strcmp(a + i + *a_len, b + i + *b_len);
}

// Joins the names of all repetitions to one with an expression of `layer`. Returns NULL if they differ in more than one
// number, or if this number does not count up in equal steps.
static const char *as_pattern(struct arena *arena, const char *const name[], int repeat) {
    size_t at, len, other;
    if (!differing_digits(name[0], name[1], &at, &len, &other)) return NULL;
    long first = atol(name[0] + at), step = atol(name[1] + at) - first;
    for (int k = 0; k < repeat; k++) {
        const char *want = arena_printf(arena, "%.*s%ld%s", (int)at, name[0], first + k * step, name[0] + at + len);
        if (strcmp(want, name[k]) != 0) return NULL;
    }
    if (step < 1) return NULL;
    const char *times = step == 1 ? "layer" : arena_printf(arena, "%ld * layer", step),
               *plus = first ? arena_printf(arena, " + %ld", first) : "";
    return arena_printf(arena, "%.*s{%s%s}%s", (int)at, name[0], times, plus, name[0] + at + len);
}

// ---- tensors ----

// Makes a legal name of a spec from a name of the model: letters, digits and single underscores, beginning with a
// letter. Drops the ending `_output_0`, which PyTorch's exporter appends to the name of a node.
static const char *legal_name(struct arena *arena, const char *hint) {
    char *name = ARENA_ARRAY(arena, char, strlen(hint) + 4);
    size_t n = 0, len = strlen(hint);
    static const char tail[] = "_output_0";
    if (len > sizeof tail && !strcmp(hint + len - (sizeof tail - 1), tail)) len -= sizeof tail - 1;
    for (size_t i = 0; i < len; i++) {
        bool plain = is_letter(hint[i]) || is_digit(hint[i]);
        if (plain && is_digit(hint[i]) && n == 0) name[n++] = 't';
        if (plain) name[n++] = hint[i];
        else if (n && name[n - 1] != '_') name[n++] = '_';
    }
    while (n && name[n - 1] == '_') n--;
    name[n] = 0;
    if (n > MOST_NAME) { // keeps the end of a path, which says more than its beginning
        char *end = name + n - MOST_NAME, *part = strchr(end, '_');
        name = part && part[1] ? part : end;
    }
    while (*name == '_') name++;
    return !*name ? "t" : is_digit(*name) ? arena_printf(arena, "t%s", name) : name;
}

static bool is_taken(const struct naming *m, const char *name) {
    for (size_t i = 0; i < m->tensor.count; i++)
        if (!strcmp(m->tensor.items[i].name, name)) return true;
    return false;
}

static void claim_tensor(struct naming *m, const char *name) {
    struct claim c = {.name = name};
    VEC_PUSH(m->s->arena, m->tensor, c);
}

// Returns an unused name and claims it. A composite operation is expanded into several, whose tensors have this name
// with an ending of `ends`. So for a composite, the names with these endings must also be unused, and are claimed.
static const char *fresh(struct naming *m, const char *hint, bool composite) {
    static const char *const ends[] = {"", "_mx", "_acc", "_patches"};
    const char *base = legal_name(m->s->arena, hint), *name = base;
    for (int k = 2;; k++) {
        bool taken = false;
        for (size_t e = 0; e < (composite ? COUNT_OF(ends) : 1); e++)
            taken |= is_taken(m, arena_printf(m->s->arena, "%s%s", name, ends[e]));
        if (!taken) break;
        name = arena_printf(m->s->arena, "%s_%d", base, k);
    }
    for (size_t e = 0; e < (composite ? COUNT_OF(ends) : 1); e++)
        claim_tensor(m, arena_printf(m->s->arena, "%s%s", name, ends[e]));
    return name;
}

// Returns the name that the result of operation i has in the model, without the number of the repetition.
static const char *common_hint(const struct spec *s, const struct spec_region *r, int i) {
    const char *a = s->tensor.items[s->op.items[i].out].name,
               *b = r->repeat > 1 ? s->tensor.items[s->op.items[i + r->ops].out].name : a;
    size_t at, len, other;
    if (r->repeat < 2 || !differing_digits(a, b, &at, &len, &other)) return a;
    return arena_printf(s->arena, "%.*s_%s", (int)at, a, a + at + len);
}

static bool is_output(const struct spec *s, int t) {
    for (size_t i = 0; i < s->output.count; i++)
        if (s->output.items[i].tensor == t) return true;
    return false;
}

static bool is_composite(const struct spec_op *o) { return !strcmp(o->op, "linear") || !strcmp(o->op, "conv"); }

static void name_outputs(struct naming *m) {
    for (size_t i = 0; i < m->s->output.count; i++) {
        struct spec_port *p = &m->s->output.items[i];
        const struct spec_op *o = &m->s->op.items[m->s->tensor.items[p->tensor].maker];
        m->s->tensor.items[p->tensor].name = fresh(m, p->name, is_composite(o));
        p->name = m->s->tensor.items[p->tensor].name;
    }
}

// Names the tensors of a region. A tensor has one name in all repetitions. The carries are called h, or h0, h1, ...
static void name_region(struct naming *m, struct spec_region *r) {
    struct spec *s = m->s;
    for (int i = r->first; i < r->first + r->ops; i++) {
        int last = s->op.items[i + r->ops * (r->repeat - 1)].out;
        bool composite = is_composite(&s->op.items[i]);
        const char *hint = common_hint(s, r, i), *own = s->tensor.items[last].name;
        const char *name = is_output(s, last) ? own : fresh(m, hint, composite);
        for (int k = 0; k < r->repeat; k++) s->tensor.items[s->op.items[i + k * r->ops].out].name = name;
    }
    for (int c = 0; c < r->carries; c++)
        r->carry[c].name = fresh(m, r->carries == 1 ? "h" : arena_printf(s->arena, "h%d", c), false);
}

// ---- weights ----

// Replaces braces, because they enclose expressions in the names of weights in a spec.
static const char *without_braces(struct arena *arena, const char *name) {
    char *copy = arena_strdup(arena, name);
    for (char *c = copy; *c; c++)
        if (*c == '{' || *c == '}') *c = '_';
    return copy;
}

static bool same_data(const struct onnx_data *a, const struct onnx_data *b) {
    return a == b || (graph_same_dims(&a->dims, &b->dims) && !memcmp(a->f, b->f, (size_t)a->count * sizeof *a->f));
}

// Returns whether a weight with this data may have this name: the name is unused, or its weight has equal data.
static bool may_claim(const struct naming *m, const char *name, const struct onnx_data *d) {
    for (size_t i = 0; i < m->weight.count; i++)
        if (!strcmp(m->weight.items[i].name, name)) return same_data(m->weight.items[i].data, d);
    return true;
}

// Returns attribute a of operation i of the region in repetition k.
static struct spec_attr *attr_at(const struct spec *s, const struct spec_region *r, int i, int a, int k) {
    return &s->op.items[i + k * r->ops].attr[a];
}

static bool may_claim_all(const struct naming *m, const struct spec_region *r, int i, int a, const char *const name[]) {
    for (int k = 0; k < r->repeat; k++)
        if (!may_claim(m, name[k], attr_at(m->s, r, i, a, k)->weight)) return false;
    return true;
}

// Names a weight in all repetitions. The names of the model are kept if they count up with the repetition, or if all
// repetitions have one name and equal data, and if no other weight has them. Otherwise the weight is named after its
// operation.
static void name_weight(struct naming *m, const struct spec_region *r, int i, int a) {
    struct spec *s = m->s;
    const char **name = ARENA_ARRAY(s->arena, const char *, (size_t)r->repeat + 1);
    const struct spec_op *o = &s->op.items[i];
    bool same = true;
    for (int k = 0; k < r->repeat; k++) {
        name[k] = without_braces(s->arena, attr_at(s, r, i, a, k)->source);
        same &= !strcmp(name[k], name[0]);
    }
    bool counts = r->repeat == 1 || (same ? may_claim(m, name[0], attr_at(s, r, i, a, 1)->weight)
                                          : as_pattern(s->arena, name, r->repeat) != NULL);
    for (int k = 1; same && k < r->repeat; k++)
        counts &= same_data(attr_at(s, r, i, a, k)->weight, attr_at(s, r, i, a, 0)->weight);
    for (int n = 1; !counts || !may_claim_all(m, r, i, a, name); n++) {
        counts = true;
        const char *own = s->tensor.items[o->out].name, *key = o->attr[a].key,
                   *more = n > 1 ? arena_printf(s->arena, ".%d", n) : "";
        for (int k = 0; k < r->repeat; k++)
            name[k] = r->repeat > 1 ? arena_printf(s->arena, "%s.%d.%s.%s%s", r->name, k, own, key, more)
                                    : arena_printf(s->arena, "%s.%s%s", own, key, more);
    }
    for (int k = 0; k < r->repeat; k++) {
        struct spec_attr *attr = attr_at(s, r, i, a, k);
        bool known = false;
        attr->source = name[k];
        for (size_t w = 0; w < m->weight.count; w++) known |= !strcmp(m->weight.items[w].name, name[k]);
        struct claim c = {name[k], attr->weight};
        if (!known) VEC_PUSH(s->arena, m->weight, c);
    }
}

const char *spec_weight_name(const struct spec *s, const struct spec_region *r, int i, int a) {
    const char **name = ARENA_ARRAY(s->arena, const char *, (size_t)r->repeat + 1);
    for (int k = 0; k < r->repeat; k++) name[k] = attr_at(s, r, i, a, k)->source;
    if (r->repeat == 1 || !strcmp(name[0], name[1])) return name[0];
    return as_pattern(s->arena, name, r->repeat);
}

void spec_make_names(struct spec *s) {
    struct naming m = {.s = s};
    for (size_t i = 0; i < s->input.count; i++) {
        struct spec_port *p = &s->input.items[i];
        p->name = s->tensor.items[p->tensor].name = fresh(&m, p->name, false);
    }
    name_outputs(&m);
    for (size_t r = 0; r < s->region.count; r++) name_region(&m, &s->region.items[r]);
    for (size_t r = 0; r < s->region.count; r++) {
        const struct spec_region *region = &s->region.items[r];
        for (int i = region->first; i < region->first + region->ops; i++)
            for (int a = 0; a < s->op.items[i].attrs; a++)
                if (!s->op.items[i].attr[a].text) name_weight(&m, region, i, a);
    }
}
