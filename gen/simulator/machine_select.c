// SPDX-License-Identifier: Apache-2.0
// Timing model of rill_token_select, which precedes regions that run only for the last token, such as the LM head.
// In steps with a head it passes on the last token of a firing, or all tokens in designs with drafts or slots. In other
// steps it passes on nothing.
#include "gen/simulator/machines.h"

struct selection {
    struct sim_edge *in, *out, *step;
};

bool sim_select_init(struct sim *sim, struct actor *a) {
    struct selection *s = a->state = ARENA_NEW(sim->arena, struct selection);
    *s = (struct selection){sim_lane(sim, a, false, IR_NONE), sim_lane(sim, a, true, IR_NONE),
                            sim_in(sim, a, IR_ROLE_STEP)};
    return s->in && s->out && s->step;
}

void sim_select_run(struct sim *sim, struct actor *a) {
    struct selection *s = a->state;
    while (edge_waiting(s->in) && edge_waiting(s->step)) {
        uint8_t mark = edge_mark(s->in);
        bool all = ir_chooses_all(sim->ir);
        bool keep = sim->options->step[s->step->takes].head && (all || mark & MARK_TOK_LAST);
        int64_t from = at_least(edge_avail(s->in), edge_avail(s->step)), room = 0;
        if (keep && !edge_room(s->out, &room)) return;
        int64_t at = at_least(from, room);
        if (keep) edge_put(sim, s->out, from, at, (mark & MARK_LAST) | (all ? mark & MARK_TOK_LAST : MARK_TOK_LAST));
        edge_take(sim, s->in, at);
        if (mark & MARK_LAST) edge_take(sim, s->step, at);
    }
}
