// SPDX-License-Identifier: Apache-2.0
// A simulator that calculates when words move. It runs the kernel graph word by word on the kernels' timing contracts,
// without calculating values. See docs/timing.md. Units: cycles, words of a stream. A row is a word for each active
// token of the step.
#ifndef RILL_SIMULATE_H
#define RILL_SIMULATE_H

#include "gen/ir/ir.h"

struct timing_step {
    int64_t pos; // position of the first token
    int ntok;    // active tokens
    bool head;   // regions that run only for the last token run in this step
};

struct timing_memory {                 // the memory of a channel
    const struct hbm_figures *figures; // the board's figures, which the Verilog simulation uses as well (docs/hbm.md)
    double period_ps;                  // period of the design's clock, in ps
    bool refreshes;                    // the memory is refreshed, which costs time
    int64_t start; // age of the memory when the first step begins, in cycles; sets the times of its refreshes
    bool kept;     // the vector parameters are on chip: only the image's header is read
    int64_t lead;  // cycles before that step, from which parameters and engine beats are requested (timing_start)
};
struct timing_memory timing_memory(const struct ir_design *);

struct timing_options {
    const struct timing_step *step; // steps of one request, in order
    int steps;
    bool bounded;      // FIFOs have their depths; if false, only those of steps and vector parameters do
    const int64_t *id; // ids of the first `ids` positions, which select the rows that are fetched; later positions have
                       // arbitrary ids
    int64_t ids;
    const int64_t *depth; // per edge, instead of the IR's; 0: unbounded
    bool twice;           // all of the IR's depths are doubled, including those of pools
    bool single_word; // a pipeline that stalls as a whole holds one word, which is its least when words are far apart
    int64_t layers;   // repetitions of the repeated region that are run, 0: all; needs exactly one such region
    const int64_t *words; // per edge, number of expected words, for which memory is allocated at once; NULL: unknown
    const int64_t
        *latest; // per step: latest cycle of an engine's last command; a later one ends the run as if stuck; NULL: any
    int64_t limit;    // limit of words and beats, beyond which the run ends as if stuck; 0: none
    bool idle_counts; // keys count only while their engine is idle, as in an old version; for a test of deadlocks
    bool load_only;   // run only what comes before the first step; timing_result.loaded says when it ended
    struct timing_memory memory;
};

struct timing_edge {
    int64_t words;      // words that were put
    int64_t high_water; // most words in it at once
    int64_t room;    // most words and places not yet free: with this depth, unless it is 2, the timing stays the same
    int64_t most_at; // the word with which it was fullest
    int64_t holds;   // words in it at the end
    int64_t full;    // cycles in which the writer waited for room
    const int64_t *put;  // per word: when it was put,
    const int64_t *take; // when it was taken,
    const uint8_t *mark; // and what it ends: MARK_LAST ...
};
enum { MARK_LAST = 1 /* of a firing */, MARK_TOK_LAST = 2 /* of a row */ };

enum timing_cause { TIMING_FOR_BEATS /* and keys, values */, TIMING_FOR_OPERAND, TIMING_FOR_ROOM, TIMING_CAUSES };

struct timing_firing { // one firing of an engine in one step, over all its repetitions
    int64_t busy;      // cycles with a command
    int64_t beats;     // beats that each lane reads from memory
    int64_t wait[TIMING_CAUSES];
};

struct timing_turn {      // one engine in one step
    int64_t wait;         // wait for the step's first operand, which is not in any firing's wait
    int64_t last_command; // cycle
};

struct timing_work {
    int64_t busy;        // cycles in which the kernel took or gave a word
    int64_t first, last; // first and last of these cycles; first < 0: never
};

struct timing_result {
    int64_t cycles; // cycles until the last step is over
    int64_t *step;  // when each step began, and [steps] when the last was over
    struct timing_edge *edge;
    struct timing_work *kernel;
    struct timing_firing *firing; // [step * firings of the IR + firing]
    struct timing_turn *turn;     // [step * engines + engine]
    int64_t words, beats;         // words and beats moved in all
    int64_t loaded;               // cycle of the last parameter; < 0: there are no parameters
    const char *stuck;            // NULL, or who waits for what, when the graph cannot go on with these depths
    bool cut;                     // it stopped only because of the limit
};

// Simulates the steps. Returns NULL if a kernel has no contract; *missing then names its module. The whole result is in
// the arena.
struct timing_result *timing_simulate(struct arena *, const struct ir *, const struct timing_options *,
                                      const char **missing);

#endif
