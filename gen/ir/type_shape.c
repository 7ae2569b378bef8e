// SPDX-License-Identifier: Apache-2.0
// Type rules of the operations that change the dimensions of a tensor: transpose and reshape.
#include "gen/ir/type_rules.h"

#include <string.h>

const char *type_shape_text(struct arena *arena, const struct ir_tensor *t) {
    const char *text = "";
    for (int d = 0; d < t->rank; d++)
        text = arena_printf(arena, "%s%s%lld", text, d ? ", " : "", (long long)t->shape[d].bound);
    return arena_printf(arena, "[%s]", text);
}

enum { MAX_DIMS = IR_MAX_RANK - 1 }; // of a tensor; its stream has one more, the token

// Returns the shape without brackets: 4, 5.
static const char *dims_text(const struct ir *ir, const struct ir_tensor *t) {
    const char *text = "";
    for (int d = 0; d < t->rank; d++)
        text = arena_printf(ir->arena, "%s%s%lld", text, d ? ", " : "", (long long)t->shape[d].bound);
    return text;
}

// Returns where the spec gives an attribute, or where it gives the operation if the attribute has its default.
static struct loc place(const struct ir_node *node, const char *key) {
    const struct ir_attr *attr = ir_attr_find(&node->attrs, key);
    return attr && attr->loc.source ? attr->loc : node->loc;
}

bool ir_permutation(const struct ir *ir, const struct ir_node *node, int perm[]) {
    const struct ir_tensor *in = &ir->tensor[node->in[0]];
    int64_t list[MAX_DIMS + 1];
    int count = ir_attr_list(&node->attrs, "perm", list, MAX_DIMS + 1), seen = 0;
    if (!ir_attr_find(&node->attrs, "perm")) { // by default, the last two dimensions are exchanged
        for (int d = 0; d < in->rank; d++) perm[d] = d < in->rank - 2 ? d : 2 * in->rank - 3 - d;
        return true;
    }
    if (count != in->rank) return false;
    for (int d = 0; d < count; d++) {
        if (list[d] < 0 || list[d] >= count || seen >> list[d] & 1) return false;
        seen |= 1 << list[d];
        perm[d] = (int)list[d];
    }
    return true;
}

bool type_transpose(struct ir *ir, struct ir_node *node, struct diag *diag) {
    const struct ir_tensor *in = &ir->tensor[node->in[0]];
    struct ir_tensor *out = &ir->tensor[node->out[0]];
    int perm[IR_MAX_RANK];
    if (!type_expect(ir, node, 0, IR_F32, diag)) return false;
    if (in->rank < 2 || in->heads) {
        diag_error(diag, node->loc, MSG_TRANSPOSE_RANK, node->name, in->name);
        type_note_heads(in, node, diag);
        return false;
    }
    if (!ir_permutation(ir, node, perm)) {
        diag_error(diag, place(node, "perm"), MSG_TRANSPOSE_PERM, node->name, in->name, in->rank - 1);
        return false;
    }
    out->dtype = IR_F32;
    out->rank = in->rank;
    for (int d = 0; d < in->rank; d++) out->shape[d] = in->shape[perm[d]];
    return true;
}

bool type_reshape(struct ir *ir, struct ir_node *node, struct diag *diag) {
    const struct ir_tensor *in = &ir->tensor[node->in[0]];
    struct ir_tensor *out = &ir->tensor[node->out[0]];
    int64_t shape[MAX_DIMS + 1], elements = 1;
    if (!type_expect(ir, node, 0, IR_F32, diag)) return false;
    int count = ir_attr_list(&node->attrs, "shape", shape, MAX_DIMS + 1);
    for (int d = 0; d < count; d++)
        elements = shape[d] < 1 || shape[d] > INT32_MAX || elements > INT32_MAX ? 0 : elements * shape[d];
    if (in->heads || count < 1 || count > MAX_DIMS || elements != ir_tensor_elements(in)) {
        diag_error(diag, place(node, "shape"), MSG_RESHAPE, node->name, MAX_DIMS, (long long)ir_tensor_elements(in),
                   in->name, dims_text(ir, in), in->heads ? ", which must have no heads" : "");
        type_note_heads(in, node, diag);
        return false;
    }
    out->dtype = IR_F32;
    out->rank = count;
    for (int d = 0; d < count; d++) out->shape[d] = (struct ir_extent){shape[d], IR_STATIC};
    return true;
}
