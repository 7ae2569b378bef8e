// SPDX-License-Identifier: Apache-2.0
// Records how full every FIFO was during the run: the largest fill in each of at most OCCUPANCY_WINDOWS windows of
// equal length. A window is first one cycle long. When the windows are used up, neighbours are joined and the length
// doubles, so the memory does not grow with the length of the run.
#ifndef VERIF_OCCUPANCY_H
#define VERIF_OCCUPANCY_H

#include "gen/base/base.h"

enum { OCCUPANCY_WINDOWS = 256 };

struct occupancy_fifo {
    int64_t now;   // words that the FIFO holds since the last change
    int64_t *most; // largest fill per window up to `last`; NULL: no FIFO, or no change yet
    uint64_t last; // last window that is recorded
};
struct occupancy {
    struct arena *arena;
    struct occupancy_fifo *fifo; // per edge; NULL: not opened, and then occupancy_change and _close must not be called
    int edges;
    uint64_t window; // length in cycles
};

// Begins the records of the FIFOs of `edges` edges, at cycle 0.
void occupancy_open(struct occupancy *, struct arena *, int edges);
// Notes that the FIFO holds `words` words from this cycle on. Calls come in the order of cycles.
void occupancy_change(struct occupancy *, int edge, int64_t words, uint64_t cycle);
// Ends the records of all FIFOs at this cycle. The last fill counts for all windows up to this cycle.
void occupancy_close(struct occupancy *, uint64_t cycle);

#endif
