// SPDX-License-Identifier: Apache-2.0
// Sliding windows of attention: which positions a step reads. Reading begins at a multiple of window_unit(), where both
// a block of values and a row-step of keys begin. It is the last such multiple at or before every position that a token
// of the step sees (docs/memory.md).
#ifndef RILL_WINDOW_H
#define RILL_WINDOW_H

#include "gen/ir/ir.h"

// Returns the operation that makes weights from scores (softmax) over the positions over which this tensor extends;
// IR_NONE if the tensor does not extend over positions.
int window_node(const struct ir *, int tensor);
int64_t window_unit(const struct ir *); // reading begins at multiples of so many positions
// Positions that a token sees in a repetition, its own included, which is the last; without a window, the whole
// context.
int64_t window_length(const struct ir *, int node, int64_t repetition);
// The first position read in a step whose first token is at `position`.
int64_t window_begin(const struct ir *, int node, int64_t repetition, int64_t position);
// The most positions that a repetition reads or makes in a step.
int64_t window_most(const struct ir *, int node);

#endif
