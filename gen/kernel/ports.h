// SPDX-License-Identifier: Apache-2.0
// Makes the ports of kernels: derives kind, width, firings and itensor type of a stream from its tensor (docs/rtl.md
// section 3).
//
// A firing is one run of a kernel over its operands, for all tokens of the step. A repetition is a pass through a
// region that the program repeats, such as a layer. A unit is the part of a word of IR_MX or IR_KV that has the
// quantized values, as many as bytes in a memory beat.
#ifndef RILL_PORTS_H
#define RILL_PORTS_H

#include "gen/ir/ir.h"

// Names in capitals (XS, USER_W, X_BITS, LANES) are parameters of the Verilog modules.
int ports_unit_elements(const struct ir *);        // XS: elements of a unit, 32 or 64
int ports_user_bits(const struct ir *);            // USER_W: width of tuser
void ports_set_mantissas(struct ir *, int kernel); // sets X_BITS, the bits of a mantissa, if it is not its default 8
// Returns the bits of an element if the words of such a tensor have one element per lane (fp32, int8), otherwise 0.
int ports_element_bits(enum ir_dtype);
bool ports_is_vector(const struct ir_port *); // whether the words of the port's stream have one element per lane
// Returns the bits of tdata. lanes: elements of a word of fp32 or int8; other dtypes ignore it. A dtype that no stream
// of a tensor carries (IR_ACC) ends the program.
int64_t ports_data_bits(const struct ir *, enum ir_dtype, int lanes);
int ports_lanes(const struct ir *, int kernel); // LANES: lanes of its fp32 and int8 streams
// Returns the units of an IR_MX tensor in one firing, for each token. The number is rounded up to an even one, because
// a beat of int4 weights is multiplied with two units.
int64_t ports_mx_units(const struct ir *, const struct ir_tensor *);
// Returns whether a tensor is an array: fp32 with several dimensions that are not heads. An array is sent as a whole,
// and the kernels at the two ends decide the order of its dimensions. Of the other tensors with several dimensions,
// heads and IR_MX are sent row by row, and int8 is sent as one vector in row-major order.
bool ports_is_array(const struct ir_tensor *);
// Sets order[0..rank-1] to the dimensions of an array in the order, outermost first, in which the node's kernel takes
// it as an operand or, with is_output, sends it as the result.
void ports_order(const struct ir *, const struct ir_node *, bool is_output, int rank, int order[]);
// Returns the stream type of an array in this order, in words of `width` elements along the last dimension of the
// order.
struct ir_itensor ports_array_type(const struct ir *, const struct ir_tensor *, int64_t width, const int order[]);

// ---- adding ports: the functions ports_add_* return the index of the new port ----

// Adds a port with the stream of a tensor in the default order. Its words have LANES elements (fp32, int8), a unit
// (IR_MX, IR_KV), or one number (IR_SCALAR, IR_ID).
int ports_add_tensor(struct ir *, int kernel, const char *name, bool is_output, int tensor);
// Adds a port for an operand or the result of the kernel's node, in the order and with the firings that the operation
// requires.
int ports_add_operand(struct ir *, int kernel, const char *name, bool is_output, int tensor);
// Changes a port so that it carries the rows of an array as separate firings. Changes nothing for other tensors.
void ports_set_rows(struct ir *, int kernel, int port, int tensor);
// Adds a port with the same stream as another port.
int ports_add_like(struct ir *, int kernel, const char *name, bool is_output, const struct ir_port *like);
int ports_add_step(struct ir *, int kernel); // adds an input of step words

// ---- sizes of streams ----

// Returns the words of a firing of all tokens. A number that depends on the step (tokens, positions) counts as its
// bound.
int64_t ports_firing_words(const struct ir_port *);
// Returns the firings of a tensor's stream in each step and repetition: 1, or the rows of a tensor that is sent row by
// row, such as the heads of an operand of attention.
int64_t ports_firings(const struct ir *, int tensor);
// Returns the number of words with tlast in each step and repetition: one per firing, or for scalars one per head.
int64_t ports_ends(const struct ir *, int tensor);
// Returns the type of a stream that carries the tensor, or a row of it, as one vector.
struct ir_itensor ports_vector_type(const struct ir *, const struct ir_tensor *, int64_t elements_per_word);

#endif
