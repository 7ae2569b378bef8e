// SPDX-License-Identifier: Apache-2.0
// Timing model of kernels that take a whole firing and then give one word per token, such as the choice of the largest
// logit (TIMING_ARGMAX). Their output words are called ids here.
#include "gen/simulator/machine_inputs.h"
#include "gen/simulator/machines.h"

struct argmax {
    struct sim_edge *in, *out;
    int64_t last;   // cycle in which the last word was taken or the last id was sent
    int64_t tokens; // tokens of the present firing, counted in its first row
    int64_t sent;   // ids of the present firing that were sent
    int64_t offer;  // first cycle of the next id; -1: the firing is still arriving
    bool first;     // the next word belongs to the first row of a firing
};

bool sim_argmax_init(struct sim *sim, struct actor *a) {
    struct argmax *m = a->state = ARENA_NEW(sim->arena, struct argmax);
    *m = (struct argmax){sim_in(sim, a, IR_ROLE_X), sim_out(sim, a, IR_ROLE_ID), -1, 0, 0, -1, true};
    return m->in && m->out;
}

// Sends the next id. Returns false while it is not known from which cycle the stream has room.
static bool argmax_ids(struct sim *sim, struct argmax *m) {
    int64_t room;
    if (!edge_room(m->out, &room)) return false;
    bool last = ++m->sent == m->tokens;
    edge_put(sim, m->out, m->offer, at_least(m->offer, room), last ? MARK_LAST | MARK_TOK_LAST : 0);
    m->last = at_least(m->offer, room);
    m->offer = last ? -1 : m->last + 1;
    if (last) m->tokens = m->sent = 0, m->first = true;
    return true;
}

void sim_argmax_run(struct sim *sim, struct actor *a) {
    struct argmax *m = a->state;
    for (;;) {
        if (m->offer >= 0) {
            if (!argmax_ids(sim, m)) return;
            continue;
        }
        if (!edge_waiting(m->in)) return;
        int64_t at = at_least(edge_avail(m->in), m->last + 1);
        uint8_t mark = edge_mark(m->in);
        edge_take(sim, m->in, at);
        m->last = at;
        m->tokens += m->first;
        if (mark & MARK_TOK_LAST) m->first = false;
        if (mark & MARK_LAST) m->offer = at + a->c.stages;
    }
}
