// SPDX-License-Identifier: Apache-2.0
// mark-ahead: streams whose writers are early are marked, at the depths, pools and dies of the design as it will be.
#include "gen/pass/pass.h"
#include "gen/timing/depths.h"

bool pass_mark_ahead(struct ir *ir, const struct rill_spec *spec, struct diag *diag) {
    (void)spec;
    (void)diag;
    if (ir->design.fifo != SPEC_SAFE) timing_mark_ahead(ir);
    return true;
}
