// SPDX-License-Identifier: Apache-2.0
// Binds operations to kernels. Most operations get their own kernel, with parameters from its class (kernel.h).
// Products share the matrix engines, on which they fire one after another. Functions that take a diag report errors to
// it and then return false. A spec is NULL if the IR is from a dump; it gives errors their places, and notes the
// board's limits. ir.h explains terms such as firing, step, slot and part, and docs/engine.md the engine with its
// multiplexer and demultiplexer.
#ifndef RILL_BIND_H
#define RILL_BIND_H

#include "gen/base/verilog.h"
#include "gen/ir/ir.h"
#include "gen/kernel/kernel.h"
#include "gen/spec/spec.h"

// The pass bind-operations: makes kernels from nodes, and firings of the engines from products. It refuses a graph that
// the keys of the design do not allow, for example `sampling` of a graph that makes rows. It calls the functions below,
// except bind_check_customs (pass expand-model) and those for ports of the library (pass insert-control).
bool bind_operations(struct ir *, const struct rill_spec *, struct diag *);
// Checks that every attention is complete, and that attentions on one engine are compatible.
bool bind_check_attention(const struct ir *, struct diag *);
// Makes the list of engines, with the channels of each, and decides which of them keep their weights on chip (resident
// engines). It is an error if there are too few channels or resident lanes, or if `resident: all` meets an attention.
bool bind_channels(struct ir *, const struct rill_spec *, struct diag *);
int bind_product_engine(const struct ir *, int node); // the engine on which a product (a node) fires: its index
// Makes the list of firings: the order in which the products fire, and for each firing whether it takes a new operand
// or uses the operand of the previous firing.
bool bind_order_firings(struct ir *, struct diag *);
// Returns how many rows of a product's operand take the places of tokens in a firing, so that one read of the weights
// serves all of them (`tensor_rows`); 1: each row fires alone.
int bind_rows_together(const struct ir *, int product);
// Adds the kernels that turn rows into tokens and back, at the multiplexer and demultiplexer of an engine. Does nothing
// in a design without `tensor_rows`.
void bind_tensor_rows(struct ir *, int engine);
// Gives all streams of an engine's kernel as many tokens as the engine has places (ir_places).
void bind_widen(struct ir *, int kernel);
// Inserts a new kernel of class `class` between a port of `kernel` and the rest of the graph. Returns the new kernel.
// The first port of the new kernel carries the tensor, so the router connects this port instead of the old one. The
// second port is connected to the old one. Sets DATA_W and TOKENS of the new kernel.
int bind_beside(struct ir *, const char *name, const struct kernel_class *, int kernel, int port);
// Builds an engine with its multiplexer and demultiplexer. id: index of the engine in ir->engine. The list of firings
// must be complete.
bool bind_engine(struct ir *, int id, struct diag *);
// Adds the kernels of the KV caches and then calls bind_parts. The engines must exist.
void bind_attention(struct ir *);
// Makes the kernels of attention work on the parts of a step (the tokens of one request), because each request has a
// separate cache. Does nothing in a design without slots.
void bind_parts(struct ir *);
// Custom kernels. bind_check_customs checks the Verilog files of all custom kernels, and compares the names and
// directions of their ports with the spec. bind_custom sets the parameters of one operation's kernel and checks the
// widths of its ports.
bool bind_check_customs(const struct ir *, struct diag *);
bool bind_custom(struct ir *, const struct ir_node *, int kernel, struct diag *);
// Finds the width in bits of a port of a kernel's module with the kernel's parameters. It is an error if the width
// depends on a name without a value.
bool bind_port_bits(const struct ir *, const struct verilog_header *, const struct ir_kernel *,
                    const struct verilog_port *, int64_t *bits, struct diag *);

// A port of a kernel of the library, with the width that the kernel's parameters give. bind_read_ports lists all ports
// of the module in the order of its declaration. A module that cannot be read is an internal error. Only modules with
// ports for control, memory or parameters are found (bind_header.c lists their folders).
struct bind_port {
    const char *name;
    bool is_output;
    int64_t bits;
};
typedef VEC(struct bind_port) bind_ports;
bind_ports bind_read_ports(const struct ir *, int kernel);
const struct bind_port *bind_find_port(const bind_ports *, const char *name); // an internal error if there is none
bool bind_has_library(const struct ir *, struct diag *);                      // reports a missing library

#endif
