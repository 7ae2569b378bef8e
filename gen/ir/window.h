// SPDX-License-Identifier: Apache-2.0
// Sliding windows of attention: the positions of the KV cache that a step reads. Reading begins at a multiple of
// window_unit(), because there both a block of values and a row-step of keys begin. The step begins at the last such
// multiple at or before the oldest position that one of its tokens sees (docs/memory.md). In all functions, `node` is a
// softmax and `repetition` counts the repetitions of its region from 0.
#ifndef RILL_WINDOW_H
#define RILL_WINDOW_H

#include "gen/ir/ir.h"

// Returns the operation that makes weights from scores (softmax) over the positions over which this tensor extends.
// Returns IR_NONE if the tensor does not extend over positions.
int window_node(const struct ir *, int tensor);
int64_t window_unit(const struct ir *); // positions; reading begins at multiples of this number
// Returns the number of positions that a token sees in a repetition, up to and including its own; without a window, the
// context.
int64_t window_length(const struct ir *, int node, int64_t repetition);
// Returns the first position that is read in a step whose first token is at `position`; 0 if `node` is IR_NONE.
int64_t window_begin(const struct ir *, int node, int64_t repetition, int64_t position);
// Returns the largest number of positions that a step reads in one repetition, over all repetitions; at most the
// context.
int64_t window_most(const struct ir *, int node);

#endif
