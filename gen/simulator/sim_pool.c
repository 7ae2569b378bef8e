// SPDX-License-Identifier: Apache-2.0
// Timing model of rill_fifo_pool: several streams share one storage, and their firings enter and leave it in the order
// of a static schedule. The pool also takes step words, but these arrive long before they are needed, so the model does
// not wait for them.
#include <string.h>

#include "gen/simulator/sim_actor.h"
#include "gen/ir/ir.h"
#include "gen/kernel/kernel.h"

enum { MAX_PLACES = 255 }; // most streams of a pool, because a port number has 8 bits and 255 means no port

struct sim_pool {
    struct sim *sim;
    struct schedule_table schedule;
    struct sim_walk enters, leaves; // the firings whose turn it is to enter and to leave
    struct sim_edge words;          // the words in the storage
    struct sim_edge *edge[MAX_PLACES];
};

// Returns the place of the stream whose turn it is at a walk, or IR_NONE after the last firing.
static int place_of(const struct sim_pool *p, struct sim_walk *w) {
    int64_t entry;
    if (!sim_walk_entry(p->sim, &p->schedule, w, &entry)) return IR_NONE;
    return (int)schedule_at(&p->schedule, entry, STEER_PORT);
}

bool pool_gives(struct sim_pool *p, int place) { return place_of(p, &p->leaves) == place; }
int64_t pool_given(const struct sim_pool *p) { return p->words.takes ? p->words.take[p->words.takes - 1] + 1 : 0; }

bool pool_room(struct sim_pool *p, int place, int64_t *at) {
    int64_t room;
    if (place_of(p, &p->enters) != place || !edge_room(&p->words, &room)) return false;
    *at = at_least(*at, room);
    return true;
}

// Wakes the writer of the stream whose turn it is to enter.
static void wake_writer(struct sim_pool *p) {
    int place = place_of(p, &p->enters);
    if (place != IR_NONE && place < MAX_PLACES && p->edge[place]) sim_wake(p->sim, p->edge[place]->writer);
}

void pool_put(struct sim_pool *p, int64_t at, uint8_t mark) {
    edge_put(p->sim, &p->words, at, at, mark);
    if (!(mark & MARK_LAST)) return;
    sim_walk_next(p->sim, &p->schedule, &p->enters);
    wake_writer(p);
}

void pool_take(struct sim_pool *p, int64_t at, uint8_t mark) {
    edge_take(p->sim, &p->words, at);
    wake_writer(p);
    if (!(mark & MARK_LAST)) return;
    sim_walk_next(p->sim, &p->schedule, &p->leaves);
    int place = place_of(p, &p->leaves);
    if (place != IR_NONE && place < MAX_PLACES && p->edge[place]) sim_wake(p->sim, p->edge[place]->reader);
}

// Returns the latency in cycles of a link across die boundaries with its FIFO, or 0 if it crosses none.
static int64_t way_latency(int borders) { return borders ? ir_credit_cycles(borders) + CYCLES_FIFO : 0; }

// Opens the pools. In a run with given depths or unbounded streams there are none, and each stream has its own FIFO.
// options->twice doubles the words of a pool, like those of all FIFOs.
bool pools_open(struct sim *sim) {
    const struct ir *ir = sim->ir;
    struct sim_pool **pool = ARENA_ARRAY(sim->arena, struct sim_pool *, (size_t)ir->kernels + 1);
    for (int e = 0; e < ir->edges && sim->options->bounded && !sim->options->depth; e++) {
        int k = ir->edge[e].pool, place = ir->edge[e].pool_port;
        if (k == IR_NONE) continue;
        if (!pool[k]) {
            pool[k] = ARENA_NEW(sim->arena, struct sim_pool);
            pool[k]->sim = sim;
            if (!sim_schedule_read(sim, &sim->actor[k], STEER_BITS, &pool[k]->schedule)) return false;
            edge_init(&pool[k]->words, at_least(kernel_pool_words(sim->actor[k].k), 2) * (sim->options->twice ? 2 : 1),
                      IR_NONE, IR_NONE);
        }
        if (place < 0 || place >= MAX_PLACES) return false;
        pool[k]->edge[place] = &sim->edge[e];
        sim->edge[e].pool = pool[k];
        sim->edge[e].place = place;
        sim->edge[e].latency =
            pool[k]->words.latency + way_latency(ir->edge[e].crossings) + way_latency(ir->edge[e].entry_crossings);
    }
    return true;
}
