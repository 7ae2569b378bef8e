// SPDX-License-Identifier: Apache-2.0
// Timing models of the kernels at the ends of streams: parameter stores, which always have a word to give, and kernels
// that take every word in the cycle in which it arrives (TIMING_SINK and TIMING_WALKER; sim_lane.c models the reads of
// a walker).
#include "gen/simulator/machines.h"

void sim_store_run(struct sim *sim, struct actor *a) {
    int64_t room;
    struct sim_edge *out = sim_out(sim, a, IR_ROLE_PARAM);
    // The FIFO of a store's stream always has a depth (always_bounded in simulate.c), so this loop ends.
    while (out && edge_room(out, &room)) edge_put(sim, out, room, room, MARK_TOK_LAST);
}

void sim_sink_run(struct sim *sim, struct actor *a) {
    for (int p = 0; p < a->k->ports; p++) {
        if (a->k->port[p].is_output || a->k->port[p].edge == IR_NONE) continue;
        struct sim_edge *in = &sim->edge[a->k->port[p].edge];
        while (edge_waiting(in)) edge_take(sim, in, edge_avail(in));
    }
}
