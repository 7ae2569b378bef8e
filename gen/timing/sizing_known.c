// SPDX-License-Identifier: Apache-2.0
// Remembers runs of the search, so that a case is not run again at depths that give the same result.
//
// A search returns to depths that it has tried: in its next round, from the safe depths down, and when it climbs where
// it has bisected. A known run counts as much work as it took, so that the depths that are tried do not depend on what
// is remembered.
#include <string.h>

#include "gen/timing/sizing.h"

struct sizing_known {
    struct sizing_known *next; // an earlier run
    // single_word: with one word in each pipeline. until: it may have ended early, at a late command or at the limit.
    bool single_word, until;
    int era; // era of the case's `latest`; 0: a run without it
    struct sizing_trial trial;
    int64_t work;          // words and beats that the run simulated
    int64_t *depth, *room; // per edge
};

// Returns whether the run would be the same at these depths. A stream that never fills may be deeper, or shorter down
// to what it holds, without changing anything. A FIFO of two words is an exception, because its latency differs. The
// result of a run that may have ended early holds only for equal depths.
static bool is_alike(const struct sizing_known *k, const int64_t *depth, int edges) {
    for (int e = 0; e < edges; e++)
        if (depth[e] != k->depth[e] && (k->until || k->room[e] > depth[e] || k->room[e] >= k->depth[e] ||
                                        at_most(depth[e], k->depth[e]) <= DEPTH_LEAST))
            return false;
    return true;
}

// Returns a remembered run that would be the same, or NULL.
static const struct sizing_known *find(const struct sizing *z, const struct test_case *t, const int64_t *depth,
                                       bool single_word, int era) {
    for (const struct sizing_known *k = t->known; k; k = k->next)
        if (k->single_word == single_word && k->era == era && is_alike(k, depth, z->ir->edges)) return k;
    return NULL;
}

// Runs the case and remembers the result.
static const struct sizing_known *add(struct sizing *z, struct test_case *t, const int64_t *depth, bool single_word,
                                      int era) {
    size_t edges = (size_t)z->ir->edges;
    struct sizing_known *k = ARENA_NEW(z->ir->arena, struct sizing_known);
    int64_t before = z->work;
    struct arena_mark mark = arena_mark(&z->scratch);
    const struct timing_result *r = sizing_run_until(z, t, depth, single_word, era ? t->latest : NULL);
    *k = (struct sizing_known){.next = t->known, .single_word = single_word, .era = era, .work = z->work - before};
    k->depth = arena_alloc_dirty(z->ir->arena, edges + 1, sizeof *k->depth);
    k->trial.room = k->room = ARENA_ARRAY(z->ir->arena, int64_t, edges + 1);
    k->trial.ok = r && !r->stuck;
    k->trial.cycles = r ? r->cycles : -1;
    k->until = !k->trial.ok && (era || !r || r->cut);
    memcpy(k->depth, depth, edges * sizeof *depth);
    for (size_t e = 0; r && e < edges; e++) k->room[e] = r->edge[e].room;
    arena_release(&z->scratch, mark);
    return t->known = k;
}

struct sizing_trial sizing_try(struct sizing *z, struct test_case *t, const int64_t *depth, bool single_word,
                               bool until) {
    int era = until && t->latest ? t->era : 0;
    const struct sizing_known *k = find(z, t, depth, single_word, era);
    if (k) z->work += k->work;
    else k = add(z, t, depth, single_word, era);
    return k->trial;
}
