// SPDX-License-Identifier: Apache-2.0
// Finds the least depths with which no case exceeds its limit, one stream after another. If each run is long, a search
// on a few shorter cases comes first.
#include <string.h>

#include "gen/timing/sizing.h"

// Returns the room of each stream in the case's last run of this kind.
static int64_t *marks_of(struct test_case *t, bool single_word) { return single_word ? t->single : t->room; }

// Returns whether a case must be run again at these depths. It must if a stream holds more words than its new depth, or
// if its new depth is DEPTH_LEAST or less, because a FIFO of two words has another latency than a deeper one. In a
// search on some cases, whose runs are long, a change of latency alone is not worth a run.
static bool may_change(const struct sizing *z, const struct streams *s, const int64_t *mark, const int64_t *depth) {
    for (int i = 0; i < s->count; i++)
        if (mark[s->edge[i]] > depth[s->edge[i]] || (!z->some && depth[s->edge[i]] <= DEPTH_LEAST)) return true;
    return false;
}

// Returns whether a case decides: all tests do or, in a search on some cases, only the cases marked `asked`.
static bool is_asked(const struct sizing *z, int i) { return z->some ? z->test[i].asked : i < z->tests; }

// Replaces the room of the cases that were run if all of them pass.
bool sizing_may_be(struct sizing *z, const struct streams *s, const int64_t *depth, bool single_word) {
    const int64_t *room[MAX_CASES + MAX_BRIEFS] = {NULL}; // of the cases that were run
    int tests = z->tests + z->briefs;
    for (int n = 0; n < tests; n++) {
        int i = (z->strictest + n) % tests; // the case that refused last time is the first
        struct test_case *t = &z->test[i];
        if (!is_asked(z, i) || !may_change(z, s, marks_of(t, single_word), depth)) continue;
        struct sizing_trial r = sizing_try(z, t, depth, single_word, z->some && !single_word);
        if (!r.ok || (!single_word && r.cycles > t->cycles)) {
            z->strictest = i;
            return false;
        }
        room[i] = r.room;
    }
    for (int i = 0; i < tests; i++)
        if (room[i]) memcpy(marks_of(&z->test[i], single_word), room[i], (size_t)z->ir->edges * sizeof *room[i]);
    return true;
}

// Returns the stream with the most bits among those that were not tried yet and whose depth is above `least`, or
// IR_NONE.
static int largest_stream(const struct sizing *z, const int64_t *depth, const int64_t *least, const bool *tried) {
    int most = IR_NONE;
    for (int e = 0; e < z->ir->edges; e++)
        if (!tried[e] && z->width[e] && depth[e] > least[e] &&
            (most == IR_NONE || depth[e] * z->width[e] > depth[most] * z->width[most]))
            most = e;
    return most;
}

// Returns whether the depths satisfy the bounds. s: the streams whose depths have changed.
static bool are_enough(struct sizing *z, const struct streams *s, const int64_t *depth, const struct bounds *b) {
    return (!b->fast || sizing_may_be(z, s, depth, false)) && (!b->single_words || sizing_may_be(z, s, depth, true));
}

// Sets the depth of stream e to `trial` and returns whether the depths then satisfy the bounds.
static bool is_enough(struct sizing *z, int e, int64_t *depth, int64_t trial, const struct bounds *b) {
    depth[e] = trial;
    return are_enough(z, &(struct streams){&e, 1}, depth, b);
}

// Finds a lower depth of stream e by bisection between `low`, which was not tried yet, and depth[e], which is known to
// be enough.
static void bisect(struct sizing *z, int e, int64_t *depth, int64_t low, const struct bounds *b) {
    int64_t high = depth[e];
    // Tries both ends first, because most streams need their whole depth or almost none.
    for (int trial = 0; low < high && z->work < z->budget; trial++) {
        int64_t at = trial == 0 ? low : trial == 1 ? high - 1 : (low + high) / 2;
        if (is_enough(z, e, depth, at, b)) high = at;
        else low = at + 1;
    }
    depth[e] = high;
}

// Tries depths upwards in growing steps, from one above the least depth, which bisect has tried already. A depth may be
// enough although a greater one is not, because reads and writes meet in another order when a word arrives a cycle
// later.
static void climb(struct sizing *z, int e, int64_t *depth, const struct bounds *b) {
    int64_t high = depth[e], low = b->least[e] + 1;
    for (int64_t step = 1; low < high && z->work < z->budget; low += step, step *= 2) {
        if (!is_enough(z, e, depth, low, b)) continue;
        return bisect(z, e, depth, at_least(low - step / 2 + 1, b->least[e] + 1), b);
    }
    depth[e] = high;
}

// Gives all of these streams the least depth if that is enough; else they keep their depths.
static bool cut_to_least(struct sizing *z, const struct streams *s, int64_t *depth, const struct bounds *b) {
    int64_t *before = ARENA_ARRAY(z->ir->arena, int64_t, (size_t)s->count + 1);
    for (int i = 0; i < s->count; i++) {
        before[i] = depth[s->edge[i]];
        depth[s->edge[i]] = b->least[s->edge[i]];
    }
    if (are_enough(z, s, depth, b)) return true;
    for (int i = 0; i < s->count; i++) depth[s->edge[i]] = before[i];
    return false;
}

// Tries to cut streams that are one word above the least depth, all of them or a half at once. A FIFO of two words is a
// cycle faster than one of three, so many streams together may be cut although a single one may not.
static void cut_last_words(struct sizing *z, int64_t *depth, const struct bounds *b) {
    struct streams all = {.count = 0};
    int *edge = ARENA_ARRAY(z->ir->arena, int, (size_t)z->ir->edges + 1);
    for (int e = 0; e < z->ir->edges; e++)
        if (z->width[e] && depth[e] == b->least[e] + 1) edge[all.count++] = e;
    all.edge = edge;
    if (all.count < 2 || z->work >= z->budget || cut_to_least(z, &all, depth, b)) return;
    cut_to_least(z, &(struct streams){edge, all.count / 2}, depth, b);
    cut_to_least(z, &(struct streams){edge + all.count / 2, all.count - all.count / 2}, depth, b);
}

// First bisects the depth of each stream. Then climbs from one above the least depth, which finds depths below one that
// is not enough.
void sizing_bisect_all(struct sizing *z, int64_t *depth, const struct bounds *b) {
    for (int pass = 0; pass < 2; pass++) {
        bool *tried = ARENA_ARRAY(z->ir->arena, bool, (size_t)z->ir->edges + 1);
        for (int e; (e = largest_stream(z, depth, b->least, tried)) != IR_NONE; tried[e] = true) {
            if (pass == 0) bisect(z, e, depth, b->least[e], b);
            else climb(z, e, depth, b);
        }
    }
    cut_last_words(z, depth, b);
}

// ---- the search on some cases, for designs whose cases take long ----

// Adds briefs, at most MAX_BRIEFS: for each kind of case the one with the most words, with at most BRIEF_STEPS steps
// and with BRIEF_LAYERS layers. The first case of a kind has for_lp set. Returns false if a brief cannot be run or
// deadlocks.
static bool add_briefs(struct sizing *z, const int64_t *depth) {
    int tests = z->tests;
    for (int first = 0, last; first < tests && z->briefs < MAX_BRIEFS; first = last) {
        int64_t words = 0, most = -1;
        struct test_case *b = &z->test[tests + z->briefs];
        for (last = first; last < tests && (last == first || !z->test[last].for_lp); last++) {
            for (int e = words = 0; e < z->ir->edges; e++) words += z->test[last].words[e];
            if (words > most) most = words, *b = z->test[last];
        }
        if (b->steps > BRIEF_STEPS) b->step[BRIEF_STEPS - 1] = b->step[b->steps - 1], b->steps = BRIEF_STEPS;
        b->layers = BRIEF_LAYERS;
        b->words = b->latest = NULL;
        b->known = NULL;
        struct arena_mark mark = arena_mark(&z->scratch);
        const struct timing_result *r = sizing_run(z, b, depth, false);
        if (!r || r->stuck) return false;
        b->asked = true;
        z->longest = at_least(z->longest, r->words + r->beats);
        b->cycles = r->cycles;
        sizing_note_latest(z, b, r, b->cycles / SLOWER_SHARE + SLOWER_AT_MOST);
        b->room = ARENA_ARRAY(z->ir->arena, int64_t, (size_t)z->ir->edges + 1);
        for (int e = 0; e < z->ir->edges; e++) b->room[e] = r->edge[e].room;
        z->briefs++;
        arena_release(&z->scratch, mark);
    }
    return true;
}

// Cuts a stream that cannot have the least depth, to an accuracy of a sixteenth of its depth. A stream with less than a
// COARSE_SHARE-th of all bits is not cut.
static void cut_coarsely(struct sizing *z, int e, int64_t *depth, const struct bounds *b) {
    int64_t low = b->least[e] + 1, high = depth[e];
    bool counts = high * z->width[e] * COARSE_SHARE >= sizing_bits(z, depth);
    // The next trial is at low + (high - low) / part. 0, the first trial: a little below `high`. 4 is usual, because a
    // run at a depth that is much too short fails early and costs little. 2: the last trial failed, but took more than
    // a quarter of the work of the longest case, so low depths are no longer cheap.
    int64_t part = 0;
    while (counts && z->work < z->budget && high - low > high / COARSE) {
        int64_t at = part == 0 ? high - high / COARSE - 1 : low + (high - low) / part, before = z->work;
        if (is_enough(z, e, depth, at, b)) high = at;
        else low = at + 1;
        part = low == at + 1 && (z->work - before) * 4 > z->longest ? 2 : 4;
    }
    depth[e] = high;
}

// Cuts all of these streams to the least depth at once if that is enough, else each half of them, because most streams
// need their whole depth or almost none.
static void cut_together(struct sizing *z, const struct streams *s, int64_t *depth, const struct bounds *b) {
    int half = s->count / 2;
    if (!s->count || z->work >= z->budget || cut_to_least(z, s, depth, b)) return;
    if (s->count == 1) return cut_coarsely(z, s->edge[0], depth, b);
    cut_together(z, &(struct streams){s->edge, half}, depth, b);
    cut_together(z, &(struct streams){s->edge + half, s->count - half}, depth, b);
}

static void cut_all(struct sizing *z, int64_t *depth, const struct bounds *b) {
    int *edge = ARENA_ARRAY(z->ir->arena, int, (size_t)z->ir->edges + 1), count = 0;
    bool *listed = ARENA_ARRAY(z->ir->arena, bool, (size_t)z->ir->edges + 1);
    for (int e; (e = largest_stream(z, depth, b->least, listed)) != IR_NONE; listed[e] = true) edge[count++] = e;
    cut_together(z, &(struct streams){edge, count}, depth, b);
}

// Repeats the cut while it saves more than a WORTH_AGAIN-th of all bits and the budget is not used up, because a stream
// that could not be cut may be cut after others were.
static void cut_while_it_saves(struct sizing *z, int64_t *depth, const struct bounds *b) {
    int64_t before, bits = sizing_bits(z, depth);
    do {
        before = bits;
        cut_all(z, depth, b);
        bits = sizing_bits(z, depth);
    } while (bits < before - before / WORTH_AGAIN && z->work < z->budget);
}

// Runs all cases at these depths and notes the marks of those that are fast enough. The other cases are marked `asked`,
// so that the search continues on them alone. Returns their number.
static int ask_slower_cases(struct sizing *z, const int64_t *depth) {
    int slower = 0;
    sizing_clear_marks(z);
    for (int i = 0; i < z->tests; i++) {
        struct test_case *t = &z->test[i];
        struct arena_mark mark = arena_mark(&z->scratch);
        const struct timing_result *r = sizing_run(z, t, depth, false);
        slower += t->asked = !r || r->stuck || r->cycles > t->cycles + t->cycles / SLOWER_ON_SOME + SLOWER_AT_MOST / 2;
        for (int e = 0; !t->asked && e < z->ir->edges; e++) t->room[e] = r->edge[e].room, sizing_note_mark(z, t, e, r);
        arena_release(&z->scratch, mark);
    }
    return slower;
}

// While an asked case exceeds its limit or deadlocks, doubles the depths of the streams whose writers wait in it, at
// most to the depths in `most`.
static void grow(struct sizing *z, int64_t *depth, const int64_t *most) {
    for (int i = 0; i < z->tests; i++) {
        struct test_case *t = &z->test[i];
        for (bool deeper = t->asked; deeper;) {
            struct arena_mark mark = arena_mark(&z->scratch);
            const struct timing_result *r = sizing_run(z, t, depth, false);
            bool stuck = !r || r->stuck;
            deeper = false;
            for (int e = 0; r && (stuck || r->cycles > t->cycles) && e < z->ir->edges; e++) {
                if (depth[e] >= most[e] || (stuck ? r->edge[e].holds < depth[e] : !r->edge[e].full)) continue;
                depth[e] = at_most(2 * depth[e], most[e]);
                deeper = true;
            }
            for (int e = 0; !stuck && e < z->ir->edges; e++) t->room[e] = r->edge[e].room;
            arena_release(&z->scratch, mark);
        }
    }
}

// Finds depths from some cases, which all other cases must confirm. If a case is too slow at these depths, streams get
// deeper until it is not, and then as short as the slow cases allow, but none gets below the depth found before. If
// this does not succeed, the streams keep the depths with which the search began.
bool sizing_cut_on_some(struct sizing *z, int64_t *depth, int64_t *least) {
    size_t edges = (size_t)z->ir->edges, bytes = edges * sizeof *depth;
    int64_t *start = ARENA_ARRAY(z->ir->arena, int64_t, edges + 1);
    if (!add_briefs(z, depth)) return false;
    memcpy(start, depth, bytes);
    z->some = true;
    cut_while_it_saves(z, depth, &(struct bounds){least, .fast = true});
    bool slower, grown = true;
    while ((slower = ask_slower_cases(z, depth) > 0) && grown) {
        z->briefs = z->strictest = 0;
        memcpy(least, depth, bytes);
        grow(z, depth, start);
        grown = memcmp(least, depth, bytes) != 0;
        cut_all(z, depth, &(struct bounds){least, .fast = true});
        grown &= memcmp(least, depth, bytes) != 0;
    }
    z->briefs = z->strictest = 0;
    z->some = false;
    if (slower) memcpy(depth, start, bytes);
    return !slower || sizing_measure(z, depth, false);
}

// Returns whether the last case completes within its limit. If so, notes the room that the streams need in it.
static bool last_is_in_time(struct sizing *z, const int64_t *depth) {
    struct test_case *t = &z->test[z->tests - 1];
    struct arena_mark mark = arena_mark(&z->scratch);
    const struct timing_result *r = sizing_run(z, t, depth, false);
    bool ok = r && !r->stuck && r->cycles <= t->cycles;
    for (int e = 0; ok && e < z->ir->edges; e++) t->room[e] = r->edge[e].room;
    arena_release(&z->scratch, mark);
    return ok;
}

bool sizing_hide_refreshes(struct sizing *z, int64_t *depth) {
    size_t edges = (size_t)z->ir->edges, bytes = edges * sizeof *depth;
    int64_t *most = ARENA_ARRAY(z->ir->arena, int64_t, edges + 1),
            *least = ARENA_ARRAY(z->ir->arena, int64_t, edges + 1);
    bool in_time = !sizing_add_request(z, most) || last_is_in_time(z, depth);
    if (in_time) return z->tests--, true;
    memcpy(least, depth, bytes);
    for (int e = 0; e < z->ir->edges; e++) most[e] = at_least(most[e], depth[e]);
    for (int i = 0; i < z->tests; i++) z->test[i].asked = i == z->tests - 1;
    z->some = true;
    grow(z, depth, most);
    if (last_is_in_time(z, depth)) cut_while_it_saves(z, depth, &(struct bounds){least, .fast = true});
    else memcpy(depth, least, bytes);
    z->some = false;
    if (!sizing_measure(z, depth, false)) return false;
    for (int e = 0; e < z->ir->edges; e++)
        if (z->width[e]) z->depth[e] = at_least(z->depth[e], depth[e]);
    return true;
}
