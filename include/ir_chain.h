// SPDX-License-Identifier: Apache-2.0
// How the command of a matrix engine goes to lanes on several dies: rill_engine's CHAINS and what goes with them.
#ifndef RILL_IR_CHAIN_H
#define RILL_IR_CHAIN_H

#include "include/ir.h"

enum { IR_MAX_CHAINS = IR_MAX_DIES, IR_LANE_GROUPS = IR_MAX_LANES / IR_LANE_GROUP };

// What lanes of a die share. The multipliers of lanes that are cut have a chain of their own, which is `early`.
struct ir_chain {
    int die;
    bool early, multiplies; // multiplies: of lanes' multipliers, not of sums alone
};

struct ir_chains {
    int count, lanes_of[IR_LANE_GROUPS], sums_of[IR_LANE_GROUPS]; // of each group of lanes: its chains
    struct ir_chain chain[IR_MAX_CHAINS];
};

struct ir_chains ir_chains_of(const struct ir_engine *);
bool ir_is_cut(const struct ir_engine *, int lane);
// Die boundaries: the most from the engine to a lane or its sums, and from there to the results.
int ir_engine_hops(const struct ir *, const struct ir_engine *);
int ir_result_hops(const struct ir_engine *);
// Register stages from the results to the engine: what leaves them needs one to itself, in front of the boundary.
int ir_pulse_hops(const struct ir *, const struct ir_engine *);
// Of row parameters that a lane that is cut sends to its sums in a clock (PARAM_BITS): no row of weights has fewer
// beats than its parameters have words.
int ir_param_bits(const struct ir *, const struct ir_engine *);
// Where a stream begins: the results of an engine may lie on another die than the rest.
int ir_source_die(const struct ir *, int kernel);

#endif
