// SPDX-License-Identifier: Apache-2.0
// Depths of FIFOs, with what asks for them.
#ifndef RILL_TIMING_DEPTHS_H
#define RILL_TIMING_DEPTHS_H

#include "gen/timing/timing.h"

enum {
    TIMING_LIMIT = 200000000 /* words and beats of one run; more is no design */,
    TIMING_BUDGET = 30000000 /* words and beats of all trials of a depth */,
    TIMING_BRIEF_PASS = 2500000 /* words and beats of all cases: a search of a second or two */,
    TIMING_FINE_BUDGET = 32000000 /* of the trials stream after stream */
};

struct timing_depth {
    int64_t depth; // in: the safe depth; out: the required one
    int64_t delay; // cycles that the word waited when the stream was fullest
    const char *
        forced_by; // the case and firing that filled it, and the path that its reader waited for; NULL: the least depth
};
// Per edge. False, with nothing changed but *missing, when the design cannot be simulated (a module without a contract,
// or NULL: it deadlocks), or when the search is not begun: one pass over its cases is more than `most` words and
// beats (0: any). *pass: as many as were simulated of that pass.
bool timing_depths(struct ir *, struct timing_depth *, int64_t most, int64_t *pass, const char **missing);

// Cycles of a request at the IR's depths, of few repetitions: whole steps, a part of one and ids behind, or rows. 0:
// the design cannot be simulated.
int64_t timing_trial(struct ir *);

// The Conservative strategy of StreamTensor: every firing as long as the longest, its words evenly over it. In: the
// depths of timing_depths; out: what the streams hold at that pace where it is less, and what it takes beside to go
// through. Steps may take longer. False: as above.
bool timing_conservative(struct ir *, struct timing_depth *, const char **missing);

// The kernels that the stream's reader waited for while this word lay in the stream, the reader last; the reader alone:
// it was not ready itself.
const char *timing_path(struct arena *, const struct ir *, const struct timing_result *, int edge, int64_t word);

// Whether steps go through at the IR's depths, pools and all, with a single word in each pipeline: then they do with
// more, and whenever words come. *stuck says where they do not, `full` (or NULL) which streams are full then; *stuck
// NULL with false: a module has no contract. A run beyond TIMING_LIMIT counts as going through. sized: the depths are
// those of timing_depths or deeper, so its cases are known to go through.
bool timing_progress(struct ir *, bool sized, const char **stuck, bool *full);

// Marks the edges that run ahead: whose writer waits for room at the IR's depths in a case that they were found from,
// or that hold more than their depth when all are twice as deep. Nothing when a module has no contract.
void timing_mark_ahead(struct ir *);

// The least depths with which the same steps take no longer: stream after stream, the largest first, from `depth` down
// by bisection. In: depth, as timing_depths left them, and the safe ones. False, as above.
bool timing_least(struct ir *, const int64_t *safe, const int64_t *depth, int64_t *least, const char **missing);

// The words that each stream holds at most when every firing of a run is as late as it can be without a longer step.
// width: bits of a stream's word, 0: it is left out. False when the run has too many firings.
bool timing_latest(struct arena *, const struct ir *, const struct timing_result *, const int64_t *width,
                   int64_t *mark);

#endif
