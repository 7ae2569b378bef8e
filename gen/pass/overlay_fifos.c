// SPDX-License-Identifier: Apache-2.0
// overlay-fifos: lets FIFOs of groups that never run together (fuse-groups) share one storage, a rill_fifo_pool. The
// streams of a pool take turns in program order, one turn per firing.
//
// A pool has at most one stream of each group, so that streams of one group never wait for each other. It is as wide as
// its widest and as deep as its deepest stream. The pass begins with one pool per stream, and repeatedly joins the two
// pools whose union saves most.
#include <stdlib.h>

#include "gen/cost/cost.h"
#include "gen/kernel/kernel.h"
#include "gen/kernel/args.h"
#include "gen/pass/fuse.h"
#include "gen/pass/pass.h"
#include "gen/kernel/ports.h"
#include "gen/ir/schedule.h"
#include "gen/timing/depths.h"

enum {
    PLAIN_WORDS = 2, // depth of a FIFO of registers, which is too small for a pool
    LEAST_SAVING = 1024 /* bits; a pool costs a stream of step words and two schedules */,
    MAX_MEMBERS = 254, // streams of a pool; must be below STEER_PORT_DROP
    STEP_WORDS = 4     /* depth of a FIFO of step words */
};

typedef VEC(int) edge_list;

struct pool {
    edge_list member;     // in program order
    int64_t width, depth; // bits and words of the storage
};

struct overlay { // all pools; a pool without members was joined to another one
    struct ir *ir;
    VEC(struct pool) pool;
};

static const struct ir_port *source(const struct ir *ir, int edge) {
    return &ir->kernel[ir->edge[edge].src_kernel].port[ir->edge[edge].src_port];
}

// Returns the tensor that an edge carries, found at its ends or at edges before it; IR_NONE if unknown. depth: edges
// followed so far.
static int tensor_of(const struct ir *ir, int edge, int depth) {
    const struct ir_edge *e = &ir->edge[edge];
    const struct ir_kernel *from = &ir->kernel[e->src_kernel];
    int tensor = from->port[e->src_port].tensor;
    if (tensor == IR_NONE) tensor = ir->kernel[e->dst_kernel].port[e->dst_port].tensor;
    for (int p = 0; tensor == IR_NONE && depth < ir->kernels && p < from->ports; p++)
        if (!from->port[p].is_output && from->port[p].edge != IR_NONE && from->port[p].kind != IR_STREAM_BARE)
            tensor = tensor_of(ir, from->port[p].edge, depth + 1);
    return tensor;
}

static bool has_together(const struct ir *ir, int kernel) { return kernel_is_together(&ir->kernel[kernel]); }

// Whether a stream has fewer firings in some steps than in others. Such a stream cannot be in a pool, because the turns
// of a pool are fixed. The number differs if several query heads may run together: at kernels for which
// kernel_is_together holds, and in tensors that grow with the positions.
static bool counts_differ(const struct ir *ir, int edge) {
    const struct ir_edge *e = &ir->edge[edge];
    const struct ir_tensor *t = &ir->tensor[tensor_of(ir, edge, 0)];
    return has_together(ir, e->src_kernel) || has_together(ir, e->dst_kernel) ||
           (ir->design.query_heads > 1 && t->rank > 1 && t->shape[t->rank - 1].dynamic == IR_POSITIONS);
}

// Whether a stream may be in a pool. A pool takes turns in every repetition, so a stream after its region's exit keeps
// a separate FIFO.
static bool can_share(const struct ir *ir, int edge) {
    const struct ir_edge *e = &ir->edge[edge];
    return e->group != IR_NONE && e->depth > PLAIN_WORDS && source(ir, edge)->region != IR_NONE &&
           tensor_of(ir, edge, 0) != IR_NONE && !fuse_is_behind_exit(ir, e) && !counts_differ(ir, edge);
}

// ---- choosing the streams that share ----

// Whether two pools cannot be joined: they have streams of the same group, or too many streams together.
static bool same_group(const struct ir *ir, const struct pool *a, const struct pool *b) {
    for (size_t i = 0; i < a->member.count; i++)
        for (size_t j = 0; j < b->member.count; j++)
            if (ir->edge[a->member.items[i]].group == ir->edge[b->member.items[j]].group) return true;
    return a->member.count + b->member.count > MAX_MEMBERS;
}

// Returns the bits of storage that joining two pools saves.
static int64_t saving(const struct pool *a, const struct pool *b) {
    return a->width * a->depth + b->width * b->depth - at_least(a->width, b->width) * at_least(a->depth, b->depth);
}

// Moves the streams of pool b to pool a.
static void absorb(struct overlay *o, struct pool *a, struct pool *b) {
    for (size_t i = 0; i < b->member.count; i++) VEC_PUSH(o->ir->arena, a->member, b->member.items[i]);
    a->width = at_least(a->width, b->width);
    a->depth = at_least(a->depth, b->depth);
    b->member.count = 0;
}

// Joins the pair of pools that saves most. Returns false if none saves more than LEAST_SAVING.
static bool join_best(struct overlay *o) {
    struct pool *best = NULL, *with = NULL;
    int64_t most = LEAST_SAVING;
    for (size_t i = 0; i < o->pool.count; i++)
        for (size_t j = i + 1; j < o->pool.count; j++) {
            struct pool *a = &o->pool.items[i], *b = &o->pool.items[j];
            if (!a->member.count || !b->member.count || saving(a, b) <= most || same_group(o->ir, a, b)) continue;
            most = saving(a, b);
            best = a;
            with = b;
        }
    if (best) absorb(o, best, with);
    return best != NULL;
}

// ---- step words: adding a reader ----

static void connect_steps(struct ir *ir, int src_kernel, int src_port, int dst_kernel, int dst_port) {
    int edge = ir_connect(ir, src_kernel, src_port, dst_kernel, dst_port);
    ir->edge[edge].depth = STEP_WORDS;
}

// Inserts a fork into the edge from the source of the step words to its only reader. Returns the fork.
static int fork_steps(struct ir *ir, int edge) {
    struct ir_edge e = ir->edge[edge];
    int fork = kernel_add(ir, "step_fork", &rtl_fork, IR_NONE);
    int in = ir_add_port(ir, fork, "", false, IR_STREAM_BARE, STEP_BITS),
        out = ir_add_port(ir, fork, "", true, IR_STREAM_BARE, STEP_BITS);
    ir->kernel[fork].port[out].index = 0;
    ir_set_int(ir, fork, "PORTS", 1);
    ir->edge[edge].dst_kernel = fork;
    ir->edge[edge].dst_port = in;
    ir->kernel[fork].port[in].edge = edge;
    ir_name_edge(ir, edge);
    ir->edge[edge].depth = PLAIN_WORDS;
    connect_steps(ir, fork, out, e.dst_kernel, e.dst_port);
    return fork;
}

// Connects a kernel to the token loop's step words. If these have another reader, the function adds a fork, or an
// output to the fork that is already there.
static void give_steps(struct ir *ir, int kernel) {
    int step = ports_add_step(ir, kernel), loop = kernel_first(ir, KERNEL_LOOP),
        port = ir_port_for(&ir->kernel[loop], IR_ROLE_STEP, true);
    int edge = ir->kernel[loop].port[port].edge;
    if (edge == IR_NONE) {
        connect_steps(ir, loop, port, kernel, step);
        return;
    }
    int fork = ir->edge[edge].dst_kernel;
    if (!kernel_is(&ir->kernel[fork], KERNEL_FORK)) fork = fork_steps(ir, edge);
    int index = ir->kernel[fork].ports - 1, out = ir_add_port(ir, fork, "", true, IR_STREAM_BARE, STEP_BITS);
    ir->kernel[fork].port[out].index = index;
    ir_set_int(ir, fork, "PORTS", index + 1);
    connect_steps(ir, fork, out, kernel, step);
}

// ---- a pool ----

static int compare_members(const struct ir *ir, int a, int b) {
    int group = ir->edge[a].group - ir->edge[b].group;
    return group ? group : a - b;
}

static void sort_members(const struct ir *ir, edge_list *m) {
    for (size_t i = 1; i < m->count; i++)
        for (size_t j = i; j > 0 && compare_members(ir, m->items[j - 1], m->items[j]) > 0; j--) {
            int edge = m->items[j];
            m->items[j] = m->items[j - 1];
            m->items[j - 1] = edge;
        }
}

// Sets the pool's table of turns. In each repetition of a region, the region's streams in the pool take turns in the
// order of their groups. A stream has one entry for each of its firings.
static void set_turns(struct ir *ir, int kernel, const struct pool *p) {
    struct schedule s;
    schedule_init(&s, ir, STEER_BITS);
    for (int r = 0; r < ir->regions; r++) {
        schedule_section(&s, ir->region[r].repeat, ir->region[r].when == IR_LAST);
        for (size_t m = 0; m < p->member.count; m++) {
            if (source(ir, p->member.items[m])->region != r) continue;
            int64_t firings = at_least(source(ir, p->member.items[m])->pieces, 1) *
                              ports_ends(ir, tensor_of(ir, p->member.items[m], 0));
            for (int64_t i = 0; i < firings; i++) {
                schedule_entry(&s);
                schedule_field(&s, STEER_PORT, (uint64_t)m);
            }
        }
    }
    schedule_set_params(&s, kernel);
}

// Adds the kernel of a pool. id: number for its name.
static void make_pool(struct ir *ir, struct pool *p, int id) {
    int k = kernel_add(ir, arena_printf(ir->arena, "pool_%d", id), &rtl_fifo_pool, IR_NONE);
    sort_members(ir, &p->member);
    ir_set_int(ir, k, "PORTS", (int)p->member.count);
    ir_set_int(ir, k, "DATA_W", p->width - 1); // tlast has a separate bit
    ir_set_int(ir, k, "DEPTH", p->depth);
    ir_set_style(ir, k, allocate_memories_style(p->depth, p->width));
    set_turns(ir, k, p);
    for (size_t m = 0; m < p->member.count; m++) {
        ir->edge[p->member.items[m]].pool = k;
        ir->edge[p->member.items[m]].pool_port = (int)m;
    }
    give_steps(ir, k);
}

// Chooses the pools, and adds a kernel for each pool with several streams.
static void make_pools(struct ir *ir) {
    struct overlay o = {.ir = ir};
    for (int e = 0; e < ir->edges; e++) {
        if (!can_share(ir, e)) continue;
        struct pool p = {.width = cost_edge_bits(ir, &ir->edge[e]), .depth = ir->edge[e].depth};
        VEC_PUSH(ir->arena, p.member, e);
        VEC_PUSH(ir->arena, o.pool, p);
    }
    while (join_best(&o)) continue;
    int id = 0;
    for (size_t i = 0; i < o.pool.count; i++)
        if (o.pool.items[i].member.count > 1) make_pool(ir, &o.pool.items[i], id++);
}

// Gives every FIFO inside a group at least the depth of the safe rule. size-fifos chose the depths as if all groups ran
// together, so they can be too small for groups that run one after the other.
static void deepen(struct ir *ir) {
    for (int e = 0; e < ir->edges; e++) {
        struct ir_edge *edge = &ir->edge[e];
        int64_t safe = size_fifos_safe(ir, edge);
        if (edge->group == IR_NONE || edge->depth >= safe) continue;
        edge->depth = safe;
        edge->forced_by = "one group after the other";
        if (edge->pool == IR_NONE) continue;
        if (kernel_pool_words(&ir->kernel[edge->pool]) < safe) ir_set_int(ir, edge->pool, "DEPTH", safe);
    }
}

bool pass_overlay_fifos(struct ir *ir, const struct rill_spec *spec, struct diag *diag) {
    const char *stuck;
    if (!ir->groups) return true;
    make_pools(ir);
    if (timing_progress(ir, false, &stuck, NULL) || !stuck) return true;
    deepen(ir);
    if (timing_progress(ir, false, &stuck, NULL) || !stuck) return true;
    diag_error(diag, spec ? spec_place(spec, "design.on_chip_kib") : loc_none(), MSG_GROUPS_DEADLOCK, stuck);
    return false;
}
