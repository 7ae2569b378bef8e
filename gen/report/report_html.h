// SPDX-License-Identifier: Apache-2.0
// The design report as one HTML file: graphs, resources, FIFOs, a timeline, and figures that a simulation measured
// (docs/report.md).
#ifndef RILL_REPORT_HTML_H
#define RILL_REPORT_HTML_H

#include "gen/emit/clock.h"
#include "gen/ir/ir.h"

struct measured {             // figures of a simulation, from `rill sim --json`
    int64_t *high_water;      // per edge; -1: not watched
    int64_t **fill;           // per edge: the most words in each window of the run; NULL: no record
    int *windows;             // per edge: the number of windows
    int64_t window;           // length of a window, in cycles
    int64_t cycles;           // of the run
    double tokens_per_second; // rows per second if the graph is not a language model
    bool match;               // every compared value equals the replay's
};
// Reads the figures of a run from `path`, a file that `rill sim --json` wrote. Returns NULL after an error in diag, for
// example if the run is of another design.
struct measured *measured_read(struct ir *, const char *path, struct diag *);

// Writes the whole page; `measured` may be NULL. Returns false after an error in diag, for example if Graphviz is not
// installed.
bool report_html(struct ir *, const struct clock_model *, const struct measured *, struct text *out, struct diag *);

#endif
