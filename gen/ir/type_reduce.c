// SPDX-License-Identifier: Apache-2.0
// Type rule of `reduce`, which makes a sum, mean, maximum or minimum along dimensions, and the order in which the
// operation reads its operand (struct ir_reduction).
#include "gen/ir/type_rules.h"

#include <string.h>

enum {
    MOST_SUMMED = 65536,     // most elements of a sum or mean; wider sums do not fit rill_reduce
    MOST_ORDERED = 16777216, // most elements of a maximum or minimum
    MOST_KEPT = 65536        // most accumulators
};

bool type_wrong(const struct ir *ir, const struct ir_node *node, const char *key, const char *why, struct diag *diag) {
    const struct ir_attr *attr = ir_attr_find(&node->attrs, key);
    const struct ir_tensor *in = &ir->tensor[node->in[0]];
    diag_error(diag, attr && attr->loc.source ? attr->loc : node->loc, MSG_ARRANGE, ir_op_of(ir, node->op)->name,
               node->name, in->name, type_shape_text(ir->arena, in), key, why);
    return false;
}

// Returns the dimensions that `along` names, as a mask; without the attribute, the last dimension. Returns 0 if `along`
// is empty, names a dimension that the operand lacks, or names a dimension twice.
static int reduced_dims(const struct ir_node *node, const struct ir_tensor *in) {
    int64_t list[IR_MAX_RANK + 1];
    int count = ir_attr_list(&node->attrs, "along", list, IR_MAX_RANK + 1), mask = 0;
    if (!ir_attr_find(&node->attrs, "along")) return 1 << (in->rank - 1);
    for (int i = 0; i < count; i++) {
        if (list[i] < 0 || list[i] >= in->rank || mask >> list[i] & 1) return 0;
        mask |= 1 << list[i];
    }
    return mask;
}

// Appends the dimensions of a mask to order[], in order. Returns the new count.
static int append(int mask, int rank, int order[], int count) {
    for (int d = 0; d < rank; d++)
        if (mask >> d & 1) order[count++] = d;
    return count;
}

// Returns the product of the extents of the dimensions in a mask.
static int64_t product(const struct ir_tensor *t, int mask) {
    int64_t n = 1;
    for (int d = 0; d < t->rank; d++)
        if (mask >> d & 1) n *= t->shape[d].bound;
    return n;
}

bool ir_reduction(const struct ir *ir, const struct ir_node *node, struct ir_reduction *r) {
    const struct ir_tensor *in = &ir->tensor[node->in[0]];
    int64_t every = ir_attr_int(&node->attrs, "every", 0);
    int mask = in->rank < 1 || in->heads ? 0 : reduced_dims(node, in), all = (1 << in->rank) - 1, first = 0;
    if (!mask) return false;
    while (!(mask >> first & 1)) first++;
    // If the last dimension is reduced as a whole, the tensor is read vector by vector: all other dimensions are outer
    // loops. Otherwise, dimensions after the first reduced one are kept in accumulators.
    bool to_end = mask >> (in->rank - 1) & 1 && !every;
    int before = to_end ? all & ~mask : (1 << first) - 1, after = all & ~mask & ~before;
    if (every && (mask != 1 << (in->rank - 1) || in->shape[in->rank - 1].bound % every)) return false;
    *r = (struct ir_reduction){.mask = mask,
                               .every = every,
                               .groups = product(in, before),
                               .count = product(in, mask) / at_least(every, 1),
                               .keep = product(in, after) * at_least(every, 1)};
    r->across = r->keep == 1;
    int n = append(before | (r->across ? after : 0), in->rank, r->order, 0);
    n = append(mask, in->rank, r->order, n);
    append(r->across ? 0 : after, in->rank, r->order, n);
    return true;
}

// Checks the limits on the number of elements that become one and on the number of accumulators.
static bool check_sizes(const struct ir *ir, const struct ir_node *node, const struct ir_reduction *r,
                        struct diag *diag) {
    bool sums = ir_attr_choice(&node->attrs, "kind", SPEC_KIND_MAX) >= SPEC_KIND_SUM;
    int64_t most = sums ? MOST_SUMMED : MOST_ORDERED;
    if (r->count > most)
        return type_wrong(
            ir, node, "along",
            arena_printf(ir->arena, "joins %lld elements: at most %lld", (long long)r->count, (long long)most), diag);
    if (r->keep > MOST_KEPT)
        return type_wrong(
            ir, node, "along",
            arena_printf(ir->arena, "leaves %lld elements inside: at most %d", (long long)r->keep, MOST_KEPT), diag);
    return true;
}

bool type_reduce(struct ir *ir, struct ir_node *node, struct diag *diag) {
    const struct ir_tensor *in = &ir->tensor[node->in[0]];
    struct ir_tensor *out = &ir->tensor[node->out[0]];
    struct ir_reduction r;
    if (!type_expect(ir, node, 0, IR_F32, diag)) return false;
    if (!ir_reduction(ir, node, &r)) {
        const char *key = in->heads || !ir_attr_find(&node->attrs, "every") ? "along" : "every";
        type_note_heads(in, node, diag);
        return type_wrong(ir, node, key,
                          *key == 'e' ? "must divide the last dimension, which must be the only one in `along`"
                                      : "must name dimensions of it, each once",
                          diag);
    }
    if (!check_sizes(ir, node, &r, diag)) return false;
    out->dtype = IR_F32;
    out->rank = 0;
    for (int d = 0; d < in->rank; d++) {
        if (r.every && d == in->rank - 1) out->shape[out->rank++] = (struct ir_extent){r.every, IR_STATIC};
        else if (!(r.mask >> d & 1)) out->shape[out->rank++] = in->shape[d];
    }
    if (!out->rank) out->shape[out->rank++] = (struct ir_extent){1, IR_STATIC};
    return true;
}
