// SPDX-License-Identifier: Apache-2.0
// Replaces composite operations of a spec by their steps, which are other operations (include/composites.def), before
// operations become nodes. The results of the steps are named after the composite, so that dumps, reports and traces
// show the origin.
#include <stdlib.h>
#include <string.h>

#include "gen/model/model.h"
#include "gen/ir/ops.h"

// MAX_STEP_PORTS: most results, and most operands, of a step. MAX_WORDS: most words of a step. WORD: bytes of the
// longest word with its NUL.
enum { MAX_STEP_PORTS = 4, MAX_WORDS = 24, WORD = 48 };

// One step as words: the operation, a list of its results, a list of its operands, and one word for each attribute. The
// names in the two lists are separated by commas.
struct step {
    char word[MAX_WORDS][WORD];
    int words;
    bool once;  // `op?`: left out if the region already has an operation that does the same
    bool early; // `op^`: placed directly after the operation that makes its first operand
};

struct lowering {
    struct ir *ir;
    struct model_ops *ops;    // the operations of the region, in order
    const struct spec_op *op; // the composite
    // For a step that was left out because another operation already computes its result. made: the word of this result
    // in later steps. as: the tensor that replaces the result. Both are NULL if no step was left out.
    const char *made, *as;
};

// Copies a word into `to`, which must be zeroed. The word ends before any of the characters in `marks`. Returns its end
// in p. A word that is too long for `to` is cut.
static const char *copy_word(const char *p, const char *marks, char to[WORD]) {
    size_t len = strcspn(p, marks);
    memcpy(to, p, len < WORD ? len : WORD - 1);
    return p + len;
}

// Reads a step and returns the text after it.
static const char *read_step(const char *p, struct step *s) {
    *s = (struct step){.words = 0};
    while (*p && *p != ';' && s->words < MAX_WORDS) {
        p += strspn(p, " ");
        p = copy_word(p, " ;", s->word[s->words++]);
    }
    char *mark = s->word[0] + strcspn(s->word[0], "?^");
    s->once = *mark == '?';
    s->early = *mark == '^';
    *mark = 0;
    return *p == ';' ? p + 1 : p;
}

// Returns the tensor that a word of a step refers to: a digit is an operand of the composite, `.` is its result, and
// any other word is appended to the result's name.
static struct spec_name name_of(const struct lowering *l, const char *word) {
    const struct spec_name *own = &l->op->outs[0];
    if (*word >= '0' && *word <= '9') return l->op->ins[*word - '0'];
    if (l->made && !strcmp(word, l->made)) return (struct spec_name){l->as, own->loc};
    return (struct spec_name){*word == '.' ? own->text : arena_printf(l->ir->arena, "%s%s", own->text, word), own->loc};
}

static size_t names_of(const struct lowering *l, const char *words, struct spec_name out[MAX_STEP_PORTS]) {
    size_t count = 0;
    while (*words && count < MAX_STEP_PORTS) {
        char word[WORD] = "";
        words = copy_word(words, ",", word);
        words += *words == ',';
        out[count++] = name_of(l, word);
    }
    return count;
}

static const struct spec_attr *given(const struct lowering *l, const char *name) {
    for (size_t a = 0; a < l->op->attr_count; a++)
        if (!strcmp(l->op->attrs[a].key.text, name)) return &l->op->attrs[a];
    return NULL;
}

// Returns the first of these attributes that the composite has, or NULL. The names are separated by commas.
static const struct spec_attr *first_given(const struct lowering *l, const char *names) {
    const struct spec_attr *found = NULL;
    while (*names && !found) {
        char name[WORD] = "";
        names = copy_word(names, ",", name);
        names += *names == ',';
        found = given(l, name);
    }
    return found;
}

static struct spec_attr literal(const struct lowering *l, const char *name, const char *text) {
    char *end;
    long long i = strtoll(text, &end, 10);
    struct spec_value value = {.type = *end ? SPEC_VALUE_STRING : SPEC_VALUE_INT, .loc = l->op->loc, .i = i, .s = text};
    return (struct spec_attr){{name, l->op->loc}, value};
}

// Makes an attribute of a step from its word. `name=value` gives the value. `name<a,b` takes the value of the
// composite's attribute `a` or, without it, of its `b`. `name` takes that of the composite's attribute `name`. Returns
// false if the composite does not give the attribute.
static bool attr_of(const struct lowering *l, const char *word, struct spec_attr *out) {
    char name[WORD] = "";
    const char *rest = copy_word(word, "=<", name);
    if (*rest == '=') return *out = literal(l, arena_strdup(l->ir->arena, name), rest + 1), true;
    const struct spec_attr *from = first_given(l, *rest == '<' ? rest + 1 : name);
    if (!from) return false;
    *out = (struct spec_attr){{arena_strdup(l->ir->arena, name), from->key.loc}, from->value};
    return true;
}

static struct spec_op step_op(const struct lowering *l, const struct step *s, struct arena *arena) {
    struct spec_op op = {.op = {arena_strdup(arena, s->word[0]), l->op->op.loc}, .loc = l->op->loc, .of = l->op};
    op.outs = ARENA_ARRAY(arena, struct spec_name, MAX_STEP_PORTS);
    op.ins = ARENA_ARRAY(arena, struct spec_name, MAX_STEP_PORTS);
    op.attrs = ARENA_ARRAY(arena, struct spec_attr, MAX_WORDS);
    op.out_count = names_of(l, s->word[1], op.outs);
    op.in_count = names_of(l, s->word[2], op.ins);
    for (int w = 3; w < s->words; w++) op.attr_count += attr_of(l, s->word[w], &op.attrs[op.attr_count]);
    return op;
}

static int64_t attr_int(const struct spec_op *op, const char *name, int64_t preset) {
    for (size_t a = 0; a < op->attr_count; a++)
        if (!strcmp(op->attrs[a].key.text, name)) return op->attrs[a].value.i;
    return preset;
}

// Returns whether the operation `other` of the region computes the result of the step `op`: it is the same operation
// with the same first operand and equal integer attributes.
static bool does_the_same(const struct ir *ir, const struct spec_op *other, const struct spec_op *op) {
    struct ir_op_attr known[IR_MAX_OP_ATTRS];
    bool same = !strcmp(other->op.text, op->op.text) && other->in_count && other->out_count &&
                !strcmp(other->ins[0].text, op->ins[0].text);
    int count = same ? ir_op_attrs(ir, ir_op_find(ir, op->op.text), known) : 0;
    for (int a = 0; same && a < count; a++) {
        int64_t preset = known[a].preset;
        same = attr_int(other, known[a].name, preset) == attr_int(op, known[a].name, preset);
    }
    return same;
}

// Returns whether another operation of the region already computes the result of a step with `once`. If so, notes that
// result, which later steps use instead.
static bool is_made(struct lowering *l, const struct step *s, const struct spec_op *op) {
    for (size_t i = 0; s->once && i < l->ops->count; i++) {
        if (!does_the_same(l->ir, &l->ops->items[i], op)) continue;
        l->made = s->word[1];
        l->as = l->ops->items[i].outs[0].text;
        return true;
    }
    return false;
}

static bool makes(const struct spec_op *op, const char *tensor) {
    for (size_t o = 0; o < op->out_count; o++)
        if (!strcmp(op->outs[o].text, tensor)) return true;
    return false;
}

// Returns the index after the operation of the region that makes a tensor, or the number of operations if none makes
// it.
static size_t place_behind(const struct model_ops *ops, const char *tensor) {
    for (size_t i = ops->count; i > 0; i--)
        if (makes(&ops->items[i - 1], tensor)) return i;
    return ops->count;
}

// Inserts the operation of a step into the region, at the end or, for `op^`, at its earlier place.
static void put(struct lowering *l, const struct step *s, const struct spec_op *op) {
    size_t at = s->early ? place_behind(l->ops, op->ins[0].text) : l->ops->count;
    VEC_PUSH(l->ir->arena, *l->ops, *op);
    memmove(&l->ops->items[at + 1], &l->ops->items[at], sizeof *op * (l->ops->count - 1 - at));
    l->ops->items[at] = *op;
}

// Checks the composite's attributes like those of any operation.
static bool check_attrs(struct ir *ir, const struct spec_op *op, const struct ir_composite *of, struct diag *diag) {
    struct ir_op_attr known[IR_MAX_OP_ATTRS];
    struct ir_attrs attrs = {0};
    return model_lower_attrs(ir, &attrs, op, known, ir_attr_column(of->attributes, known), true, diag);
}

// Adds the steps of a composite to the operations of the region.
static void write_out(struct lowering *l, const struct ir_composite *of) {
    for (const char *p = of->steps; *p;) {
        struct step *s = ARENA_NEW(l->ir->arena, struct step);
        p = read_step(p, s);
        struct spec_op op = step_op(l, s, l->ir->arena);
        if (!is_made(l, s, &op)) put(l, s, &op);
    }
}

bool model_write_out(struct ir *ir, const struct spec_region *region, struct model_ops *ops, struct diag *diag) {
    bool ok = true;
    for (size_t o = 0; o < region->op_count; o++) {
        const struct spec_op *op = &region->ops[o];
        const struct ir_composite *of = ir_composite_find(op->op.text);
        bool legal = !of || (model_check_ports(ir, op, of->name, of->inputs, of->outputs, diag) &&
                             check_attrs(ir, op, of, diag));
        ok &= legal;
        if (of && legal) write_out(&(struct lowering){.ir = ir, .ops = ops, .op = op}, of);
        else VEC_PUSH(ir->arena, *ops, *op);
    }
    return ok;
}
