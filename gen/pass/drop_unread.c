// SPDX-License-Identifier: Apache-2.0
// drop-unread: removes operations, carried tensors and inputs that no output needs, with a warning for each. If they
// stayed, the design would compute and store values that nothing uses, and a request could end while such a value is
// still in a stream.
#include <string.h>

#include "gen/pass/pass.h"

struct drop {
    struct ir *ir;
    struct diag *diag;
    bool *tensor, *node, *region;         // per index: it stays
    int *to_tensor, *to_node, *to_region; // per index: the new index; IR_NONE: removed
    const char **name;                    // per tensor: a new name, or NULL: it keeps its name
};

// ---- finding the parts that stay ----

static bool node_reads(const struct ir_node *node, int tensor) {
    for (int i = 0; i < node->inputs; i++)
        if (node->in[i] == tensor) return true;
    return false;
}

static bool is_read(const struct ir *ir, int tensor) {
    bool found = false;
    for (int n = 0; n < ir->nodes; n++) found |= node_reads(&ir->node[n], tensor);
    for (int o = 0; o < ir->outputs; o++) found |= ir->output[o] == tensor;
    for (int r = 0; r < ir->regions; r++)
        for (int c = 0; c < ir->region[r].carries; c++)
            found |= ir->region[r].carry[c].init == tensor || ir->region[r].carry[c].next == tensor;
    return found;
}

// Marks a tensor as needed. Sets *more if it was not marked before.
static void need(struct drop *d, int tensor, bool *more) {
    *more |= !d->tensor[tensor];
    d->tensor[tensor] = true;
}

// Marks the operations that make needed tensors, and all operands and results of these operations. Sets *more if an
// operand was not marked before.
static void need_nodes(struct drop *d, bool *more) {
    struct ir *ir = d->ir;
    for (int n = ir->nodes - 1; n >= 0; n--) {
        const struct ir_node *node = &ir->node[n];
        for (int o = 0; o < node->outputs; o++) d->node[n] |= d->tensor[node->out[o]];
        for (int i = 0; d->node[n] && i < node->inputs; i++) need(d, node->in[i], more);
        for (int o = 0; d->node[n] && o < node->outputs; o++) d->tensor[node->out[o]] = true;
    }
}

// Marks the tensors and operations that outputs need.
static void find_needed(struct drop *d) {
    struct ir *ir = d->ir;
    bool more = true;
    memset(d->tensor, 0, (size_t)ir->tensors * sizeof *d->tensor);
    memset(d->node, 0, (size_t)ir->nodes * sizeof *d->node);
    for (int o = 0; o < ir->outputs; o++) d->tensor[ir->output[o]] = true;
    while (more) { // a carried tensor needs its `next`, which may need more operations
        more = false;
        need_nodes(d, &more);
        for (int r = 0; r < ir->regions; r++)
            for (int c = 0; c < ir->region[r].carries; c++) {
                const struct ir_carry *k = &ir->region[r].carry[c];
                if (!d->tensor[k->local]) continue;
                need(d, k->init, &more);
                need(d, k->next, &more);
            }
    }
}

static bool region_reads(const struct drop *d, int region, int tensor) {
    const struct ir_region *r = &d->ir->region[region];
    for (int n = r->first_node; n < r->first_node + r->nodes; n++)
        if (d->node[n] && node_reads(&d->ir->node[n], tensor)) return true;
    return false;
}

static void replace(int *tensor, int count, int from, int to) {
    for (int i = 0; i < count; i++)
        if (tensor[i] == from) tensor[i] = to;
}

// Lets the operations of a region that does not repeat read the initial value instead of the carried tensor.
static void read_init_instead(struct ir *ir, int region, const struct ir_carry *carry) {
    const struct ir_region *r = &ir->region[region];
    for (int n = r->first_node; n < r->first_node + r->nodes; n++)
        replace(ir->node[n].in, ir->node[n].inputs, carry->local, carry->init);
}

// Replaces a carried tensor that no repetition has to read: the region does not repeat, or none of its operations reads
// the tensor. All later readers then read the last `next` instead. If the carried tensor was an output, `next` gets its
// name, unless `next` is an output itself. Returns whether the tensor was replaced.
static bool read_next_instead(struct drop *d, int region, const struct ir_carry *carry) {
    struct ir *ir = d->ir;
    if (!d->tensor[carry->local]) return false;
    if (ir->region[region].repeat == 1) read_init_instead(ir, region, carry);
    else if (region_reads(d, region, carry->local)) return false;
    for (int o = 0; o < ir->outputs; o++)
        if (ir->output[o] == carry->local) d->name[carry->next] = ir->tensor[carry->local].name;
    for (int o = 0; o < ir->outputs; o++)
        if (ir->output[o] == carry->next) d->name[carry->next] = NULL;
    for (int n = 0; n < ir->nodes; n++) replace(ir->node[n].in, ir->node[n].inputs, carry->local, carry->next);
    replace(ir->output, ir->outputs, carry->local, carry->next);
    for (int r = 0; r < ir->regions; r++)
        for (int c = 0; c < ir->region[r].carries; c++)
            replace(&ir->region[r].carry[c].init, 1, carry->local, carry->next);
    return true;
}

// Replaces carried tensors until every one that is left is read inside its region.
static void settle_carries(struct drop *d) {
    bool changed = true;
    while (changed) {
        changed = false;
        find_needed(d);
        for (int r = 0; r < d->ir->regions; r++)
            for (int c = 0; c < d->ir->region[r].carries; c++)
                changed |= read_next_instead(d, r, &d->ir->region[r].carry[c]);
    }
}

// ---- messages ----

// Warns that a tensor is left out. what: what it is, such as `input`. why: the reason.
static void warn(struct drop *d, int tensor, const char *what, const char *why) {
    const struct ir_tensor *t = &d->ir->tensor[tensor];
    diag_warning(d->diag, t->loc, MSG_LEFT_OUT, what, t->name, why);
}

static void warn_carry(struct drop *d, const struct ir_carry *carry, int64_t repeat) {
    const struct ir_tensor *local = &d->ir->tensor[carry->local], *next = &d->ir->tensor[carry->next];
    if (repeat == 1) return; // no value is lost: readers use `init` or `next` instead
    if (d->tensor[carry->next]) diag_warning(d->diag, local->loc, MSG_CARRY_LEFT_OUT, local->name, next->name);
    else warn(d, carry->local, "carried", "no repetition reads it");
}

static void warn_all(struct drop *d) {
    struct ir *ir = d->ir;
    for (int i = 0; i < ir->inputs; i++)
        if (!d->tensor[ir->input[i]]) warn(d, ir->input[i], "input", "no output depends on it");
    for (int r = 0; r < ir->regions; r++)
        for (int c = 0; c < ir->region[r].carries; c++)
            if (!d->tensor[ir->region[r].carry[c].local]) warn_carry(d, &ir->region[r].carry[c], ir->region[r].repeat);
    for (int n = 0; n < ir->nodes; n++) {
        const struct ir_node *node = &ir->node[n];
        bool read = false;
        for (int o = 0; o < node->outputs; o++) read |= is_read(ir, node->out[o]);
        if (!d->node[n]) warn(d, node->out[0], "operation", read ? "no output depends on it" : "nothing reads it");
    }
}

// Checks that something is left to compute. Returns false after an error: all outputs are inputs of the graph, or no
// output depends on an input.
static bool check_left(struct drop *d, const struct rill_spec *spec) {
    const struct ir *ir = d->ir;
    bool input = false, node = false;
    for (int i = 0; i < ir->inputs; i++) input |= d->tensor[ir->input[i]];
    for (int n = 0; n < ir->nodes; n++) node |= d->node[n];
    struct loc wanted = spec && spec->graph ? spec->graph->outputs[0].loc : ir->tensor[ir->output[0]].loc;
    if (!node) diag_error(d->diag, wanted, MSG_OUTPUT_IS_INPUT, ir->tensor[ir->output[0]].name);
    else if (!input && ir->design.is_lm)
        diag_error(d->diag, ir->tensor[ir->input[0]].loc, MSG_IDS_UNUSED, ir->tensor[ir->input[0]].name);
    else if (!input) diag_error(d->diag, ir->tensor[ir->input[0]].loc, MSG_INPUT_UNUSED);
    return node && input;
}

// ---- removing from the lists ----

// Gives the entries that stay new numbers without gaps, in their old order. Returns how many stay.
static int renumber(const bool *stays, int *to, int count) {
    int next = 0;
    for (int i = 0; i < count; i++) to[i] = stays[i] ? next++ : IR_NONE;
    return next;
}

static int renumbered(const int *to, int old) { return old == IR_NONE ? IR_NONE : to[old]; }

// Moves the tensors that stay to their new indices, with new names where `name` has one.
static void move_tensors(struct drop *d) {
    struct ir *ir = d->ir;
    int left = renumber(d->tensor, d->to_tensor, ir->tensors);
    for (int t = 0; t < ir->tensors; t++) {
        if (!d->tensor[t]) continue;
        struct ir_tensor *to = &ir->tensor[d->to_tensor[t]];
        *to = ir->tensor[t];
        if (d->name[t]) to->name = d->name[t];
        to->producer = renumbered(d->to_node, to->producer);
        to->region = renumbered(d->to_region, to->region);
    }
    ir->tensors = left;
}

// Moves the operations that stay to their new indices.
static void move_nodes(struct drop *d) {
    struct ir *ir = d->ir;
    for (int n = 0; n < ir->nodes; n++) {
        if (!d->node[n]) continue;
        struct ir_node *to = &ir->node[d->to_node[n]];
        *to = ir->node[n];
        to->region = d->to_region[to->region];
        for (int i = 0; i < to->inputs; i++) to->in[i] = d->to_tensor[to->in[i]];
        for (int o = 0; o < to->outputs; o++) to->out[o] = d->to_tensor[to->out[o]];
    }
}

// Moves a region that stays to its new index. Only the operations and carried tensors that stay are counted.
static void move_region(struct drop *d, int region) {
    struct ir *ir = d->ir;
    struct ir_region r = ir->region[region];
    int first = 0, nodes = 0, carries = 0;
    for (int n = 0; n < r.first_node + r.nodes; n++) {
        first += n < r.first_node && d->node[n];
        nodes += n >= r.first_node && d->node[n];
    }
    r.first_node = first;
    r.nodes = nodes;
    for (int c = 0; c < r.carries; c++) {
        struct ir_carry k = r.carry[c];
        if (d->tensor[k.local])
            r.carry[carries++] = (struct ir_carry){d->to_tensor[k.local], d->to_tensor[k.init], d->to_tensor[k.next]};
    }
    r.carries = carries;
    ir->region[d->to_region[region]] = r;
}

// Removes the entries that do not stay from all lists, and renumbers the references to the others.
static void compact(struct drop *d) {
    struct ir *ir = d->ir;
    int inputs = 0, nodes = renumber(d->node, d->to_node, ir->nodes),
        regions = renumber(d->region, d->to_region, ir->regions);
    move_tensors(d);
    for (int r = 0; r < ir->regions; r++)
        if (d->region[r]) move_region(d, r);
    move_nodes(d);
    ir->nodes = nodes;
    ir->regions = regions;
    for (int i = 0; i < ir->inputs; i++)
        if (d->tensor[ir->input[i]]) ir->input[inputs++] = d->to_tensor[ir->input[i]];
    ir->inputs = inputs;
    for (int o = 0; o < ir->outputs; o++) ir->output[o] = d->to_tensor[ir->output[o]];
}

bool pass_drop_unread(struct ir *ir, const struct rill_spec *spec, struct diag *diag) {
    struct drop d = {.ir = ir, .diag = diag};
    d.tensor = ARENA_ARRAY(ir->arena, bool, (size_t)ir->tensors + 1);
    d.node = ARENA_ARRAY(ir->arena, bool, (size_t)ir->nodes + 1);
    d.region = ARENA_ARRAY(ir->arena, bool, (size_t)ir->regions + 1);
    d.to_tensor = ARENA_ARRAY(ir->arena, int, (size_t)ir->tensors + 1);
    d.to_node = ARENA_ARRAY(ir->arena, int, (size_t)ir->nodes + 1);
    d.to_region = ARENA_ARRAY(ir->arena, int, (size_t)ir->regions + 1);
    d.name = ARENA_ARRAY(ir->arena, const char *, (size_t)ir->tensors + 1);
    settle_carries(&d);
    for (int n = 0; n < ir->nodes; n++) d.region[ir->node[n].region] |= d.node[n];
    if (!check_left(&d, spec)) return false;
    warn_all(&d);
    compact(&d);
    return true;
}
