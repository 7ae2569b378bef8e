// SPDX-License-Identifier: Apache-2.0
// The graph of an ONNX file while it is turned into a spec. graph_build makes it and folds constants; rewriting
// (rewrite.h) brings its nodes close to operations of the graph language; lowering (lower.h) writes these operations.
// Values and nodes are named by their numbers in lists of struct graph. All memory belongs to the arena.
#ifndef RILL_ONNX_GRAPH_H
#define RILL_ONNX_GRAPH_H

#include "gen/onnx/model.h"

// NONE: no value, node or axis. MOST_TENSOR: most elements of a tensor. Up to this number, the indices of all elements
// are exact in fp32.
enum { NONE = -1, MOST_TENSOR = 16777216 };

// A tensor of the file: an input, a constant, or the result of a node.
struct value {
    const char *name;
    int type;    // of its elements (enum onnx_type); 0: unknown
    bool shaped; // dims is known
    struct onnx_dims dims;
    const struct onnx_data *constant; // NULL: known only at run time
    const char *source;               // name of the initializer from which a constant was made; NULL: none
    int maker;                        // node whose result it is; NONE: an input or an initializer
    int uses;                         // number of reads by nodes that are not gone, plus uses as output
    int rows;                         // the axis that counts rows (rewrite_rows); NONE: it has none
};

// The result of the import for one node of the file.
struct fate {
    bool taken;          // the node is in the graph; false: it is in a body (of an If or Loop) that is not computed
    const char *became;  // what the table of operators says that the node became; NULL: nothing was noted
    const char *missing; // reason why it cannot be built; NULL: none
};

// Patches of an image or a signal with the channels last: the windows of a convolution or a pooling.
struct patch {
    int places;                                       // dimensions besides the channels: 1 (signal) or 2 (image)
    int64_t size[2], stride[2], dilation[2], pads[4]; // pads: before each dimension, then after each
};

// A node. `op` is an operator of ONNX, or one of these operators, which only rewriting makes:
// - Linear: a product with w, a matrix [rows][k], plus b, a vector [rows] or NULL.
// - Move: a Transpose with the order `perm`.
// - ConvLast: a convolution of an operand with channels last. w: [rows][places of a patch][channels], where a row makes
//   one output channel; b: [rows] or NULL.
// - PoolLast: each channel of a patch is reduced to one element; `word` is max, sum or mean. The channels are last.
//   w: a factor for each place of the result, or NULL.
// - Reduce: `word` names the reduction (rewrite_to_reduce); the bits of `axis` are the axes that it joins.
// - Affine: y = x * w + b, where w and b broadcast to x. Either may be NULL.
// - Norm: layer normalization over the axes from `axis` on. w: gamma, b: beta; either may be NULL.
// - RmsNorm: RMS normalization over the axes from `axis` on. w: gamma or NULL.
// - Function: an elementwise function that rewrite_patterns has found in several nodes; `word` is its name
//   (rewrite_function_of).
// - View: the elements in another shape, in the same order.
// - Centered: a QuantizeLinear whose result does not contain its zero point.
// - Product: a product of two tensors; `axis` is 1 if the second one is transposed.
// All but Centered and Product have one operand, x.
struct node {
    const struct onnx_node *src; // the file's node with the attributes; NULL: made by rewriting
    int number;                  // number of the file's node that it was made from
    const char *op;
    VEC(int) in;  // numbers of values; NONE: an operand that is not given
    VEC(int) out; // numbers of values
    bool gone;    // the node was removed from the graph
    const struct onnx_data *w, *b;
    const char *w_name, *b_name; // initializers that w and b came from
    const char *word;
    double eps;
    int axis;
    int perm[ONNX_MAX_RANK];
    const struct patch *patch;
};

struct graph {
    struct arena *arena;
    struct diag *diag;
    const struct onnx_model *model;
    VEC(struct value) value;
    VEC(struct node) node; // in an order in which makers come before their readers
    VEC(int) input, output;
    VEC(const char *) output_name;
    struct fate *fate; // one for each node of the file
    int64_t spare;     // how many more elements folding may create, so that a small file cannot exhaust the memory
    bool dynamic;      // axis 0 of an input has a number neither in the file nor from the user
    bool on_chip;      // the design keeps its weights on chip
    bool batched;      // axis 0 of all inputs counts rows: independent items, which a design computes one by one
    const char *mixer; // in words: the node or output because of which axis 0 does not count rows; NULL: none
};

// A name and a value from the user: NAME=N for the size of an axis, or NAME=VALUE for all elements of an input.
struct graph_given {
    const char *name;
    double value;
    bool used; // the graph has such an axis or input; graph_build reports names that stay unused
};
struct graph_givens {
    VEC(struct graph_given) list;
};

// Builds the graph of a file: gives extents to axes without a number (`dims`), turns inputs into constants (`values`),
// infers shapes and folds constants. Returns NULL after an error.
struct graph *graph_build(const struct onnx_model *, struct graph_givens *dims, struct graph_givens *values,
                          struct arena *, struct diag *);

// ---- access ----
static inline struct value *graph_value(const struct graph *g, int v) { return &g->value.items[v]; }
static inline int graph_in(const struct node *n, size_t i) { return i < n->in.count ? n->in.items[i] : NONE; }
// Returns operand i if it is given and constant, and otherwise NULL.
const struct onnx_data *graph_constant(const struct graph *, const struct node *, size_t i);
bool graph_is(const struct node *, const char *op); // whether the node has this operator
// Returns the node that makes the value if it has this operator (NULL: any operator); otherwise NULL.
struct node *graph_maker(const struct graph *, int v, const char *op);
int64_t graph_count(const struct graph *, int v); // elements; -1: unknown
// Reads the integers of value v into out and returns their number. Returns -1 if the value is not a constant of
// integers, or if it has more than `most`.
int graph_ints(const struct graph *, int v, int64_t out[], int most);
// Returns the axis that a file names by this number, which counts from the end if it is negative. Returns NONE if there
// is no such axis.
int graph_axis(int64_t axis, int rank);
// Sets axes[] to the axes of a node, which are an attribute or an operand. Returns their number: 0 if none are given,
// -1 if they are not known or one of them does not exist.
int graph_axes(const struct graph *, const struct node *, size_t operand, int rank, int axes[]);
// Returns the extents without those that are 1.
struct onnx_dims graph_squeezed(const struct onnx_dims *);
bool graph_same_dims(const struct onnx_dims *, const struct onnx_dims *);

// ---- changes ----
// Adds an fp32 value with these extents, which no node makes yet. Returns the number of the value.
int graph_add_value(struct graph *, const char *name, const struct onnx_dims *dims);
// Inserts a node with one operand before node `before`, which moves up by one. Returns the value that the new node
// makes, with these extents. Pointers to nodes and values become invalid.
int graph_add_node(struct graph *, int before, const char *op, int in, const struct onnx_dims *dims);
void graph_set_in(struct graph *, struct node *, int in); // makes `in` the only operand
void graph_replace(struct graph *, int old, int with);    // replaces a value in all operands and outputs
void graph_count_uses(struct graph *);                    // sets `uses`, and drops nodes whose results nobody reads
// Notes what the node became, for the table of operators.
void graph_say(struct graph *, const struct node *, const char *became);

// ---- shapes and constants ----
// Sets the types and shapes of the node's results, as far as they are known. Returns false after an error of the file.
bool graph_infer(struct graph *, struct node *);
// Gives the first index and the step of a Slice of x on each axis, and the extents of its result. Returns false if they
// are not constant, or not legal.
bool graph_slice(const struct graph *, const struct node *, const struct onnx_dims *x, int64_t start[], int64_t step[],
                 struct onnx_dims *out);
// Sets pads[] to the padding of a Pad before each axis, then after each. Returns false if it is not constant, or not
// legal.
bool graph_pads(const struct graph *g, const struct node *n, int rank, int64_t pads[]);
// Gives the scale of a Resize of x along each axis, and the extents of its result. Returns false if they are not
// constant.
bool graph_resize(const struct graph *, const struct node *, const struct onnx_dims *x, double scale[],
                  struct onnx_dims *out);
// Gives the range of the integers to which QONNX's Quant rounds. bits: the operand with their width. Returns false if
// the width or the rounding is not supported.
bool graph_quant_range(const struct node *, const struct onnx_data *bits, double *lo, double *hi);
// Folds a node whose result depends only on constants. Returns whether the result is now a constant.
bool graph_fold(struct graph *, struct node *);
// Computes an elementwise operator on numbers. Returns false if it is not elementwise.
bool graph_compute(const struct graph *, const struct node *, const double in[], size_t count, double *out);

// ---- constants ----
// Returns an fp32 constant with these extents. The caller sets its elements through *f.
struct onnx_data *data_floats(struct arena *, const struct onnx_dims *, float **f);
struct onnx_data *data_scalar(struct arena *, double);
// Returns the constant with its elements as fp32.
const struct onnx_data *data_as_floats(struct arena *, const struct onnx_data *);
// Returns `a op b` with broadcasting, as fp32; op is an operator of ONNX such as `Mul`. Returns NULL if the shapes do
// not fit.
const struct onnx_data *data_binary(struct graph *, const char *op, const struct onnx_data *a,
                                    const struct onnx_data *b);
const struct onnx_data *data_transposed(struct arena *, const struct onnx_data *matrix);
// Gives the permutation of a Transpose or Move: axis i of the result is axis perm[i] of the operand. Returns false for
// other nodes.
bool graph_permutation(const struct graph *, const struct node *, int perm[]);
// Returns elements of d in another order and with the extents `dims`: the element with the indices i0, i1, ... of the
// result is element base + i0 * stride[0] + i1 * stride[1] + ... of d.
const struct onnx_data *data_walk(struct arena *, const struct onnx_data *d, const struct onnx_dims *dims, int64_t base,
                                  const int64_t stride[]);
// Returns the elements of d after broadcasting it to a tensor of these extents.
const struct onnx_data *data_broadcast(struct arena *, const struct onnx_data *d, const struct onnx_dims *);
bool data_is_scalar(const struct onnx_data *);

#endif
