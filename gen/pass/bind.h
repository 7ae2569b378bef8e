// SPDX-License-Identifier: Apache-2.0
// Binding of operations to kernels. A bind rule gives a kernel of its own its RTL parameters; the rule `engine` stands for operations that fire
// on the shared matrix engine.
#ifndef RILL_BIND_H
#define RILL_BIND_H

#include "ir.h"

typedef void bind_rule(struct ir *, const struct ir_node *, int kernel);
extern bind_rule *const bind_rule_table[]; // by operation; bind_engine for the shared engine
bind_rule bind_engine;

bool bind_on_engine(const struct ir_node *);
// Builds the engine with its multiplexer and demultiplexer, the KV cache kernels and the list of firings.
bool bind_shared_engine(struct ir *, struct diag *);
// Decides the order in which the products of all regions fire, with the x operands they take.
bool bind_order_firings(struct ir *, struct diag *);
const char *bind_float_bits(struct ir *, float); // 32'h…

#endif
