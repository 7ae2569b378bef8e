// SPDX-License-Identifier: Apache-2.0
// Lowers the nodes of the ONNX graph, that is, turns them into operations of the graph language (spec.h). lower.c
// lowers the most common nodes; the other operators are in the files that the comments below name. A tensor is named by
// its number in the list of struct spec. A function that returns a string returns NULL, or the reason why the node
// cannot be written. `out` receives the tensor of the result.
//
// The graph language has no constant tensors. A tensor with given elements is computed from any tensor of the graph
// (`like`, `any`), whose values then do not matter, for example by a norm with gamma = 0.
#ifndef RILL_ONNX_LOWER_H
#define RILL_ONNX_LOWER_H

#include "gen/onnx/spec.h"

// The state of lowering a graph to a spec.
struct lower {
    struct graph *g;
    struct spec *s;
    int *tensor_of;       // the tensor of each value; NONE: not made yet
    const struct node *n; // the node that is being lowered
    const char *hint;     // name for the tensor that the node makes
};

int lower_value(struct lower *, int v);      // returns the tensor of a value
int lower_operand(struct lower *, size_t i); // returns the tensor of the node's operand i
// Adds an operation and the tensor that it makes, with these extents; returns the tensor.
int lower_emit(struct lower *, const char *op, int ins, const int in[], int rank, const int64_t dim[]);
// These add an attribute to the operation that was added last. source: name of the initializer, or NULL.
void lower_attr(struct lower *, const char *key, const char *text);
void lower_attr_int(struct lower *, const char *key, int64_t);
void lower_attr_float(struct lower *, const char *key, double);
void lower_attr_weight(struct lower *, const char *key, const struct onnx_data *, const char *source);

void lower_attr_patch(struct lower *, const struct patch *); // size, stride, dilation and pads
// Adds a list. If all items are `preset`, the default, nothing is added; preset < 0: there is no default.
void lower_attr_list(struct lower *, const char *key, const int64_t item[], int count, int64_t preset);

int lower_view(struct lower *, int t, int rank, const int64_t dim[]); // reshapes, if the shape differs
// Reshapes to the default shape of a value with these extents: without extents of 1, outer dimensions joined.
int lower_view_like(struct lower *, int t, const struct onnx_dims *);
// Reorders the `count` axes of a tensor: axis i of the result is axis order[i] of the operand.
int lower_reorder(struct lower *, int t, int count, const int64_t extent[], const int order[]);
// Makes a tensor in the shape of the tensor `like`, with the elements of a constant that broadcasts to these extents.
const char *lower_constant(struct lower *, int like, const struct onnx_data *, const struct onnx_dims *, int *out);
// Makes a tensor with the elements and extents of a constant. any: any tensor of the graph, from which it is made.
const char *lower_number_tensor(struct lower *, int any, const struct onnx_data *, int *out);
int lower_rows(struct lower *, int t, int64_t k); // reshapes to rows of k elements; a single row becomes a vector
// Adds an operation with one operand whose result has the operand's shape.
const char *lower_elementwise(struct lower *, const char *op, int in, int *out);
int lower_two(struct lower *, const char *op, int a, int b);           // b is brought to the shape of a
int lower_scaled(struct lower *, int t, double by);                    // t * by
int lower_plus(struct lower *, int t, double c);                       // t + c
int lower_number(struct lower *, const char *function, int t, double); // a `scalar` with this function
int lower_bounded(struct lower *, int t, double lo, double hi);        // clipped; an infinite bound does not apply
// Returns a tensor of zeros with these extents. `any`: any tensor of the graph, from which it is made.
int lower_zeros(struct lower *, int any, const struct onnx_dims *);
// Exchanges the first two of three axes.
int lower_turned(struct lower *, int t, const struct onnx_dims *);
// Returns the constant if no number exceeds 1e38 in magnitude, otherwise NULL. mask: numbers below -1e38, such as minus
// infinity, are replaced by -1e38 first, if only Softmax nodes read the node's result.
const struct onnx_data *lower_finite(struct lower *, const struct onnx_data *, bool mask);

// Repeats all operands of the node to the shape of the result and combines them with an operation, from left to right.
const char *lower_pairs(struct lower *, const char *op, int *out);
// Sets *t to operand i in the shape of the result. like: an operand that already has this shape, from which the tensor
// of a constant is made.
const char *lower_in_shape(struct lower *, size_t i, int like, int *t);

// In reductions.c. lower_repeat broadcasts a tensor with the extents `from` to the extents `to`: repeats it along axes
// of 1 and along new axes before the first one. lower_softmax_of: bit i of `mask` is set if the sums are along axis i;
// log: the logarithm of the softmax.
int lower_repeat(struct lower *, int t, const struct onnx_dims *from, const struct onnx_dims *to);
const char *lower_reduce(struct lower *, int *out);
const char *lower_pool(struct lower *, int *out);
const char *lower_softmax(struct lower *, int *out);
const char *lower_softmax_of(struct lower *, int t, const struct onnx_dims *, int mask, bool log, int *out);
const char *lower_tile(struct lower *, int *out);

// In attention.c.
const char *lower_product(struct lower *, int *out);
const char *lower_gemm(struct lower *, int *out); // of two tensors
const char *lower_attention(struct lower *, int *out);

// In recurrent.c, truth.c, indices.c and rounded.c: each returns whether the operator is one of its operators. Then
// *why is NULL, or the reason why it cannot be written.
bool lower_recurrent(struct lower *, int *out, const char **why);
bool lower_truth(struct lower *, int *out, const char **why);
bool lower_indices(struct lower *, int *out, const char **why);
bool lower_rounding(struct lower *, int *out, const char **why);
int lower_rounded(struct lower *, int t);   // to the nearest integer
int lower_truncated(struct lower *, int t); // towards 0
int lower_positive(struct lower *, int t);  // 1 where an element is above 0, else 0
int lower_not(struct lower *, int t);       // 1 - t

// In wide.c. lower_is_wide returns whether the ConvLast that is being lowered takes fewer cycles as a convolution along
// the rows of the image; only in designs that keep their weights on chip. lower_wide writes it in this form and returns
// the tensor of the result.
bool lower_is_wide(const struct lower *);
int lower_wide(struct lower *);

// In compose.c: returns whether the operator is composed of several operations. Then *why is NULL, or the reason why it
// cannot be written.
bool lower_composed(struct lower *, int *out, const char **why);

// Several files share the functions from here to lower_joined. This one, of reductions.c, reduces a tensor with the
// extents x along the axes whose bits are set in `mask`. The result does not have these axes. kind: the `kind` of the
// operation `reduce`.
const char *lower_reduce_of(struct lower *, int t, const struct onnx_dims *x, int mask, const char *kind, int *out);
// Normalizes every k elements, without a factor or summand.
const char *lower_plain_norm(struct lower *, int t, int64_t k, double eps, int *out);
// Takes `count` indices of the middle dimension of [before][extent][inside]: start, start + step, ...
int lower_part(struct lower *, int t, int64_t before, int64_t extent, int64_t inside, int64_t start, int64_t count,
               int64_t step);
// Joins two tensors along the middle dimension of [before][extent][inside].
int lower_joined(struct lower *, int a, int b, int64_t before, int64_t extent_a, int64_t extent_b, int64_t inside);

// In parts.c: returns whether the operator takes parts of tensors or joins tensors. Then *why is NULL, or the reason
// why it cannot be written.
bool lower_parts(struct lower *, int *out, const char **why);
int lower_filled(struct lower *, int like, double c); // returns a tensor in this shape whose elements are all c

// Writes an elementwise operator. Returns NULL, or the reason why the node cannot be written.
const char *lower_function(struct lower *, int *out);

#endif
