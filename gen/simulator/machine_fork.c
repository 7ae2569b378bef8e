// SPDX-License-Identifier: Apache-2.0
// Timing model of forks. A fork offers a word to all outputs at once, and each output takes it as soon as it has room.
// The input's next word follows when all outputs have taken the present one.
#include <string.h>

#include "gen/simulator/machines.h"

struct fork {
    struct sim_edge *in, **out;
    int ports;
    bool *has;   // per output: whether it has taken the present word
    int64_t all; // latest cycle in which an output took the present word
};

bool sim_fork_init(struct sim *sim, struct actor *a) {
    struct fork *f = a->state = ARENA_NEW(sim->arena, struct fork);
    int64_t ports = kernel_ports(a->k);
    if (ports < 1 || ports > a->k->ports) return false;
    f->ports = (int)ports;
    f->out = ARENA_ARRAY(sim->arena, struct sim_edge *, (size_t)ports);
    f->has = ARENA_ARRAY(sim->arena, bool, (size_t)ports);
    f->in = sim_lane(sim, a, false, IR_NONE);
    bool whole = f->in != NULL;
    for (int p = 0; p < f->ports; p++) {
        f->out[p] = sim_lane(sim, a, true, p);
        whole &= f->out[p] != NULL;
    }
    return whole;
}

void sim_fork_run(struct sim *sim, struct actor *a) {
    struct fork *f = a->state;
    while (edge_waiting(f->in)) {
        int64_t from = edge_avail(f->in), room;
        uint8_t mark = edge_mark(f->in);
        bool all = true;
        for (int p = 0; p < f->ports; p++) {
            if (!f->has[p] && edge_room(f->out[p], &room)) {
                int64_t at = at_least(from, room);
                edge_put(sim, f->out[p], from, at, mark);
                f->has[p] = true;
                f->all = at_least(f->all, at);
            }
            all &= f->has[p];
        }
        if (!all) return;
        edge_take(sim, f->in, at_least(f->all, from));
        memset(f->has, 0, (size_t)f->ports * sizeof *f->has);
    }
}
