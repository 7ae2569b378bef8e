// SPDX-License-Identifier: Apache-2.0
// Assembles the HTML page of the design report from the parts in html_*.c. The page is one file that loads nothing from
// outside. Equal designs give the same bytes on every run.
#include "gen/report/report_html.h"

#include <string.h>

#include "gen/report/html.h"

static const char style[] =
    "body{font:14px/1.5 -apple-system,'Segoe "
    "UI',Roboto,Helvetica,Arial,sans-serif;color:#0f172a;background:#eef2f7;margin:0}"
    "header{background:#0f172a;color:#f8fafc;padding:22px 34px}header "
    "h1{margin:0;font-size:25px;letter-spacing:-.3px}header p{margin:4px 0 "
    "0;color:#cbd5e1}"
    "main{max-width:1480px;margin:0 auto;padding:20px}section{position:relative;background:#fff;border:1px solid "
    "#e2e8f0;border-radius:10px;padding:16px 22px;margin:0 0 18px}"
    "h2{font-size:18px;margin:0 0 8px}h3{font-size:14px;margin:18px 0 4px}p{margin:4px 0 10px;color:#475569}"
    ".cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:12px;margin:0 0 18px}"
    ".card{background:#fff;border:1px solid #e2e8f0;border-radius:10px;padding:10px 16px}.card "
    "b{display:block;font-size:22px}.card "
    "span{color:#64748b;font-size:12px}"
    "table{border-collapse:collapse;width:100%;font-size:12.5px}th{text-align:left;color:#64748b;font-weight:600;"
    "border-bottom:1px solid "
    "#cbd5e1;padding:4px 8px}"
    "td{border-bottom:1px solid #f1f5f9;padding:3px 8px}tr:hover td{background:#f8fafc}.ends,th "
    "div{color:#64748b;font-size:11px;font-weight:400}.why{min-width:300px;font-size:11.5px}"
    ".n{white-space:nowrap;text-align:right;font-variant-numeric:tabular-nums}"
    ".over{color:#dc2626;font-weight:700}.bars{max-width:960px}.bar{width:60%}.track{position:relative;height:16px;"
    "background:#f1f5f9;border-radius:"
    "4px;display:flex;"
    "overflow:hidden}.track i{height:100%}.track b{position:absolute;top:0;bottom:0;width:2px;background:#dc2626}"
    ".key i{display:inline-block;width:11px;height:11px;border-radius:3px;margin:0 5px 0 14px;vertical-align:-1px}"
    ".graph{overflow:auto;max-height:820px;border:1px solid "
    "#e2e8f0;border-radius:8px;padding:8px;background:#fff}.graph "
    "svg{max-width:100%;height:auto;display:block;margin:auto}"
    ".zoom{position:absolute;right:44px;top:18px;font-size:12.5px;color:#475569}input:checked~.graph "
    "svg{max-width:none}input.full{position:absolute;right:22px;top:19px;margin:0}"
    "svg.time{width:100%;font-size:11px;fill:#334155}svg.time "
    ".tick{stroke:#e2e8f0}svg.fill{background:#f1f5f9;display:block}"
    "svg.forecast path{fill:#3b82f6}svg.measured path{fill:#0f766e}svg.fill "
    "line{stroke:#b91c1c;stroke-width:1.5;stroke-dasharray:4 "
    "3}.scroll{overflow:auto;max-height:760px}details summary{cursor:pointer;font-weight:600}";

struct page {
    struct ir *ir;
    struct report report;
    const struct measured *measured;
    struct html_window window;
    struct text *out;
    struct diag *diag;
    bool ok; // false after an error
};

static void open_section(struct page *p, const char *title, const char *about) {
    text_addf(p->out, "<section><h2>%s</h2><p>", title);
    html_escape(p->out, about);
    text_add(p->out, "</p>\n");
}

static void close_section(struct page *p) { text_add(p->out, "</section>\n"); }

static void card(struct page *p, const char *figure, const char *what) {
    text_add(p->out, "<div class=\"card\"><b>");
    html_escape(p->out, figure);
    text_add(p->out, "</b><span>");
    html_escape(p->out, what);
    text_add(p->out, "</span></div>\n");
}

static void add_head(struct page *p) {
    const struct ir_design *d = &p->ir->design;
    text_add(p->out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Rill: ");
    html_escape(p->out, p->ir->name);
    text_addf(p->out, "</title><style>%s</style></head>\n<body><header><h1>", style);
    html_escape(p->out, p->ir->name);
    text_addf(p->out, "</h1><p>%d memory channels of %d bits, %d lanes, T = %d, %.0f MHz, binding ", d->channels,
              d->beat_bits, d->lanes, d->tokens, d->clock_mhz);
    html_escape(p->out, spec_binding_name(d->binding));
    text_add(p->out, ", FIFOs ");
    html_escape(p->out, spec_fifo_name(d->fifo));
    text_add(p->out, ", board ");
    html_escape(p->out, d->board);
    text_add(p->out, "</p></header><main>\n");
}

// Adds the row of key figures. Those of a simulation are only there if one is given.
static void add_cards(struct page *p) {
    struct arena *a = p->ir->arena;
    const char *unit = p->ir->design.is_lm ? "tokens/s" : "rows/s";
    double mhz = p->ir->design.clock_mhz;
    text_add(p->out, "<div class=\"cards\">\n");
    card(p, arena_printf(a, "%d", p->ir->nodes), arena_printf(a, "operations in %d regions", p->ir->regions));
    card(p, arena_printf(a, "%d", p->ir->kernels), arena_printf(a, "kernels, %d streams", p->ir->edges));
    card(p, arena_printf(a, "%.0f kbit", (double)report_fifo_bits(p->ir) / 1000), "in FIFOs");
    card(p, arena_printf(a, "%.1f MB", (double)report_channel_used(p->ir) / 1e6), "of each memory channel");
    card(p, arena_printf(a, "%lld", (long long)p->report.bound.cycles),
         arena_printf(a, "cycles per step of %d at position %lld, at least", p->report.step.tokens,
                      (long long)p->report.position));
    card(p, arena_printf(a, "%.1f", p->report.bound.tokens_per_second),
         arena_printf(a, "%s at most%s, at %g MHz: a bound", unit, report_where(&p->report), mhz));
    if (p->measured) {
        card(p, arena_printf(a, "%.1f", p->measured->tokens_per_second),
             arena_printf(a, "%s simulated with a memory model, no card", unit));
        card(p, p->measured->match ? "equal" : "different",
             arena_printf(a, "to the replay, %lld cycles", (long long)p->measured->cycles));
    }
    text_add(p->out, "</div>\n");
}

// Adds a section with a graph. After a failure of Graphviz, no further graph is tried.
static void add_graph(struct page *p, const char *title, const char *about, void (*graph)(struct ir *, struct text *)) {
    struct text text = {0};
    const char *why = NULL;
    if (!p->ok) return;
    open_section(p, title, about);
    text_add(p->out,
             "<input class=\"full\" type=\"checkbox\"><span class=\"zoom\">full size</span><div class=\"graph\">");
    graph(p->ir, &text);
    p->ok = dot_svg(p->ir->arena, &text, p->out, &why);
    text_free(&text);
    if (!p->ok) diag_error(p->diag, loc_none(), MSG_NO_GRAPH, why);
    text_add(p->out, "</div>");
    close_section(p);
}

static void add_kinds(struct page *p) {
    text_add(p->out, "<p class=\"key\">");
    for (int k = 0; k < HTML_KINDS; k++)
        text_addf(p->out, "<i style=\"background:%s\"></i>%s", html_line[k], html_kind_name[k]);
    text_add(p->out, "</p>\n");
}

// Adds the section with the timeline, or with the reason why there is none.
static void add_window(struct page *p) {
    const struct html_window *w = &p->window;
    struct arena *a = p->ir->arena;
    open_section(p, "Kernels over time",
                 w->run ? arena_printf(a,
                                       "One %s at position %lld, as the timing contracts forecast it: %lld cycles. A "
                                       "bar: the kernel takes or gives words.",
                                       w->region ? arena_printf(a, "repetition of region %s", w->region) : "step",
                                       (long long)w->position, (long long)(w->to - w->from))
                        : arena_printf(a, "No timeline: %s.", w->why));
    if (w->run) {
        add_kinds(p);
        html_timeline(p->ir, w, p->out);
    }
    close_section(p);
}

static void add_tables(struct page *p) {
    open_section(p, "FIFOs",
                 "Every stream with its depth and the reason for it. Forecast: the most words in one decode step by "
                 "the timing contracts; the fill "
                 "is over the window above. Measured: of the whole simulated run. The dashed line is the depth.");
    text_add(p->out, "<div class=\"scroll\">");
    html_fifos(&p->report, p->measured, &p->window, p->out);
    text_add(p->out, "</div>");
    close_section(p);
    open_section(p, "Memories on the chip",
                 arena_printf(p->ir->arena, "Chosen %s. What is not in use of the pieces taken is waste.",
                              p->ir->design.memories ? p->ir->design.memories : "by nobody"));
    text_add(p->out, "<div class=\"scroll\">");
    html_memories(&p->report, p->out);
    text_add(p->out, "</div>");
    close_section(p);
    open_section(p, "Bits per weight",
                 "As the memory image holds them: the elements, beside them scales, offsets and biases, and what fills "
                 "up rows, beats and lanes.");
    html_weights(&p->report, p->out);
    close_section(p);
    open_section(p, "Memory map", "The same offsets on every channel of an engine.");
    html_channel(&p->report, p->out);
    close_section(p);
}

static void add_clock(struct page *p) {
    open_section(p, "Clock", arena_printf(p->ir->arena, "Clock: %s.", report_clock_says(&p->report)));
    if (p->report.clock->state == CLOCK_CURRENT) html_clock(p->report.clock, p->out);
    close_section(p);
}

bool report_html(struct ir *ir, const struct clock_model *clock, const struct measured *measured, struct text *out,
                 struct diag *diag) {
    struct page p = {ir, report_make(ir, clock), measured, html_simulate(ir), out, diag, true};
    add_head(&p);
    add_cards(&p);
    open_section(
        &p, "Resources",
        "Estimated (docs/cost.md): upper bounds of LUTs and flip-flops, near the truth for memories and DSPs.");
    html_resources(&p.report, out);
    close_section(&p);
    if (report_has_dies(&p.report)) {
        open_section(
            &p, "Dies",
            arena_printf(ir->arena, "Partition: %s.", ir->design.placement ? ir->design.placement : "by hand"));
        html_dies(&p.report, out);
        close_section(&p);
    }
    add_clock(&p);
    if (ir->groups) {
        open_section(&p, "Groups",
                     arena_printf(ir->arena,
                                  "Operations that run together, one group after the other, within %lld KiB each. "
                                  "Counted: FIFOs at the safe depth, buffers "
                                  "of kernels, streams to and from other groups, what passes by.",
                                  (long long)ir->design.on_chip_kib));
        html_groups(ir, out);
        close_section(&p);
    }
    add_window(&p);
    add_graph(&p, "1. Operations",
              "What is computed for every position. Dark: products, which fire on a matrix engine. Dashed: carried to "
              "the next repetition.",
              graph_operations);
    add_graph(&p, "2. Binding", "The kernels that serve the operations, and which values go from one to another.",
              graph_binding);
    add_graph(&p, "3. Hardware",
              "All kernels with their streams: itensor type, words x bits of the FIFO, its memory. The streams of step "
              "words are not drawn.",
              graph_hardware);
    add_tables(&p);
    text_add(out, "</main></body></html>\n");
    return p.ok;
}
