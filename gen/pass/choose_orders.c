// SPDX-License-Identifier: Apache-2.0
// choose-orders: chooses the loop order in which every operation walks tensors of several dimensions, so that the
// layout converters between operations store as little as possible. Orders in the spec are kept (docs/passes.md). The
// pass only sets `order` of the nodes; insert-layouts adds the converters.
#include <string.h>

#include "gen/ir/ops.h"
#include "gen/pass/pass.h"
#include "gen/kernel/ports.h"

enum {
    MAX_DIMS = IR_MAX_RANK - 1, // most dimensions of a tensor; its stream adds the token
    MAX_ORDERS = 6 /* permutations of three dimensions */,
    ROUNDS = 8,       // most rounds of improvement from one start
    ELEMENT_BITS = 32 // bits of an fp32 element
};

struct reader { // an operation in the list of a tensor's readers
    int node;
    struct reader *next;
};
struct chooser {
    struct ir *ir;
    struct diag *diag;
    bool *fixed;            // per node: the spec gives its order
    struct reader **reader; // per tensor: the operations that read it
};

// Whether the operation supports any order of its loops.
static bool is_free(const struct ir *ir, const struct ir_node *n) {
    return ir_op_is(ir, n->op, OP_FOLLOWS | OP_PERMUTES);
}

// Whether the operation has an order that this pass can choose: its result has several dimensions.
static bool walks_arrays(const struct ir *ir, const struct ir_node *n) {
    return is_free(ir, n) && ports_is_array(&ir->tensor[n->out[0]]);
}

// ---- orders from the spec ----

// Reads the order that the spec gives for an operation, if it gives one. Returns false after an error.
static bool read_order(struct chooser *c, int n) {
    struct ir_node *node = &c->ir->node[n];
    const struct ir_attr *attr = ir_attr_find(&node->attrs, "order");
    if (!attr) return true;
    int rank = c->ir->tensor[node->out[0]].rank, seen = 0;
    int64_t list[IR_MAX_RANK] = {0};
    struct loc loc = attr->loc.source ? attr->loc : node->loc;
    if (!walks_arrays(c->ir, node)) {
        diag_error(c->diag, loc, MSG_ORDER_FIXED, ir_op_of(c->ir, node->op)->name, node->name);
        diag_note(c->diag, loc, "elementwise operations and `transpose` have one, for tensors of 2 or 3 dimensions");
        return false;
    }
    int count = ir_attr_list(&node->attrs, "order", list, IR_MAX_RANK);
    for (int d = 0; d < count; d++) seen |= list[d] >= 0 && list[d] < rank ? 1 << list[d] : 0;
    if (count != rank || seen != (1 << rank) - 1) {
        diag_error(c->diag, loc, MSG_ORDER_DIMENSIONS, node->name, rank - 1);
        return false;
    }
    node->orders = rank;
    for (int d = 0; d < rank; d++) node->order[d] = (int)list[d];
    c->fixed[n] = true;
    return true;
}

// ---- the cost of an order ----

// Returns the operation whose order decides how a tensor arrives. For a carried tensor this is the operation that makes
// its `next`. IR_NONE: the tensor is an input of the graph, in row-major order.
static int maker(const struct ir *ir, int tensor) {
    for (int r = 0; r < ir->regions; r++)
        for (int c = 0; c < ir->region[r].carries; c++)
            if (ir->region[r].carry[c].local == tensor) return ir->tensor[ir->region[r].carry[c].next].producer;
    return ir->tensor[tensor].producer;
}

// Returns the walk of a tensor in this order of its dimensions, for one token.
static struct itensor_walk walk_of(const struct ir *ir, int tensor, const int order[]) {
    const struct ir_tensor *t = &ir->tensor[tensor];
    struct itensor_walk w;
    int64_t extent[IR_MAX_RANK] = {1};
    struct ir_itensor type = ports_array_type(ir, t, 1, order);
    for (int d = 0; d < t->rank; d++) extent[1 + d] = t->shape[d].bound;
    type.loops = t->rank; // without the tokens
    type.map[0] = IR_NONE;
    if (!itensor_walk(&type, extent, &w)) base_fatal("choose-orders: `%s` has no walk", t->name);
    return w;
}

// Returns the walk in which a tensor arrives at its readers.
static struct itensor_walk made_walk(const struct ir *ir, int tensor) {
    int order[IR_MAX_RANK], n = maker(ir, tensor);
    for (int d = 0; d < IR_MAX_RANK; d++) order[d] = d;
    if (n != IR_NONE) ports_order(ir, &ir->node[n], true, ir->tensor[tensor].rank, order);
    return walk_of(ir, tensor, order);
}

// Returns the bits that the converter between two walks stores in its two banks; 0 if the walks are equal.
static int64_t conversion_bits(const struct itensor_walk *from, const struct itensor_walk *to) {
    struct itensor_layout layout;
    if (itensor_walk_equal(from, to)) return 0;
    if (!itensor_layout(from, to, 1, &layout)) base_fatal("choose-orders: no converter");
    return 2 * layout.buffer * layout.width * ELEMENT_BITS;
}

// Returns the bits of the converters for all readers of a tensor, including carried tensors that begin with it and
// outputs of the graph. Operations that read it in the same order share a converter.
static int64_t tensor_bits(const struct chooser *ch, int tensor) {
    const struct ir *ir = ch->ir;
    if (!ports_is_array(&ir->tensor[tensor])) return 0;
    struct itensor_walk seen[64], made = made_walk(ir, tensor);
    int count = 0, order[IR_MAX_RANK];
    int64_t bits = 0;
    for (const struct reader *r = ch->reader[tensor]; r && count < (int)COUNT_OF(seen); r = r->next) {
        ports_order(ir, &ir->node[r->node], false, ir->tensor[tensor].rank, order);
        struct itensor_walk wanted = walk_of(ir, tensor, order);
        int s = 0;
        while (s < count && !itensor_walk_equal(&seen[s], &wanted)) s++;
        if (s < count) continue;
        seen[count++] = wanted;
        bits += conversion_bits(&made, &wanted);
    }
    for (int r = 0; r < ir->regions; r++) // an initial value must have the order of the carried tensor's `next`
        for (int c = 0; c < ir->region[r].carries; c++)
            if (ir->region[r].carry[c].init == tensor && ir->region[r].repeat > 1) {
                struct itensor_walk around = made_walk(ir, ir->region[r].carry[c].local);
                bits += conversion_bits(&made, &around);
            }
    for (int o = 0; o < ir->outputs; o++)
        if (ir->output[o] == tensor) {
            for (int d = 0; d < IR_MAX_RANK; d++) order[d] = d;
            struct itensor_walk rows = walk_of(ir, tensor, order);
            bits += conversion_bits(&made, &rows);
        }
    return bits;
}

static int64_t all_bits(const struct chooser *c) {
    int64_t bits = 0;
    for (int t = 0; t < c->ir->tensors; t++) bits += tensor_bits(c, t);
    return bits;
}

// Returns the bits of the converters that depend on a node's order: for its operands, for its result, for the carried
// tensor that the result becomes, and for the initial value of that tensor.
static int64_t node_bits(const struct chooser *c, int n) {
    const struct ir_node *node = &c->ir->node[n];
    int64_t bits = tensor_bits(c, node->out[0]);
    for (int i = 0; i < node->inputs; i++) {
        bool again = false;
        for (int k = 0; k < i; k++) again |= node->in[k] == node->in[i];
        if (!again) bits += tensor_bits(c, node->in[i]);
    }
    const struct ir_region *region = &c->ir->region[node->region];
    for (int k = 0; k < region->carries; k++)
        if (region->carry[k].next == node->out[0])
            bits += tensor_bits(c, region->carry[k].local) + tensor_bits(c, region->carry[k].init);
    return bits;
}

static void find_readers(struct chooser *c) {
    struct ir *ir = c->ir;
    c->reader = ARENA_ARRAY(ir->arena, struct reader *, (size_t)ir->tensors + 1);
    for (int n = ir->nodes - 1; n >= 0; n--)
        for (int i = ir->node[n].inputs - 1; i >= 0; i--) {
            struct reader *r = ARENA_NEW(ir->arena, struct reader);
            *r = (struct reader){n, c->reader[ir->node[n].in[i]]};
            c->reader[ir->node[n].in[i]] = r;
        }
}

// ---- choosing ----

// Lists all orders of `rank` (2 or 3) dimensions. Returns their number.
static int orders_of(int rank, int list[MAX_ORDERS][MAX_DIMS]) {
    static const int two[2][MAX_DIMS] = {{0, 1}, {1, 0}};
    static const int three[6][MAX_DIMS] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    memcpy(list, rank == 2 ? two : three, rank == 2 ? sizeof two : sizeof three);
    return rank == 2 ? 2 : 6;
}

static void set_order(struct ir_node *node, int rank, const int order[]) {
    node->orders = rank;
    memcpy(node->order, order, sizeof(int) * (size_t)rank);
}

// Gives the node the order in which operand `input` arrives, after the permutation if the node is a `transpose`.
static void follow(struct ir *ir, int n, int input) {
    struct ir_node *node = &ir->node[n];
    int order[IR_MAX_RANK], perm[IR_MAX_RANK], m = maker(ir, node->in[input]), rank = ir->tensor[node->in[input]].rank;
    for (int d = 0; d < IR_MAX_RANK; d++) order[d] = d;
    if (!ports_is_array(&ir->tensor[node->in[input]])) return;
    if (m != IR_NONE) ports_order(ir, &ir->node[m], true, rank, order);
    if (ir_op_is(ir, node->op, OP_PERMUTES) && ir_permutation(ir, node, perm))
        for (int l = 0; l < rank; l++)
            for (int d = 0; d < rank; d++)
                if (perm[d] == order[l]) {
                    node->order[l] = d;
                    break;
                }
    if (ir_op_is(ir, node->op, OP_PERMUTES)) node->orders = rank;
    else set_order(node, rank, order);
}

// Tries every order for one operation while the others keep theirs. An order is replaced only by one with fewer bits,
// so that the search ends. Returns whether the order has changed.
static bool improve_node(struct chooser *c, int n) {
    struct ir *ir = c->ir;
    int list[MAX_ORDERS][MAX_DIMS], rank = ir->tensor[ir->node[n].out[0]].rank, count = orders_of(rank, list);
    int64_t best = node_bits(c, n);
    struct ir_node keep = ir->node[n];
    bool moved = false;
    for (int o = 0; o < count; o++) {
        set_order(&ir->node[n], rank, list[o]);
        int64_t bits = node_bits(c, n);
        if (bits < best) {
            best = bits;
            keep = ir->node[n];
            moved = true;
        }
    }
    ir->node[n] = keep;
    return moved;
}

// Improves all operations one after another, in rounds, until nothing changes or ROUNDS rounds have ended. Returns the
// bits of all converters.
static int64_t improve(struct chooser *c) {
    bool moved = true;
    for (int round = 0; moved && round < ROUNDS; round++) {
        moved = false;
        for (int n = 0; n < c->ir->nodes; n++)
            if (!c->fixed[n] && walks_arrays(c->ir, &c->ir->node[n])) moved |= improve_node(c, n);
    }
    return all_bits(c);
}

// Sets the orders from which a search starts: each operation has the order in which its operand `input` arrives.
// IR_NONE: all have row-major order.
static void start(struct chooser *c, int input) {
    struct ir *ir = c->ir;
    for (int n = 0; n < ir->nodes; n++) {
        struct ir_node *node = &ir->node[n];
        if (c->fixed[n] || !walks_arrays(ir, node)) continue;
        node->orders = 0;
        if (input != IR_NONE) follow(ir, n, input < node->inputs ? input : 0);
    }
}

bool pass_choose_orders(struct ir *ir, const struct rill_spec *spec, struct diag *diag) {
    (void)spec;
    struct chooser c = {ir, diag, ARENA_ARRAY(ir->arena, bool, (size_t)ir->nodes + 1), NULL};
    bool ok = true, any = false;
    for (int n = 0; n < ir->nodes; n++) {
        ok &= read_order(&c, n);
        any |= walks_arrays(ir, &ir->node[n]);
    }
    if (!ok || !any) return ok;
    find_readers(&c);
    struct ir_node *best = ARENA_ARRAY(ir->arena, struct ir_node, (size_t)ir->nodes);
    int64_t least = -1;
    // The search starts three times: from row-major order, and from the order of the first and of the second operand.
    for (int input = IR_NONE; input < 2; input++) {
        start(&c, input);
        int64_t bits = improve(&c);
        if (least >= 0 && bits >= least) continue;
        least = bits;
        memcpy(best, ir->node, sizeof *best * (size_t)ir->nodes);
    }
    memcpy(ir->node, best, sizeof *best * (size_t)ir->nodes);
    return true;
}
