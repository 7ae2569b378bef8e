// SPDX-License-Identifier: Apache-2.0
// The input streams of a vector kernel. For each output word, the kernel takes the input words that belong to this
// output word from all inputs in the same cycle. Several machines use this code.
#ifndef RILL_MACHINE_INPUTS_H
#define RILL_MACHINE_INPUTS_H

#include "gen/simulator/sim_actor.h"

enum { MAX_INPUTS = IR_MAX_PORTS };

// The inputs of a kernel. The first one is the leading input, which gives a word for every word of the output. The
// other inputs may give fewer words (enum timing_need in gen/kernel/contract.h).
struct inputs {
    int count;
    struct sim_edge *edge[MAX_INPUTS];
    enum timing_need need[MAX_INPUTS];
};

// Finds all connected inputs of a kernel, except the input for step words.
void inputs_init(struct sim *sim, const struct actor *a, struct inputs *in);
// Returns the stream of the kernel's first connected output, or NULL if there is none.
struct sim_edge *only_output(struct sim *sim, const struct actor *a);

// Both functions below run for every word of every vector kernel, so they are inline: a call costs more than their
// work.

// Returns whether all inputs have the words for the next word of the output. Raises *from to the first cycle in which
// all these words can be taken. first: the output word belongs to the first row of a firing.
static inline bool inputs_ready(const struct inputs *in, bool first, int64_t *from) {
    for (int i = 0; i < in->count; i++) {
        if (in->need[i] == TIMING_FIRST && !first) continue;
        if (!edge_waiting(in->edge[i])) return false;
        *from = at_least(*from, edge_avail(in->edge[i]));
    }
    return true;
}

// Takes the words that belong to one word of the output in cycle `at`. mark: the marks of the leading input's word.
// first: as in inputs_ready.
static inline void inputs_take(struct sim *sim, const struct inputs *in, bool first, uint8_t mark, int64_t at) {
    for (int i = 0; i < in->count; i++) {
        bool pops = in->need[i] == TIMING_EACH || (in->need[i] == TIMING_ROW && mark & MARK_TOK_LAST) ||
                    (in->need[i] == TIMING_FIRST && first);
        if (pops) edge_take(sim, in->edge[i], at);
    }
}

#endif
