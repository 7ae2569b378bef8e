// SPDX-License-Identifier: Apache-2.0
// Type rules of the operations that repeat, drop or join parts of tensors: expand, slice, concat. They also work out
// how these operations walk their operands (ir_expansion and ir_inside of gen/ir/ops.h).
#include "gen/ir/type_rules.h"

#include <string.h>

enum { MAX_DIMS = IR_MAX_RANK - 1 }; // of a tensor; its stream has one more, the token

// Checks that all operands are fp32 and are not divided into heads. key: the attribute that the message about heads
// names.
static bool expect_whole(const struct ir *ir, const struct ir_node *node, const char *key, struct diag *diag) {
    for (int i = 0; i < node->inputs; i++) {
        if (!type_expect(ir, node, i, IR_F32, diag)) return false;
        if (!ir->tensor[node->in[i]].heads) continue;
        type_note_heads(&ir->tensor[node->in[i]], node, diag);
        return type_wrong(ir, node, key, "works on tensors without heads", diag);
    }
    return true;
}

// ---- expand ----

bool ir_expansion(const struct ir *ir, const struct ir_node *node, int from[]) {
    const struct ir_tensor *in = &ir->tensor[node->in[0]];
    int64_t shape[MAX_DIMS + 1];
    int rank = ir_attr_list(&node->attrs, "shape", shape, MAX_DIMS + 1);
    double all = 1;
    if (rank < in->rank || rank > MAX_DIMS || in->heads) return false;
    for (int d = 0; d < rank; d++) {
        int of = d - (rank - in->rank); // shapes are aligned at the last dimension
        int64_t extent = of < 0 ? 1 : in->shape[of].bound;
        if (shape[d] < 1 || shape[d] > INT32_MAX || (extent != 1 && extent != shape[d])) return false;
        from[d] = of >= 0 && (extent > 1 || shape[d] == 1) ? of : IR_NONE;
        all *= (double)shape[d];
    }
    return all <= INT32_MAX;
}

bool ir_spreads(const struct ir *ir, const struct ir_node *node) {
    const struct ir_tensor *out = &ir->tensor[node->out[0]];
    int from[IR_MAX_RANK];
    return ir_expansion(ir, node, from) && out->shape[out->rank - 1].bound > 1 && from[out->rank - 1] == IR_NONE;
}

bool type_expand(struct ir *ir, struct ir_node *node, struct diag *diag) {
    struct ir_tensor *out = &ir->tensor[node->out[0]];
    int64_t shape[MAX_DIMS + 1];
    int from[IR_MAX_RANK];
    if (!expect_whole(ir, node, "shape", diag)) return false;
    if (!ir_expansion(ir, node, from))
        return type_wrong(ir, node, "shape",
                          "must have up to 3 extents, the last ones as the operand has them, or any where it has 1",
                          diag);
    out->dtype = IR_F32;
    out->rank = ir_attr_list(&node->attrs, "shape", shape, MAX_DIMS + 1);
    for (int d = 0; d < out->rank; d++) out->shape[d] = (struct ir_extent){shape[d], IR_STATIC};
    return true;
}

// ---- slice and concat ----

static int along_of(const struct ir_node *node) { return (int)ir_attr_int(&node->attrs, "along", 0); }

// Checks that the first operand has the dimension that `along` names.
static bool has_dimension(const struct ir *ir, const struct ir_node *node, struct diag *diag) {
    if (along_of(node) < ir->tensor[node->in[0]].rank) return true;
    return type_wrong(ir, node, "along", "must be a dimension of it", diag);
}

bool type_slice(struct ir *ir, struct ir_node *node, struct diag *diag) {
    struct ir_tensor *in = &ir->tensor[node->in[0]], *out = &ir->tensor[node->out[0]];
    int64_t start = ir_attr_int(&node->attrs, "start", 0), count = ir_attr_int(&node->attrs, "count", 1),
            step = ir_attr_int(&node->attrs, "step", 1);
    if (!expect_whole(ir, node, "along", diag) || !has_dimension(ir, node, diag)) return false;
    int64_t extent = in->shape[along_of(node)].bound;
    if (start + (count - 1) * step >= extent)
        return type_wrong(ir, node, "count",
                          arena_printf(ir->arena, "takes element %lld of dimension %d, which has %lld",
                                       (long long)(start + (count - 1) * step), along_of(node), (long long)extent),
                          diag);
    out->dtype = IR_F32;
    out->rank = in->rank;
    memcpy(out->shape, in->shape, sizeof out->shape);
    out->shape[along_of(node)].bound = count;
    return true;
}

bool type_concat(struct ir *ir, struct ir_node *node, struct diag *diag) {
    struct ir_tensor *a = &ir->tensor[node->in[0]], *b = &ir->tensor[node->in[1]], *out = &ir->tensor[node->out[0]];
    if (!expect_whole(ir, node, "along", diag) || !has_dimension(ir, node, diag)) return false;
    bool fits = a->rank == b->rank;
    for (int d = 0; fits && d < a->rank; d++) fits = d == along_of(node) || a->shape[d].bound == b->shape[d].bound;
    if (!fits)
        return type_wrong(ir, node, "along",
                          arena_printf(ir->arena, "must be the only dimension in which `%s` %s differs from it",
                                       b->name, type_shape_text(ir->arena, b)),
                          diag);
    out->dtype = IR_F32;
    out->rank = a->rank;
    memcpy(out->shape, a->shape, sizeof out->shape);
    out->shape[along_of(node)].bound += b->shape[along_of(node)].bound;
    return true;
}

int64_t ir_inside(const struct ir *ir, const struct ir_node *node) {
    const struct ir_tensor *t = &ir->tensor[node->in[0]];
    int64_t n = 1;
    for (int d = along_of(node) + 1; d < t->rank; d++) n *= t->shape[d].bound;
    return n;
}
