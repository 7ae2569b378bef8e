// SPDX-License-Identifier: Apache-2.0
// Binding of operations to kernels: those of their own have their parameters from their classes (kernel.h), products
// fire on matrix engines.
#ifndef RILL_BIND_H
#define RILL_BIND_H

#include "include/ir.h"
#include "include/spec.h"

// The pass bind-operations: nodes -> kernels; products -> firings of the engines.
bool bind_operations(struct ir *, const struct rill_spec *, struct diag *);
// Attentions are whole, and those on one engine go together.
bool bind_check_attention(const struct ir *, struct diag *);
// Decides the order in which the products of all regions fire, with the x operands they take.
bool bind_order_firings(struct ir *, struct diag *);
// The Verilog headers of the custom kernels: names and directions; of one operation's kernel: widths, with its
// parameters set.
bool bind_check_customs(const struct ir *, struct diag *);
bool bind_custom(struct ir *, const struct ir_node *, int kernel, struct diag *);

#endif
