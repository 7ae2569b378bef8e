// SPDX-License-Identifier: Apache-2.0
// Sliding windows of attention: which positions a step reads. Reading begins at a multiple of what blocks of values and
// row-steps of keys both begin at, the last one that no token of the step looks behind (docs/memory.md).
#ifndef RILL_WINDOW_H
#define RILL_WINDOW_H

#include "gen/ir/ir.h"

// The operation that makes weights of the positions over which a tensor extends; IR_NONE: it extends over none.
int window_node(const struct ir *, int tensor);
int64_t window_unit(const struct ir *); // positions at whose multiples reading may begin
// What a repetition of it sees, its own position the last; all of a request where it has no window.
int64_t window_length(const struct ir *, int node, int64_t repetition);
// The first position that is read in a step whose first token is at `position`.
int64_t window_begin(const struct ir *, int node, int64_t repetition, int64_t position);
// The most positions of a step that a repetition reads or makes.
int64_t window_most(const struct ir *, int node);

#endif
