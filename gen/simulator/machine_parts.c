// SPDX-License-Identifier: Apache-2.0
// Timing model of rill_part_steps, which repeats the words of a step's parts for each layer. In the simulation, the
// kernels that read these words take one word for all parts and layers of a step, so this model passes on one word per
// step.
#include "gen/simulator/machines.h"

struct parts {
    struct sim_edge *in, *out;
};

bool sim_parts_init(struct sim *sim, struct actor *a) {
    struct parts *p = a->state = ARENA_NEW(sim->arena, struct parts);
    p->in = sim_in(sim, a, IR_ROLE_STEP);
    p->out = sim_lane(sim, a, true, IR_NONE);
    return p->in && p->out;
}

void sim_parts_run(struct sim *sim, struct actor *a) {
    struct parts *p = a->state;
    int64_t room;
    while (edge_waiting(p->in) && edge_room(p->out, &room)) {
        int64_t from = edge_avail(p->in) + a->c.stages, at = at_least(from, room);
        edge_put(sim, p->out, from, at, edge_mark(p->in));
        edge_take(sim, p->in, at_least(at - a->c.stages, edge_avail(p->in)));
    }
}
