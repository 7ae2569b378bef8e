// SPDX-License-Identifier: Apache-2.0
// Utilization and timing that the vendor's tool reports, next to the estimates.
#ifndef RILL_REPORT_VENDOR_H
#define RILL_REPORT_VENDOR_H

#include "gen/cost/cost.h"

struct vendor_row { // an instance in the table "Utilization by Hierarchy"
    const char *name, *module;
    int depth, parent; // parent: row of the instance around it; IR_NONE for the first
    struct cost_resources is;
};
struct vendor_clock {
    const char *name;
    double period; // ns
};
struct vendor_source { // the tool's run that a report is from; a field is NULL if the report lacks it
    const char *path, *tool, *state, *device;
};
struct vendor {
    struct vendor_source utilization, timing; // path NULL: no such report
    VEC(struct vendor_row) rows;
    int top;               // row of rill_top
    double setup, hold;    // worst slacks in ns
    int64_t failing, ends; // number of end points of setup paths: failing, and all
    bool has_setup, has_hold;
    VEC(struct vendor_clock) clocks;
};

// Reads the reports (*.rpt) in a folder, from the latest stage if there are several stages. Returns NULL after an
// error: no utilization report, a line that cannot be read, or two reports of one stage.
struct vendor *vendor_read(struct arena *, const char *dir, struct diag *);
// Row of an instance directly below another; IR_NONE if the tool has dissolved the instance.
int vendor_find(const struct vendor *, int parent, const char *name);

void vendor_text(const struct ir *, const struct vendor *, struct text *out);
void vendor_json(const struct ir *, const struct vendor *, struct text *out);

#endif
