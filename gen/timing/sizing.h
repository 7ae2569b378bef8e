// SPDX-License-Identifier: Apache-2.0
// Inside the sizing of FIFOs: the cases that are simulated, and what is known of each stream. depths.c is the sequence.
#ifndef RILL_TIMING_SIZING_H
#define RILL_TIMING_SIZING_H

#include "gen/kernel/args.h"
#include "gen/timing/depths.h"

enum {
    MAX_STEPS = 8,
    GRAPH_STEPS = 8 /* rows that may be under way at once */,
    MAX_CASES = 48,
    MAX_BRIEFS = 2,
    DEPTH_LEAST = 2,
    SLOWER_AT_MOST = 16 /* cycles of a case, and one part of SLOWER_SHARE: the least gain that deeper streams are for,
                           and what each of two rounds may cost */
    ,
    SLOWER_SHARE = 400,
    SLOWER_IN_ALL = 48 /* cycles and a hundredth more than without bounds: then no round may cost any more */,
    LAYERS = 4 /* more show nothing new */,
    BRIEF_STEPS = 3,
    BRIEF_LAYERS = 2,
    SLOWER_ON_SOME = 400 /* of its cycles: what a case may take longer that was not searched on */,
    COARSE = 16 /* of a depth: its sixteenth */,
    COARSE_SHARE = 64 /* of all bits: streams below one of so many parts are not worth a search where runs are long */,
    WORTH_AGAIN = 32 /* of all bits: what a search on some cases must save to be made once more */,
    ROUNDS = 6 /* of trials on all cases: two, and more while they save */,
    ROUND_PASSES = 20 /* passes that a round of trials on all cases is worth beginning with */,
    SEARCH_PASSES = 12 /* passes over all cases that the search on some may take, at least */,
    LONG_PASS = 60 /* passes over all cases that the budget must hold, else only some cases are searched */
};

struct sizing_known;

struct test_case {
    const char *name;
    struct timing_step step[MAX_STEPS];
    int steps;
    bool for_lp;                // the first of its kind
    int64_t layers;             // repetitions that are run
    bool asked;                 // while some cases stand for all
    bool refreshes;             // of the memory, as after reset
    int64_t *latest;            // per step, last command of an engine: a trial with a later one has failed
    int64_t cycles;             // at the safe depths; then the most it may take
    int64_t unbounded;          // the same when nothing bounds the streams; 0: not known
    int64_t *room;              // per edge, there; then at the depths found so far: as of struct timing_edge
    int64_t *single;            // the same with a single word in each pipeline
    int64_t *words;             // per edge, in a run of it; NULL: there has been none
    int era;                    // how often `latest` has been set
    struct sizing_known *known; // runs of the search
};

struct sizing_trial { // what a search asks of a run
    bool ok;          // it came to its end
    int64_t cycles;
    const int64_t *room; // per edge: as of struct timing_edge
};

struct sizing {
    struct ir *ir;
    struct arena scratch;
    struct test_case test[MAX_CASES + MAX_BRIEFS];
    int tests, briefs;      // behind the tests: shorter ones, to search on
    const char *kind;       // of the last one
    int64_t *safe, *depth;  // per edge
    int64_t *least, *width; // per edge: with every firing as late as it can be; bits of a word, 0: not sized
    bool latest;            // least is known
    bool *full;             // per edge: its writer waited at the safe depth
    struct timing_depth *out;
    int64_t work, budget; // words and beats simulated; after so many no further depth is tried
    int64_t most;         // of the first pass over all cases, else there is no search; 0: any
    int strictest;        // case
    bool slower;          // some case than it may be, at the depths that were measured last
    bool some;            // only some cases are asked
    int64_t longest;      // work of the longest of those that are searched on
    const char *missing;
    bool emitted; // without depths given those of the IR count
    struct timing_memory memory;
};

struct streams { // some of them, as numbers of edges
    const int *edge;
    int count;
};

struct bounds { // of a depth: not below `least`; no case takes longer, none deadlocks with single words
    const int64_t *least;
    bool fast, single_words;
};

// ---- the sequence (depths.c) ----

void sizing_open(struct sizing *); // with ir and out set
// Streams that are full where the graph deadlocks get deeper, up to the safe depth; then, unless passes are long,
// as short as they can be.
bool sizing_ensure_progress(struct sizing *, bool is_long);

// ---- cases and runs (sizing_cases.c) ----

struct timing_memory sizing_fast_memory(const struct ir *);
int64_t sizing_bits(const struct sizing *, const int64_t *depth); // of all sized streams
bool sizing_is_sized(const struct ir *, int edge);                // steps and parameters are not
void sizing_add_case(struct sizing *, const char *name, int64_t pos, const struct timing_step *, int steps);
void sizing_choose_cases(struct sizing *);
// What differs along a request of a design with caches: around the ends of blocks of 64 positions and of the context,
// with whole steps, a part of one and single ones, as many as may be under way. To look for deadlocks.
void sizing_choose_passages(struct sizing *);
struct timing_result *sizing_run(struct sizing *, struct test_case *, const int64_t *depth, bool single_word);
struct timing_result *sizing_run_until(struct sizing *, struct test_case *, const int64_t *depth, bool single_word,
                                       const int64_t *latest);
void sizing_note_latest(const struct sizing *, struct test_case *, const struct timing_result *, int64_t slack);
void sizing_note_words(struct sizing *, struct test_case *, const struct timing_result *);
// What a stream needs: its marks over the cases since they were cleared, with what forced them; what the LP says.
void sizing_clear_marks(struct sizing *);
void sizing_note_mark(struct sizing *, const struct test_case *, int edge, const struct timing_result *);
void sizing_note_least(struct sizing *, const struct timing_result *);
// A request of whole steps and a part, with a memory that refreshes. It may take a hundredth and SLOWER_IN_ALL longer
// than without bounds. False when it deadlocks. *room: of each stream, what it holds then.
bool sizing_add_request(struct sizing *, int64_t *room);
// Marks of all cases at the given depths. False when a case cannot be run or deadlocks.
bool sizing_measure(struct sizing *, const int64_t *given, bool first);

// ---- runs that are known (sizing_known.c) ----

// until: a run ends with an engine's command that is later than the case's latest.
struct sizing_trial sizing_try(struct sizing *, struct test_case *, const int64_t *depth, bool single_word, bool until);

// ---- the search (sizing_search.c) ----

// Whether the cases go through, and take no longer if that is asked for, when these streams are as short as that.
bool sizing_may_be(struct sizing *, const struct streams *, const int64_t *depth, bool single_word);
// Stream after stream, the largest first, gets the least depth within the bounds.
void sizing_bisect_all(struct sizing *, int64_t *depth, const struct bounds *);
// Where runs are long: depths from a few shorter cases that all cases confirm, with their marks. In: least is what no
// stream goes below.
bool sizing_cut_on_some(struct sizing *, int64_t *depth, int64_t *least);
// Deeper streams where a request takes longer as the memory refreshes: words that are ahead hide that.
bool sizing_hide_refreshes(struct sizing *, int64_t *depth);

#endif
