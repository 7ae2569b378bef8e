// SPDX-License-Identifier: Apache-2.0
// Finds the contents of streams at kernels that move words without changing them. The contents of such a stream are
// those of the streams at the other side of the kernel, whose ports name a tensor or whose contents were found before.
// If a stream carries several tensors in turn, the kernel's schedule gives their order.
#include "verif/check/check_internal.h"
#include "gen/kernel/kernel.h"
#include "gen/ir/schedule.h"

// A stream that carries several tensors in turn (output of a multiplexer, input of a demultiplexer), or some of the
// firings of one tensor (output `only` of a demultiplexer; part 0 then counts all of them).
struct route {
    struct schedule_table table; // schedule of the multiplexer or demultiplexer; an entry names a port
    int ports, only;             // number of ports; the output whose firings are carried, or IR_NONE for all
    struct edge **part;          // per port
    struct edge *none;           // for firings that no port reads: their contents are unknown
    // progress
    int64_t step, turn, index; // turn: repetition of the section; index: entry in it
    int at;                    // number of the section
};

// ---- reading ----

static struct route *read_route(struct check *check, const struct ir_kernel *k) {
    struct route *r = ARENA_NEW(check->arena, struct route);
    schedule_read(check->arena, k, STEER_BITS, &r->table);
    r->ports = (int)kernel_ports(k);
    r->only = IR_NONE;
    r->part = ARENA_ARRAY(check->arena, struct edge *, (size_t)r->ports + 1);
    r->none = ARENA_NEW(check->arena, struct edge);
    return r;
}

// ---- finding the contents ----

static bool is_of(const struct ir *ir, int kernel, unsigned traits) { return kernel_is(&ir->kernel[kernel], traits); }

// Returns whether the kernel passes on the firings of its single input, in another width, order or number of words per
// firing, or several times.
static bool is_mover(const struct ir *ir, int kernel) {
    return is_of(ir, kernel, KERNEL_FRAMES | KERNEL_WIDTH | KERNEL_REORDERS | KERNEL_REPEATS);
}

// Returns the edge at a kernel's i-th data stream in this direction, or IR_NONE.
static int edge_at(const struct ir *ir, int kernel, bool output, int i) {
    const struct ir_kernel *k = &ir->kernel[kernel];
    for (int p = 0; p < k->ports; p++)
        if (k->port[p].is_output == output && k->port[p].role != IR_ROLE_STEP &&
            (k->port[p].index == i || (k->port[p].index == IR_NONE && i == 0)))
            return k->port[p].edge;
    return IR_NONE;
}

static const struct ir_port *writing_port(const struct ir *ir, int edge) {
    const struct ir_edge *e = &ir->edge[edge];
    return &ir->kernel[e->src_kernel].port[e->src_port];
}

// Returns the edge if its contents are known: one tensor, or with `routed` also several in turn.
static const struct edge *known(const struct check *check, int edge, bool routed) {
    const struct edge *e = edge == IR_NONE ? NULL : &check->edge[edge];
    return e && e->active && (routed || !e->route) ? e : NULL;
}

// Makes an edge that carries the words of another one. It is not in the minimum set, and no results are taken from it.
static struct edge same_words(const struct edge *from) {
    struct edge e = *from;
    e.always = e.is_logits = e.given = e.probed = false;
    return e;
}

static struct edge *copy_part(struct check *check, const struct edge *from) {
    struct edge *part = ARENA_NEW(check->arena, struct edge);
    *part = same_words(from);
    return part;
}

static struct route *copy_route(struct check *check, const struct route *from) {
    struct route *r = ARENA_NEW(check->arena, struct route);
    *r = *from;
    r->part = ARENA_ARRAY(check->arena, struct edge *, (size_t)r->ports + 1);
    for (int p = 0; p < r->ports; p++) r->part[p] = from->part[p] ? copy_part(check, from->part[p]) : NULL;
    return r;
}

// Copies the contents of `from`. Returns false if `from` is NULL, because the contents are not known.
static bool take(struct check *check, struct edge *e, const struct edge *from) {
    if (!from) return false;
    *e = same_words(from);
    if (from->route) e->route = copy_route(check, from->route);
    return true;
}

// Sets the elements per word at this edge, and whether each word has a count of its valid elements (tcount).
static void set_width(const struct ir *ir, int edge, struct edge *e) {
    const struct ir_port *port = writing_port(ir, edge);
    e->lanes = edge_lanes(ir, port, e->dtype);
    e->counted = port->kind == IR_STREAM_COUNTED;
}

static const struct ir_port *reading_port(const struct ir *ir, int edge) {
    const struct ir_edge *e = &ir->edge[edge];
    return &ir->kernel[e->dst_kernel].port[e->dst_port];
}

// Returns the stream after a kernel that passes on the words of this one in order, in another width; or IR_NONE.
static int edge_in_order(const struct ir *ir, int edge) {
    int k = ir->edge[edge].dst_kernel;
    return is_of(ir, k, KERNEL_WIDTH | KERNEL_FRAMES) ? edge_at(ir, k, true, 0) : IR_NONE;
}

// Takes the order from a port, if the port gives one for each dimension. Returns whether it does.
static bool order_at(const struct ir *ir, struct edge *e, const struct ir_port *port) {
    if (port->type.rank != ir->tensor[e->tensor].rank + 1) return false;
    e->walked = edge_walk(ir, e->tensor, &port->type, &e->walk);
    return true;
}

// Sets the order of the words. A port at either end of this edge, or a reading port after further kernels that keep the
// order, may give an order for each dimension. If none does, `e` keeps the order of the edge from which it was copied.
// Returns false if the kernel between these two edges reorders, because the order is then unknown.
static bool set_order(const struct ir *ir, int edge, struct edge *e, bool reorders) {
    const struct ir_tensor *t = &ir->tensor[e->tensor];
    bool ordered = t->dtype == IR_F32 && !t->heads && t->rank > 1;
    e->firings = edge_firings(ir, e->tensor, writing_port(ir, edge));
    if (!ordered || order_at(ir, e, writing_port(ir, edge))) return true;
    for (int next = edge; next != IR_NONE; next = edge_in_order(ir, next))
        if (order_at(ir, e, reading_port(ir, next))) return true;
    return !reorders;
}

// Sets the order at the other side of a moving kernel, for one tensor or some of its firings. Several tensors in turn
// must keep their order.
static bool order_moved(const struct ir *ir, int edge, struct edge *e, bool reorders, bool repeats) {
    if (!e->route) return set_order(ir, edge, e, reorders);
    if (e->route->only == IR_NONE) return !reorders && !repeats;
    return !reorders || set_order(ir, edge, e->route->part[0], true);
}

// Takes the contents of the edge at the other side of a moving kernel, in the form of this edge.
static bool take_moved(struct check *check, int edge, struct edge *e, int from, int mover) {
    const struct ir *ir = check->ir;
    const struct edge *other = known(check, from, true);
    bool repeats = is_of(ir, mover, KERNEL_REPEATS), some = other && other->route && other->route->only != IR_NONE;
    struct edge moved;
    if (repeats && some) other = other->route->part[0]; // the firing that goes this way, in every repetition
    if (!take(check, &moved, other)) return false;
    if (!moved.is_step) {
        set_width(ir, edge, &moved);
        for (int p = 0; moved.route && p < moved.route->ports; p++)
            if (moved.route->part[p]) set_width(ir, edge, moved.route->part[p]);
        if (!order_moved(ir, edge, &moved, kernel_is(&ir->kernel[mover], KERNEL_REORDERS), repeats)) return false;
        if (repeats) edge_repeats(ir, &moved, writing_port(ir, edge)->region, false);
    }
    *e = moved;
    return true;
}

// Takes the contents of all streams at one side of a multiplexer or demultiplexer, in turn.
static bool take_turns(struct check *check, struct edge *e, int kernel, bool outputs) {
    const struct ir *ir = check->ir;
    struct route *r = read_route(check, &ir->kernel[kernel]);
    for (int p = 0; p < r->ports; p++) {
        const struct edge *from = known(check, edge_at(ir, kernel, outputs, p), false);
        if (!from) return false;
        r->part[p] = copy_part(check, from);
    }
    *e = same_words(r->part[0]);
    e->route = r;
    return true;
}

// Takes the firings of one tensor that a demultiplexer sends this way.
static bool take_some(struct check *check, int edge, struct edge *e, int kernel) {
    const struct ir *ir = check->ir;
    const struct edge *from = known(check, edge_at(ir, kernel, false, 0), false);
    if (!from) return false;
    struct route *r = read_route(check, &ir->kernel[kernel]);
    int only = writing_port(ir, edge)->index;
    r->only = only == IR_NONE ? 0 : only;
    r->part[0] = copy_part(check, from);
    *e = same_words(from);
    e->route = r;
    return true;
}

// Takes the last token of a step, or with drafts all tokens of a step with a head. These tokens leave after the
// writer's region has ended, so they always belong to its last repetition.
static bool take_last(struct check *check, struct edge *e, int from) {
    const struct edge *all = known(check, from, true);
    if (!all || (all->route && all->route->only == IR_NONE)) return false;
    take(check, e, all->route ? all->route->part[0] : all);
    e->head_only = e->fixed = true;
    e->one_token = !check->ir->design.drafts;
    e->repetitions = 1;
    e->fixed_repetition = check_last_repetition(check->ir, e->tensor);
    return true;
}

// Takes the contents at the other side of a kernel that turns query heads from tokens into firings or back. At this
// side the heads are the tokens of a firing, and at the other side each head is a firing.
static bool take_together(struct check *check, struct edge *e, int kernel, int other) {
    if (!take(check, e, known(check, other, false))) return false;
    e->together = (int)kernel_together(&check->ir->kernel[kernel]);
    return true;
}

// Returns whether the operation at the end of a stream reads elements again, so that the stream has more of them than
// the tensor.
static bool reads_again(const struct ir *ir, int edge) {
    while (edge != IR_NONE) {
        const struct ir_port *port = reading_port(ir, edge);
        int k = ir->edge[edge].dst_kernel;
        if (port->type.loops && itensor_repeats(&port->type)) return true;
        edge = is_of(ir, k, KERNEL_FORK) ? edge_at(ir, k, true, 0) : edge_in_order(ir, edge);
    }
    return false;
}

// Finds the contents of an edge from the streams that its writing kernel reads.
static bool find_by_writer(struct check *check, int edge, struct edge *e) {
    const struct ir *ir = check->ir;
    int k = ir->edge[edge].src_kernel, in = edge_at(ir, k, false, 0);
    if (is_of(ir, k, KERNEL_FORK | KERNEL_SPILL)) return take(check, e, known(check, in, true));
    if (is_of(ir, k, KERNEL_LAST)) return take_last(check, e, in);
    if (is_of(ir, k, KERNEL_DEMUX)) return take_some(check, edge, e, k);
    if (is_of(ir, k, KERNEL_MUX)) return take_turns(check, e, k, false);
    if (is_of(ir, k, KERNEL_PACKS)) return take_together(check, e, k, in);
    if (is_of(ir, k, KERNEL_REORDERS) && reads_again(ir, edge)) return false; // known from its reader
    return is_mover(ir, k) && take_moved(check, edge, e, in, k);
}

// Finds the contents of an edge from the streams that its reading kernel writes.
static bool find_by_reader(struct check *check, int edge, struct edge *e) {
    const struct ir *ir = check->ir;
    int k = ir->edge[edge].dst_kernel;
    if (reading_port(ir, edge)->role == IR_ROLE_STEP) return false; // known from its writer alone
    if (is_of(ir, k, KERNEL_DEMUX)) return take_turns(check, e, k, true);
    if (is_of(ir, k, KERNEL_UNPACKS)) return take_together(check, e, k, edge_at(ir, k, true, 0));
    for (int i = 0; is_of(ir, k, KERNEL_FORK) && i < kernel_ports(&ir->kernel[k]); i++)
        if (take(check, e, known(check, edge_at(ir, k, true, i), true))) return true;
    return is_of(ir, k, KERNEL_WIDTH | KERNEL_FRAMES) && take_moved(check, edge, e, edge_at(ir, k, true, 0), k);
}

void routes_open(struct check *check) {
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < check->ir->edges; i++) {
            struct edge *e = &check->edge[i];
            if (!e->active) more |= find_by_writer(check, i, e) || find_by_reader(check, i, e);
        }
    }
}

// ---- following ----

void routes_begin(struct check *check) {
    for (int i = 0; i < check->ir->edges; i++) {
        struct route *r = check->edge[i].route;
        if (!r) continue;
        r->step = r->turn = r->index = r->at = 0;
        for (int p = 0; p < r->ports; p++)
            if (r->part[p]) edge_begin(r->part[p]);
    }
}

void routes_at(struct check *check, int64_t step) {
    for (int i = 0; i < check->ir->edges; i++) {
        struct route *r = check->edge[i].route;
        if (!r) continue;
        r->step = step;
        for (int p = 0; p < r->ports; p++)
            if (r->part[p]) r->part[p]->step = step;
    }
}

static void next_entry(struct route *r) {
    const struct schedule_run *s = &r->table.section[r->at];
    if (++r->index < s->length) return;
    r->index = 0;
    if (++r->turn < s->repeat) return;
    r->turn = 0;
    r->at++;
}

// Passes over entries that only steps of several tokens have. The last entry of a section is not such an entry.
static void pass_over(struct route *r, const struct step *step) {
    const struct schedule_table *t = &r->table;
    while (t->many && step->tokens == 1 && t->many[t->section[r->at].first + r->index]) next_entry(r);
}

// Goes to the next section that runs. Returns false if the request has no further step, or if the replay waits.
static bool find_entry(struct check *check, struct route *r) {
    struct step step;
    for (; plan_step(check, r->step, &step); r->step++, r->at = 0)
        for (; r->at < r->table.sections; r->at++) {
            const struct schedule_run *s = &r->table.section[r->at];
            if (!s->length || !s->repeat || (s->when_head && !step.head)) continue;
            pass_over(r, &step);
            return true;
        }
    return false;
}

struct edge *route_part(struct check *check, struct edge *e) {
    struct route *r = e->route;
    struct step step;
    while (find_entry(check, r)) {
        int port = (int)schedule_at(&r->table, r->table.section[r->at].first + r->index, STEER_PORT);
        e->step = r->step;
        if (r->only == IR_NONE) return port < r->ports ? r->part[port] : r->none;
        if (port == r->only) return r->part[0];
        if (!edge_current_step(check, r->part[0], &step)) return NULL;
        edge_firing_done(r->part[0]);
        next_entry(r);
    }
    return NULL;
}

void route_done(struct edge *e) { next_entry(e->route); }

int route_parts(const struct edge *e) { return e->route->ports; }

struct edge *route_part_at(const struct edge *e, int part) {
    return e->route->part[part];
}

// ---- what is left ----

// Returns whether the kernel reads from a kernel that sends keys again.
static bool reads_replay(const struct ir *ir, int kernel) {
    for (int p = 0; p < ir->kernel[kernel].ports; p++) {
        const struct ir_port *port = &ir->kernel[kernel].port[p];
        if (!port->is_output && port->edge != IR_NONE && is_of(ir, ir->edge[port->edge].src_kernel, KERNEL_AGAIN))
            return true;
    }
    return false;
}

const char *check_left(const struct check *check, int edge) {
    const struct ir *ir = check->ir;
    int k = ir->edge[edge].src_kernel;
    if (check->edge[edge].seen) return NULL;
    if (ir->design.slots) return "requests share steps: the tokens and logits of each are compared";
    if (check->edge[edge].active) return check->edge[edge].probed ? "no beat of it was compared" : "it has no probe";
    if (is_of(ir, k, KERNEL_STORE)) return "vector parameters: their reader's results are compared";
    if (is_of(ir, k, KERNEL_SCALES)) return "scales of all positions: their reader's results are compared";
    if (is_of(ir, k, KERNEL_RECORDS)) return "log probabilities: the records in memory are compared";
    if (is_of(ir, k, KERNEL_AGAIN) || reads_replay(ir, k)) return "keys again: they are compared the first time";
    return "what it carries is not known";
}
