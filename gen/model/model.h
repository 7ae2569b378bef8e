// SPDX-License-Identifier: Apache-2.0
// The graph of a spec, written out or of a family, to the tensor graph.
#ifndef RILL_MODEL_H
#define RILL_MODEL_H

#include "include/ir.h"
#include "include/spec.h"

bool model_expand_graph(struct ir *, const struct rill_spec *, struct diag *);

#endif
