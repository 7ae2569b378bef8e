// SPDX-License-Identifier: Apache-2.0
// The timing of a request: its steps, the state of the memory when it begins, and its forecast by the token-level
// simulator (simulate.h), which follows words without their values. See docs/timing.md. Times are in cycles. Results
// are in the arena of the IR.
#ifndef RILL_TIMING_H
#define RILL_TIMING_H

#include "gen/cost/cost.h"
#include "gen/ir/registers.h"
#include "gen/simulator/simulate.h"

// Returns the cycles from the start of a request to its first step. The memory's `start` is its age in cycles when the
// request starts.
int64_t timing_start(const struct ir *, const struct timing_memory *);
int64_t timing_host_cycles(const struct ir *); // cycles from reset until a host has written the arguments of a request
// Returns the memory at the first step of a request that starts when the memory has this age. The first request after a
// reset loads the vector parameters (timing_memory_at). A later one does not if they are kept on chip (`kept`).
struct timing_memory timing_memory_at(const struct ir *, int64_t age);
struct timing_memory timing_memory_of(const struct ir *, int64_t age, bool kept);

// Makes the steps of a request and returns their number. A step runs the design once, for up to T prompt tokens or
// rows, or for one generated token. prompt: prompt tokens, or rows of a graph that is not a language model. tokens:
// generated tokens. The list is in the arena of the IR.
int timing_request_steps(const struct ir *, int64_t prompt, int64_t tokens, struct timing_step **);
// Makes the steps of a request that begins at position `first` of its prompt. Prompt steps end at multiples of T, so
// the first one is shorter unless `first` is such a multiple.
int timing_steps_from(const struct ir *, int64_t first, int64_t prompt, int64_t tokens, struct timing_step **);
// Returns the cycles in which the token loop passes over the ids before position `first`.
int64_t timing_passed_cycles(const struct ir *, int64_t first);

// ---- forecast of a request ----------------------------------------------------------------------

struct timing_phase { // prefill or decode steps; sums over them in cycles
    int64_t steps;
    double cycles;
    double macs;                // multiplications of the model: weights, scores, values
    double busy, beats;         // of the busiest engine: cycles with a command, and beats that each of its lanes reads
    double wait[TIMING_CAUSES]; // of the busiest engine: cycles without a command, by cause, without those of `turn`
    double turn;                // the wait for a step's first operand
    double (*firing)[TIMING_CAUSES]; // per firing of the IR: its part of `wait`
    struct cost_bound bound;         // lower bound for these steps
};

struct timing_forecast {
    int64_t prompt, tokens; // prompt tokens, generated tokens
    int64_t start;          // cycles from the start to the first step: image header, vector parameters
    // Cycles from the start until the first id, and until the last one, is in the ring; in a graph without ids, until
    // the interrupt.
    double first_id, end;
    struct timing_phase prefill, decode;
    int64_t steps, simulated; // steps of the request, and how many of them were simulated
    int engine;               // the busiest engine, to which the phases' figures belong; IR_NONE: none
    double memory_gbs;        // sustained rate of a channel in GB/s
};

// Returns NULL, or a text that says how the forecast is below its own bound. In that case one of the two is wrong.
const char *timing_below_bound(struct arena *, const struct ir *, const struct timing_forecast *);

// Calculates the lower bounds of both phases of a request, without simulating a step. Decode steps form at most
// `groups` groups (0: each step is one). Each group is calculated with the work of its first step, which is the least
// in the group.
void timing_request_bounds(const struct ir *, int64_t prompt, int64_t tokens, int groups, struct cost_bound *prefill,
                           struct cost_bound *decode);

enum { TIMING_WHOLE_WORDS = 8000000 /* the usual whole_words: a simulation takes about a second and 300 MB */ };

// Forecasts a whole request without calculating values. A request of a language model with more than whole_words words
// on its streams is sampled: steps at some positions are simulated, and each represents its neighbours. If all steps of
// another graph do the same work, the first steps of such a request give the interval of the others. age: age of the
// memory at the start, in cycles. kept: the vector parameters are on chip already. Returns NULL on failure; *why then
// names the kernel that has no contract, or the streams that deadlock.
struct timing_forecast *timing_forecast_request(const struct ir *, int64_t prompt, int64_t tokens, int64_t age,
                                                bool kept, int64_t whole_words, const char **why);

// Forecasts a request of a design with drafts in the slowest case: every decode step has as many drafts as it may, and
// none of them is right. Arguments and result are those of timing_forecast_request.
struct timing_forecast *timing_forecast_drafted(const struct ir *, int64_t prompt, int64_t tokens, int64_t age,
                                                bool kept, int64_t whole_words, const char **why);

// Forecasts a request that begins at position `first` of its prompt and finds the parameters on chip. drafted: in the
// slowest case, as timing_forecast_drafted.
struct timing_forecast *timing_forecast_from(const struct ir *, int64_t first, int64_t prompt, int64_t tokens,
                                             int64_t age, bool drafted, int64_t whole_words, const char **why);

// Numbers of decode steps by how many of their drafts are right. Only the ratios of the numbers matter.
enum { TIMING_MAX_DRAFTS = 7 };
struct timing_drafts {
    int64_t none;                         // steps without drafts
    int64_t right[TIMING_MAX_DRAFTS + 1]; // steps whose first 0, 1, ... drafts are right
};
struct timing_drafted { // all decode steps of a request
    double steps, cycles, tokens_per_step;
};
// Calculates the decoding with drafts that are right as often as given. none: a forecast without drafts. drafted: one
// of the same request in the slowest case.
struct timing_drafted timing_with_drafts(const struct timing_forecast *none, const struct timing_forecast *drafted,
                                         const struct timing_drafts *);

// ---- forecast of several requests at the same time, in a design with slots ----

struct timing_load_request {
    int64_t prompt, tokens; // prompt tokens, generated tokens
    int64_t prefix;         // position at which it begins, after positions that its slot has kept
    int64_t join;           // cycle from the start at which the host begins to submit it. 0 or less: comes at the start
};
struct timing_loads {
    const struct timing_load_request *request; // request i is in slot i; joins may not decrease
    int requests;
    const struct timing_drafts *drafts; // how often the drafts of each request are right. NULL: none are found
};
// Makes the steps of these requests. joins: per request, the number of the first step that it can be in; NULL: 0. If no
// request runs, the next one joins at once, whatever its number. Returns the number of steps.
int timing_load_steps(const struct ir *, const struct timing_loads *, const int64_t *joins, struct timing_step **);

struct timing_load {
    int requests;
    int64_t start;                   // cycles from the start to the choice of the first step
    double came[REGISTER_SLOTS];     // per slot: cycle from the start at which the request is submitted
    double first_id[REGISTER_SLOTS]; // per slot: cycles from then until the request's first id is in the ring
    double last_id[REGISTER_SLOTS];  // per slot: cycles from then until the request's last id is in the ring
    double end;                      // cycle from the start at which the last id of all is in the ring
    struct {                         // the steps in which every request generates
        int64_t steps;
        double cycles, busy, beats, turn, wait[TIMING_CAUSES]; // as in timing_phase, of each step's busiest engine
    } full;
    int64_t full_tokens;      // tokens generated in those steps
    int64_t steps, simulated; // steps in all, and how many were simulated
    int engine;               // busiest engine of the step in `full` that was simulated last, or IR_NONE
    double memory_gbs;        // sustained rate of a channel
};
// Forecasts these requests. Long stretches of equal steps are sampled. The other arguments, and the result of a
// failure, are those of timing_forecast_request.
struct timing_load *timing_forecast_load(const struct ir *, const struct timing_loads *, int64_t age, bool kept,
                                         const char **why);

#endif
