// SPDX-License-Identifier: Apache-2.0
// Part of place-dies (place.h): moves small FIFOs of a die from LUTRAM to block RAM or UltraRAM, if the die exceeds the
// limit of its LUTs and is within it then. A FIFO has the same latency in each kind. These are FIFOs that
// allocate-memories leaves in LUTRAM: those of streams with few words, and the prefetch FIFOs of memory clients. Each
// takes several block RAMs or UltraRAMs for few bits, so it is moved only if LUTs are the resource that is missing.
#include "gen/cost/cost.h"
#include "gen/kernel/kernel.h"
#include "gen/pass/pass.h"
#include "gen/pass/place.h"

enum { KINDS = 2 };
static const enum ram_style kinds[KINDS] = {RAM_BLOCK, RAM_ULTRA};

struct small {           // a FIFO in LUTRAM
    int edge, client;    // one of them is set, the other is IR_NONE
    int64_t luts[KINDS]; // LUTs less if it is in a memory of this kind
    int64_t rams[KINDS]; // BRAM18s or URAMs that it takes then
    enum ram_style kind; // result
};

typedef VEC(struct small) small_list;

// Adds `times` equal FIFOs to the list if they take fewer LUTs in another kind of memory.
static void add_small(const struct ir *ir, small_list *list, struct small s, int64_t depth, int64_t bits, int times) {
    struct cost_resources now = cost_fifo(depth, bits, RAM_DISTRIBUTED);
    bool saves = false;
    for (int k = 0; k < KINDS; k++) {
        struct cost_resources then = cost_fifo(depth, bits, kinds[k]);
        s.luts[k] = times * (now.lut - then.lut);
        s.rams[k] = times * (then.bram18 + then.uram);
        saves = saves || (s.luts[k] > 0 && s.rams[k] > 0);
    }
    if (saves) VEC_PUSH(ir->arena, *list, s);
}

// Adds the FIFOs of streams that a kernel reads. A FIFO of up to two words is made of registers.
static void add_streams(const struct ir *ir, small_list *list, int kernel) {
    for (int e = 0; e < ir->edges; e++) {
        const struct ir_edge *edge = &ir->edge[e];
        if (edge->pool != IR_NONE || edge->depth <= 2 || edge->ram_style != RAM_DISTRIBUTED) continue;
        if (edge->dst_kernel == kernel)
            add_small(ir, list, (struct small){.edge = e, .client = IR_NONE}, edge->depth, cost_edge_bits(ir, edge), 1);
    }
}

// Adds the prefetch FIFOs of clients that read memory. All channels of a client have the same kind.
static void add_clients(const struct ir *ir, small_list *list) {
    for (int c = 0; c < ir->clients; c++) {
        const struct ir_client *client = &ir->client[c];
        int64_t beats = cost_client_beats(ir, client);
        int channels = 0;
        for (int n = 0; n < ir->design.channels; n++) channels += ir_client_on(ir, client, n);
        bool in_luts = client->ram_style == RAM_AUTO && cost_prefetch_style(beats) == RAM_DISTRIBUTED;
        if (client->is_write || !in_luts) continue;
        add_small(ir, list, (struct small){.edge = IR_NONE, .client = c}, beats, ir->design.beat_bits, channels);
    }
}

// Returns the index of the FIFO that saves the most LUTs per memory of a kind and needs at most `rams`; IR_NONE if
// there is none. Of equal ones it is the first.
static int best_of(const small_list *list, int kind, int64_t rams) {
    int best = IR_NONE;
    for (int i = 0; i < (int)list->count; i++) {
        const struct small *s = &list->items[i], *b = best == IR_NONE ? NULL : &list->items[best];
        if (s->luts[kind] <= 0 || s->rams[kind] > rams) continue;
        if (!b || s->luts[kind] * b->rams[kind] > b->luts[kind] * s->rams[kind]) best = i;
    }
    return best;
}

// Chooses FIFOs of the list for memories of a kind, of which `rams` are left, while more LUTs are taken than the limit
// allows. luts: their number. Returns what is left of it. The chosen FIFOs move to the list `chosen`.
static int64_t choose(const struct ir *ir, small_list *list, int kind, int64_t rams, int64_t luts, small_list *chosen) {
    for (int i = best_of(list, kind, rams); luts > 0 && i != IR_NONE; i = best_of(list, kind, rams)) {
        struct small *s = &list->items[i];
        s->kind = kinds[kind];
        luts -= s->luts[kind];
        rams -= s->rams[kind];
        VEC_PUSH(ir->arena, *chosen, *s);
        *s = list->items[--list->count];
    }
    return luts;
}

void place_relieve(struct ir *ir, int die) {
    struct cost_design cost = cost_design(ir);
    struct cost_fill fill = cost_fill(ir, &cost, die);
    int64_t luts = fill.taken.lut - fill.limit.lut;
    small_list list = {0}, chosen = {0};
    if (luts <= 0) return;
    for (int k = 0; k < ir->kernels; k++)
        if (ir->kernel[k].die == die) add_streams(ir, &list, k);
    if (die == cost_memory_die(ir)) add_clients(ir, &list);
    luts = choose(ir, &list, 0, fill.limit.bram18 - fill.taken.bram18, luts, &chosen);
    luts = choose(ir, &list, 1, fill.limit.uram - fill.taken.uram, luts, &chosen);
    for (size_t i = 0; luts <= 0 && i < chosen.count; i++) {
        const struct small *s = &chosen.items[i];
        if (s->edge != IR_NONE) ir->edge[s->edge].ram_style = s->kind;
        else ir->client[s->client].ram_style = s->kind;
    }
}

int64_t place_small_luts(const struct ir *ir) {
    bool *there = ARENA_ARRAY(ir->arena, bool, (size_t)ir->kernels + 1);
    small_list list = {0};
    int64_t luts = 0;
    place_at_memory(ir, there);
    for (int k = 0; k < ir->kernels; k++)
        if (there[k]) add_streams(ir, &list, k);
    add_clients(ir, &list);
    for (size_t i = 0; i < list.count; i++) {
        int64_t most = 0; // of the kinds of memory
        for (int k = 0; k < KINDS; k++) most = at_least(list.items[i].luts[k], most);
        luts += most;
    }
    return luts;
}
