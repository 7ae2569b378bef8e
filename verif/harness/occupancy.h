// SPDX-License-Identifier: Apache-2.0
// How full every FIFO was over the run: the most words in each of at most OCCUPANCY_WINDOWS windows of equal length.
// Windows begin with one cycle; when they are used up, neighbours are joined and the length doubles, so a run of any
// length costs the same memory.
#ifndef VERIF_OCCUPANCY_H
#define VERIF_OCCUPANCY_H

#include "gen/base/base.h"

enum { OCCUPANCY_WINDOWS = 256 };

struct occupancy_fifo {
    int64_t now;   // words held since the last change
    int64_t *most; // per window up to `last`; NULL: no FIFO, or nothing has been told
    uint64_t last; // window of the last change
};
struct occupancy {
    struct arena *arena;
    struct occupancy_fifo *fifo; // per edge; NULL: not asked for
    int edges;
    uint64_t window; // cycles
};

void occupancy_open(struct occupancy *, struct arena *, int edges);
// The FIFO holds so many words from this cycle on. Cycles never go back.
void occupancy_change(struct occupancy *, int edge, int64_t words, uint64_t cycle);
// Brings every FIFO up to this cycle, in whose window the record ends.
void occupancy_close(struct occupancy *, uint64_t cycle);

#endif
