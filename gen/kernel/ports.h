// SPDX-License-Identifier: Apache-2.0
// Ports of kernels: stream kinds and itensor types from tensors (docs/rtl.md section 3).
#ifndef RILL_PORTS_H
#define RILL_PORTS_H

#include "gen/ir/ir.h"

int ports_unit_elements(const struct ir *);        // XS: int8 elements of one beat
int ports_user_bits(const struct ir *);            // USER_W
void ports_set_mantissas(struct ir *, int kernel); // X_BITS, where mantissas are no bytes
int ports_element_bits(
    enum ir_dtype); // of vectors whose words hold as many elements as there are lanes; 0: other streams
bool ports_is_vector(const struct ir_port *); // a stream of such words
int64_t ports_data_bits(const struct ir *, enum ir_dtype, int lanes);
int ports_lanes(const struct ir *, int kernel);                      // fp32 lanes of its streams
int64_t ports_mx_units(const struct ir *, const struct ir_tensor *); // units of one firing and token, even
// A tensor of several dimensions that travels as a whole, in an order of its loops; rows of heads and vectors do not.
bool ports_is_array(const struct ir_tensor *);
// The order of the loops in which a node's kernel takes (or gives) such a tensor: dimensions, outermost first.
void ports_order(const struct ir *, const struct ir_node *, bool is_output, int rank, int order[]);
// Its walk in words of `width` elements along the last dimension of the order.
struct ir_itensor ports_array_type(const struct ir *, const struct ir_tensor *, int64_t width, const int order[]);
// The stream a kernel port has for a tensor: LANES-wide chunks, units, scalars.
int ports_add_tensor(struct ir *, int kernel, const char *name, bool is_output, int tensor);
// The same for an operand of the kernel's own operation: in the order and cut into the firings that the operation asks
// for.
int ports_add_operand(struct ir *, int kernel, const char *name, bool is_output, int tensor);
// The port gives the rows of a product one by one.
void ports_set_rows(struct ir *, int kernel, int port, int tensor);
// A port with the same stream as another.
int ports_add_like(struct ir *, int kernel, const char *name, bool is_output, const struct ir_port *like);
int ports_add_step(struct ir *, int kernel); // input of step words
// Words of one firing, all tokens, at the bound of dynamic trip counts.
int64_t ports_firing_words(const struct ir_port *);
int64_t ports_firings(const struct ir *, int tensor); // firings per step and repetition: heads for attention operands
int64_t ports_ends(const struct ir *, int tensor);    // words with tlast: a scalar per head makes one for each
struct ir_itensor ports_vector_type(const struct ir *, const struct ir_tensor *, int64_t elements_per_word);

#endif
