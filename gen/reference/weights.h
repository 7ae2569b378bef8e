// SPDX-License-Identifier: Apache-2.0
// The weights as the oracle reads them: which slice of which tensor each operation reads in each repetition. They come
// from a checkpoint (weights.c) or from the image of a packed design (weight_file.c).
#ifndef RILL_WEIGHTS_H
#define RILL_WEIGHTS_H

#include <stdio.h>

#include "gen/reference/graph.h"
#include "gen/model/checkpoint.h"
#include "gen/numerics/quantize.h"

// The weights of one operation in one repetition; parts that it does not have are NULL.
struct oracle_weights {
    int64_t rows, k;
    int64_t group, groups;      // int4, int4_asym: columns of a group, groups of a row
    const int8_t *q;            // [rows][k]
    const int16_t *q16;         // [rows][k] instead of q, int16
    const float *row_scale;     // [rows]
    const uint8_t *group_scale; // [rows][groups]
    const int8_t *group_offset; // [rows][groups], int4_asym
    const float *matrix;        // [rows][k], not quantized: tables of positions, and every matrix in float mode
    const float *bias;          // products: [rows]
    const float *gamma, *beta;  // norms: [k]
    const float *vectors;       // custom kernels: [vectors][k]
};

// Returns an array [node] of pointers to the weights for all repetitions, in order. A pointer is NULL if the node has
// no weights or no output needs it. The result is NULL after an error.
const struct oracle_weights **oracle_weights_load(struct arena *, const struct oracle_graph *, enum oracle_mode,
                                                  struct checkpoint *, struct diag *);
// oracle_weights_map returns such an array with the weights in image/oracle.bin and image/golden.bin, which it maps
// into memory. The weights are valid until oracle_weights_unmap. NULL after an error.
struct oracle_map {
    const uint8_t *data[2]; // oracle.bin, golden.bin
    size_t size[2];
};
const struct oracle_weights **oracle_weights_map(struct arena *, const struct oracle_graph *, const char *image_dir,
                                                 struct oracle_map *, struct diag *);
void oracle_weights_unmap(struct oracle_map *);

// Whether the operation reads a matrix: for a product, an embedding or a table.
bool oracle_has_matrix(const struct oracle_node *);
bool oracle_is_table(const struct oracle_node *); // fp32 rows, read by position or by a custom kernel

// The next three functions load a norm's gain, some rows of the matrix of an operation, or the whole matrix, as the
// attributes of the operation say. They return NULL after an error.
const float *oracle_gain(struct checkpoint *, struct arena *, const struct oracle_node *, const char *name,
                         int64_t length, struct diag *);
const float *oracle_rows(struct checkpoint *, struct arena *, const struct oracle_node *,
                         const struct checkpoint_slice *, int64_t first, int64_t rows, struct diag *);
const float *oracle_matrix(struct checkpoint *, struct arena *, const struct oracle_node *,
                           const struct checkpoint_slice *, struct diag *);

// computed.c: tables that are computed because no checkpoint has them.
bool oracle_is_computed(const struct oracle_node *);
const float *oracle_computed(struct arena *, const struct oracle_node *); // [rows][cols]

// oracle_format returns the format to which a matrix is quantized. oracle_group returns the number of columns of a
// group, or 0 if the format has no groups.
enum qformat oracle_format(const struct oracle_node *);
int64_t oracle_group(const struct oracle_graph *, const struct oracle_node *);

bool oracle_has_vectors(const struct oracle_node *); // a norm, or a custom kernel with vectors
// Loads the vectors of a custom kernel; NULL after an error.
const float *oracle_vectors(struct checkpoint *, struct arena *, const struct oracle_node *, int64_t repetition,
                            int64_t length, struct diag *);
// Returns the length of the vectors that the operation reads: a row of a table or an embedding, the operand of a norm
// or product, or a vector of a custom kernel.
int64_t oracle_vector_length(const struct oracle_graph *, const struct oracle_node *);

#endif
