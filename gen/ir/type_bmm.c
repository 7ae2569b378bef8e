// SPDX-License-Identifier: Apache-2.0
// Type rule of `bmm`, the product of two tensors as batches of matrices, and how it reads its operands
// (ir_contraction).
#include "gen/ir/type_rules.h"

enum { MOST_SUMMED = 65536 }; // most products in a sum: the largest N of rill_bmm

bool ir_contraction(const struct ir *ir, const struct ir_node *node, struct ir_contraction *c) {
    const struct ir_tensor *a = &ir->tensor[node->in[0]], *b = &ir->tensor[node->in[1]];
    int rank = a->rank, turned = ir_attr_int(&node->attrs, "transpose", 0) != 0;
    if (rank < 2 || rank >= IR_MAX_RANK || b->rank != rank || a->heads || b->heads) return false;
    *c = (struct ir_contraction){.batches = rank > 2 ? a->shape[0].bound : 1,
                                 .row = {rank - 2, turned ? rank - 2 : rank - 1},
                                 .column = {rank - 1, turned ? rank - 1 : rank - 2}};
    c->m = a->shape[c->row[0]].bound;
    c->n = b->shape[c->row[1]].bound;
    c->k = a->shape[c->column[0]].bound;
    return b->shape[c->column[1]].bound == c->k && (rank == 2 || b->shape[0].bound == c->batches);
}

int64_t ir_bmm_rows(const struct ir *ir, const struct ir_node *node) {
    struct ir_contraction c;
    int64_t rows = 1;
    if (!ir_contraction(ir, node, &c)) return 1;
    while (2 * rows <= ir->design.bmm_rows && c.m % (2 * rows) == 0) rows *= 2;
    return rows;
}

int64_t ir_bmm_words(const struct ir *ir, const struct ir_node *node) {
    struct ir_contraction c;
    if (!ir_contraction(ir, node, &c)) return 0;
    return c.batches * (c.m / ir_bmm_rows(ir, node)) * c.n * (c.k / ir_node_lanes(ir, (int)(node - ir->node)));
}

// Checks the number of products in a sum and the number of elements of the result.
static bool check_sizes(const struct ir *ir, const struct ir_node *node, const struct ir_contraction *c,
                        struct diag *diag) {
    const struct ir_tensor *a = &ir->tensor[node->in[0]];
    if (c->k > MOST_SUMMED)
        return type_wrong(
            ir, node, a->name,
            arena_printf(ir->arena, "gives sums of %lld products: at most %d", (long long)c->k, MOST_SUMMED), diag);
    if ((double)c->batches * (double)c->m * (double)c->n > INT32_MAX)
        return type_wrong(ir, node, a->name, "gives a result of more than 2147483647 elements", diag);
    return true;
}

// Reports why the two operands cannot be multiplied. Returns false.
static bool refuse(const struct ir *ir, const struct ir_node *node, struct diag *diag) {
    const struct ir_tensor *a = &ir->tensor[node->in[0]], *b = &ir->tensor[node->in[1]];
    const char *shape = type_shape_text(ir->arena, b), *why;
    type_note_heads(a->heads ? a : b, node, diag);
    if (a->heads || b->heads) why = arena_printf(ir->arena, "%s and it must have no heads", shape);
    else if (a->rank < 2) why = arena_printf(ir->arena, "%s and it must both have 2 or both 3 dimensions", shape);
    else {
        long long k = (long long)a->shape[a->rank - 1].bound;
        const char *all =
            a->rank == 2 ? "" : arena_printf(ir->arena, ", in each of %lld matrices", (long long)a->shape[0].bound);
        why = arena_printf(ir->arena, "%s must have %lld rows, or rows of %lld elements with `transpose: 1`%s", shape,
                           k, k, all);
    }
    return type_wrong(ir, node, b->name, why, diag);
}

bool type_bmm(struct ir *ir, struct ir_node *node, struct diag *diag) {
    struct ir_tensor *out = &ir->tensor[node->out[0]];
    struct ir_contraction c;
    if (!type_expect(ir, node, 0, IR_F32, diag) || !type_expect(ir, node, 1, IR_F32, diag)) return false;
    if (!ir_contraction(ir, node, &c)) return refuse(ir, node, diag);
    if (!check_sizes(ir, node, &c, diag)) return false;
    out->dtype = IR_F32;
    out->rank = 0;
    if (ir->tensor[node->in[0]].rank > 2) out->shape[out->rank++] = (struct ir_extent){c.batches, IR_STATIC};
    out->shape[out->rank++] = (struct ir_extent){c.m, IR_STATIC};
    out->shape[out->rank++] = (struct ir_extent){c.n, IR_STATIC};
    return true;
}
