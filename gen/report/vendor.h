// SPDX-License-Identifier: Apache-2.0
// Reads reports of Vivado about utilization and timing, and compares them with Rill's estimates (`rill report
// --vendor`).
#ifndef RILL_REPORT_VENDOR_H
#define RILL_REPORT_VENDOR_H

#include "gen/cost/cost.h"

struct vendor_row { // an instance in the table "Utilization by Hierarchy"
    const char *name, *module;
    int depth, parent;        // depth: 0 for the first row; parent: row of the instance around it, or IR_NONE
    struct cost_resources is; // of the instance with all instances inside it
};
struct vendor_clock {
    const char *name;
    double period; // ns
};
struct vendor_source { // a report and the run of the tool that wrote it; a field is NULL if the report lacks it
    const char *path, *tool, *state, *device; // state: stage of implementation, such as `Routed`
};
struct vendor {
    struct vendor_source utilization, timing; // path NULL: no such report
    VEC(struct vendor_row) rows;
    int top;                  // row of rill_top
    double setup, hold;       // worst slacks in ns
    int64_t failing, ends;    // numbers of end points of setup paths that fail, and of all
    bool has_setup, has_hold; // whether the report has such paths
    VEC(struct vendor_clock) clocks;
};

// Reads the reports (*.rpt) in a folder, from the latest stage if there are several stages. Returns NULL after an
// error: for example no utilization report, a report without rill_top or without slacks, a line that cannot be read, or
// two reports of one kind and stage.
struct vendor *vendor_read(struct arena *, const char *dir, struct diag *);
// Returns the row of an instance directly inside another one, or IR_NONE if the tool has dissolved the instance.
int vendor_find(const struct vendor *, int parent, const char *name);

// vendor_text and vendor_json write the comparison.
void vendor_text(const struct ir *, const struct vendor *, struct text *out);
void vendor_json(const struct ir *, const struct vendor *, struct text *out);

#endif
