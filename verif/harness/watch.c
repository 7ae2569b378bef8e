// SPDX-License-Identifier: Apache-2.0
// Keeps what the probes report about every stream, and reports deadlocks.
#include <string.h>

#include "verif/harness/sim_internal.h"

void watch_open(struct watch *watch, struct arena *arena, const struct ir *ir) {
    watch->ir = ir;
    watch->edge = ARENA_ARRAY(arena, struct watch_edge, (size_t)ir->edges + 1);
}

bool watch_stuck(struct watch *watch, uint64_t sign, uint64_t cycle, uint64_t limit) {
    if (sign != watch->last_sign || watch->last_cycle == 0) {
        watch->last_sign = sign;
        watch->last_cycle = cycle;
    }
    return cycle - watch->last_cycle > limit;
}

// Returns whether the reader gets no word: the writer offers none, and the FIFO between probe and reader holds none, if
// its fill is known.
static bool is_empty(const struct watch_edge *w) {
    return w->known && !w->tvalid && w->tready && !(w->has_fifo && w->occupancy > 0);
}

// Returns the edge on which a kernel waits, or IR_NONE. An output that is not taken takes precedence over a missing
// input.
static int waits_on(const struct watch *watch, int kernel) {
    const struct ir *ir = watch->ir;
    int starved = IR_NONE;
    for (int i = 0; i < ir->edges; i++) {
        const struct watch_edge *w = &watch->edge[i];
        if (w->known && w->tvalid && !w->tready && ir->edge[i].src_kernel == kernel) return i;
        if (is_empty(w) && ir->edge[i].dst_kernel == kernel && starved == IR_NONE) starved = i;
    }
    return starved;
}

// Returns the kernel at the other end of an edge.
static int other_end(const struct ir *ir, int kernel, int edge) {
    const struct ir_edge *e = &ir->edge[edge];
    return e->src_kernel == kernel ? e->dst_kernel : e->src_kernel;
}

// Follows the waits from one kernel until a kernel repeats or waits for no other.
static void report_chain(const struct watch *watch, struct arena *arena, int kernel, struct text *out) {
    const struct ir *ir = watch->ir;
    bool *seen = ARENA_ARRAY(arena, bool, (size_t)ir->kernels);
    while (!seen[kernel]) {
        seen[kernel] = true;
        int edge = waits_on(watch, kernel);
        if (edge == IR_NONE) {
            text_addf(out, "  %s waits for none of its streams (memory, a schedule, or its own state)\n",
                      ir->kernel[kernel].name);
            return;
        }
        bool blocked = ir->edge[edge].src_kernel == kernel;
        int next = other_end(ir, kernel, edge);
        text_addf(out, "  %s waits for %s to %s %s\n", ir->kernel[kernel].name, ir->kernel[next].name,
                  blocked ? "take" : "give", ir->edge[edge].name);
        kernel = next;
    }
    text_addf(out, "  ... and so on from %s: a loop\n", ir->kernel[kernel].name);
}

static const char *edge_state(const struct watch_edge *w) {
    if (!w->known) return "no probe";
    if (w->tvalid) return w->tready ? "moving" : "valid, not ready: the reader does not take";
    return w->tready ? "ready, not valid: the writer does not give" : "neither valid nor ready";
}

static void report_edge(const struct watch *watch, struct check *check, struct arena *arena, int i, struct text *out) {
    const struct ir *ir = watch->ir;
    const struct ir_edge *e = &ir->edge[i];
    const struct watch_edge *w = &watch->edge[i];
    text_addf(out, "  %-28s %s -> %s: %s; %llu beats, %llu stalls", e->name, ir->kernel[e->src_kernel].name,
              ir->kernel[e->dst_kernel].name, edge_state(w), (unsigned long long)w->beats,
              (unsigned long long)w->stalls);
    if (w->has_fifo) text_addf(out, "; FIFO %d of %d, high water %d", w->occupancy, w->depth, w->high_water);
    else if (e->depth > 0) text_addf(out, "; FIFO of %lld", (long long)e->depth);
    const char *place = check_edge_place(check, arena, i);
    text_addf(out, "%s%s\n", *place != 0 ? "; at " : "", place);
}

// Returns the kernel at which the report begins: one whose output is not taken, else one that gets no input.
static int first_waiting(const struct watch *watch) {
    const struct ir *ir = watch->ir;
    for (int i = 0; i < ir->edges; i++)
        if (watch->edge[i].known && watch->edge[i].tvalid && !watch->edge[i].tready) return ir->edge[i].src_kernel;
    for (int i = 0; i < ir->edges; i++)
        if (is_empty(&watch->edge[i])) return ir->edge[i].dst_kernel;
    return IR_NONE;
}

void watch_report(const struct watch *watch, struct check *check, struct arena *arena, struct text *out) {
    int kernel = first_waiting(watch);
    if (kernel == IR_NONE) text_add(out, "no stream reports that it waits (was the design built with its probes?)\n");
    else {
        text_add(out, "who waits for whom:\n");
        report_chain(watch, arena, kernel, out);
    }
    text_add(out, "streams:\n");
    for (int i = 0; i < watch->ir->edges; i++) report_edge(watch, check, arena, i, out);
}
