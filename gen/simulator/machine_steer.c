// SPDX-License-Identifier: Apache-2.0
// Timing model of the multiplexer and the demultiplexer. Firings pass one after another. For each firing, the schedule
// has an entry that names the port.
#include "gen/kernel/kernel.h"
#include "gen/simulator/machines.h"

struct steer {
    struct sim_turns turns;
    struct sim_edge *in[256], *out[256]; // per port; NULL: none
    int64_t ports;
};

bool sim_steer_init(struct sim *sim, struct actor *a) {
    struct steer *s = a->state = ARENA_NEW(sim->arena, struct steer);
    bool mux = a->c.machine == TIMING_MUX;
    for (int p = 0; p < STEER_PORT_DROP; p++) {
        s->in[p] = mux ? sim_lane(sim, a, false, p) : sim_lane(sim, a, false, IR_NONE);
        s->out[p] = mux ? sim_lane(sim, a, true, IR_NONE) : sim_lane(sim, a, true, p);
    }
    // A demultiplexer takes the firings that it drops.
    s->in[STEER_PORT_DROP] = mux ? NULL : s->in[0];
    return turns_init(sim, a, &s->turns);
}

// Passes the words of the firing whose turn it is. Its last word ends the turn.
void sim_steer_run(struct sim *sim, struct actor *a) {
    struct steer *s = a->state;
    turns_fetch(sim, &s->turns);
    for (;;) {
        int64_t turn, from = 0, room = 0;
        if (!turns_present(sim, &s->turns, &turn, &from)) return;
        struct sim_edge *in = s->in[turn], *out = turn == STEER_PORT_DROP ? NULL : s->out[turn];
        if (!in || (turn != STEER_PORT_DROP && !out) || !edge_waiting(in) || (out && !edge_room(out, &room))) return;
        from = at_least(from, edge_avail(in));
        int64_t at = at_least(from, room);
        uint8_t mark = edge_mark(in);
        if (out) edge_put(sim, out, from, at, mark);
        edge_take(sim, in, at);
        if (mark & MARK_LAST) turns_done(sim, &s->turns, at);
    }
}
