// SPDX-License-Identifier: Apache-2.0
// Utilization and timing as the vendor's tool reports them, beside the estimates.
#ifndef RILL_REPORT_VENDOR_H
#define RILL_REPORT_VENDOR_H

#include "gen/cost/cost.h"

struct vendor_row { // an instance of the table "Utilization by Hierarchy"
    const char *name, *module;
    int depth, parent; // parent: row, IR_NONE for the first
    struct cost_resources is;
};
struct vendor_clock {
    const char *name;
    double period; // ns
};
struct vendor_source { // which run of which tool a report is from; NULL where it does not say
    const char *path, *tool, *state, *device;
};
struct vendor {
    struct vendor_source utilization, timing; // path NULL: there is no such report
    VEC(struct vendor_row) rows;
    int top;               // row of rill_top
    double setup, hold;    // worst slacks, ns
    int64_t failing, ends; // end points of setup paths
    bool has_setup, has_hold;
    VEC(struct vendor_clock) clocks;
};

// The reports (*.rpt) of a folder, of the latest stage where there are several. NULL after an error: none of
// utilization, a line that cannot be read, two of one stage.
struct vendor *vendor_read(struct arena *, const char *dir, struct diag *);
// Row of an instance right below another; IR_NONE where the tool has dissolved it.
int vendor_find(const struct vendor *, int parent, const char *name);

void vendor_text(const struct ir *, const struct vendor *, struct text *out);
void vendor_json(const struct ir *, const struct vendor *, struct text *out);

#endif
