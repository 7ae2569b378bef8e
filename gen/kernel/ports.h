// SPDX-License-Identifier: Apache-2.0
// Makes the ports of kernels: derives kind, width, firings and itensor type of a stream from its tensor (docs/rtl.md
// section 3). A unit is a word of quantized values.
#ifndef RILL_PORTS_H
#define RILL_PORTS_H

#include "gen/ir/ir.h"

// Names in capitals (XS, USER_W, X_BITS, LANES) are parameters of the Verilog modules.
int ports_unit_elements(const struct ir *);        // XS: int8 elements of one beat
int ports_user_bits(const struct ir *);            // USER_W: width of tuser
void ports_set_mantissas(struct ir *, int kernel); // sets X_BITS if mantissas are not bytes
// Returns the bits of an element of a stream with one element per lane; 0 for a dtype with other streams.
int ports_element_bits(enum ir_dtype);
bool ports_is_vector(const struct ir_port *); // whether the port has a stream with an element per lane
int64_t ports_data_bits(const struct ir *, enum ir_dtype, int lanes); // bits of tdata
int ports_lanes(const struct ir *, int kernel);                       // fp32 lanes of its streams
// Returns the units of one firing and token. The number is rounded up to an even one, because a beat of int4 weights is
// multiplied with two units.
int64_t ports_mx_units(const struct ir *, const struct ir_tensor *);
// Returns whether a tensor is an array: it has several dimensions and is sent as a whole, in some order of its loops.
// Vectors, and heads, which are sent row by row, are not arrays.
bool ports_is_array(const struct ir_tensor *);
// Sets order[] to the dimensions of an array in the order of the loops in which a node's kernel takes it (is_output:
// sends it), outermost first.
void ports_order(const struct ir *, const struct ir_node *, bool is_output, int rank, int order[]);
// Returns the stream type of an array in this order, in words of `width` elements along the last dimension of the
// order.
struct ir_itensor ports_array_type(const struct ir *, const struct ir_tensor *, int64_t width, const int order[]);
// The functions ports_add_* return the index of the new port.

// Adds a port with the stream of a tensor: words of LANES elements, units or scalars.
int ports_add_tensor(struct ir *, int kernel, const char *name, bool is_output, int tensor);
// Adds a port for an operand of the kernel's own operation, in the order and with the firings that the operation
// requires.
int ports_add_operand(struct ir *, int kernel, const char *name, bool is_output, int tensor);
// Changes a port so that it carries the rows of a tensor as separate firings.
void ports_set_rows(struct ir *, int kernel, int port, int tensor);
// Adds a port with the same stream as another port.
int ports_add_like(struct ir *, int kernel, const char *name, bool is_output, const struct ir_port *like);
int ports_add_step(struct ir *, int kernel); // adds an input of step words
// Returns the words of one firing with all tokens, with dynamic trip counts at their bounds.
int64_t ports_firing_words(const struct ir_port *);
int64_t ports_firings(const struct ir *, int tensor); // firings per step and repetition: heads for attention operands
// Returns the number of words with tlast per step and repetition: one per firing, or for scalars one per head.
int64_t ports_ends(const struct ir *, int tensor);
// Returns the type of a stream that carries the tensor, or a row of it, as one vector.
struct ir_itensor ports_vector_type(const struct ir *, const struct ir_tensor *, int64_t elements_per_word);

#endif
