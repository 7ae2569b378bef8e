// SPDX-License-Identifier: Apache-2.0
// Declarations that the parts of the HTML report (html_*.c) share. report_html.c assembles the page from them.
#ifndef RILL_HTML_H
#define RILL_HTML_H

#include "gen/report/report_parts.h"
#include "gen/report/report_html.h"
#include "gen/timing/timing.h"

// The purpose of a kernel. The page has a colour for each kind: html_fill is the colour inside a node, html_line that
// of its frame.
enum html_kind { HTML_OPERATION, HTML_ENGINE, HTML_STEERING, HTML_CONTROL, HTML_KINDS };
enum html_kind html_kind_of(const struct ir *, int kernel);
extern const char *const html_fill[HTML_KINDS], *const html_line[HTML_KINDS], *const html_kind_name[HTML_KINDS];

void html_escape(struct text *out, const char *s); // replaces <, >, &, " by entities

// Runs Graphviz: turns the text of a graph into an SVG element that refers to nothing outside itself. Returns false and
// sets *why if that fails.
bool dot_svg(struct arena *, const struct text *graph, struct text *svg, const char **why);
// The next three functions write graphs for Graphviz: the operations, the kernels that serve them, and the complete
// hardware.
void graph_operations(struct ir *, struct text *out);
void graph_binding(struct ir *, struct text *out);
void graph_hardware(struct ir *, struct text *out);

// The part of a decode step that the page shows. The step is at half of the context, and is forecast from the timing
// contracts of the kernels (docs/timing.md).
struct html_window {
    const struct timing_result *run; // NULL: no contract, or the run deadlocked
    const char *why;                 // the reason, if run is NULL
    int64_t from, to;                // cycles shown: a repetition if exactly one region repeats, else the whole step
    const char *region;              // name of the region whose repetition is shown, or NULL
    int64_t position;                // position of the step's token
};
struct html_window html_simulate(struct ir *);
void html_timeline(const struct ir *, const struct html_window *, struct text *out); // which kernel works when
// The next two functions draw how full a stream is over the window (forecast), and over a run of the simulator on the
// RTL (measured), as small SVGs with a dashed line at the FIFO's depth. Without a record of the stream,
// html_fill_measured writes `-`.
void html_fill_line(const struct ir *, int edge, const struct html_window *, struct text *out);
void html_fill_measured(const struct ir *, int edge, const struct measured *, struct text *out);

// The other functions write the tables and bars of the page's sections.
void html_resources(const struct report *, struct text *out);
void html_dies(const struct report *, struct text *out);
void html_clock(const struct clock_model *, struct text *out); // the record must be current
void html_groups(const struct ir *, struct text *out);
void html_fifos(const struct report *, const struct measured *, const struct html_window *, struct text *out);
void html_memories(const struct report *, struct text *out);
void html_weights(const struct report *, struct text *out);
void html_channel(const struct report *, struct text *out); // the memory map

#endif
