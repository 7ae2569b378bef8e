// SPDX-License-Identifier: Apache-2.0
// choose-lanes: chooses the number of fp32 lanes of every operation's kernel. It is the number that the spec gives for
// the operation, else its share of the budget `unroll`, else the design's `lanes`. The number is halved until each row
// that is a separate firing, or that is not read in row-major order, is a whole number of words (docs/passes.md).
#include <string.h>

#include "gen/bind/bind.h"
#include "gen/ir/layout.h"
#include "gen/kernel/kernel.h"
#include "gen/ir/ops.h"
#include "gen/pass/pass.h"
#include "gen/kernel/ports.h"

// Returns the lanes, halved until they divide the number `divides`.
static int dividing(int lanes, int64_t divides) {
    while (lanes > 1 && divides % lanes) lanes /= 2;
    return lanes;
}

// Returns the lanes, halved until no word extends past the end of a row that is a separate firing, or whose tensor is
// not walked in row-major order. Words must also not extend past a unit that the kernel takes as a whole
// (kernel_class.whole).
static int whole_words(const struct ir *ir, const struct ir_node *node, int lanes) {
    bool cut = ir_op_is(ir, node->op, OP_ALONG | OP_ROWS);
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < (side ? node->outputs : node->inputs); i++) {
            const struct ir_tensor *t = &ir->tensor[side ? node->out[i] : node->in[i]];
            int order[IR_MAX_RANK];
            bool moved = cut;
            if (!ports_is_array(t)) continue;
            ports_order(ir, node, side == 1, t->rank, order);
            for (int d = 0; d < t->rank; d++) moved |= order[d] != d;
            if (moved) lanes = dividing(lanes, t->shape[order[t->rank - 1]].bound);
        }
    const struct kernel_class *class = kernel_of_op(ir, node->op);
    return class->whole ? dividing(lanes, class->whole(ir, node)) : lanes;
}

// Checks that the kernel supports this number of lanes.
static bool check_legal(const struct ir *ir, const struct ir_node *node, int lanes, struct loc loc, struct diag *diag) {
    int near = kernel_lanes(kernel_of_op(ir, node->op), lanes);
    if (near == lanes) return true;
    diag_error(diag, loc, MSG_KERNEL_LANES, ir_op_of(ir, node->op)->name, node->name, lanes);
    diag_note(diag, loc, "the nearest legal value is %d", near);
    return false;
}

// Reads the lanes that the spec gives for an operation. If it gives none, takes the design's, or the nearest number
// that the kernel supports (kernel_lanes). Returns false after an error.
static bool read_lanes(const struct ir *ir, const struct ir_node *node, int *lanes, struct diag *diag) {
    const struct ir_attr *attr = ir_attr_find(&node->attrs, "lanes");
    *lanes = kernel_lanes(kernel_of_op(ir, node->op), ir->design.lanes);
    if (!attr) return true;
    struct loc loc = attr->loc.source ? attr->loc : node->loc;
    if (ir_op_is(ir, node->op, OP_ON_ENGINE)) {
        diag_error(diag, loc, MSG_ENGINE_LANES, ir_op_of(ir, node->op)->name, node->name);
        return false;
    }
    if (attr->i < 1 || attr->i > 32 || (attr->i & (attr->i - 1))) {
        int64_t near = 1;
        while (near < 32 && near * 2 <= attr->i) near *= 2;
        diag_error(diag, loc, MSG_LANES_CHOICE, node->name, (long long)attr->i);
        diag_note(diag, loc, "the nearest legal value is %lld", (long long)near);
        return false;
    }
    *lanes = (int)attr->i;
    return check_legal(ir, node, *lanes, loc, diag);
}

// Whether an operand has rows that grow with the positions.
static bool grows(const struct ir *ir, const struct ir_node *node) {
    for (int i = 0; i < node->inputs; i++)
        if (ir->tensor[node->in[i]].rank == 2 && ir->tensor[node->in[i]].shape[1].dynamic == IR_POSITIONS) return true;
    return false;
}

// Checks the lanes that the spec gives for an operation: a quantizer's blocks and attention heads must be whole numbers
// of words, and operands that grow with the positions need the design's number.
static bool check_lanes(const struct ir *ir, const struct ir_node *node, int lanes, struct diag *diag) {
    const struct ir_tensor *out = &ir->tensor[node->out[0]];
    int64_t whole = out->dtype == IR_MX ? out->block : out->dtype == IR_KV ? out->shape[1].bound : 0;
    for (int i = 0; i < node->inputs; i++)
        if (ir->tensor[node->in[i]].heads && ir->tensor[node->in[i]].shape[1].dynamic == IR_STATIC)
            whole = ir->tensor[node->in[i]].shape[1].bound;
    const struct ir_attr *attr = ir_attr_find(&node->attrs, "lanes");
    struct loc loc = attr && attr->loc.source ? attr->loc : node->loc;
    if (grows(ir, node) && lanes != ir->design.lanes) {
        diag_error(diag, loc, MSG_LANES_OF_DESIGN, node->name, ir->design.lanes);
        return false;
    }
    if (!whole || whole % lanes == 0) return true;
    diag_error(diag, loc, MSG_LANES_DIVIDE, node->name, lanes, (long long)whole);
    diag_note(diag, loc, "the nearest legal value is %d", dividing(lanes, whole));
    return false;
}

// ---- a budget of lanes, given to the slowest operations ----

enum { MOST_LANES = 32 }; // most lanes of a kernel

struct share { // the state of the distribution
    struct ir *ir;
    int *group;     // per node: the first node of its group; IR_NONE: its lanes are fixed
    int64_t budget; // lanes that are left to distribute
};

// Whether the budget decides the lanes of this operation. Its operands are fp32 (a `quantize` is included), its kernel
// supports every power of two up to MOST_LANES, its operands are not heads of attention and do not grow with the
// positions, and the spec gives no lanes for it.
static bool is_free(const struct ir *ir, const struct ir_node *node) {
    bool any = ir_op_is(ir, node->op, OP_FOLLOWS | OP_ALONG | OP_ROWS | OP_MOVES | OP_REDUCES | OP_CONTRACTS);
    int lanes = kernel_of_op(ir, node->op)->lanes;
    any &= lanes == 0 || lanes == 2 * MOST_LANES - 1; // the mask of all powers of two
    for (int i = 0; i < node->inputs; i++) any &= !ir->tensor[node->in[i]].heads;
    return any && !ir_attr_find(&node->attrs, "lanes") && !grows(ir, node);
}

// Returns the cycles per token that the operation needs with one lane, over all repetitions.
static int64_t cycles_alone(const struct ir *ir, const struct ir_node *node) {
    struct ir_contraction c;
    if (ir_op_is(ir, node->op, OP_CONTRACTS) && ir_contraction(ir, node, &c))
        return c.batches * c.m * c.n * c.k / ir_bmm_rows(ir, node) * ir->region[node->region].repeat;
    return ir_tensor_elements(&ir->tensor[node->in[0]]) * ir->region[node->region].repeat;
}

// Forms the groups: connected free operations with equal work get equal lanes, so that no converter is needed between
// them.
static void find_groups(struct share *s) {
    struct ir *ir = s->ir;
    for (int n = 0; n < ir->nodes; n++) {
        const struct ir_node *node = &ir->node[n];
        s->group[n] = is_free(ir, node) ? n : IR_NONE;
        for (int i = 0; s->group[n] != IR_NONE && i < node->inputs; i++) {
            int p = ir->tensor[node->in[i]].producer;
            if (p == IR_NONE || s->group[p] == IR_NONE || cycles_alone(ir, &ir->node[p]) != cycles_alone(ir, node))
                continue;
            int from = s->group[n] > s->group[p] ? s->group[n] : s->group[p], to = s->group[n] + s->group[p] - from;
            for (int m = 0; m <= n; m++)
                if (s->group[m] == from) s->group[m] = to;
        }
    }
}

// Returns the most lanes that are useful after a product with weights: enough for twice as many elements per cycle as
// the engine makes with all channels and no stalls. Returns MOST_LANES after any other operation.
static int64_t lanes_behind(const struct ir *ir, int node) {
    const struct ir_node *product = &ir->node[node];
    while (!ir_op_is(ir, product->op, OP_PRODUCT) && ir->tensor[product->in[0]].producer != IR_NONE)
        product = &ir->node[ir->tensor[product->in[0]].producer];
    if (!ir_op_is(ir, product->op, OP_BY_WEIGHTS)) return MOST_LANES;
    struct layout_matrix m =
        layout_matrix(&ir->design, ir->design.channels, 1, ir_vector_length(ir, product), layout_format(product));
    int64_t lanes = 1;
    while (lanes < MOST_LANES && lanes * m.beats < 2 * (int64_t)ir->design.channels * ir->design.copies) lanes *= 2;
    return lanes;
}

// Returns the beats of weights that each engine lane reads in a step of one token, with all products on all channels.
static int64_t step_beats(const struct ir *ir) {
    int64_t beats = 0;
    for (int n = 0; n < ir->nodes; n++) {
        const struct ir_node *node = &ir->node[n];
        if (!ir_op_is(ir, node->op, OP_BY_WEIGHTS)) continue;
        int64_t k = ir_vector_length(ir, node), rows = ir_tensor_elements(&ir->tensor[node->in[0]]) / k;
        struct layout_matrix m = layout_matrix(&ir->design, ir->design.channels, ir_attr_int(&node->attrs, "rows", 0),
                                               k, layout_format(node));
        beats += rows * m.stream_beats * ir->region[node->region].repeat;
    }
    return beats;
}

// Whether the budget decides the lanes of all operations that read this row of a table. Then the lanes of the kernel
// that reads the row from memory may change as well.
static bool feeds_free(const struct share *s, int node) {
    const struct ir *ir = s->ir;
    int readers = 0;
    for (int n = 0; n < ir->nodes; n++)
        for (int i = 0; i < ir->node[n].inputs; i++) {
            if (ir->node[n].in[i] != ir->node[node].out[0]) continue;
            if (s->group[n] == IR_NONE) return false;
            readers++;
        }
    return readers > 0;
}

// Reduces the lanes of kernels that read rows of tables, down to 1 / LEAST of the lanes. A step waits for such a row
// only once in each repetition of its region, but each lane costs arithmetic and wires to other dies. Each kernel makes
// the step longer by at most 1 / PART of the cycles that the step needs for its beats of weights.
static void narrow_rows(const struct share *s) {
    enum { PART = 200, LEAST = 4 };
    struct ir *ir = s->ir;
    int64_t most = step_beats(ir) / PART;
    for (int n = 0; n < ir->nodes; n++) {
        struct ir_node *node = &ir->node[n];
        int64_t row = ir_tensor_elements(&ir->tensor[node->out[0]]) * ir->region[node->region].repeat;
        if (!ir_op_is(ir, node->op, OP_BY_ID | OP_BY_POSITION) || ir_attr_find(&node->attrs, "lanes")) continue;
        int wide = node->lanes;
        while (feeds_free(s, n) && LEAST * node->lanes > wide && node->lanes > 1 &&
               2 * row / node->lanes - row / wide <= most)
            node->lanes /= 2;
    }
}

// Returns the most lanes that make a group faster: the largest number that an operand from outside the group can keep
// busy. For the result of a product and for a row of a table, this number follows from how fast the words come. For
// other operands it is MOST_LANES.
static int64_t useful_lanes(const struct share *s, int group) {
    const struct ir *ir = s->ir;
    int64_t most = 1;
    for (int n = 0; n < ir->nodes; n++)
        for (int i = 0; s->group[n] == group && i < ir->node[n].inputs; i++) {
            int p = ir->tensor[ir->node[n].in[i]].producer;
            if (p != IR_NONE && s->group[p] == group) continue;
            int64_t lanes = ir_node_is(ir, p, OP_ON_ENGINE)                ? lanes_behind(ir, p)
                            : ir_node_is(ir, p, OP_BY_ID | OP_BY_POSITION) ? ir->node[p].lanes
                                                                           : MOST_LANES;
            if (lanes > most) most = lanes;
        }
    return most;
}

// Doubles the lanes of a group. Returns false, without a change, if the budget is used up, if more lanes do not help,
// or if they would not divide a quantizer's block. Operations that only move elements take nothing from the budget.
static bool double_group(struct share *s, int group) {
    struct ir *ir = s->ir;
    int64_t more = 0, most = useful_lanes(s, group);
    for (int n = 0; n < ir->nodes; n++) {
        const struct ir_tensor *out = &ir->tensor[ir->node[n].out[0]];
        if (s->group[n] != group) continue;
        int lanes = 2 * ir->node[n].lanes;
        if (lanes > most || (out->dtype == IR_MX && out->block % lanes)) return false;
        if (!ir_node_is(ir, n, OP_MOVES)) more += ir->node[n].lanes;
    }
    if (more > s->budget) return false;
    s->budget -= more;
    for (int n = 0; n < ir->nodes; n++)
        if (s->group[n] == group) ir->node[n].lanes *= 2;
    return true;
}

// Returns the group with the operation that takes most cycles with its present lanes, among the groups that are not
// done. Returns IR_NONE if all are done. done: per group, by the index of its first node.
static int slowest(const struct share *s, const bool *done) {
    int64_t most = 0;
    int group = IR_NONE;
    for (int n = 0; n < s->ir->nodes; n++) {
        const struct ir_node *node = &s->ir->node[n];
        if (s->group[n] == IR_NONE || done[s->group[n]] || cycles_alone(s->ir, node) / node->lanes <= most) continue;
        most = cycles_alone(s->ir, node) / node->lanes;
        group = s->group[n];
    }
    return group;
}

// Gives every free operation one lane, then doubles the lanes of the slowest group until no group can be doubled.
static void hand_out(struct ir *ir) {
    struct share s = {ir, ARENA_ARRAY(ir->arena, int, (size_t)ir->nodes + 1), ir->design.unroll};
    bool *done = ARENA_ARRAY(ir->arena, bool, (size_t)ir->nodes + 1);
    find_groups(&s);
    for (int n = 0; n < ir->nodes; n++)
        if (s.group[n] != IR_NONE) {
            ir->node[n].lanes = 1;
            s.budget -= !ir_node_is(ir, n, OP_MOVES);
        }
    narrow_rows(&s);
    for (int g = slowest(&s, done); g != IR_NONE; g = slowest(&s, done)) done[g] = !double_group(&s, g);
}

bool pass_choose_lanes(struct ir *ir, const struct rill_spec *spec, struct diag *diag) {
    (void)spec;
    bool ok = true;
    for (int n = 0; n < ir->nodes; n++) {
        struct ir_node *node = &ir->node[n];
        int lanes;
        bool legal = read_lanes(ir, node, &lanes, diag);
        if (legal) node->lanes = lanes;
        if (legal && ir_attr_find(&node->attrs, "lanes")) legal = check_lanes(ir, node, node->lanes, diag);
        ok &= legal;
    }
    if (ok && ir->design.unroll > 0) hand_out(ir);
    for (int n = 0; n < ir->nodes && ok; n++) {
        struct ir_node *node = &ir->node[n];
        node->lanes = whole_words(ir, node, node->lanes);
        ok &= check_legal(ir, node, node->lanes, node->loc, diag);
    }
    return ok;
}
