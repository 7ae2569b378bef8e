// SPDX-License-Identifier: Apache-2.0
// The steps of rewriting, in the order in which they run.
#ifndef RILL_ONNX_REWRITE_H
#define RILL_ONNX_REWRITE_H

#include "gen/onnx/graph.h"

// Removes nodes that change nothing. Finds norms and functions that the file writes as several nodes.
void rewrite_patterns(struct graph *);
// Decides whether axis 0 counts rows. If it does, its extent becomes 1.
void rewrite_rows(struct graph *);
// Turns products with constants into Linear, and sums and elementwise products with constants into Affine. Folds these
// into each other.
void rewrite_products(struct graph *);

// Whether the node is a layout operator such as Reshape or Transpose, which only changes the order or the shape of the
// elements.
bool rewrite_is_layout(const struct node *);
// Returns the function that computes an operation by its name (`gelu_erf`), or NULL.
typedef double rewrite_function(double);
rewrite_function *rewrite_function_of(const char *word);

// Rules of conv.c, products.c and affine.c, and of the files that are named. Each returns whether it changed the node.
bool rewrite_to_conv(struct graph *, int node);
bool rewrite_transposed(struct graph *, int node); // transposed.c
bool rewrite_to_reduce(struct graph *, int node);  // reductions.c
bool rewrite_carry_move(struct graph *, int node);
bool rewrite_join_moves(struct graph *, int node);
bool rewrite_to_product(struct graph *, int node); // attention.c
bool rewrite_to_linear(struct graph *, int node);
bool rewrite_to_affine(struct graph *, int node);
bool rewrite_fold_affine(struct graph *, int node);
bool rewrite_fold_order(struct graph *, int node);
bool rewrite_take_rows(struct graph *, int node);

// Puts a Move before a node that brings the channels of x to the end. Returns the Move's value.
int rewrite_channels_last(struct graph *, int before, int x);
// Makes the node a Move that brings channels from the end back to axis 1.
void rewrite_channels_first(struct node *, int rank);

#endif
