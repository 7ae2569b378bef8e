// SPDX-License-Identifier: Apache-2.0
// Type rule of `patch`, which cuts a tensor into patches that may overlap, as a convolution needs them. A tensor
// [h][w][c] becomes [rows of patches][patches of a row][elements of a patch * c].
#include "gen/ir/type_rules.h"

enum { MOST_AXES = IR_MAX_PATCHES };

// Returns where the spec gives an attribute, or where it gives the operation if the attribute has its default.
static struct loc place(const struct ir_node *node, const char *key) {
    const struct ir_attr *attr = ir_attr_find(&node->attrs, key);
    return attr && attr->loc.source ? attr->loc : node->loc;
}

// Reads a list of exactly `count` numbers of at least `least`. Without the attribute, value[] keeps its defaults.
// Returns false if the list has another length or a number out of range.
static bool read_list(const struct ir_node *node, const char *key, int64_t least, int count, int64_t value[]) {
    int64_t given[2 * MOST_AXES + 1];
    int n = ir_attr_list(&node->attrs, key, given, 2 * MOST_AXES + 1);
    if (!ir_attr_find(&node->attrs, key)) return true;
    if (n != count) return false;
    for (int i = 0; i < n; i++) {
        if (given[i] < least || given[i] > INT16_MAX) return false;
        value[i] = given[i];
    }
    return true;
}

// A finding: an attribute that is wrong, and why. key NULL: nothing is wrong.
struct finding {
    const char *key, *why;
};

// Reads the attributes of all axes into axis[], except `places`.
static struct finding read_attributes(const struct ir *ir, const struct ir_node *node, int axes,
                                      struct ir_patch_axis axis[]) {
    const char *positive =
        arena_printf(ir->arena, "must have %d positive number%s, as `size` has", axes, axes == 1 ? "" : "s");
    const char *pairs = arena_printf(
        ir->arena, "must have %d numbers from 0 on: those before each dimension, then those behind", 2 * axes);
    int64_t taps[MOST_AXES] = {1, 1}, stride[MOST_AXES] = {1, 1}, dilation[MOST_AXES] = {1, 1},
            pads[2 * MOST_AXES] = {0};
    if (!read_list(node, "size", 1, axes, taps)) return (struct finding){"size", "must have positive numbers"};
    if (!read_list(node, "stride", 1, axes, stride)) return (struct finding){"stride", positive};
    if (!read_list(node, "dilation", 1, axes, dilation)) return (struct finding){"dilation", positive};
    if (!read_list(node, "pads", 0, 2 * axes, pads)) return (struct finding){"pads", pairs};
    for (int a = 0; a < axes; a++)
        axis[a] = (struct ir_patch_axis){.size = ir->tensor[node->in[0]].shape[a].bound,
                                         .taps = taps[a],
                                         .stride = stride[a],
                                         .dilation = dilation[a],
                                         .before = pads[a],
                                         .after = pads[axes + a]};
    return (struct finding){0};
}

// Computes the number of patches along a dimension. Returns a finding if a patch could have padding only, or if no
// patch fits into the padded dimension.
static struct finding place_axis(const struct ir *ir, int dim, struct ir_patch_axis *x) {
    int64_t span = (x->taps - 1) * x->dilation + 1, all = x->size + x->before + x->after,
            most = x->before > x->after ? x->before : x->after;
    if (most >= span)
        return (struct finding){
            "pads", arena_printf(ir->arena, "has %lld for dimension %d, where a patch spans %lld: at most %lld",
                                 (long long)most, dim, (long long)span, (long long)span - 1)};
    if (all < span)
        return (struct finding){
            "size",
            arena_printf(ir->arena,
                         "makes patches that span %lld in dimension %d, which has %lld elements with its padding",
                         (long long)span, dim, (long long)all)};
    x->places = (all - span) / x->stride + 1;
    return (struct finding){0};
}

// Fills axis[] from the attributes. Returns the first finding.
static struct finding read_axes(const struct ir *ir, const struct ir_node *node, int axes,
                                struct ir_patch_axis axis[]) {
    struct finding found = read_attributes(ir, node, axes, axis);
    for (int a = 0; a < axes && !found.key; a++) found = place_axis(ir, a, &axis[a]);
    return found;
}

// Returns the number of dimensions that are cut, one for each number of `size`. Returns 0 if `size` does not have one
// or two numbers or has more numbers than the operand has dimensions, or if the operand has heads.
static int axes_of(const struct ir *ir, const struct ir_node *node) {
    const struct ir_tensor *in = &ir->tensor[node->in[0]];
    int64_t taps[MOST_AXES + 1];
    int axes = ir_attr_list(&node->attrs, "size", taps, MOST_AXES + 1);
    return axes >= 1 && axes <= MOST_AXES && axes <= in->rank && !in->heads ? axes : 0;
}

int ir_patch_axes(const struct ir *ir, const struct ir_node *node, struct ir_patch_axis axis[]) {
    int axes = axes_of(ir, node);
    return axes && !read_axes(ir, node, axes, axis).key ? axes : 0;
}

// Reports a finding. Returns false.
static bool wrong(const struct ir *ir, const struct ir_node *node, struct finding found, struct diag *diag) {
    const struct ir_tensor *in = &ir->tensor[node->in[0]];
    diag_error(diag, place(node, found.key), MSG_PATCH, node->name, in->name, type_shape_text(ir->arena, in), found.key,
               found.why);
    return false;
}

bool type_patch(struct ir *ir, struct ir_node *node, struct diag *diag) {
    const struct ir_tensor *in = &ir->tensor[node->in[0]];
    struct ir_tensor *out = &ir->tensor[node->out[0]];
    struct ir_patch_axis axis[MOST_AXES];
    int64_t elements = 1;
    int axes = axes_of(ir, node);
    if (!type_expect(ir, node, 0, IR_F32, diag)) return false;
    if (!axes)
        return wrong(ir, node, (struct finding){"size", "must have one or two numbers, at most one for each dimension"},
                     diag);
    struct finding found = read_axes(ir, node, axes, axis);
    if (found.key) return wrong(ir, node, found, diag);
    out->dtype = IR_F32;
    out->rank = axes + 1;
    for (int d = axes; d < in->rank; d++) elements *= in->shape[d].bound;
    double all = (double)elements;
    for (int a = 0; a < axes; a++) {
        out->shape[a] = (struct ir_extent){axis[a].places, IR_STATIC};
        elements *= axis[a].taps;
        all *= (double)axis[a].taps * (double)axis[a].places;
    }
    if (all > INT32_MAX)
        return wrong(ir, node, (struct finding){"size", "makes more than 2^31 - 1 elements of patches"}, diag);
    out->shape[axes] = (struct ir_extent){elements, IR_STATIC};
    return true;
}
