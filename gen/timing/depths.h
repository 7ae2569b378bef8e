// SPDX-License-Identifier: Apache-2.0
// The search for FIFO depths by simulation, with the reason for each depth, and checks of depths: whether a design can
// deadlock, and which of its streams run ahead. docs/fifos.md explains the method. Depths are in words. A case is a
// short request that the search simulates; a pass simulates all cases once.
#ifndef RILL_TIMING_DEPTHS_H
#define RILL_TIMING_DEPTHS_H

#include "gen/timing/timing.h"

enum {
    TIMING_LIMIT = 200000000 /* words and beats of one run; no real design has more */,
    TIMING_BUDGET = 30000000 /* words and beats after which no depth is tried; later parts of the search extend it */,
    TIMING_BRIEF_PASS = 2500000 /* words and beats of a pass over all cases with which the search takes 1 to 2 s */,
    TIMING_FINE_BUDGET = 32000000 /* words and beats of the trials that shorten one stream after another */
};

struct timing_depth { // of an edge
    int64_t depth;    // in: the safe depth; out: the depth that is required
    int64_t delay;    // cycles that a word waited when the stream was fullest
    // The case and firing that filled the stream, and the path that the reader waited for. NULL: the least depth.
    const char *forced_by;
};
// Finds the depth of every edge. Returns false and leaves all depths unchanged if the design cannot be simulated, or if
// the search is not begun because one pass over its cases is more than `most` words and beats (0: no limit).
// *missing names the module that has no contract; it is NULL if the design deadlocks or the pass is too long. *pass:
// words and beats that the first pass simulated.
bool timing_depths(struct ir *, struct timing_depth *, int64_t most, int64_t *pass, const char **missing);

// Returns the cycles of a short trial request at the IR's depths, with few repetitions: whole steps and a partial one,
// then decode steps in a language model. Returns 0 if the design cannot be simulated or deadlocks.
int64_t timing_trial(struct ir *);

// Reduces depths by the Conservative strategy of StreamTensor: every firing takes as long as the longest one, with its
// words evenly spaced. In: the depths of timing_depths. Out: the words that each stream holds at this pace, raised
// where this avoids a deadlock, and at most the depths given. Steps may take longer than before. Returns false as
// timing_depths does.
bool timing_conservative(struct ir *, struct timing_depth *, const char **missing);

// Returns the names of the kernels that the stream's reader waited for while this word was in the stream, joined by
// " > ", with the reader last. A text that begins with "..." lacks the beginning of the path. If the path has only the
// reader, the reader itself was not ready.
const char *timing_path(struct arena *, const struct ir *, const struct timing_result *, int edge, int64_t word);

// Returns whether steps complete at the IR's depths, including those of pools, with a single word in each pipeline. If
// they do, they also complete with more words and with any timing. If not, *stuck says where, and `full` (unless NULL),
// per edge, which streams are full then. If the design cannot be simulated, the result is false with *stuck NULL. A run
// beyond TIMING_LIMIT counts as complete. sized: the depths are those of timing_depths or deeper, so its cases are
// known to complete, and only the passages along a request (sizing_choose_passages) are run.
bool timing_progress(struct ir *, bool sized, const char **stuck, bool *full);

// Marks the edges that run ahead, from simulations of the cases of timing_depths and of further requests. An edge runs
// ahead if in one of these runs its writer waits for room at the IR's depths, or if the edge holds more words than its
// depth when all depths are doubled. No edge is marked if a module has no contract.
void timing_mark_ahead(struct ir *);

// Finds the least depths with which no case takes longer than with `depth`, by bisection of one stream at a time, the
// largest first. The search begins from `depth` and again from the safe depths, and keeps the result with fewer bits.
// In, per edge: the safe depths, and the depths that timing_depths found. Out: `least`, which has room for all edges.
// Returns false as timing_depths does.
bool timing_least(struct ir *, const int64_t *safe, const int64_t *depth, int64_t *least, const char **missing);

// Finds the most words that each stream holds if every firing of a run is as late as it can be without a longer step.
// width: bits of a stream's word; a stream with width 0 is left out. mark, per edge: the result. Returns false if the
// run has too many firings or the LP has no solution.
bool timing_latest(struct arena *, const struct ir *, const struct timing_result *, const int64_t *width,
                   int64_t *mark);

#endif
