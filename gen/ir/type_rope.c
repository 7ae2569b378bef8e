// SPDX-License-Identifier: Apache-2.0
// Type rules of rotary embedding: `rope_table`, which gives cosines and sines by position, and `rope`, which rotates
// pairs of elements by them.
#include <string.h>

#include "gen/ir/type_rules.h"

// Returns where the spec gives an attribute, or where it gives the operation if the attribute has its default.
static struct loc place(const struct ir_node *node, const char *key) {
    const struct ir_attr *attr = ir_attr_find(&node->attrs, key);
    return attr && attr->loc.source ? attr->loc : node->loc;
}

// ---- rope_table ----

// Reports what is wrong with an attribute, and adds a note. Returns false.
static bool refuse(const struct ir_node *node, const char *key, const char *what, const char *note, struct diag *diag) {
    diag_error_about(diag, place(node, key), what, "rope_table `%s`: ", node->name);
    diag_note(diag, place(node, key), "%s", note);
    return false;
}

// Checks that `scaling` is a known word. `dynamic` gets a separate message, because it is a known method that Rill does
// not support.
static bool check_scaling(const struct ir *ir, const struct ir_node *node, struct diag *diag) {
    static const char *const words[] = {"none", "linear", "llama3", "yarn"};
    const char *scaling = ir_attr_string(&node->attrs, "scaling", "none");
    if (ir_attr_choice(&node->attrs, "scaling", SPEC_PLAIN) >= 0) return true;
    if (!strcmp(scaling, "dynamic"))
        return refuse(node, "scaling", MSG_ROPE_DYNAMIC, "`yarn` and `linear` stretch the angles for all lengths alike",
                      diag);
    const char *near = diag_nearest_word(scaling, words, COUNT_OF(words));
    return refuse(node, "scaling", arena_printf(ir->arena, MSG_ROPE_SCALING, scaling),
                  near ? arena_printf(ir->arena, "did you mean `%s`?", near) : "docs/numerics.md section 9 has them",
                  diag);
}

// Checks that the attribute `key` is above the attribute `other`.
static bool check_above(const struct ir *ir, const struct ir_node *node, const char *key, const char *other,
                        struct diag *diag) {
    double value = ir_attr_float(&node->attrs, key, 0), least = ir_attr_float(&node->attrs, other, 0);
    return value > least || refuse(node, key, arena_printf(ir->arena, MSG_ROPE_ORDER, key, other, least),
                                   arena_printf(ir->arena, "it is %g", value), diag);
}

// Checks the numbers of the scaling: `factor` needs a `scaling`, and ranges must not be empty.
static bool check_figures(const struct ir *ir, const struct ir_node *node, struct diag *diag) {
    bool plain = ir_attr_choice(&node->attrs, "scaling", SPEC_PLAIN) == SPEC_PLAIN;
    if (plain && ir_attr_float(&node->attrs, "factor", 1) != 1)
        return refuse(node, "factor", MSG_ROPE_FACTOR, "`scaling: linear` divides all angles by it", diag);
    return check_above(ir, node, "high_freq_factor", "low_freq_factor", diag) &&
           check_above(ir, node, "beta_fast", "beta_slow", diag);
}

bool type_rope_table(struct ir *ir, struct ir_node *node, struct diag *diag) {
    int64_t cols = ir_attr_int(&node->attrs, "cols", 0);
    if (cols % 2)
        return refuse(node, "cols", arena_printf(ir->arena, MSG_ROPE_COLUMNS, (long long)cols),
                      arena_printf(ir->arena, "the nearest legal value is %lld", (long long)cols + 1), diag);
    return check_scaling(ir, node, diag) && check_figures(ir, node, diag) && type_position(ir, node, diag);
}

// ---- rope ----

// Checks that a tensor is not divided into heads. If it were, its stream would have one firing per head, but rill_rope
// expects one firing for all heads.
static bool is_whole(const struct ir *ir, const struct ir_node *node, const struct ir_tensor *t, struct diag *diag) {
    if (!t->heads) return true;
    diag_error(diag, node->loc, MSG_INPUT_HEADS, ir_op_of(ir, node->op)->name, node->name, t->name);
    type_note_heads(t, node, diag);
    return false;
}

// Checks that `heads` divides the number of elements, n.
static bool check_heads(const struct ir *ir, const struct ir_node *node, int64_t n, struct diag *diag) {
    int64_t heads = ir_attr_int(&node->attrs, "heads", 1), near = heads;
    if (n % heads == 0) return true;
    while (n % near) near--;
    diag_error(diag, place(node, "heads"), MSG_ROPE_HEADS, node->name, ir->tensor[node->in[0]].name, (long long)n,
               (long long)heads);
    diag_note(diag, place(node, "heads"), "the nearest legal value is %lld", (long long)near);
    return false;
}

// Checks that the table's row, which has the cosines and then the sines, has an even number of elements and is at most
// as long as a head.
static bool check_row(const struct ir *ir, const struct ir_node *node, int64_t head, struct diag *diag) {
    const struct ir_tensor *row = &ir->tensor[node->in[1]];
    int64_t n = ir_tensor_elements(row);
    if (n % 2 == 0 && n <= head && n > 0) return true;
    diag_error(diag, node->loc, MSG_ROPE_ROW, node->name, row->name, (long long)n, (long long)head);
    if (head > 1) diag_note(diag, node->loc, "at most %lld", (long long)(head - head % 2));
    return false;
}

bool type_rope(struct ir *ir, struct ir_node *node, struct diag *diag) {
    const struct ir_tensor *x = &ir->tensor[node->in[0]], *row = &ir->tensor[node->in[1]];
    struct ir_tensor *out = &ir->tensor[node->out[0]];
    if (!type_expect(ir, node, 0, IR_F32, diag) || !type_expect(ir, node, 1, IR_F32, diag) ||
        !is_whole(ir, node, x, diag) || !is_whole(ir, node, row, diag))
        return false;
    int64_t n = ir_tensor_elements(x);
    if (!check_heads(ir, node, n, diag) || !check_row(ir, node, n / ir_attr_int(&node->attrs, "heads", 1), diag))
        return false;
    out->dtype = IR_F32;
    out->rank = x->rank;
    memcpy(out->shape, x->shape, sizeof x->shape);
    return true;
}
