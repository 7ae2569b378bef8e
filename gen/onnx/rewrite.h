// SPDX-License-Identifier: Apache-2.0
// Rewrites the graph of an ONNX file so that lowering (lower.h) can turn each node into operations. The three steps are
// declared in the order in which they run. graph.h lists the operators that rewriting makes.
#ifndef RILL_ONNX_REWRITE_H
#define RILL_ONNX_REWRITE_H

#include "gen/onnx/graph.h"

// Removes nodes that change nothing. Finds norms and functions that the file writes as several nodes.
void rewrite_patterns(struct graph *);
// Decides whether axis 0 of the inputs counts rows (graph.batched). If so, the axis that counts rows gets the extent 1
// in all values, because a design computes one row at a time.
void rewrite_rows(struct graph *);
// Applies the rules below to all nodes until nothing changes. They turn products with constants into Linear, and sums
// and elementwise products with constants into Affine, and fold these nodes into each other.
void rewrite_products(struct graph *);

// Returns whether the node is a layout operator such as Reshape or Transpose, which only changes the order or the shape
// of the elements.
bool rewrite_is_layout(const struct node *);
// Returns the function for the `word` of a Function node, such as `gelu_erf`, or NULL if there is none.
typedef double rewrite_function(double);
rewrite_function *rewrite_function_of(const char *word);

// The rules, with their files. Each returns whether it changed the graph at this node.
bool rewrite_to_conv(struct graph *, int node);     // conv.c: convolutions, pooling, DepthToSpace, SpaceToDepth
bool rewrite_transposed(struct graph *, int node);  // transposed.c: ConvTranspose, for rewrite_to_conv
bool rewrite_to_reduce(struct graph *, int node);   // reductions.c: reductions and global pooling become Reduce
bool rewrite_carry_move(struct graph *, int node);  // conv.c: moves Moves from operands to the result
bool rewrite_join_moves(struct graph *, int node);  // conv.c: two Moves become one, or cancel
bool rewrite_to_product(struct graph *, int node);  // attention.c: MatMul of two tensors becomes Product
bool rewrite_to_linear(struct graph *, int node);   // products.c: MatMul or Gemm with a constant becomes Linear
bool rewrite_to_affine(struct graph *, int node);   // affine.c: makes Affine, Norm and RmsNorm
bool rewrite_fold_affine(struct graph *, int node); // affine.c: folds an Affine into a neighbouring node
bool rewrite_center(struct graph *, int node);      // integers.c: removes zero points that are added and subtracted
bool rewrite_fold_scale(struct graph *, int node);  // integers.c: moves scales of quantized files into weights
bool rewrite_fold_order(struct graph *, int node);  // products.c: reorders columns of weights instead of the operand
bool rewrite_take_rows(struct graph *, int node);   // products.c: takes rows of weights for a part of a result

// Inserts a Move before node `before`. The Move brings the channels of x from axis 1 to the end. Returns its value.
int rewrite_channels_last(struct graph *, int before, int x);
// Makes the node, whose operand has `rank` axes, a Move that brings channels from the end back to axis 1.
void rewrite_channels_first(struct node *, int rank);

#endif
