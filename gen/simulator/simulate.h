// SPDX-License-Identifier: Apache-2.0
// When words move: a simulator that runs the kernel graph word by word on the kernels' timing contracts, without any
// values. docs/timing.md. Units: cycles, words of a stream. A row is a word for each active token of the step.
#ifndef RILL_SIMULATE_H
#define RILL_SIMULATE_H

#include "gen/ir/ir.h"

struct timing_step {
    int64_t pos; // of the first token
    int ntok;
    bool head; // regions of the last token run
};

struct timing_memory {                 // of a channel
    const struct hbm_figures *figures; // of the board, those that simulation has too (docs/hbm.md)
    double period_ps;                  // of the design's clock
    bool refreshes;
    int64_t start; // age of the memory when the first step begins, cycles: where its refreshes lie
    bool kept;     // the vector parameters are on chip: only the image's header is read
    int64_t lead;  // cycles before it from which on parameters and the engines' beats are asked for (timing_start)
};
struct timing_memory timing_memory(const struct ir_design *);

struct timing_options {
    const struct timing_step *step; // of one request, in order
    int steps;
    bool bounded;      // FIFOs have their depth; else only those of steps and vector parameters
    const int64_t *id; // of the first positions, so many: the rows that they fetch; of others any
    int64_t ids;
    const int64_t *depth; // per edge, instead of the IR's; 0: unbounded
    bool twice;           // the IR's depths, twice each, those of pools too
    bool single_word; // a pipeline that stalls as a whole holds one word: the least it can when words come far apart
    int64_t layers;   // repetitions of the repeated region that are run, 0: all; where there is one such region
    const int64_t *words; // per edge, how many are expected: room for them is made at once; NULL: not known
    const int64_t
        *latest; // per step, of the engines' last commands in it: a later one ends the run as if stuck; NULL: none does
    int64_t limit;    // words and beats; 0: none. Beyond it the run ends as if stuck
    bool idle_counts; // as it once was, keys count only while their engine is idle: for a test of deadlocks
    bool load_only;   // what comes before the first step, alone; timing_result.loaded says when it was over
    struct timing_memory memory;
};

struct timing_edge {
    int64_t words, high_water;
    int64_t room; // words and places that are not free yet, at most: with this depth, unless it is 2, nothing changes
    int64_t most_at;     // the word with which it was fullest
    int64_t holds;       // words in it at the end
    int64_t full;        // cycles in which the writer waited for room
    const int64_t *put;  // per word: when it was given,
    const int64_t *take; // when it was taken,
    const uint8_t *mark; // and what it ended: MARK_LAST ...
};
enum { MARK_LAST = 1 /* of a firing */, MARK_TOK_LAST = 2 /* of a row */ };

enum timing_cause { TIMING_FOR_BEATS /* and keys, values */, TIMING_FOR_OPERAND, TIMING_FOR_ROOM, TIMING_CAUSES };

struct timing_firing { // of an engine in one step, all its repetitions
    int64_t busy;      // cycles with a command
    int64_t beats;     // read from memory by each lane
    int64_t wait[TIMING_CAUSES];
};

struct timing_turn {      // of an engine in one step
    int64_t wait;         // for the step's first operand, in no firing's wait
    int64_t last_command; // cycle
};

struct timing_work {
    int64_t busy;        // cycles in which it took or gave a word
    int64_t first, last; // first and last cycle of that; first < 0: never
};

struct timing_result {
    int64_t cycles; // until the last step is over
    int64_t *step;  // when each step began, and [steps] when the last was over
    struct timing_edge *edge;
    struct timing_work *kernel;
    struct timing_firing *firing; // [step * firings of the IR + firing]
    struct timing_turn *turn;     // [step * engines + engine]
    int64_t words, beats;         // moved in all
    int64_t loaded;               // cycle of the last parameter, < 0: there are none
    const char *stuck;            // NULL, or who waits for what: the graph cannot go on with these depths
    bool cut;                     // it could, but for the limit
};

// NULL where a kernel has no contract (*missing then names its module). All of the result lives in the arena.
struct timing_result *timing_simulate(struct arena *, const struct ir *, const struct timing_options *,
                                      const char **missing);

#endif
