// SPDX-License-Identifier: Apache-2.0
// Finds FIFO depths by the Conservative strategy of StreamTensor (MICRO 2025). At the pace of this strategy, every
// firing takes as long as the longest firing of the run, and the words of a firing are evenly spaced. A stream must
// hold the words that arrive at this pace while its reader waits. Faster writers wait for room.
#include "gen/lp/lp.h"
#include "gen/timing/sizing.h"

// Returns the cycles of the longest firing on any sized stream.
static int64_t longest_firing(const struct sizing *z, const struct timing_result *r) {
    int64_t longest = 1;
    for (int e = 0; e < z->ir->edges; e++) {
        const struct timing_edge *t = &r->edge[e];
        for (int64_t i = 0, first = 0; z->width[e] && i < t->words; i++) {
            if (!(t->mark[i] & MARK_LAST)) continue;
            longest = at_least(longest, t->put[i] - t->put[first] + 1);
            first = i + 1;
        }
    }
    return longest;
}

// Returns the most words of a firing that are in the stream if the firing takes `longest` cycles. The reader takes the
// first word in the same cycle as in the simulation. first: number of the firing's first word. words: words of the
// firing.
static int64_t firing_words(const struct timing_edge *t, int64_t first, int64_t words, int64_t longest) {
    int64_t interval = at_least(longest / words, 1);
    struct lp_stream s = {
        .words = words, .interval = interval, .target_interval = interval, .length = (words - 1) * interval};
    s.delay = t->take[first] - t->put[first];
    return lp_max_words(&s);
}

// Raises `least` of each stream to the most words of a firing that it holds at the pace of this run.
static void note_pace(struct sizing *z, const struct timing_result *r) {
    int64_t longest = longest_firing(z, r);
    for (int e = 0; e < z->ir->edges; e++) {
        const struct timing_edge *t = &r->edge[e];
        for (int64_t i = 0, first = 0; z->width[e] && i < t->words; i++) {
            if (!(t->mark[i] & MARK_LAST)) continue;
            z->least[e] = at_least(z->least[e], firing_words(t, first, i + 1 - first, longest));
            first = i + 1;
        }
    }
}

// Finds the depths that the pace of each case needs, up to the given depths, and raises them where this avoids a
// deadlock. Returns false if a case cannot be simulated or deadlocks.
static bool find_pace(struct sizing *z) {
    size_t edges = (size_t)z->ir->edges + 1;
    sizing_choose_cases(z);
    for (int i = 0; i < z->tests; i++) {
        struct test_case *t = &z->test[i];
        struct arena_mark mark = arena_mark(&z->scratch);
        const struct timing_result *r = sizing_run(z, t, z->safe, false);
        if (!r || r->stuck) return false;
        t->single = ARENA_ARRAY(z->ir->arena, int64_t, edges);
        note_pace(z, r);
        arena_release(&z->scratch, mark);
    }
    bool is_long = z->work * LONG_PASS > z->budget;
    for (int e = 0; e < z->ir->edges; e++)
        z->depth[e] = z->width[e] ? at_most(z->safe[e], at_least(z->least[e], DEPTH_LEAST)) : z->safe[e];
    return sizing_ensure_progress(z, is_long);
}

bool timing_conservative(struct ir *ir, struct timing_depth *out, const char **missing) {
    struct timing_depth *own = ARENA_ARRAY(ir->arena, struct timing_depth, (size_t)ir->edges + 1);
    struct sizing z = {.ir = ir, .out = own, .budget = TIMING_BUDGET, .memory = sizing_fast_memory(ir)};
    for (int e = 0; e < ir->edges; e++) own[e].depth = out[e].depth; // enough for every case (timing_depths)
    sizing_open(&z);
    bool ok = find_pace(&z);
    for (int e = 0; ok && e < ir->edges; e++) {
        if (z.depth[e] >= out[e].depth) continue;
        out[e].forced_by =
            arena_printf(ir->arena, "conservative, %lld words by timed depths: %s", (long long)out[e].depth,
                         own[e].forced_by ? own[e].forced_by : out[e].forced_by);
        out[e].depth = z.depth[e];
    }
    *missing = z.missing;
    arena_free(&z.scratch);
    return ok;
}
