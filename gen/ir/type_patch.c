// SPDX-License-Identifier: Apache-2.0
// Type rule of `patch`: [h][w][c] becomes [rows of patches][patches of a row][taps * c].
#include "gen/ir/type_rules.h"

enum { MOST_AXES = IR_MAX_PATCHES };

static struct loc place(const struct ir_node *node, const char *key) {
    const struct ir_attr *attr = ir_attr_find(&node->attrs, key);
    return attr && attr->loc.source ? attr->loc : node->loc;
}

// Reads a list with `count` numbers from `least` on. An attribute that is not given leaves the numbers as they are.
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

// The attribute that is wrong; NULL: none.
static const char *read_attributes(const struct ir_node *node, int axes, struct ir_patch_axis axis[]) {
    int64_t taps[MOST_AXES] = {1, 1}, stride[MOST_AXES] = {1, 1}, dilation[MOST_AXES] = {1, 1},
            pads[2 * MOST_AXES] = {0};
    if (!read_list(node, "size", 1, axes, taps)) return "size";
    if (!read_list(node, "stride", 1, axes, stride)) return "stride";
    if (!read_list(node, "dilation", 1, axes, dilation)) return "dilation";
    if (!read_list(node, "pads", 0, 2 * axes, pads)) return "pads";
    for (int a = 0; a < axes; a++)
        axis[a] = (struct ir_patch_axis){
            .taps = taps[a], .stride = stride[a], .dilation = dilation[a], .before = pads[a], .after = pads[axes + a]};
    return NULL;
}

int ir_patch_axes(const struct ir *ir, const struct ir_node *node, struct ir_patch_axis axis[]) {
    const struct ir_tensor *in = &ir->tensor[node->in[0]];
    int64_t taps[MOST_AXES + 1];
    int axes = ir_attr_list(&node->attrs, "size", taps, MOST_AXES + 1);
    if (axes < 1 || axes > MOST_AXES || axes > in->rank || read_attributes(node, axes, axis)) return 0;
    for (int a = 0; a < axes; a++) {
        struct ir_patch_axis *x = &axis[a];
        int64_t span = (x->taps - 1) * x->dilation + 1;
        x->size = in->shape[a].bound;
        if (x->before >= span || x->after >= span || x->size + x->before + x->after < span) return 0;
        x->places = (x->size + x->before + x->after - span) / x->stride + 1;
    }
    return axes;
}

static bool wrong(const struct ir_node *node, const struct ir_tensor *in, const char *key, const char *why,
                  struct diag *diag) {
    diag_error(diag, place(node, key), MSG_PATCH, node->name, key, why, in->name);
    return false;
}

bool type_patch(struct ir *ir, struct ir_node *node, struct diag *diag) {
    const struct ir_tensor *in = &ir->tensor[node->in[0]];
    struct ir_tensor *out = &ir->tensor[node->out[0]];
    struct ir_patch_axis axis[MOST_AXES];
    int64_t taps[MOST_AXES + 1], elements = 1;
    if (!type_expect(ir, node, 0, IR_F32, diag)) return false;
    int axes = ir_attr_list(&node->attrs, "size", taps, MOST_AXES + 1);
    if (in->heads || axes < 1 || axes > MOST_AXES || axes > in->rank)
        return wrong(node, in, "size", "one or two extents, at most one for each dimension", diag);
    const char *key = read_attributes(node, axes, axis);
    if (key) return wrong(node, in, key, "as many positive numbers as `size`; `pads` as many before and behind", diag);
    if (ir_patch_axes(ir, node, axis) != axes)
        return wrong(node, in, "pads", "patches that fit into the padded tensor and reach its elements", diag);
    out->dtype = IR_F32;
    out->rank = axes + 1;
    for (int a = 0; a < axes; a++) {
        out->shape[a] = (struct ir_extent){axis[a].places, IR_STATIC};
        elements *= axis[a].taps;
    }
    for (int d = axes; d < in->rank; d++) elements *= in->shape[d].bound;
    out->shape[axes] = (struct ir_extent){elements, IR_STATIC};
    return true;
}
