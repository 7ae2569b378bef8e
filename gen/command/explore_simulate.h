// SPDX-License-Identifier: Apache-2.0
// rill explore --simulate: simulates the RTL of designs of the front (the designs that no other one dominates,
// gen/explore/explore.h), for comparison with their forecasts.
#ifndef RILL_EXPLORE_SIMULATE_H
#define RILL_EXPLORE_SIMULATE_H

#include "gen/explore/explore.h"

// Generates, packs (with random weights) and simulates the first `count` designs of the front, whose specs are in
// `dir`. Each gets a folder, a log and a file with the results (`.sim.json`) next to its spec. Returns an array of
// `count` results, or NULL after an error.
struct explore_trial *explore_simulate(const struct explore *, const struct explore_outcome *, const char *dir,
                                       int count);

#endif
