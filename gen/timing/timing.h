// SPDX-License-Identifier: Apache-2.0
// What a request takes: its steps, where its memory stands, its forecast by the simulator of words (simulate.h).
// docs/timing.md. Units: cycles.
#ifndef RILL_TIMING_H
#define RILL_TIMING_H

#include "gen/cost/cost.h"
#include "gen/simulator/simulate.h"

// Cycles from the start of a request to its first step, the memory as old as given at that start.
int64_t timing_start(const struct ir *, const struct timing_memory *);
// The memory of a request that begins when it is that old.
int64_t timing_host_cycles(const struct ir *); // from reset on, of a host that writes the arguments of a request
struct timing_memory timing_memory_at(const struct ir *, int64_t age);            // the first one
struct timing_memory timing_memory_of(const struct ir *, int64_t age, bool kept); // or one behind another

// The steps of a request; their number.
int timing_request_steps(const struct ir *, int64_t prompt, int64_t tokens, struct timing_step **);

// ---- forecast of a request ----------------------------------------------------------------------

struct timing_phase { // steps of a prompt, or of ids made; sums over them, cycles
    int64_t steps;
    double cycles;
    double macs;        // products of the model: weights, scores, values
    double busy, beats; // of the engine with most to do: cycles with a command, beats that each of its lanes reads
    double wait[TIMING_CAUSES];      // where its other cycles went, beside
    double turn;                     // the wait for a step's first operand
    double (*firing)[TIMING_CAUSES]; // per firing of the IR: parts of `wait`
    struct cost_bound bound;         // below which no simulation of these steps is
};

struct timing_forecast {
    int64_t prompt, tokens; // ids in, ids made
    int64_t start;          // cycles before the first step: arguments, vector parameters
    double first_id, end;   // cycles from start to the first id, and to the last one, in the ring
    struct timing_phase prefill, decode;
    int64_t steps, simulated; // of the request; of these, simulated
    int engine;               // of the phases' figures, or IR_NONE
    double memory_gbs;        // sustained, of a channel
};

// NULL, or how the forecast says less than its own bound: then one of the two is wrong.
const char *timing_below_bound(struct arena *, const struct ir *, const struct timing_forecast *);

enum { TIMING_WHOLE_WORDS = 8000000 /* a second, some 300 MB */ };

// A whole request without any values. One of more words on its streams than whole_words is sampled: steps at some
// positions, each standing for its neighbours. age: of the memory at the start, cycles. NULL: *why says which kernel
// has no contract, or which streams deadlock.
struct timing_forecast *timing_forecast_request(const struct ir *, int64_t prompt, int64_t tokens, int64_t age,
                                                bool kept, int64_t whole_words, const char **why);

#endif
