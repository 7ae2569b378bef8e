// SPDX-License-Identifier: Apache-2.0
// Finds the path of kernels that a word on a stream waited for. The search goes backwards from the word's reader, at
// each kernel along the input whose word arrived last. It ends where no word arrived after the one that waits, or at a
// kernel that it has passed already. In the latter case, the text begins with "...", because it lacks the beginning of
// the path.
#include <string.h>

#include "gen/timing/depths.h"

enum { MOST_KERNELS = 32, SHOWN = 10 }; // kernels of a path, and those that are shown: the first and the last ones

// Returns the number of the last word that was taken by this cycle, or -1.
static int64_t taken_by(const struct timing_edge *t, int64_t cycle) {
    int64_t low = 0, high = t->words - t->holds;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (t->take[middle] <= cycle) low = middle + 1;
        else high = middle;
    }
    return low - 1;
}

// Returns the input of the kernel whose last word, among the words taken by this cycle, arrived latest. Returns IR_NONE
// if no word arrived after `since`. but: an edge that is not considered. *came: cycle in which the word arrived.
static int last_input(const struct ir *ir, const struct timing_result *r, int kernel, int but, int64_t cycle,
                      int64_t since, int64_t *came) {
    int last = IR_NONE;
    *came = since;
    for (int p = 0; p < ir->kernel[kernel].ports; p++) {
        const struct ir_port *port = &ir->kernel[kernel].port[p];
        if (port->is_output || port->edge == IR_NONE || port->edge == but || port->kind == IR_STREAM_BARE) continue;
        int64_t word = taken_by(&r->edge[port->edge], cycle);
        if (word < 0 || r->edge[port->edge].put[word] <= *came) continue;
        *came = r->edge[port->edge].put[word];
        last = port->edge;
    }
    return last;
}

const char *timing_path(struct arena *arena, const struct ir *ir, const struct timing_result *r, int edge,
                        int64_t word) {
    int kernel[MOST_KERNELS], count = 0, but = edge;
    int64_t since = r->edge[edge].put[word], cycle = r->edge[edge].take[word], came;
    bool whole = false, *seen = ARENA_ARRAY(arena, bool, (size_t)ir->kernels + 1);
    for (int k = ir->edge[edge].dst_kernel; count < MOST_KERNELS && !seen[k];) {
        seen[k] = true;
        kernel[count++] = k;
        int input = last_input(ir, r, k, but, cycle, since, &came);
        whole = input == IR_NONE;
        if (whole) break;
        k = ir->edge[input].src_kernel;
        cycle = came;
        but = IR_NONE;
    }
    const char *text = "";
    for (int i = count - 1; i >= 0; i--) {
        if (count > SHOWN && i >= SHOWN / 2 && i < count - SHOWN / 2) {
            if (i == SHOWN / 2) text = arena_printf(arena, "%s > ...", text);
            continue;
        }
        text = arena_printf(arena, "%s%s%s", text, *text ? " > " : "", ir->kernel[kernel[i]].name);
    }
    return whole ? text : arena_printf(arena, "... > %s", text);
}
