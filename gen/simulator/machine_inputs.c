// SPDX-License-Identifier: Apache-2.0
// Finds the input streams and the output stream of a vector kernel. machine_inputs.h takes the words.
#include "gen/simulator/machine_inputs.h"

#include "gen/kernel/kernel.h"

void inputs_init(struct sim *sim, const struct actor *a, struct inputs *in) {
    in->count = 0;
    // The first pass takes the inputs with a word for every word of the output, so that one of them is the leading
    // input. The second pass takes the others.
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
