// SPDX-License-Identifier: Apache-2.0
// The graph of a spec, written out or of a family, to the tensor graph.
#ifndef RILL_MODEL_H
#define RILL_MODEL_H

#include "include/ir.h"
#include "include/ops.h"
#include "include/spec.h"

bool model_expand_graph(struct ir *, const struct rill_spec *, struct diag *);

// Of one operation, in the region added last: its node, with tensors and attributes. False after a report; the names
// that it makes are known all the same.
bool model_lower_op(struct ir *, const struct spec_op *, struct diag *);
// What a wrong operation makes is known all the same: who reads it is not reported again. False.
bool model_declare_results(struct ir *, const struct spec_op *, struct diag *);
// The operations that a composite stands for (composite.c).
bool model_lower_composite(struct ir *, const struct spec_op *, const struct ir_composite *, struct diag *);
// The given attributes of `op`, checked against the known ones. False after a report.
bool model_lower_attrs(struct ir *, struct ir_attrs *, const struct spec_op *, const struct ir_op_attr known[],
                       int count, bool names, struct diag *);
// Whether an operation of that name has as many operands and results; reports it where not.
bool model_check_ports(struct ir *, const struct spec_op *, const char *name, int inputs, int outputs, struct diag *);

#endif
