// SPDX-License-Identifier: Apache-2.0
// Part of expand-model: chooses formats of weights by the names of their tensors, if `design.weights` is a map from
// patterns to formats. The last pattern (rule) that fits decides. A format that the operation itself gives, or
// `design.head`, takes precedence.
#include <string.h>

#include "gen/ir/names.h"
#include "gen/ir/ops.h"
#include "gen/pass/pass.h"

struct formats {
    struct ir *ir;
    const struct spec_design *design;
    struct diag *diag;
    bool *used; // per rule: it fits a tensor whose format the rules decide
};

// ---- patterns ----

static int least(int a, int b) { return a < b ? a : b; }

// Returns the edit distance between the pattern and the name, where `*` matches any text. 0: the pattern fits.
static int distance(struct arena *arena, const char *pattern, const char *name) {
    struct arena_mark mark = arena_mark(arena);
    size_t n = strlen(name);
    int *d = ARENA_ARRAY(arena, int, n + 1); // distance from the pattern so far to each prefix of the name
    for (size_t j = 0; j <= n; j++) d[j] = (int)j;
    for (; *pattern; pattern++) {
        bool any = *pattern == '*';
        int corner = d[0]; // the distance before this character of the pattern and before the latest one of the name
        d[0] += !any;
        for (size_t j = 1; j <= n; j++) {
            int above = d[j], change = corner + (*pattern != name[j - 1]);
            d[j] = any ? least(above, d[j - 1]) : least(change, least(above, d[j - 1]) + 1);
            corner = above;
        }
    }
    int result = d[n];
    arena_release(arena, mark);
    return result;
}

// Returns the distance between the pattern and the name, with or without the checkpoint's prefix, whichever is less.
static int distance_of_name(const struct formats *f, const char *pattern, const char *name) {
    struct arena *a = f->ir->arena;
    int plain = distance(a, pattern, name);
    if (!plain || !f->ir->prefix) return plain;
    struct arena_mark mark = arena_mark(a);
    int whole = distance(a, pattern, arena_printf(a, "%s%s", f->ir->prefix, name));
    arena_release(a, mark);
    return least(plain, whole);
}

static const char *name_of(const struct formats *f, const struct ir_node *node, int64_t repetition) {
    return names_in(f->ir->arena, ir_attr_string(&node->attrs, "weight", ""), repetition);
}

// Returns the index of the last rule that fits, which decides. If none fits, it returns design->rules, and the default
// format decides. Marks every rule that fits as used.
static size_t rule_of(struct formats *f, const char *name) {
    size_t rule = f->design->rules;
    for (size_t i = 0; i < f->design->rules; i++)
        if (!distance_of_name(f, f->design->rule[i].pattern, name)) f->used[i] = true, rule = i;
    return rule;
}

static int format_of(const struct formats *f, size_t rule) {
    return rule < f->design->rules ? f->design->rule[rule].format : f->design->weights;
}

// ---- operations ----

// Whether the rules decide the format of this operation's weights.
static bool is_decided(const struct formats *f, const struct ir_node *node) {
    return ir_op_is(f->ir, node->op, OP_BY_WEIGHTS) && !ir_attr_find(&node->attrs, "weights");
}

// Reports that the weights of an operation have different formats in different repetitions. All repetitions use the
// same hardware, so their weights need one layout. rule: the rules that decide in repetition 0 and in `repetition`.
// Returns false.
static bool refuse_repetition(const struct formats *f, const struct ir_node *node, const size_t rule[2],
                              int64_t repetition) {
    const struct ir_region *region = &f->ir->region[node->region];
    size_t last = rule[1] < f->design->rules ? rule[1] : rule[0];
    diag_error(f->diag, f->design->rule[last].loc, MSG_FORMAT_DIFFERS, name_of(f, node, 0),
               spec_format_name(format_of(f, rule[0])), name_of(f, node, repetition),
               spec_format_name(format_of(f, rule[1])), region->name);
    diag_note(f->diag, f->design->rule[last].loc, "`%s` reads them; a `*` in place of the number fits all of them",
              node->name);
    return false;
}

// Sets the format of an operation's weights by the rules. Returns false after an error: repetitions have different
// formats.
static bool choose(struct formats *f, struct ir_node *node) {
    int64_t repeat = f->ir->region[node->region].repeat;
    size_t rule[2] = {rule_of(f, name_of(f, node, 0))};
    for (int64_t r = 1; r < repeat; r++) {
        rule[1] = rule_of(f, name_of(f, node, r));
        if (format_of(f, rule[1]) != format_of(f, rule[0])) return refuse_repetition(f, node, rule, r);
    }
    int format = format_of(f, rule[0]);
    ir_attr_set_word(f->ir, &node->attrs, "weights", format, spec_format_name(format));
    return true;
}

// ---- unused patterns ----

// Returns the product whose weight name in repetition 0 is nearest to the pattern, and sets *far to their distance (0:
// the pattern fits). A product that gives its own format (`own`) is considered only if the pattern fits its name,
// because its name would be no useful suggestion. Returns NULL if there is no such product.
static const struct ir_node *nearest(const struct formats *f, const bool own[], const char *pattern, int *far) {
    const struct ir_node *best = NULL;
    for (int n = 0; n < f->ir->nodes; n++) {
        const struct ir_node *node = &f->ir->node[n];
        if (!ir_op_is(f->ir, node->op, OP_BY_WEIGHTS)) continue;
        int d = distance_of_name(f, pattern, name_of(f, node, 0));
        if (d && own[n]) continue; // not a name to suggest
        if (!best || d < *far) best = node, *far = d;
    }
    return best;
}

// Reports a rule that decides no format, because all tensors that it fits have a format already, or because it fits
// none.
static void refuse_unused(const struct formats *f, const bool own[], const struct spec_format_rule *rule) {
    int far = 0;
    const struct ir_node *node = nearest(f, own, rule->pattern, &far);
    if (node && !far) {
        diag_error(f->diag, rule->loc, MSG_FORMAT_GIVEN, rule->pattern, name_of(f, node, 0));
        diag_note(f->diag, rule->loc, "`%s` uses it; its own `weights`, or `design.head`, decides", node->name);
        return;
    }
    diag_error(f->diag, rule->loc, MSG_FORMAT_UNUSED, rule->pattern);
    if (node) diag_note(f->diag, rule->loc, "the nearest name is `%s`", name_of(f, node, 0));
}

bool choose_formats(struct ir *ir, const struct rill_spec *spec, struct diag *diag) {
    struct formats f = {.ir = ir, .design = &spec->design, .diag = diag};
    bool ok = true;
    bool *own = ARENA_ARRAY(ir->arena, bool, (size_t)ir->nodes + 1); // [node]: gives its format itself
    if (!spec->design.rules) return true;
    f.used = ARENA_ARRAY(ir->arena, bool, spec->design.rules);
    for (int n = 0; ok && n < ir->nodes; n++) {
        own[n] = ir_attr_find(&ir->node[n].attrs, "weights") != NULL;
        if (is_decided(&f, &ir->node[n])) ok = choose(&f, &ir->node[n]);
    }
    for (size_t i = 0; ok && i < spec->design.rules; i++)
        if (!f.used[i]) refuse_unused(&f, own, &spec->design.rule[i]);
    return ok && !diag_failed(diag);
}
