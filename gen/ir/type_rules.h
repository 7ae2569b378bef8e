// SPDX-License-Identifier: Apache-2.0
// Type rules of the operations: they derive shapes and dtypes of the outputs from the inputs (ops.def).
#ifndef RILL_TYPE_RULES_H
#define RILL_TYPE_RULES_H

#include "gen/ir/ops.h"

// Returns false, and reports it, if the dtype of input i of the node is not `want`.
bool type_expect(const struct ir *, const struct ir_node *, int i, enum ir_dtype want, struct diag *);

// The shape in the form that messages use: [4, 5].
const char *type_shape_text(struct arena *, const struct ir_tensor *);

// Reports that an attribute of a node is wrong, and why. Returns false.
bool type_wrong(const struct ir *, const struct ir_node *, const char *key, const char *why, struct diag *);

// Adds a note that says how to turn heads into a vector, where that is possible.
void type_note_heads(const struct ir_tensor *, const struct ir_node *, struct diag *);

// One function for every rule that the table names.
#define RILL_OP(id, name, ins, outs, attrs, kernel, ports, traits, weights, type, golden, doc) ir_type_rule type_##type;
#include "include/ops.def"
#undef RILL_OP
ir_type_rule type_custom;

#endif
