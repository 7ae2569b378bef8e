// SPDX-License-Identifier: Apache-2.0
// Type rules of the operations, one for each name in the column `type rule` of ops.def. A rule checks the operands and
// attributes of a node and derives dtypes and shapes of its outputs. The helpers below report what is wrong.
#ifndef RILL_TYPE_RULES_H
#define RILL_TYPE_RULES_H

#include "gen/ir/ops.h"

// Checks the dtype of input i. Returns false if it is not `want`, after an error message. The message is left out if an
// earlier error caused this.
bool type_expect(const struct ir *, const struct ir_node *, int i, enum ir_dtype want, struct diag *);

// Returns the shape in the form that messages use: [4, 5].
const char *type_shape_text(struct arena *, const struct ir_tensor *);

// Reports that attribute `key` of a node is wrong, or its operand if it has no such attribute. Returns false. why: the
// end of the sentence, such as "must be a dimension of it", where "it" is the first operand.
bool type_wrong(const struct ir *, const struct ir_node *, const char *key, const char *why, struct diag *);

// Adds a note that `scale` turns heads into a vector, if the tensor has heads whose rows do not grow with the position.
void type_note_heads(const struct ir_tensor *, const struct ir_node *, struct diag *);

// One function for every rule that the table names. struct ir_op_info in ops.h has the one of each operation.
#define RILL_OP(id, name, ins, outs, attrs, kernel, ports, traits, weights, type, golden, doc) ir_type_rule type_##type;
#include "include/ops.def"
#undef RILL_OP
ir_type_rule type_custom; // of all custom kernels

#endif
