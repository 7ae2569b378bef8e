// SPDX-License-Identifier: Apache-2.0
// Ranks points in fronts: the first front has the points that no other point beats, the second those that only points
// of the first front beat, and so on.
#include <stdlib.h>
#include <string.h>

#include "gen/explore/known.h"

struct ranking { // arrays have an element for each point: `index` is its index in `seen`
    const struct explore *x;
    const struct explore_seen *seen;
    const int *index;
    int count;
    // The rank is -1 if the point has none yet. `beaten` counts the points without a rank that beat the point.
    int *rank, *beaten;
    double *misses; // by how much the point misses the limits
};

static void *allocate(int count, size_t size) {
    void *p = calloc((size_t)count + 1, size);
    if (!p) base_fatal("no memory for %d points", count);
    return p;
}

static bool beats(const struct ranking *r, int a, int b) {
    return explore_dominates(r->x, r->seen[r->index[a]].result.value, r->seen[r->index[b]].result.value);
}

// Gives ranks from `after` on to the points that miss a limit, the smallest miss first.
static void rank_missing(struct ranking *r, int after) {
    for (int i = 0; i < r->count; i++) {
        if (r->misses[i] <= 0) continue;
        r->rank[i] = after;
        for (int j = 0; j < r->count; j++) r->rank[i] += r->misses[j] > 0 && r->misses[j] < r->misses[i];
    }
}

// Counts, for each point that meets the limits, how many other such points beat it. Returns how many points meet the
// limits.
static int count_beaten(struct ranking *r) {
    int left = 0;
    for (int i = 0; i < r->count; i++) {
        if (r->misses[i] > 0) continue;
        left++;
        for (int j = 0; j < r->count; j++) r->beaten[i] += r->misses[j] <= 0 && beats(r, j, i);
    }
    return left;
}

// Gives the rank `level` to the points that no other point without a rank beats. Returns their number.
static int rank_front(struct ranking *r, int level) {
    int found = 0;
    for (int i = 0; i < r->count; i++)
        if (r->rank[i] < 0 && r->misses[i] <= 0 && r->beaten[i] == 0) r->rank[i] = level, found++;
    for (int i = 0; i < r->count; i++)
        for (int j = 0; r->rank[i] == level && j < r->count; j++)
            if (r->rank[j] < 0 && r->misses[j] <= 0) r->beaten[j] -= beats(r, i, j);
    return found;
}

void front_ranks(const struct explore *x, const struct explore_seen *seen, const int *index, int count, int *rank) {
    struct ranking r = {x, seen, index, count, rank, allocate(count, sizeof(int)), allocate(count, sizeof(double))};
    for (int i = 0; i < count; i++) {
        rank[i] = -1;
        r.misses[i] = explore_misses(x, &seen[index[i]].result);
    }
    int level = 0;
    for (int left = count_beaten(&r), found; left > 0; left -= found, level++) {
        found = rank_front(&r, level);
        if (!found) base_fatal("explore: a circle of better points");
    }
    rank_missing(&r, level);
    free(r.beaten);
    free(r.misses);
}
