// SPDX-License-Identifier: Apache-2.0
// Records as CSV the first and the last cycle of every firing, on every stream whose probe reports its beats. This
// shows what an engine waited for: find a gap between two firings of its result stream, and then the stream with a
// firing that ends just before the end of the gap.
#include "verif/harness/sim_internal.h"

static const char header[] = "request,stream,firing,first_cycle,last_cycle,beats\n";

void timeline_open(struct timeline *timeline, struct arena *arena, int edges) {
    timeline->edge = ARENA_ARRAY(arena, struct timeline_edge, (size_t)edges);
    text_add(&timeline->csv, header);
}

void timeline_beat(struct timeline *timeline, const struct ir *ir, int edge, bool last, int request, uint64_t cycle) {
    if (timeline->edge == NULL) return;
    struct timeline_edge *e = &timeline->edge[edge];
    if (e->beats++ == 0) e->first = cycle;
    if (!last) return;
    text_addf(&timeline->csv, "%d,%s,%llu,%llu,%llu,%llu\n", request, ir->edge[edge].name,
              (unsigned long long)e->firing++, (unsigned long long)e->first, (unsigned long long)cycle,
              (unsigned long long)e->beats);
    e->beats = 0;
}

bool timeline_write(struct sim *sim) {
    if (sim->options.timeline == NULL) return true;
    const char *why = file_write_text(&sim->arena, sim->options.timeline, &sim->timeline.csv);
    if (why != NULL) diag_command("sim", "error", "%s", why);
    text_free(&sim->timeline.csv);
    return why == NULL;
}
