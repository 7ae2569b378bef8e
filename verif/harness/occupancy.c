// SPDX-License-Identifier: Apache-2.0
// Implements the records of how full the FIFOs were.
#include "verif/harness/occupancy.h"

void occupancy_open(struct occupancy *o, struct arena *arena, int edges) {
    *o = (struct occupancy){.arena = arena, .edges = edges, .window = 1};
    o->fifo = ARENA_ARRAY(arena, struct occupancy_fifo, (size_t)edges + 1);
}

static void raise_to(int64_t *most, int64_t words) {
    if (words > *most) *most = words;
}

// Joins windows 2w and 2w + 1 to window w of double length, so that half of the windows are free again.
static void join_windows(struct occupancy *o) {
    for (int e = 0; e < o->edges; e++) {
        struct occupancy_fifo *f = &o->fifo[e];
        if (!f->most) continue;
        for (uint64_t w = 0; w <= f->last / 2; w++) {
            int64_t first = f->most[2 * w], second = 2 * w < f->last ? f->most[2 * w + 1] : 0;
            f->most[w] = first > second ? first : second;
        }
        for (uint64_t w = f->last / 2 + 1; w <= f->last; w++) f->most[w] = 0;
        f->last /= 2;
    }
    o->window *= 2;
}

// Records the windows after f->last up to `window`. The fill did not change in them, so the largest fill in each is
// f->now.
static void carry_on(struct occupancy_fifo *f, uint64_t window) {
    while (f->last < window) f->most[++f->last] = f->now;
}

void occupancy_change(struct occupancy *o, int edge, int64_t words, uint64_t cycle) {
    struct occupancy_fifo *f = &o->fifo[edge];
    while (cycle / o->window >= OCCUPANCY_WINDOWS) join_windows(o);
    if (!f->most) f->most = ARENA_ARRAY(o->arena, int64_t, OCCUPANCY_WINDOWS);
    carry_on(f, cycle / o->window);
    raise_to(&f->most[f->last], words);
    f->now = words;
}

void occupancy_close(struct occupancy *o, uint64_t cycle) {
    while (cycle / o->window >= OCCUPANCY_WINDOWS) join_windows(o);
    for (int e = 0; e < o->edges; e++)
        if (o->fifo[e].most) carry_on(&o->fifo[e], cycle / o->window);
}
