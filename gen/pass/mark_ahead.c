// SPDX-License-Identifier: Apache-2.0
// mark-ahead: marks the streams whose writer runs ahead of the reader (docs/fifos.md), so that reports do not take a
// full FIFO there for a bottleneck. It needs the final depths, pools and dies of the design.
#include "gen/pass/pass.h"
#include "gen/timing/depths.h"

bool pass_mark_ahead(struct ir *ir, const struct rill_spec *spec, struct diag *diag) {
    (void)spec;
    (void)diag;
    if (ir->design.fifo != SPEC_SAFE) timing_mark_ahead(ir);
    return true;
}
