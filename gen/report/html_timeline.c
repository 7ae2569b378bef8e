// SPDX-License-Identifier: Apache-2.0
// Draws a timeline as SVG: in which cycles each kernel works during one repetition of the region that repeats, or
// during a whole step if no region or several regions repeat. The cycles are forecast from the timing contracts.
#include <stdlib.h>
#include <string.h>

#include "gen/report/html.h"

enum {
    // Sizes of the drawing in SVG units.
    NAME_WIDTH = 170,
    WIDTH = 1000,
    ROW = 18,
    TOP = 26,
    GAP_CYCLES = 64 /* pauses up to this length count as work */,
    LAYERS = 3 // most repetitions of a region that are simulated
};

// ---- the run ----

// Returns the region with the most repetitions, or IR_NONE if no region repeats.
static int most_repeated(const struct ir *ir) {
    int region = IR_NONE;
    for (int r = 0; r < ir->regions; r++)
        if (ir->region[r].repeat > 1 && (region == IR_NONE || ir->region[r].repeat > ir->region[region].repeat))
            region = r;
    return region;
}

// Returns an input stream of the first kernel in a region that has one, or IR_NONE. The stream has equally many words
// in each repetition, so its words divide the step into repetitions.
static int entry_of(const struct ir *ir, int region) {
    for (int n = 0; n < ir->nodes; n++) {
        if (ir->node[n].region != region) continue;
        for (int k = 0; k < ir->kernels; k++)
            for (int p = 0; ir->kernel[k].node == n && p < ir->kernel[k].ports; p++)
                if (!ir->kernel[k].port[p].is_output && ir->kernel[k].port[p].kind == IR_STREAM_TOKENS &&
                    ir->kernel[k].port[p].edge != IR_NONE)
                    return ir->kernel[k].port[p].edge;
    }
    return IR_NONE;
}

// Narrows the window to one repetition: the second of three, or the first of two. layers: repetitions in the simulated
// step, at most LAYERS.
static void find_layer(const struct ir *ir, struct html_window *w, int64_t layers) {
    int region = most_repeated(ir), edge = region == IR_NONE ? IR_NONE : entry_of(ir, region);
    if (edge == IR_NONE || layers < 2) return;
    const struct timing_edge *t = &w->run->edge[edge];
    int64_t words = t->words / layers, middle = layers > 2 ? 1 : 0;
    if (!words || t->words % layers) return;
    w->from = t->put[middle * words];
    w->to = t->put[(middle + 1) * words];
    w->region = ir->region[region].name;
}

// Simulates a decode step at half of the context. If exactly one region repeats, the window is one of its repetitions.
struct html_window html_simulate(struct ir *ir) {
    struct html_window w = {.position = ir->design.context / 2};
    const struct timing_step step = timing_step_at(w.position, 1, true);
    struct timing_options options = {
        .step = &step, .steps = 1, .bounded = true, .layers = LAYERS, .memory = timing_memory(&ir->design)};
    const char *missing = NULL;
    int repeating = 0, region = most_repeated(ir);
    for (int r = 0; r < ir->regions; r++) repeating += ir->region[r].repeat > 1;
    struct timing_result *run = timing_simulate(ir->arena, ir, &options, &missing);
    if (!run) w.why = arena_printf(ir->arena, "%s has no timing contract", missing);
    else if (run->stuck) w.why = run->stuck;
    if (w.why) return w;
    w.run = run;
    w.from = run->step[0];
    w.to = run->step[1];
    if (region != IR_NONE && repeating == 1)
        find_layer(ir, &w, ir->region[region].repeat < LAYERS ? ir->region[region].repeat : LAYERS);
    if (w.to <= w.from) w.to = w.from + 1;
    return w;
}

// ---- kernels ----

// Cycles in which a kernel works.
struct span {
    int64_t from, to;
};

struct spans {
    struct span *item;
    size_t count, capacity;
};

static int by_start(const void *a, const void *b) {
    const struct span *x = a, *y = b;
    return x->from != y->from ? (x->from < y->from ? -1 : 1) : (x->to > y->to) - (x->to < y->to);
}

// Adds spans for times in the window. Times that follow within GAP_CYCLES extend the last span.
static void add_times(struct arena *arena, struct spans *s, const int64_t *at, int64_t count,
                      const struct html_window *w) {
    for (int64_t i = 0; i < count; i++) {
        if (at[i] < w->from || at[i] >= w->to) continue;
        struct span *last = s->count ? &s->item[s->count - 1] : NULL;
        if (last && at[i] >= last->from && at[i] <= last->to + GAP_CYCLES) {
            if (at[i] + 1 > last->to) last->to = at[i] + 1;
            continue;
        }
        s->item = vec_grow(arena, s->item, s->count, &s->capacity, sizeof *s->item);
        s->item[s->count++] = (struct span){at[i], at[i] + 1};
    }
}

// Returns the spans in which a kernel takes or gives words, in order. Pauses of up to GAP_CYCLES count as work.
static struct spans kernel_spans(const struct ir *ir, int kernel, const struct html_window *w) {
    struct spans s = {0};
    for (int p = 0; p < ir->kernel[kernel].ports; p++) {
        const struct ir_port *port = &ir->kernel[kernel].port[p];
        if (port->edge == IR_NONE || ir_carries_steps(ir, &ir->edge[port->edge])) continue;
        const struct timing_edge *t = &w->run->edge[port->edge];
        if (port->is_output) add_times(ir->arena, &s, t->put, t->words, w);
        else add_times(ir->arena, &s, t->take, t->words - t->holds, w);
    }
    if (!s.count) return s;
    qsort(s.item, s.count, sizeof *s.item, by_start);
    size_t kept = 0;
    for (size_t i = 1; i < s.count; i++) {
        if (s.item[i].from <= s.item[kept].to + GAP_CYCLES) {
            if (s.item[i].to > s.item[kept].to) s.item[kept].to = s.item[i].to;
        } else s.item[++kept] = s.item[i];
    }
    s.count = kept + 1;
    return s;
}

// Returns the horizontal position of a cycle in the drawing.
static double place(const struct html_window *w, int64_t cycle) {
    return NAME_WIDTH + (double)(cycle - w->from) * WIDTH / (double)(w->to - w->from);
}

// Draws the row of a kernel: the name, the spans, and the share of the window in which the kernel works.
static void add_row(const struct ir *ir, int kernel, const struct spans *s, int row, const struct html_window *w,
                    struct text *out) {
    enum html_kind kind = html_kind_of(ir, kernel);
    int y = TOP + row * ROW;
    int64_t busy = 0;
    text_addf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">", NAME_WIDTH - 8, y + 13);
    html_escape(out, ir->kernel[kernel].name);
    text_add(out, "</text>");
    for (size_t i = 0; i < s->count; i++) {
        double x = place(w, s->item[i].from), end = place(w, s->item[i].to);
        text_addf(out, "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" rx=\"2\" fill=\"%s\"/>", x, y + 3,
                  end - x < 1 ? 1 : end - x, ROW - 6, html_line[kind]);
        busy += s->item[i].to - s->item[i].from;
    }
    text_addf(out, "<text x=\"%d\" y=\"%d\">%.0f %%</text>\n", NAME_WIDTH + WIDTH + 8, y + 13,
              100.0 * (double)busy / (double)(w->to - w->from));
}

// Returns the distance of ticks in cycles, chosen so that the axis has about 10 ticks or fewer.
static int64_t tick_of(int64_t cycles) {
    int64_t tick = 1;
    while (cycles / tick > 10) tick *= cycles / tick > 50 ? 10 : cycles / tick > 20 ? 5 : 2;
    return tick;
}

static void add_axis(const struct html_window *w, int rows, struct text *out) {
    int64_t tick = tick_of(w->to - w->from);
    for (int64_t at = 0; at <= w->to - w->from; at += tick)
        text_addf(out,
                  "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" class=\"tick\"/><text x=\"%.1f\" y=\"14\" "
                  "text-anchor=\"middle\">%lld</text>\n",
                  place(w, w->from + at), TOP - 6, place(w, w->from + at), TOP + rows * ROW, place(w, w->from + at),
                  (long long)at);
}

struct timeline_row {
    int kernel;
    struct spans spans;
};

static int by_first(const void *a, const void *b) {
    const struct timeline_row *x = a, *y = b;
    if (x->spans.item[0].from != y->spans.item[0].from) return x->spans.item[0].from < y->spans.item[0].from ? -1 : 1;
    return x->kernel - y->kernel;
}

void html_timeline(const struct ir *ir, const struct html_window *w, struct text *out) {
    struct timeline_row *row = ARENA_ARRAY(ir->arena, struct timeline_row, (size_t)ir->kernels + 1);
    int rows = 0;
    for (int k = 0; k < ir->kernels; k++) {
        row[rows] = (struct timeline_row){k, kernel_spans(ir, k, w)};
        if (row[rows].spans.count) rows++;
    }
    qsort(row, (size_t)rows, sizeof *row, by_first);
    text_addf(out, "<svg class=\"time\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"timeline\">\n",
              NAME_WIDTH + WIDTH + 50, TOP + rows * ROW + 6);
    add_axis(w, rows, out);
    for (int i = 0; i < rows; i++) add_row(ir, row[i].kernel, &row[i].spans, i, w, out);
    text_add(out, "</svg>\n");
}
