// SPDX-License-Identifier: Apache-2.0
// The clock frequency that the delay model supports for a design, read from the record that verif/timing/run.sh
// --design writes. The figures are estimated (docs/clock.md).
#ifndef RILL_EMIT_CLOCK_H
#define RILL_EMIT_CLOCK_H

#include "gen/emit/emit.h"
#include "gen/base/diag.h"

struct clock_path {   // from one register to another
    double ns;        // estimated delay
    const char *text; // the path's start and end
};
struct clock_part {
    const char *where;            // a die, `between dies`, `resets`, or `design` if the design is not split over dies
    VEC(struct clock_path) paths; // the longest paths, worst first; at least one
};
enum clock_state { CLOCK_NONE, CLOCK_STALE, CLOCK_CURRENT }; // no record; one for other Verilog; one for this Verilog
struct clock_model {
    enum clock_state state;
    const char *path;             // the record's file, or where the record would be
    const char *rtl;              // hash of the design's Verilog (struct emit_rtl)
    VEC(struct clock_part) parts; // the parts of this design; filled only for CLOCK_CURRENT
};

extern const char clock_beside_design[]; // the record's name in a design's folder

// Reads a design's timing record from `file`. If `file` is NULL, reads NAME.timing.json next to the spec NAME.yaml;
// that file may be missing. Returns false after an error: `file` does not exist, or the file is not a valid record.
bool clock_read(const struct ir *, const char *file, const char *spec, const struct emit_rtl *, struct clock_model *out,
                struct diag *);
double clock_part_ns(const struct clock_part *);     // delay of the part's longest path
double clock_longest_ns(const struct clock_model *); // delay of the longest path of all parts; 0 without a record
double clock_mhz_of(double ns);                      // clock for a path of this delay > 0, in whole MHz, rounded down
// Returns the n-th longest path of all parts, n from 0, and in *part the part that it is in. Returns NULL if there is
// no such path, or if n is more than 2.
const struct clock_path *clock_worst(const struct clock_model *, int n, const struct clock_part **part);
// Warns at loc if the design has a higher clock than a current record supports.
void clock_warn(const struct ir *, const struct clock_model *, struct loc, struct diag *);

#endif
