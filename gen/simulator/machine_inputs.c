// SPDX-License-Identifier: Apache-2.0
// Takes the words that a vector kernel needs for a word of its output, from all of its inputs.
#include "gen/simulator/machine_inputs.h"

#include "gen/kernel/kernel.h"

void inputs_init(struct sim *sim, const struct actor *a, struct inputs *in) {
    in->count = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int p = 0; p < a->k->ports && in->count < MAX_INPUTS; p++) {
            const struct ir_port *port = &a->k->port[p];
            enum timing_need need = timing_need(a->k, p);
            if (port->is_output || port->edge == IR_NONE || port->role == IR_ROLE_STEP ||
                (need == TIMING_EACH) != (pass == 0))
                continue;
            in->need[in->count] = need;
            in->edge[in->count++] = &sim->edge[port->edge];
        }
}

struct sim_edge *only_output(struct sim *sim, const struct actor *a) {
    for (int p = 0; p < a->k->ports; p++)
        if (a->k->port[p].is_output && a->k->port[p].edge != IR_NONE) return &sim->edge[a->k->port[p].edge];
    return NULL;
}

// Whether all inputs have the words for the next word of the output. *from is raised to the cycle from which they have
// them. first: the word belongs to the first row of a firing.
bool inputs_ready(const struct inputs *in, bool first, int64_t *from) {
    for (int i = 0; i < in->count; i++) {
        if (in->need[i] == TIMING_FIRST && !first) continue;
        if (!edge_waiting(in->edge[i])) return false;
        *from = at_least(*from, edge_avail(in->edge[i]));
    }
    return true;
}

void inputs_take(struct sim *sim, const struct inputs *in, bool first, uint8_t mark, int64_t at) {
    for (int i = 0; i < in->count; i++) {
        bool pops = in->need[i] == TIMING_EACH || (in->need[i] == TIMING_ROW && mark & MARK_TOK_LAST) ||
                    (in->need[i] == TIMING_FIRST && first);
        if (pops) edge_take(sim, in->edge[i], at);
    }
}
