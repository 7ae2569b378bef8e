// SPDX-License-Identifier: Apache-2.0
// The clock that the timing model supports of a design, from the record that verif/timing/run.sh --design makes.
// Class: estimated (docs/clock.md).
#ifndef RILL_EMIT_CLOCK_H
#define RILL_EMIT_CLOCK_H

#include "gen/emit/emit.h"
#include "gen/base/diag.h"

struct clock_path {
    double ns;
    const char *text; // from where to where
};
struct clock_part {
    const char *where;            // a die, `between dies`, `resets`, `design` where it is not on dies
    VEC(struct clock_path) paths; // the longest ones, worst first; at least one
};
enum clock_state { CLOCK_NONE, CLOCK_STALE, CLOCK_CURRENT };
struct clock_model {
    enum clock_state state;
    const char *path;             // of the record, or where it would be
    const char *rtl;              // hash of the design's Verilog (struct emit_rtl)
    VEC(struct clock_part) parts; // CLOCK_CURRENT: those of this design
};

extern const char clock_beside_design[]; // the record's name in a design's folder

// The record of a design: `file`, or, where that is NULL, beside the spec: NAME.timing.json of NAME.yaml, which need
// not be there. False after an error: no such file, or one that is no record.
bool clock_read(const struct ir *, const char *file, const char *spec, const struct emit_rtl *, struct clock_model *out,
                struct diag *);
double clock_part_ns(const struct clock_part *);
double clock_longest_ns(const struct clock_model *);
double clock_mhz_of(double ns); // whole MHz, none that is above
// The n-th longest path of all parts, n from 0; *part is where it is. NULL: there are no more.
const struct clock_path *clock_worst(const struct clock_model *, int n, const struct clock_part **part);
// A warning at loc where the design asks for a higher clock than a current record supports.
void clock_warn(const struct ir *, const struct clock_model *, struct loc, struct diag *);

#endif
