// SPDX-License-Identifier: Apache-2.0
// Binding of operations to kernels: those of their own have their parameters from their classes (kernel.h), products
// fire on matrix engines.
#ifndef RILL_BIND_H
#define RILL_BIND_H

#include "gen/ir/ir.h"
#include "gen/spec/spec.h"

// The pass bind-operations: nodes -> kernels; products -> firings of the engines.
bool bind_operations(struct ir *, const struct rill_spec *, struct diag *);
// Attentions are whole, and those on one engine go together.
bool bind_check_attention(const struct ir *, struct diag *);
// Makes the list of engines, with the channels of each. False after reporting, when there are too few.
bool bind_channels(struct ir *, const struct rill_spec *, struct diag *);
int bind_product_engine(const struct ir *, int node);
// Decides the order in which the products of all regions fire, with the x operands they take.
bool bind_order_firings(struct ir *, struct diag *);
// Builds an engine with its multiplexer and demultiplexer, when the order of firings is known.
bool bind_engine(struct ir *, int id, struct diag *);
// The kernels of the KV caches, when the engines are there.
void bind_attention(struct ir *);
// The Verilog headers of the custom kernels: names and directions; of one operation's kernel: widths, with its
// parameters set.
bool bind_check_customs(const struct ir *, struct diag *);
bool bind_custom(struct ir *, const struct ir_node *, int kernel, struct diag *);

#endif
