// SPDX-License-Identifier: Apache-2.0
// The design report as text and JSON: graph, resources, cycles, kernels, FIFOs, memory.
#ifndef RILL_DESIGN_REPORT_H
#define RILL_DESIGN_REPORT_H

#include "gen/emit/clock.h"
#include "gen/base/diag.h"
#include "gen/ir/ir.h"

void design_report_text(const struct ir *, const struct clock_model *, struct text *out);
void design_report_json(const struct ir *, const struct clock_model *, struct text *out);
void design_report_summary(const struct ir *, const struct clock_model *, struct text *out); // for `rill check`
// Lists the streams that cross each boundary between dies, widest first; prints nothing for a design on one die.
void design_report_crossings(const struct ir *, struct text *out);
void design_report_types(struct ir *, struct text *out); // the itensor type of every stream

// Reports the memory for intermediate tensors. It is compared with storing whole tensors of this many positions; 0: of
// the positions of one step.
void design_report_memory(const struct ir *, int64_t positions, struct text *out);
void design_report_memory_json(const struct ir *, int64_t positions, struct text *out);

// Warns at loc if the design needs more than its board, or one of the board's dies, has.
void design_report_capacity(const struct ir *, struct loc, struct diag *);
// Warns at loc if several copies of the design together exceed the limits of the board's dies.
void design_report_copies(const struct ir *, int copies, struct loc, struct diag *);
// Whether design_report_capacity would give no warning.
bool design_report_fits(const struct ir *);

#endif
