// SPDX-License-Identifier: Apache-2.0
// The input streams of a vector kernel. Its machine takes a word of each of them together.
#ifndef RILL_MACHINE_INPUTS_H
#define RILL_MACHINE_INPUTS_H

#include "gen/simulator/sim_actor.h"

enum { MAX_INPUTS = IR_MAX_PORTS };

// The inputs of a kernel. The first one is the leading input, which gives a word for every word of the output. The
// other inputs may give fewer (enum timing_need).
struct inputs {
    int count;
    struct sim_edge *edge[MAX_INPUTS];
    enum timing_need need[MAX_INPUTS];
};

void inputs_init(struct sim *sim, const struct actor *a, struct inputs *in);
struct sim_edge *only_output(struct sim *sim, const struct actor *a);
bool inputs_ready(const struct inputs *in, bool first, int64_t *from);
void inputs_take(struct sim *sim, const struct inputs *in, bool first, uint8_t mark, int64_t at);

#endif
