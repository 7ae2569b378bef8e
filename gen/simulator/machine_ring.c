// SPDX-License-Identifier: Apache-2.0
// Timing model of the kernel that writes generated ids to the ring in memory. Every id is one beat with its own
// descriptor. The kernel takes the next id when the write of the previous one has its response.
#include "gen/simulator/machines.h"

struct ring {
    struct sim_edge *in;
    struct sim_client *client;
    int64_t offset, ids; // offset of the ring in its channel, in bytes; ids written so far
};

bool sim_ring_init(struct sim *sim, struct actor *a) {
    struct ring *r = a->state = ARENA_NEW(sim->arena, struct ring);
    r->in = sim_in(sim, a, IR_ROLE_RING);
    r->client = client_open(sim, a, true);
    r->offset = sim_offset_for(sim->ir, IR_SEG_RING);
    return r->in && r->client;
}

void sim_ring_run(struct sim *sim, struct actor *a) {
    struct ring *r = a->state;
    int64_t beat_bytes = sim->ir->design.beat_bits / 8, at;
    while (edge_waiting(r->in) && client_idle(r->client, &at)) {
        at = at_least(at + a->c.ring.settle, edge_avail(r->in));
        edge_take(sim, r->in, at);
        client_give(sim, r->client, at + a->c.stages);
        client_ask(sim, r->client, at + a->c.stages, r->offset + r->ids++ * SIM_ID_BITS / 8 / beat_bytes * beat_bytes,
                   1);
    }
}
