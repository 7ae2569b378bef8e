// SPDX-License-Identifier: Apache-2.0
// Internal to the sizing of FIFOs: the cases that are simulated, and the findings about each stream. depths.c runs the
// parts of the search in order. Arrays "per edge" have an element for each stream of the IR. Depths, marks and room are
// in words, and work is in words and beats that were simulated.
#ifndef RILL_TIMING_SIZING_H
#define RILL_TIMING_SIZING_H

#include "gen/kernel/args.h"
#include "gen/timing/depths.h"

enum {
    MAX_STEPS = 8 /* steps of a case */,
    GRAPH_STEPS = 8 /* steps of a graph that may be in flight at once */,
    MAX_CASES = 48 /* most cases; further ones are not added */,
    MAX_BRIEFS = 2 /* most shortened cases */,
    DEPTH_LEAST = 2 /* words of the shortest FIFO with full throughput */,
    SLOWER_AT_MOST = 16 /* cycles of a case, plus a SLOWER_SHARE-th of them: deeper streams must gain more than this,
                           and each of the first two rounds may cost at most this */
    ,
    SLOWER_SHARE = 400,
    SLOWER_IN_ALL = 48 /* cycles, plus a hundredth, over the unbounded time; no round slows a case beyond this */,
    LAYERS = 4 /* repetitions of a case; more show nothing new */,
    BRIEF_STEPS = 3 /* steps and layers of a brief, a shortened case */,
    BRIEF_LAYERS = 2,
    SLOWER_ON_SOME = 400 /* a search on some cases may slow a case by a 400th of its cycles, and SLOWER_AT_MOST / 2 */,
    COARSE = 16 /* the coarse search finds a depth to a sixteenth */,
    COARSE_SHARE = 64 /* streams with less than a 64th of all bits are not worth a search where runs are long */,
    WORTH_AGAIN = 32 /* a search on some cases is repeated only if it saved a 32nd of all bits */,
    ROUNDS = 6 /* rounds of trials on all cases: two, and more while they save bits */,
    ROUND_PASSES = 20 /* with long runs, a round begins only if the budget has more passes left than this */,
    SEARCH_PASSES = 12 /* least number of passes over all cases that the search on some cases may take */,
    LONG_PASS = 60 /* if the budget holds fewer passes over all cases, a search on some cases comes first */
};

struct sizing_known;

struct test_case {
    const char *name;
    struct timing_step step[MAX_STEPS];
    int steps;
    bool for_lp;       // the LP uses the case, because it is the first of its kind
    int64_t layers;    // repetitions of the repeated region that are run
    bool asked;        // the case is run in a search on some cases
    bool refreshes;    // the memory refreshes, as after reset
    int64_t *latest;   // per step, latest cycle of an engine's last command: a trial with a later one has failed
    int64_t cycles;    // cycles at the safe depths; later the most that it may take
    int64_t unbounded; // cycles with unbounded streams; 0: unknown
    int64_t *room;     // per edge, `room` of struct timing_edge at the safe depths; later at the depths found so far
    int64_t *single;   // as `room`, with a single word in each pipeline
    int64_t *words;    // per edge, most words in a run of the cases that share this list; NULL: none has been run
    int era;           // number of times that `latest` was set
    struct sizing_known *known; // runs whose results are remembered
};

struct sizing_trial {    // the results of a run that a search needs
    bool ok;             // the run completed
    int64_t cycles;      // of the run; below 0 if it did not complete
    const int64_t *room; // per edge, `room` of struct timing_edge
};

struct sizing {
    struct ir *ir;
    struct arena scratch;
    struct test_case test[MAX_CASES + MAX_BRIEFS];
    int tests, briefs;     // briefs: shorter cases to search on, stored after the tests
    const char *kind;      // name of the last test, without its position
    int64_t *safe, *depth; // per edge
    // per edge. least: depth by the LP, with every firing as late as it can be. width: bits of a word, 0 if not sized
    int64_t *least, *width;
    bool latest;                 // least is known; in timing_least: the cases have their limits
    bool *full;                  // per edge: its writer waited at the safe depth
    struct timing_depth *out;    // per edge, as for timing_depths
    int64_t work, budget;        // words and beats simulated so far; beyond the budget no further depth is tried
    int64_t most;                // with more work in the first pass over all cases, there is no search; 0: no limit
    int strictest;               // number of the case that refused last
    bool slower;                 // a case is slower than it may be, at the depths measured last
    bool some;                   // only some cases are run
    int64_t longest;             // work of the longest case that is searched on
    const char *missing;         // module, kernel or "the design" that cannot be simulated, after a run failed
    bool emitted;                // runs without given depths have those of the IR; else their streams have no bounds
    struct timing_memory memory; // of cases without `refreshes`
};

struct streams { // some streams, as numbers of edges
    const int *edge;
    int count;
};

struct bounds { // conditions for a depth: it is not below `least`; fast: no case exceeds its limit; single_words: none
                // deadlocks with single words
    const int64_t *least;
    bool fast, single_words;
};

// ---- the sequence (depths.c) ----

// Allocates the arrays per edge, and takes the safe depths from `out`. `ir` and `out` must be set.
void sizing_open(struct sizing *);
// Deepens streams up to the safe depth until no case deadlocks with single words. Then makes them as short as they can
// be, unless passes are long and the deeper streams took few bits. Returns false if a case still deadlocks.
bool sizing_ensure_progress(struct sizing *, bool is_long);

// ---- cases and runs (sizing_cases.c) ----

struct timing_memory sizing_fast_memory(const struct ir *);       // returns the board's memory without refreshes
int64_t sizing_bits(const struct sizing *, const int64_t *depth); // returns the bits of all sized streams
// Returns whether the stream's depth is chosen. Streams of tdata alone (steps, ids to the ring, parameters) keep their
// depths.
bool sizing_is_sized(const struct ir *, int edge);
// Adds a case, unless there are MAX_CASES. name, pos: the case's name in reports, and the position of its first step.
void sizing_add_case(struct sizing *, const char *name, int64_t pos, const struct timing_step *, int steps);
void sizing_choose_cases(struct sizing *); // adds the cases of all searches
// Adds cases that differ along a request of a design with caches, to look for deadlocks: around the ends of blocks of
// 64 positions and of the context, with whole steps, a partial one and single tokens, as many as may be in flight.
void sizing_choose_passages(struct sizing *);
// Runs a case at these depths (NULL: see `emitted`). Returns the result, which is in z->scratch, or NULL if the design
// cannot be simulated (`missing`). latest: per step, the run ends early if an engine's last command is later; NULL: no
// limit.
struct timing_result *sizing_run(struct sizing *, struct test_case *, const int64_t *depth, bool single_word);
struct timing_result *sizing_run_until(struct sizing *, struct test_case *, const int64_t *depth, bool single_word,
                                       const int64_t *latest);
// Sets `latest` of a case from a run, with `slack` cycles more. sizing_note_words raises `words` to those of a run.
void sizing_note_latest(const struct sizing *, struct test_case *, const struct timing_result *, int64_t slack);
void sizing_note_words(struct sizing *, struct test_case *, const struct timing_result *);
// Findings about the streams: `depth` has the high-water mark over the cases since the marks were cleared, `out` the
// case that caused it, and `least` the depth by the LP.
void sizing_clear_marks(struct sizing *);
void sizing_note_mark(struct sizing *, const struct test_case *, int edge, const struct timing_result *);
void sizing_note_least(struct sizing *, const struct timing_result *);
// Adds a case: a request of whole steps and a partial one, with a memory that refreshes. Its limit is its time with
// unbounded streams plus a hundredth and SLOWER_IN_ALL cycles. Returns false if it cannot be run or deadlocks. room:
// per edge, `room` of struct timing_edge with unbounded streams.
bool sizing_add_request(struct sizing *, int64_t *room);
// Measures the marks of all cases at the given depths. first: also sets the cycles of the cases, and notes which
// writers wait and the depths by the LP. Returns false if a case cannot be run or deadlocks, or if the cases have more
// than `most` words and beats.
bool sizing_measure(struct sizing *, const int64_t *given, bool first);

// ---- runs that are known (sizing_known.c) ----

// Runs a case at these depths, or returns the result of an earlier run that would be the same. until: the run ends
// early when a command of an engine is later than the case's `latest` allows.
struct sizing_trial sizing_try(struct sizing *, struct test_case *, const int64_t *depth, bool single_word, bool until);

// ---- the search (sizing_search.c) ----

// Returns whether the cases complete at these depths and, unless single_word is set, within their limits. The struct
// streams lists the streams whose depths have changed; cases that these streams cannot affect are not run.
bool sizing_may_be(struct sizing *, const struct streams *, const int64_t *depth, bool single_word);
// Gives one stream after another, the largest first, the least depth within the bounds.
void sizing_bisect_all(struct sizing *, int64_t *depth, const struct bounds *);
// For long runs: finds depths from a few shorter cases, confirms them with all cases, and updates the marks. No stream
// gets a depth below `least`, which the function changes. Returns false if a case cannot be run or deadlocks.
bool sizing_cut_on_some(struct sizing *, int64_t *depth, int64_t *least);
// Makes streams deeper if refreshes make a request exceed its limit, because words that run ahead hide a refresh.
// Returns false if a case cannot be run or deadlocks.
bool sizing_hide_refreshes(struct sizing *, int64_t *depth);

#endif
