// SPDX-License-Identifier: Apache-2.0
// Declarations that the parts of the HTML report share.
#ifndef RILL_HTML_H
#define RILL_HTML_H

#include "gen/report/report_parts.h"
#include "gen/report/report_html.h"
#include "gen/timing/timing.h"

// The purpose of a kernel; the page has a colour for each kind.
enum html_kind { HTML_OPERATION, HTML_ENGINE, HTML_STEERING, HTML_CONTROL, HTML_KINDS };
enum html_kind html_kind_of(const struct ir *, int kernel);
extern const char *const html_fill[HTML_KINDS], *const html_line[HTML_KINDS], *const html_kind_name[HTML_KINDS];

void html_escape(struct text *out, const char *s);

// Runs Graphviz: turns the text of a graph into an SVG element that refers to nothing outside itself. Returns false and
// sets *why if that fails.
bool dot_svg(struct arena *, const struct text *graph, struct text *svg, const char **why);
// Graphs of the stages, as Graphviz text.
void graph_operations(struct ir *, struct text *out);
void graph_binding(struct ir *, struct text *out);
void graph_hardware(struct ir *, struct text *out);

// The part of a simulated decode step that the page shows, from the timing contracts (docs/timing.md).
struct html_window {
    const struct timing_result *run; // NULL: no contract, or the run deadlocked
    const char *why;                 // the reason, if run is NULL
    int64_t from, to;                // cycles shown: one repetition of the most repeated region, else the whole step
    const char *region;              // that region's name, or NULL
    int64_t position;
};
struct html_window html_simulate(struct ir *);
void html_timeline(const struct ir *, const struct html_window *, struct text *out);
// How full a stream is over the window (forecast) and over a simulated run (measured), as small SVGs with a dashed line
// at the FIFO's depth.
void html_fill_line(const struct ir *, int edge, const struct html_window *, struct text *out);
void html_fill_measured(const struct ir *, int edge, const struct measured *, struct text *out);

void html_resources(const struct report *, struct text *out);
void html_dies(const struct report *, struct text *out);
void html_clock(const struct clock_model *, struct text *out); // the record must be current
void html_groups(const struct ir *, struct text *out);
void html_fifos(const struct report *, const struct measured *, const struct html_window *, struct text *out);
void html_memories(const struct report *, struct text *out);
void html_weights(const struct report *, struct text *out);
void html_channel(const struct report *, struct text *out);

#endif
