// SPDX-License-Identifier: Apache-2.0
// Internal to the evaluation of a point: the estimate of its speed, which explore_pace.c makes for explore_evaluate.c.
#ifndef RILL_EXPLORE_EVALUATE_H
#define RILL_EXPLORE_EVALUATE_H

#include "gen/explore/explore.h"
#include "gen/timing/timing.h"

struct explore_pace { // estimated cycles of the request
    double prefill, decode;
};
// Simulates a prompt step and, in a language model, a decode step. If exactly one region repeats, simulates only its
// first repetitions. The cycles of a further repetition are then those of a simulated one after the first.
// Fills *pace with the cycles of all steps of the request. Gives every stream the depth that the simulated steps need,
// unless the design has safe depths. Returns false if a kernel has no contract or the streams deadlock.
bool explore_pace(const struct explore *, struct ir *, struct arena *, struct explore_pace *);

#endif
