// SPDX-License-Identifier: Apache-2.0
// place-dies: which die (SLR) each kernel lies on, and register slices on the streams that go from one die to another.
// Nothing without `design.dies`; never a difference in results, only in time: a slice is a cycle.
//
// Kernels that plain nets join stay together, as only streams can be cut by registers; all that touches the memory lies
// on the die where its ports are. The lanes of an engine may lie elsewhere, in groups that share their operand
// registers: beats and results go from FIFO to FIFO.
#include <stdlib.h>
#include <string.h>

#include "gen/pass/pass.h"
#include "gen/pass/place.h"

static int root_of(const int *with, int k) {
    while (with[k] != k) k = with[k];
    return k;
}

static void join(int *with, int a, int b) {
    a = root_of(with, a), b = root_of(with, b);
    if (a < b) with[b] = a;
    else with[a] = b;
}

// The hash of a row has registers at both ends and time between them: its kernel may lie where it likes. So may a store
// of parameters, which has registers of its own for the way of what loads it.
static bool may_cross(const struct ir *ir, int wire) {
    return kernel_is(&ir->kernel[ir->wire[wire].kernel], KERNEL_CHOOSES | KERNEL_STORE);
}

// Kernels that a plain net joins; `memory` is one of those at the memory.
static void join_kernels(const struct ir *ir, int *with, int *memory) {
    *memory = IR_NONE;
    for (int k = 0; k < ir->kernels; k++) with[k] = k;
    for (int a = 0; a < ir->wires; a++)
        for (int b = a + 1; b < ir->wires; b++)
            if (ir->wire[a].net == ir->wire[b].net && !may_cross(ir, a) && !may_cross(ir, b))
                join(with, ir->wire[a].kernel, ir->wire[b].kernel);
    for (int k = 0; k < ir->kernels; k++) {
        bool there = ir->kernel[k].is_control;
        for (int c = 0; c < ir->clients; c++) there = there || ir->client[c].kernel == k;
        for (int e = 0; e < ir->engines; e++) there = there || ir->engine[e].kernel == k || ir->engine[e].walker == k;
        if (!there) continue;
        if (*memory == IR_NONE) *memory = k;
        join(with, *memory, k);
    }
}

void place_at_memory(const struct ir *ir, bool *there) {
    int *with = ARENA_ARRAY(ir->arena, int, (size_t)ir->kernels + 1), memory;
    join_kernels(ir, with, &memory);
    for (int k = 0; k < ir->kernels; k++) there[k] = memory != IR_NONE && root_of(with, k) == root_of(with, memory);
}

static void add_need(int64_t need[PLACE_RESOURCES], const struct cost_resources *r, int64_t times) {
    int64_t amount[PLACE_RESOURCES];
    place_amounts(r, amount);
    for (int s = 0; s < PLACE_RESOURCES; s++) need[s] += times * amount[s];
}

// The lanes that a group of them holds, the last one maybe fewer: counted as whole.
static int groups_of(const struct ir_engine *e) { return (e->channels + IR_LANE_GROUP - 1) / IR_LANE_GROUP; }

static void add_engines(const struct ir *ir, struct place *p, const int *task_of) {
    for (int i = 0; i < ir->engines; i++) {
        const struct ir_engine *e = &ir->engine[i];
        struct cost_resources lane = cost_lane(ir, e);
        struct place_lanes lanes = {.task = task_of[e->kernel],
                                    .parts = groups_of(e),
                                    .bits = IR_LANE_GROUP * cost_lane_bits(ir),
                                    .chain_bits = cost_lane_chain_bits(&ir->kernel[e->kernel])};
        struct cost_resources copy = cost_lane_copy(&ir->kernel[e->kernel]);
        place_amounts(&copy, lanes.chain_need);
        add_need(lanes.need, &lane, IR_LANE_GROUP);
        add_need(p->task.items[lanes.task].need, &lane, -e->channels);
        VEC_PUSH(ir->arena, p->lanes, lanes);
    }
}

static void add_link(const struct ir *ir, struct place *p, int64_t bits, int from, int to) {
    if (from != to) VEC_PUSH(ir->arena, p->link, ((struct place_link){from, to, bits}));
}

static void add_links(const struct ir *ir, struct place *p, const struct cost_design *cost, const int *task_of) {
    for (int e = 0; e < ir->edges; e++) {
        const struct ir_edge *edge = &ir->edge[e];
        int64_t bits = cost_stream_bits(ir, edge);
        int from = task_of[edge->src_kernel], to = task_of[edge->dst_kernel];
        add_need(p->task.items[from].need, &cost->edge[e], 1);
        if (edge->pool != IR_NONE) { // by way of the storage
            add_link(ir, p, bits, from, task_of[edge->pool]);
            from = task_of[edge->pool];
        }
        add_link(ir, p, bits, from, to);
    }
}

static void add_loads(const struct ir *ir, struct place *p, int memory, const int *task_of) {
    for (int k = 0; k < ir->kernels; k++)
        if (cost_load_bits(ir, k)) add_link(ir, p, cost_load_bits(ir, k), task_of[memory], task_of[k]);
}

// FIFOs lie with the kernel that writes them; a storage that streams share is a kernel.
static void add_tasks(const struct ir *ir, struct place *p, int *task_of) {
    struct cost_design cost = cost_design(ir);
    int *with = ARENA_ARRAY(ir->arena, int, (size_t)ir->kernels + 1), memory;
    join_kernels(ir, with, &memory);
    for (int k = 0; k < ir->kernels; k++) {
        int root = root_of(with, k);
        if (root == k) {
            task_of[k] = (int)p->task.count;
            VEC_PUSH(ir->arena, p->task,
                     ((struct place_task){.pinned = memory != IR_NONE && root_of(with, memory) == k}));
        }
        task_of[k] = task_of[root];
        add_need(p->task.items[task_of[k]].need, &cost.kernel[k], 1);
    }
    add_links(ir, p, &cost, task_of);
    if (memory != IR_NONE) add_loads(ir, p, memory, task_of);
    if (memory != IR_NONE) add_need(p->task.items[task_of[memory]].need, &cost.memory, 1);
    add_engines(ir, p, task_of);
}

// The dies in use: neighbours, with the one at the memory.
static int first_die(const struct ir *ir) {
    int home = 0, dies = ir->design.dies < ir->dies ? ir->design.dies : ir->dies;
    while (home < ir->dies && !ir->die[home].hbm) home++;
    if (home == ir->dies) home = 0;
    return home + dies <= ir->dies ? home : ir->dies - dies;
}

// What rill_engine is told of it: register stages each way, to which die the operand's copy of every group of lanes
// belongs, and which of these dies have an operand buffer of their own.
static void set_hops(struct ir *ir, const struct ir_engine *e) {
    int hops = 0, chains = 0, chain_die[IR_MAX_DIES], copies = 0, far = 0;
    for (int c = 0; c < e->channels; c += IR_LANE_GROUP) {
        int away = abs(e->lane_die[c] - ir->kernel[e->kernel].die), n = 0;
        hops = away > hops ? away : hops;
        while (n < chains && chain_die[n] != e->lane_die[c]) n++;
        if (n == chains) chain_die[chains++] = e->lane_die[c];
        if (away) far |= 1 << n;
        copies |= n << (4 * (c / IR_LANE_GROUP));
    }
    if (!hops) return;
    ir_set_int(ir, e->kernel, "HOPS", hops);
    ir_set_int(ir, e->kernel, "CHAINS", chains);
    ir_set_word(ir, e->kernel, "COPY_CHAIN", 16, copies);
    ir_set_int(ir, e->kernel, "CHAIN_AWAY", far);
}

static void set_dies(struct ir *ir, const struct place *p, const int *task_of, int first) {
    for (int k = 0; k < ir->kernels; k++) ir->kernel[k].die = first + p->task.items[task_of[k]].die;
    for (int e = 0; e < ir->edges; e++) {
        struct ir_edge *edge = &ir->edge[e];
        int from = ir->kernel[edge->src_kernel].die, to = ir->kernel[edge->dst_kernel].die,
            home = edge->pool == IR_NONE ? from : ir->kernel[edge->pool].die;
        edge->entry_crossings = abs(home - from);
        edge->crossings = abs(to - home);
    }
    for (int k = 0; k < ir->kernels; k++)
        if (kernel_is(&ir->kernel[k], KERNEL_STORE) && ir->kernel[k].die != first + p->home)
            ir_set_int(ir, k, "HOPS", abs(ir->kernel[k].die - first - p->home));
    for (int i = 0; i < ir->engines; i++) { // lanes in their order, the dies from the memory's on
        struct ir_engine *e = &ir->engine[i];
        int group = 0, home = p->home;
        for (int n = 0; n < p->dies; n++) {
            int die = (home + n) % p->dies;
            for (int g = 0; g < p->lanes.items[i].on[die]; g++, group++)
                for (int lane = group * IR_LANE_GROUP; lane < (group + 1) * IR_LANE_GROUP && lane < e->channels; lane++)
                    e->lane_die[lane] = first + die;
        }
        set_hops(ir, e);
    }
}

// Never nothing of what the die has: a share of the room is what the program weighs.
static void set_room(const struct ir *ir, int die, int64_t out[PLACE_RESOURCES]) {
    enum { LEAST_PART = 50 };
    struct cost_resources room = cost_room(ir, die), capacity = cost_capacity(&ir->die[die]);
    int64_t all[PLACE_RESOURCES];
    place_amounts(&room, out);
    place_amounts(&capacity, all);
    for (int s = 0; s < PLACE_RESOURCES; s++)
        if (out[s] < all[s] / LEAST_PART) out[s] = all[s] / LEAST_PART;
}

bool pass_place_dies(struct ir *ir, const struct rill_spec *spec, struct diag *diag) {
    (void)spec;
    (void)diag;
    if (ir->design.dies < 2 || ir->dies < 2) return true;
    int first = first_die(ir), *task_of = ARENA_ARRAY(ir->arena, int, (size_t)ir->kernels + 1);
    struct place p = {
        .arena = ir->arena, .dies = ir->design.dies < ir->dies ? ir->design.dies : ir->dies, .sll = cost_wires(ir)};
    for (int d = 0; d < p.dies; d++) {
        set_room(ir, first + d, p.room[d]);
        if (ir->die[first + d].hbm) p.home = d;
    }
    add_tasks(ir, &p, task_of);
    switch (place_solve(&p)) {
    case MIP_OPTIMAL: ir->design.placement = "the fewest bits across dies, within a weight for even shares"; break;
    case MIP_FEASIBLE: ir->design.placement = "the best found within the limit of the search"; break;
    case MIP_NONE:
        ir->design.placement = "filled in order, as the search for fewer crossings ended without a result";
        break;
    }
    set_dies(ir, &p, task_of, first);
    return true;
}
