// SPDX-License-Identifier: Apache-2.0
// Converts the graph of a spec, whether it is written out or comes from a family, to the tensor graph of the IR.
#ifndef RILL_MODEL_H
#define RILL_MODEL_H

#include "gen/ir/ir.h"
#include "gen/ir/ops.h"
#include "gen/spec/spec.h"

// Adds the spec's graph to the IR. Returns false after an error.
bool model_expand_graph(struct ir *, const struct rill_spec *, struct diag *);

// The operations of a region. The members have the names of VEC's members, so that VEC_PUSH can add operations.
struct model_ops {
    struct spec_op *items;
    size_t count, capacity;
};
// Lists the operations of a region with each composite, such as `linear`, replaced by the operations that it is defined
// as (composite.c; docs/spec.md section 5). Returns false after an error. A wrong composite then stays in the list as
// it is.
bool model_write_out(struct ir *, const struct spec_region *, struct model_ops *, struct diag *);
// Sets `attrs` to the attributes that the spec gives for `op`, after a check against the `count` attributes in `known`.
// names: texts are names of tensors, in which `{...}` is checked; false for custom kernels. Returns false after an
// error.
bool model_lower_attrs(struct ir *, struct ir_attrs *, const struct spec_op *, const struct ir_op_attr known[],
                       int count, bool names, struct diag *);
// Checks that `op` has the given numbers of operands and results. name: of the operation, for messages. Returns false
// after an error.
bool model_check_ports(struct ir *, const struct spec_op *, const char *name, int inputs, int outputs, struct diag *);

#endif
