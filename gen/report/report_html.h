// SPDX-License-Identifier: Apache-2.0
// The design report as one HTML file: graphs, resources, FIFOs, a timeline, and what a simulation measured.
// docs/testing.md.
#ifndef RILL_REPORT_HTML_H
#define RILL_REPORT_HTML_H

#include "gen/emit/clock.h"
#include "gen/ir/ir.h"

struct measured {        // of a simulation: `rill sim --json`
    int64_t *high_water; // per edge, -1: not watched
    int64_t **fill;      // per edge: the most words in each window of the run, NULL: no record
    int *windows;        // per edge
    int64_t window;      // cycles
    int64_t cycles;
    double tokens_per_second;
    bool match;
};
// NULL after an error in diag, also when the run was another design's.
struct measured *measured_read(struct ir *, const char *path, struct diag *);

// The whole page; measured may be NULL. False after an error in diag.
bool report_html(struct ir *, const struct clock_model *, const struct measured *, struct text *out, struct diag *);

#endif
