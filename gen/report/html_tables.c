// SPDX-License-Identifier: Apache-2.0
// Bars and tables of the HTML report: resources compared with the board, the clock, dies, FIFOs with the reason for
// their depth, memories, weight formats and the memory map.
#include <string.h>

#include "gen/report/html.h"

enum { CONSUMERS = 12 }; // rows in the table of the largest kernels

void html_escape(struct text *out, const char *s) {
    for (; *s; s++) {
        if (*s == '<') text_add(out, "&lt;");
        else if (*s == '>') text_add(out, "&gt;");
        else if (*s == '&') text_add(out, "&amp;");
        else if (*s == '"') text_add(out, "&quot;");
        else text_add_bytes(out, s, 1);
    }
}

static void cell(struct text *out, const char *s) {
    text_add(out, "<td>");
    html_escape(out, s);
    text_add(out, "</td>");
}

static void number(struct text *out, int64_t n) { text_addf(out, "<td class=\"n\">%lld</td>", (long long)n); }

// ---- resources ----

// Adds the bar of one kind of resource. part: the needs of kernels, of FIFOs and of DMA engines, and their sum. have:
// the resources that the board has for designs. top: the limit for routing, in percent of `have`.
static void add_bar(const struct report_figure part[4], int64_t have, double top, struct text *out) {
    static const char *const colour[] = {"#3b82f6", "#14b8a6", "#8b5cf6"};
    double share = have ? 100.0 * (double)part[3].count / (double)have : 0;
    text_addf(out, "<tr><th>%s</th><td class=\"bar\"><div class=\"track\">", part[3].title);
    double left = 100;
    for (int i = 0; i < 3; i++) {
        double width = have ? 100.0 * (double)part[i].count / (double)have : 0;
        if (width > left) width = left;
        left -= width;
        text_addf(out, "<i style=\"width:%.2f%%;background:%s\"></i>", width, colour[i]);
    }
    text_addf(out, "<b style=\"left:%.1f%%\"></b></div></td><td class=\"n%s\">%.1f %%</td><td class=\"n\">", top,
              share > top ? " over" : "", share);
    report_count(&part[3], 0, out);
    text_addf(out, "</td><td class=\"n\">%lld</td></tr>\n", (long long)(part[3].halves ? have / 2 : have));
}

// Returns the sum of all dies' limits.
static struct cost_resources board_room(const struct ir *ir) {
    struct cost_resources sum = {0};
    for (int d = 0; d < ir->dies; d++) {
        struct cost_resources room = cost_room(ir, d);
        cost_add(&sum, &room, 1);
    }
    return sum;
}

// Adds a bar for each kind of resource.
static void add_bars(const struct report *r, const struct cost_resources *available, struct text *out) {
    const struct cost_resources *sum[4] = {&r->cost.kernels, &r->cost.fifos, &r->cost.memory, &r->cost.total};
    struct report_figure figure[4][REPORT_RESOURCES], have[REPORT_RESOURCES];
    for (int i = 0; i < 4; i++) report_figures(sum[i], figure[i]);
    struct cost_resources room = board_room(r->ir);
    struct report_figure most[REPORT_RESOURCES];
    report_figures(&room, most);
    report_figures(available, have);
    text_add(out,
             "<table class=\"bars\"><tr><th></th><th>share of the board without its platform and memory ports; the "
             "mark is the limit for routing</th>"
             "<th class=\"n\">share</th><th class=\"n\">used</th><th class=\"n\">there</th></tr>\n");
    for (int k = 0; k < REPORT_RESOURCES; k++) {
        const struct report_figure part[4] = {figure[0][k], figure[1][k], figure[2][k], figure[3][k]};
        add_bar(part, have[k].count, have[k].count ? 100.0 * (double)most[k].count / (double)have[k].count : 0, out);
    }
    text_add(out, "</table><p class=\"key\"><i style=\"background:#3b82f6\"></i>kernels <i "
                  "style=\"background:#14b8a6\"></i>FIFOs "
                  "<i style=\"background:#8b5cf6\"></i>DMA engines</p>\n");
}

// Returns the largest of a kernel's shares of the kinds of resource. The table is sorted by this share.
static double weight(const struct cost_resources *c, const struct cost_resources *have) {
    struct report_figure use[REPORT_RESOURCES], all[REPORT_RESOURCES];
    double most = 0;
    report_figures(c, use);
    report_figures(have, all);
    for (int k = 0; k < REPORT_RESOURCES; k++) {
        double share = all[k].count ? (double)use[k].count / (double)all[k].count : 0;
        if (share > most) most = share;
    }
    return most;
}

// Adds the table of the largest kernels: takes the largest one that is not shown yet, CONSUMERS times.
static void add_consumers(const struct report *r, const struct cost_resources *have, struct text *out) {
    bool *shown = ARENA_ARRAY(r->ir->arena, bool, (size_t)r->ir->kernels + 1);
    text_add(out, "<h3>The largest kernels</h3><table><tr><th>kernel</th><th>module</th><th class=\"n\">LUT</th><th "
                  "class=\"n\">FF</th>"
                  "<th class=\"n\">DSP</th><th class=\"n\">BRAM36</th><th class=\"n\">URAM</th><th class=\"n\">largest "
                  "share</th></tr>\n");
    for (int i = 0; i < CONSUMERS && i < r->ir->kernels; i++) {
        int most = IR_NONE;
        for (int k = 0; k < r->ir->kernels; k++)
            if (!shown[k] &&
                (most == IR_NONE || weight(&r->cost.kernel[k], have) > weight(&r->cost.kernel[most], have)))
                most = k;
        shown[most] = true;
        struct report_figure f[REPORT_RESOURCES];
        report_figures(&r->cost.kernel[most], f);
        text_add(out, "<tr>");
        cell(out, r->ir->kernel[most].name);
        cell(out, r->ir->kernel[most].module);
        for (int k = 0; k < REPORT_RESOURCES; k++) {
            text_add(out, "<td class=\"n\">");
            report_count(&f[k], 0, out);
            text_add(out, "</td>");
        }
        text_addf(out, "<td class=\"n\">%.1f %%</td></tr>\n", 100 * weight(&r->cost.kernel[most], have));
    }
    text_add(out, "</table>\n");
}

void html_resources(const struct report *r, struct text *out) {
    struct cost_resources have = cost_available(r->ir);
    add_bars(r, &have, out);
    add_consumers(r, &have, out);
}

// ---- the clock ----

static void add_period(const char *where, double ns, struct text *out) {
    text_add(out, "<tr>");
    cell(out, where);
    text_addf(out, "<td class=\"n\">%.2f</td><td class=\"n\">%.0f</td>", ns, clock_mhz_of(ns));
}

void html_clock(const struct clock_model *clock, struct text *out) {
    const struct clock_part *part;
    const struct clock_path *path;
    text_add(out, "<table><tr><th>where</th><th class=\"n\">ns</th><th class=\"n\">MHz</th><th></th></tr>\n");
    for (size_t i = 0; i < clock->parts.count; i++) {
        add_period(clock->parts.items[i].where, clock_part_ns(&clock->parts.items[i]), out);
        text_add(out, "<td></td></tr>\n");
    }
    text_add(out, "<tr><th colspan=\"4\">longest paths</th></tr>\n");
    for (int n = 0; (path = clock_worst(clock, n, &part)); n++) {
        add_period(part->where, path->ns, out);
        cell(out, path->text);
        text_add(out, "</tr>\n");
    }
    text_add(out, "</table>\n");
}

// ---- dies ----

// Adds the used share of each kind of a die's resources, including the shell and the memory ports. Marks shares above
// the limits.
static void add_fill(const struct cost_fill *fill, struct text *out) {
    struct report_figure part[REPORT_RESOURCES], whole[REPORT_RESOURCES], limit[REPORT_RESOURCES];
    report_figures(&fill->taken, part);
    report_figures(&fill->whole, whole);
    report_figures(&fill->limit, limit);
    for (int k = 0; k < REPORT_RESOURCES; k++) {
        double share = whole[k].count ? 100.0 * (double)part[k].count / (double)whole[k].count : 0;
        text_addf(out, "<td class=\"n%s\">%.1f %%</td>", part[k].count > limit[k].count ? " over" : "", share);
    }
}

void html_dies(const struct report *r, struct text *out) {
    const struct ir *ir = r->ir;
    text_add(out, "<table><tr><th>die</th><th class=\"n\">LUT</th><th class=\"n\">FF</th><th class=\"n\">DSP</th><th "
                  "class=\"n\">BRAM36</th>"
                  "<th class=\"n\">URAM</th><th class=\"n\">bits to the next die</th></tr>\n");
    for (int d = 0; d < ir->dies; d++) {
        struct cost_fill fill = cost_fill(ir, &r->cost, d);
        text_add(out, "<tr>");
        cell(out, ir->die[d].name);
        add_fill(&fill, out);
        int64_t bits = d + 1 < ir->dies ? cost_boundary_bits(ir, d) : 0;
        struct cost_wires wires = cost_wires(ir, d);
        text_addf(out, "<td class=\"n%s\">%lld", wires.all && bits > wires.room ? " over" : "", (long long)bits);
        if (wires.all && d + 1 < ir->dies) text_addf(out, " of %lld", (long long)wires.room);
        text_add(out, "</td></tr>\n");
    }
    text_add(out, "</table>\n");
}

// ---- FIFOs ----

// Adds the cell with a measured high-water mark. -1: the stream was not watched.
static void add_measured(int64_t high_water, int64_t depth, struct text *out) {
    if (high_water < 0) text_add(out, "<td class=\"n\">-</td>");
    else text_addf(out, "<td class=\"n%s\">%lld</td>", high_water > depth ? " over" : "", (long long)high_water);
}

// Returns the reason for the depth of a stream's FIFO.
static const char *reason_of(const struct report *r, const struct ir_edge *e) {
    const char *ahead = e->run_ahead ? "; runs ahead" : "";
    if (e->forced_by && e->delay > 0)
        return arena_printf(r->ir->arena, "%s (%lld cycles)%s", e->forced_by, (long long)e->delay, ahead);
    if (e->forced_by || e->run_ahead)
        return arena_printf(r->ir->arena, "%s%s", e->forced_by ? e->forced_by : "full throughput", ahead);
    return e->depth <= 2                     ? "full throughput"
           : r->ir->design.fifo != SPEC_SAFE ? "fixed"
                                             : "safe rule: a whole tensor where streams part or wait";
}

// Adds the cell with the stream's name, and under the name the kernels that write and read the stream.
static void add_stream(const struct report *r, const struct ir_edge *e, struct text *out) {
    text_add(out, "<td><span>");
    html_escape(out, e->name);
    text_add(out, "</span><div class=\"ends\">");
    html_escape(out, report_contract(r, e->src_kernel));
    text_add(out, " &rarr; ");
    html_escape(out, report_contract(r, e->dst_kernel));
    text_add(out, "</div></td>");
}

// Adds the row of a stream. The forecast and the measured figures are only there if they exist.
static void add_fifo(const struct report *r, int id, const struct measured *m, const struct html_window *w,
                     struct text *out) {
    const struct ir_edge *e = &r->ir->edge[id];
    text_add(out, "<tr>");
    add_stream(r, e, out);
    number(out, e->depth);
    number(out, cost_edge_bits(r->ir, e));
    cell(out, e->depth <= 2 ? "registers" : e->ram_style != RAM_AUTO ? ram_style_words[e->ram_style] : "-");
    if (w->run) {
        number(out, w->run->edge[id].high_water);
        text_add(out, "<td>");
        html_fill_line(r->ir, id, w, out);
        text_add(out, "</td>");
    }
    if (m) add_measured(m->high_water[id], e->depth, out);
    if (m && m->window > 0) {
        text_add(out, "<td>");
        html_fill_measured(r->ir, id, m, out);
        text_add(out, "</td>");
    }
    text_add(out, "<td class=\"why\">");
    html_escape(out, reason_of(r, e));
    text_add(out, "</td>");
    text_add(out, "</tr>\n");
}

void html_fifos(const struct report *r, const struct measured *m, const struct html_window *w, struct text *out) {
    text_add(out, "<table><tr><th>stream<div>writer &rarr; reader, initial delay / interval</div></th><th "
                  "class=\"n\">depth</th><th "
                  "class=\"n\">bits</th><th>memory</th>");
    if (w->run) text_add(out, "<th class=\"n\">forecast<br>high water</th><th>fill over the window</th>");
    if (m) text_add(out, "<th class=\"n\">measured<br>high water</th>");
    if (m && m->window > 0)
        text_addf(out, "<th>measured fill, cycles 0 to %lld,<br>the most in each %lld</th>", (long long)m->cycles,
                  (long long)m->window);
    text_add(out, "<th>what asks for the depth</th></tr>\n");
    for (int e = 0; e < r->ir->edges; e++) add_fifo(r, e, m, w, out);
    text_add(out, "</table>\n");
}

// ---- memories ----

void html_memories(const struct report *r, struct text *out) {
    struct report_memories all = report_memories_make(r->ir);
    text_add(out,
             "<table><tr><th>buffer or FIFO</th><th class=\"n\">words</th><th class=\"n\">bits</th><th "
             "class=\"n\">times</th><th>memory</th>"
             "<th class=\"n\">bits held</th><th class=\"n\">bits of the pieces</th><th class=\"n\">in use</th></tr>\n");
    for (int i = 0; i < all.count; i++) {
        const struct report_memory *m = &all.item[i];
        text_add(out, "<tr>");
        cell(out, m->name);
        number(out, m->shape.words);
        number(out, m->shape.bits);
        number(out, m->shape.times);
        cell(out, m->cost.uram ? "URAM" : m->cost.bram18 ? "BRAM36" : "LUTRAM");
        number(out, m->held);
        number(out, m->room);
        text_addf(out, "<td class=\"n\">%.1f %%</td></tr>\n",
                  m->room ? 100.0 * (double)m->held / (double)m->room : 0.0);
    }
    text_add(out, "</table>\n");
}

static void add_format(const struct cost_format *f, struct text *out) {
    const int64_t part[] = {f->stored, f->elements, f->beside, report_filled(f)};
    text_add(out, "<tr>");
    cell(out, f->what);
    cell(out, f->format);
    number(out, f->weights);
    number(out, f->stored / 8);
    for (size_t i = 0; i < COUNT_OF(part); i++)
        text_addf(out, "<td class=\"n\">%.3f</td>", report_per_weight(f, part[i]));
    text_add(out, "</tr>\n");
}

void html_weights(const struct report *r, struct text *out) {
    struct cost_formats all = cost_formats(r->ir);
    text_add(out, "<table><tr><th>weights</th><th>format</th><th class=\"n\">weights</th><th class=\"n\">bytes</th><th "
                  "class=\"n\">bits/weight</th><th class=\"n\">elements</th><th class=\"n\">scales</th><th "
                  "class=\"n\">padding</th></tr>\n");
    for (int i = 0; i < all.rows; i++) add_format(&all.row[i], out);
    add_format(&all.all, out);
    text_add(out, "</table>\n");
}

void html_channel(const struct report *r, struct text *out) {
    const struct ir *ir = r->ir;
    text_add(out, "<table><tr><th>segment</th><th>channels</th><th class=\"n\">offset</th><th "
                  "class=\"n\">bytes</th><th class=\"n\">layer stride</th></tr>\n");
    for (int s = 0; s < ir->segments; s++) {
        const struct ir_segment *seg = &ir->segment[s];
        text_add(out, "<tr>");
        cell(out, seg->name);
        cell(out, ir_segment_channels(ir, seg, "all of its engine"));
        text_addf(out, "<td class=\"n\">0x%llx</td>", (unsigned long long)seg->offset);
        number(out, seg->bytes);
        number(out, seg->layer_stride);
        text_add(out, "</tr>\n");
    }
    text_add(out, "</table>\n");
}
