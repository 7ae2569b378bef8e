// SPDX-License-Identifier: Apache-2.0
// The design report: graph, kernels, FIFOs, memory.
#ifndef RILL_EMIT_REPORT_H
#define RILL_EMIT_REPORT_H

#include "ir.h"

void emit_report_text(const struct ir *, struct text *out);
void emit_report_json(const struct ir *, struct text *out);
void emit_report_summary(const struct ir *, struct text *out); // a page for `rill check`

// Cycles that the engine is busy with one decode step at a position, by kind of product.
struct report_cycles {
    int64_t weights, scores, values;
};
struct report_cycles emit_report_cycles(const struct ir *, int64_t position);

#endif
