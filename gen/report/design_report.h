// SPDX-License-Identifier: Apache-2.0
// Writes the design report as text and JSON: graph, resources, cycles, kernels, FIFOs and memory. Its figures are
// counted in the design or estimated; none comes from a simulation. Also gives the warnings about designs that exceed
// their board.
#ifndef RILL_DESIGN_REPORT_H
#define RILL_DESIGN_REPORT_H

#include "gen/emit/clock.h"
#include "gen/base/diag.h"
#include "gen/ir/ir.h"

// clock_model: the record of the delay model (what clock the design supports by estimate), which may say that there is
// none. The functions append to `out`.
void design_report_text(const struct ir *, const struct clock_model *, struct text *out);
void design_report_json(const struct ir *, const struct clock_model *, struct text *out);
void design_report_summary(const struct ir *, const struct clock_model *, struct text *out); // for `rill check`
// Lists the streams that cross each boundary between dies, widest first; prints nothing for a design on one die.
void design_report_crossings(const struct ir *, struct text *out);
// Lists the itensor type of every stream: the order in which it carries the elements of its tensor (docs/ir.md).
void design_report_types(struct ir *, struct text *out);

// Reports the on-chip memory for intermediate tensors, and compares it with storing whole tensors of `positions`
// positions, or of the positions of one step if `positions` is 0.
void design_report_memory(const struct ir *, int64_t positions, struct text *out);
void design_report_memory_json(const struct ir *, int64_t positions, struct text *out);

// Warns at `loc` if the design needs more than its board or a die of the board has, if it exceeds the limits of the
// board file, or if it comes near the card's power limit. The limits are assumed or derived (docs/boards.md). They do
// not prove that a design within them places and routes.
void design_report_capacity(const struct ir *, struct loc, struct diag *);
// Warns at `loc` if `copies` compute units of the design together exceed the limits of the board's dies.
void design_report_copies(const struct ir *, int copies, struct loc, struct diag *);
// Returns whether design_report_capacity would give no warning.
bool design_report_fits(const struct ir *);

#endif
