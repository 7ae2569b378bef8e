// SPDX-License-Identifier: Apache-2.0
// Finds FIFO depths from simulated steps.
//
// A case is a short run of steps (sizing_cases.c). First, all cases run with the depths of the safe rule, and each
// stream gets its high-water mark as depth. If a case is faster with unbounded streams, the safe depths are raised to
// what the streams hold without bounds. Some writers run ahead without making anything faster (such as the rows of the
// next step while this step is in its repeated region), and fill any depth. Their streams are cut to the depth that an
// LP gives, if the simulator confirms it. Then a search by bisection shortens one stream after another, as long as no
// case takes more than a small margin longer. Finally, every case is simulated again with a single word in each
// pipeline. The graph is a Kahn network, in which deadlock does not depend on times. A step that completes here
// therefore completes with any timing of the memory.
#include <string.h>

#include "gen/cost/cost.h"
#include "gen/timing/sizing.h"

// Returns whether a stream's writer could be later without harm: the LP found a depth below the high-water mark, or the
// safe depth held the writer back.
static bool runs_ahead(const struct sizing *z, int e) {
    int64_t mark = z->depth[e];
    return z->width[e] && mark > DEPTH_LEAST &&
           ((z->latest && z->least[e] < mark) || (z->full[e] && mark >= z->safe[e]));
}

// Cuts streams that run ahead to the depth that the LP gives, if the simulator confirms it.
static void cut_run_ahead(struct sizing *z, int64_t *depth) {
    for (int e = 0; e < z->ir->edges; e++) {
        if (!runs_ahead(z, e)) continue;
        depth[e] = z->depth[e]; // this depth is enough
        if (!z->latest || z->least[e] >= z->depth[e] || z->work >= z->budget) continue;
        depth[e] = at_least(z->least[e], DEPTH_LEAST);
        if (!sizing_may_be(z, &(struct streams){&e, 1}, depth, false)) depth[e] = z->depth[e];
    }
}

// ---- no deadlock with any timing ----

// Runs all cases, with a single word in each pipeline if `single_word` is set, and notes the room that each stream
// needs in them. Returns false if a case cannot be simulated or deadlocks. After a deadlock, `full` (unless NULL) marks
// the streams that are full.
static bool passes(struct sizing *z, const int64_t *depth, bool single_word, bool *full) {
    for (int i = 0; i < z->tests; i++) {
        struct arena_mark mark = arena_mark(&z->scratch);
        const struct timing_result *r = sizing_run(z, &z->test[i], depth, single_word);
        bool stuck = !r || r->stuck;
        int64_t *room = single_word ? z->test[i].single : z->test[i].room;
        for (int e = 0; stuck && r && full && e < z->ir->edges; e++) full[e] = r->edge[e].holds >= depth[e];
        for (int e = 0; !stuck && e < z->ir->edges; e++) room[e] = r->edge[e].room;
        arena_release(&z->scratch, mark);
        if (stuck) return false;
    }
    return true;
}

// Doubles the depths of the streams in `full`, which are full in a deadlock, up to the safe depth. Clears `full`.
// Returns false if no stream can get deeper.
static bool deepen(const struct sizing *z, bool *full, int64_t *depth) {
    bool deeper = false;
    for (int e = 0; e < z->ir->edges; e++) {
        if (full[e] && depth[e] < z->safe[e]) {
            depth[e] = at_most(depth[e] * 2, z->safe[e]);
            deeper = true;
        }
        full[e] = false;
    }
    return deeper;
}

// Measures the marks of all cases at the depths after cut_run_ahead, which has tested each cut but not all final depths
// together, so a case may deadlock. The streams that are full then get deeper, up to the safe depths, with which all
// cases complete.
static bool measure_cut(struct sizing *z, int64_t *depth) {
    bool *full = ARENA_ARRAY(&z->scratch, bool, (size_t)z->ir->edges + 1);
    while (!sizing_measure(z, depth, false))
        if (passes(z, depth, false, full) || !deepen(z, full, depth)) return false;
    return true;
}

// Deepens streams until no case deadlocks with a single word in each pipeline, then makes the deepened streams as short
// as they can be. If runs are long (`some`), this search is worth its time only if the deeper streams cost more than a
// COARSE_SHARE-th of the bits.
bool sizing_ensure_progress(struct sizing *z, bool some) {
    bool *full = ARENA_ARRAY(&z->scratch, bool, (size_t)z->ir->edges + 1), deepened = false;
    int64_t *least = ARENA_ARRAY(&z->scratch, int64_t, (size_t)z->ir->edges + 1);
    memcpy(least, z->depth, (size_t)z->ir->edges * sizeof *least);
    while (!passes(z, z->depth, true, full)) {
        if (!deepen(z, full, z->depth)) return false;
        deepened = true;
    }
    if (some) deepened &= (sizing_bits(z, z->depth) - sizing_bits(z, least)) * COARSE_SHARE > sizing_bits(z, least);
    z->budget = z->work + TIMING_FINE_BUDGET / (some ? 4 : 1);
    if (deepened) sizing_bisect_all(z, z->depth, &(struct bounds){least, .single_words = true});
    for (int e = 0; e < z->ir->edges; e++)
        if (z->depth[e] > least[e]) z->out[e].forced_by = "no deadlock with one word per pipeline";
    return true;
}

// Returns the largest number of cycles by which a case exceeds its limit, which is 1.01 times its cycles with unbounded
// streams; 0 if none does.
static int64_t most_slower(const struct sizing *z) {
    int64_t most = 0;
    for (int i = 0; i < z->tests; i++)
        most = at_least(most, z->test[i].cycles - z->test[i].unbounded - z->test[i].unbounded / 100);
    return most;
}

// Raises the safe depths to what streams hold without bounds, if that makes a case faster. With the safe rule, a stream
// has room for one tensor in parallel to each path, but a graph may have several tensors in flight: rows of steps that
// do not wait for one another, or repetitions of regions that wait only for one another. The old depths are restored if
// a case then exceeds its limit (most_slower) by more cycles than before and by more than SLOWER_IN_ALL / 2. This is
// possible because reads and writes of the memory meet in another order. Returns false if a case cannot be simulated or
// deadlocks.
static bool allow_ahead(struct sizing *z) {
    bool faster = false;
    int64_t *mark = ARENA_ARRAY(z->ir->arena, int64_t, (size_t)z->ir->edges + 1);
    for (int i = 0; i < z->tests; i++) {
        struct test_case *t = &z->test[i];
        struct arena_mark before = arena_mark(&z->scratch);
        const struct timing_result *r = sizing_run(z, t, NULL, false);
        if (!r || r->stuck) return false;
        t->unbounded = r->cycles;
        faster |= t->cycles > r->cycles + r->cycles / SLOWER_SHARE + SLOWER_AT_MOST;
        for (int e = 0; e < z->ir->edges; e++)
            mark[e] = at_least(mark[e], sizing_is_sized(z->ir, e) ? r->edge[e].room : 0);
        if (t->for_lp) sizing_note_least(z, r);
        arena_release(&z->scratch, before);
    }
    if (!faster) return true;
    int64_t slower = most_slower(z), *safe = z->safe;
    z->safe = mark;
    for (int e = 0; e < z->ir->edges; e++) mark[e] = at_least(mark[e], safe[e]);
    if (!sizing_measure(z, z->safe, true)) return false;
    if (most_slower(z) <= at_least(slower, SLOWER_IN_ALL / 2)) return true;
    z->safe = safe;
    return sizing_measure(z, z->safe, true);
}

// Returns the depth DEPTH_LEAST for every stream.
static int64_t *all_least(struct sizing *z) {
    int64_t *least = ARENA_ARRAY(z->ir->arena, int64_t, (size_t)z->ir->edges + 1);
    for (int e = 0; e < z->ir->edges; e++) least[e] = DEPTH_LEAST;
    return least;
}

// Measures the cycles of each case again at these depths, and sets z->slower if a case exceeds its limit. FIFOs of two
// words have another latency than deeper ones, and a difference of one cycle changes the order in which the memory's
// rows open. A case may therefore take a little longer with the marks as depths than with deeper streams. If `longer`
// is set, the limit of each case becomes its cycles at these depths, but it rises at most by a SLOWER_SHARE-th plus
// SLOWER_AT_MOST cycles. If a case deadlocks, returns false and marks the streams that are full then in `full`.
static bool measure_again(struct sizing *z, const int64_t *depth, bool longer, bool *full) {
    int64_t most[MAX_CASES];
    z->slower = false;
    for (int i = 0; i < z->tests; i++) {
        struct test_case *t = &z->test[i];
        struct arena_mark mark = arena_mark(&z->scratch);
        const struct timing_result *r = sizing_run(z, t, depth, false);
        bool ok = r && !r->stuck;
        int64_t slack = t->cycles / SLOWER_SHARE + SLOWER_AT_MOST;
        if (t->unbounded)
            slack = at_least(at_most(slack, t->unbounded + t->unbounded / 100 + SLOWER_IN_ALL - t->cycles), 0);
        most[i] = ok ? at_most(at_least(r->cycles, t->cycles), t->cycles + slack) : 0;
        z->slower |= ok && r->cycles > (longer ? most[i] : t->cycles);
        if (ok) sizing_note_latest(z, t, r, slack);
        for (int e = 0; ok && e < z->ir->edges; e++) t->room[e] = r->edge[e].room;
        for (int e = 0; !ok && r && e < z->ir->edges; e++) full[e] = r->edge[e].holds >= depth[e];
        arena_release(&z->scratch, mark);
        if (!ok) return false;
    }
    for (int i = 0; longer && i < z->tests; i++) z->test[i].cycles = most[i];
    return true;
}

// Prepares the depths with which a search begins. With the marks as depths, a case may deadlock that completed with
// deeper streams: FIFOs of two words have another latency, and stages that stall together hold fewer words if the words
// come later. The streams that are full then get deeper. If a case exceeds its limit, the search begins from the safe
// depths, at which the limit was measured. Returns false if a case deadlocks and no stream can get deeper.
static bool begin_search(struct sizing *z, int64_t *depth, bool longer) {
    bool *full = ARENA_ARRAY(z->ir->arena, bool, (size_t)z->ir->edges + 1);
    while (!measure_again(z, depth, longer, full))
        if (!deepen(z, full, depth)) return false;
    if (!z->slower) return true;
    memcpy(depth, z->safe, (size_t)z->ir->edges * sizeof *depth);
    return measure_again(z, depth, false, full);
}

// Raises the depth of each stream to the most places that it uses in a case (`room`), because this keeps the timing as
// measured.
static void keep_places(struct sizing *z) {
    for (int i = 0; i < z->tests; i++)
        for (int e = 0; e < z->ir->edges; e++)
            if (z->width[e]) z->depth[e] = at_least(z->depth[e], z->test[i].room[e]);
}

// Searches from these depths and, if `from_safe` is set, from the safe depths as well, and keeps the result with fewer
// bits. A difference of one cycle changes the order in which the memory's rows open, so the search from the safe depths
// may end with fewer bits although it begins with more.
static bool search(struct sizing *z, int64_t *depth, bool longer, bool from_safe) {
    const struct bounds bounds = {all_least(z), .fast = true};
    size_t bytes = (size_t)z->ir->edges * sizeof *depth;
    int64_t *other = ARENA_ARRAY(z->ir->arena, int64_t, (size_t)z->ir->edges + 1);
    if (!begin_search(z, depth, longer)) return false;
    sizing_bisect_all(z, depth, &bounds);
    memcpy(other, z->safe, bytes);
    if (from_safe && begin_search(z, other, false)) {
        sizing_bisect_all(z, other, &bounds);
        if (sizing_bits(z, other) < sizing_bits(z, depth)) memcpy(depth, other, bytes);
    }
    if (!sizing_measure(z, depth, false)) return false;
    keep_places(z);
    return true;
}

// Finds all depths, in the order of the file's first comment. If a pass over all cases takes a large part of the budget
// (`some`), a search on a few cases comes before the search on all cases. The search on all cases runs in at most
// ROUNDS rounds. From the third one on, a round is run only if the round before saved more than a 64th of the bits.
// With `some`, no round begins when little of the budget is left. In the end, streams get deeper to hide refreshes of
// the memory. *words: words and beats of the first pass.
static bool size_all(struct sizing *z, int64_t *words) {
    size_t edges = (size_t)z->ir->edges, bytes = edges * sizeof(int64_t);
    int64_t *depth = ARENA_ARRAY(&z->scratch, int64_t, edges + 1);
    sizing_choose_cases(z);
    bool measured = sizing_measure(z, z->safe, true);
    z->most = 0;
    *words = z->work;
    if (!measured) return false;
    int64_t pass = z->work; // work of a pass over all cases
    bool some = pass * LONG_PASS > z->budget;
    if (!allow_ahead(z)) return false;
    memcpy(depth, z->safe, bytes);
    cut_run_ahead(z, depth);
    if (memcmp(depth, z->safe, bytes) != 0 && !measure_cut(z, depth)) return false;
    memcpy(depth, z->depth, bytes);
    if (some) z->budget = at_least(z->budget, z->work + SEARCH_PASSES * pass);
    if (some && (!begin_search(z, depth, true) || !sizing_cut_on_some(z, depth, all_least(z)))) return false;
    memcpy(depth, z->depth, bytes);
    if (!some) z->budget = at_least(z->budget, z->work + TIMING_FINE_BUDGET);
    int64_t before = INT64_MAX; // bits before the round
    for (int round = 0; round < ROUNDS && (!some || z->work + ROUND_PASSES * pass < z->budget); round++) {
        int64_t bits = sizing_bits(z, depth);
        if (round > 1 && bits > before - before / 64) break;
        before = bits;
        if (!search(z, depth, round < 2, round < 2 && !some)) return false;
        memcpy(depth, z->depth, bytes);
    }
    z->budget = at_least(z->budget, z->work + TIMING_FINE_BUDGET / 4);
    return sizing_hide_refreshes(z, depth) && sizing_ensure_progress(z, some);
}

void sizing_open(struct sizing *z) {
    size_t edges = (size_t)z->ir->edges + 1;
    arena_init(&z->scratch);
    z->safe = ARENA_ARRAY(z->ir->arena, int64_t, edges);
    z->depth = ARENA_ARRAY(z->ir->arena, int64_t, edges);
    z->full = ARENA_ARRAY(z->ir->arena, bool, edges);
    z->least = ARENA_ARRAY(z->ir->arena, int64_t, edges);
    z->width = ARENA_ARRAY(z->ir->arena, int64_t, edges);
    for (int e = 0; e < z->ir->edges; e++) {
        z->safe[e] = z->out[e].depth;
        z->width[e] = sizing_is_sized(z->ir, e) ? cost_edge_bits(z->ir, &z->ir->edge[e]) : 0;
    }
}

bool timing_depths(struct ir *ir, struct timing_depth *out, int64_t most, int64_t *pass, const char **missing) {
    struct sizing z = {.ir = ir, .out = out, .budget = TIMING_BUDGET, .most = most, .memory = sizing_fast_memory(ir)};
    *pass = 0;
    // Only an edited dump can have another T.
    if (ir->design.tokens < 1 || ir->design.tokens > 8) return *missing = "the design", false;
    sizing_open(&z);
    bool ok = size_all(&z, pass);
    for (int e = 0; ok && e < ir->edges; e++) out[e].depth = z.depth[e];
    *missing = z.missing;
    arena_free(&z.scratch);
    return ok;
}

enum { TRIAL_ROWS = 24 }; // least number of rows of the trial request of a graph

int64_t timing_trial(struct ir *ir) {
    struct timing_step *step;
    struct arena scratch;
    const char *missing;
    int64_t whole = 2 * ir->design.tokens + 1, length = ir->design.is_lm ? whole : at_least(whole, TRIAL_ROWS);
    int steps = timing_request_steps(ir, at_most(length, ir->design.context), 3, &step);
    struct timing_options o = {.step = step, .steps = steps, .bounded = true, .layers = LAYERS, .limit = TIMING_LIMIT};
    o.memory = timing_memory_at(ir, timing_host_cycles(ir));
    arena_init(&scratch);
    const struct timing_result *r = timing_simulate(&scratch, ir, &o, &missing);
    int64_t cycles = r && !r->stuck ? r->cycles : 0;
    arena_free(&scratch);
    return cycles;
}

// ---- the least depths that would be enough ----

// Measures the room of all streams at the given depths and then bisects from these depths down. Returns false if a case
// cannot be simulated or deadlocks.
static bool least_from(struct sizing *z, int64_t *depth) {
    for (int i = 0; i < z->tests; i++) {
        struct arena_mark mark = arena_mark(&z->scratch);
        const struct timing_result *r = sizing_run(z, &z->test[i], depth, false);
        bool ok = r && !r->stuck;
        for (int e = 0; ok && e < z->ir->edges; e++) z->test[i].room[e] = r->edge[e].room;
        // In the first search, the cycles at the given depths become the limit of the case.
        if (ok && !z->latest) z->test[i].cycles = at_least(r->cycles, z->test[i].refreshes ? z->test[i].cycles : 0);
        arena_release(&z->scratch, mark);
        if (!ok) return false;
    }
    if (!passes(z, depth, true, NULL)) return false;
    sizing_bisect_all(z, depth, &(struct bounds){all_least(z), true, true});
    return z->latest = true; // the cases have limits now, so a second search must not take longer than the first one
}

bool timing_least(struct ir *ir, const int64_t *safe, const int64_t *depth, int64_t *least, const char **missing) {
    struct timing_depth *out = ARENA_ARRAY(ir->arena, struct timing_depth, (size_t)ir->edges + 1);
    int64_t *other = ARENA_ARRAY(ir->arena, int64_t, (size_t)ir->edges + 1);
    struct sizing z = {.ir = ir, .out = out, .budget = INT64_MAX, .memory = sizing_fast_memory(ir)};
    for (int e = 0; e < ir->edges; e++) out[e].depth = safe[e];
    sizing_open(&z);
    sizing_choose_cases(&z);
    bool ok = sizing_measure(&z, z.safe, true) && allow_ahead(&z);
    z.latest = false;
    ok = ok && sizing_add_request(&z, other);
    memcpy(least, depth, (size_t)ir->edges * sizeof *least);
    for (int e = 0; e < ir->edges; e++) other[e] = at_least(z.safe[e], depth[e]);
    ok = ok && least_from(&z, least);
    if (ok && least_from(&z, other) && sizing_bits(&z, other) < sizing_bits(&z, least))
        memcpy(least, other, (size_t)ir->edges * sizeof *least);
    *missing = z.missing;
    arena_free(&z.scratch);
    return ok;
}
