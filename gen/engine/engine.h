// SPDX-License-Identifier: Apache-2.0
// The matrix engines: which products fire on which of them, with which memory channels, behind which tables.
#ifndef RILL_ENGINE_H
#define RILL_ENGINE_H

#include "include/ir.h"
#include "include/spec.h"

// Makes the list of engines, with the channels of each. False after reporting, when there are too few.
bool bind_channels(struct ir *, const struct rill_spec *, struct diag *);
int bind_product_engine(const struct ir *, int node);
// Builds an engine with its multiplexer and demultiplexer, when the order of firings is known.
bool bind_engine(struct ir *, int id, struct diag *);

#endif
