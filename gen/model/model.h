// SPDX-License-Identifier: Apache-2.0
// The graph of a spec, written out or of a family, to the tensor graph.
#ifndef RILL_MODEL_H
#define RILL_MODEL_H

#include "gen/ir/ir.h"
#include "gen/ir/ops.h"
#include "gen/spec/spec.h"

bool model_expand_graph(struct ir *, const struct rill_spec *, struct diag *);

struct model_ops {
    struct spec_op *items;
    size_t count, capacity;
};
// The operations of a region, those that composites stand for in their place (composite.c). False after a report; a
// wrong composite is left as it is.
bool model_write_out(struct ir *, const struct spec_region *, struct model_ops *, struct diag *);
// The given attributes of `op`, checked against the known ones. False after a report.
bool model_lower_attrs(struct ir *, struct ir_attrs *, const struct spec_op *, const struct ir_op_attr known[],
                       int count, bool names, struct diag *);
// Whether an operation of that name has as many operands and results; reports it where not.
bool model_check_ports(struct ir *, const struct spec_op *, const char *name, int inputs, int outputs, struct diag *);

#endif
