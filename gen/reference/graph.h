// SPDX-License-Identifier: Apache-2.0
// The oracle's own graph: what the spec file says, line by line, with every default of docs/spec.md in its place.
#ifndef RILL_GRAPH_H
#define RILL_GRAPH_H

#include "gen/reference/oracle.h"

enum { ORACLE_PORTS = 8, ORACLE_PARAMETERS = 16, ORACLE_VECTORS = 4, NONE = ORACLE_NONE };

enum oracle_op {
#define ORACLE_OP(op, name, ins, outs, exact, in_float) ORACLE_##op,
#include "gen/reference/ops.inc"
#undef ORACLE_OP
    ORACLE_LINEAR,    // until oracle_expand
    ORACLE_ATTENTION, // the same
    ORACLE_OPS        // and more: custom kernel op - ORACLE_OPS
};

struct oracle_tensor {
    const char *name;
    int line;   // of the spec
    int node;   // that makes it; NONE: an input, or carried
    int region; // NONE: an input
    int carry;  // of its region; NONE: not carried
    enum oracle_kind kind;
    int rank;
    int64_t extent[ORACLE_MAX_RANK]; // of one position
    bool grows;                      // the last extent is the positions seen so far
    int64_t block, exp_min;          // ORACLE_MX; of ORACLE_ACC the exp_min of what was multiplied
    bool needed;                     // an output depends on it
    bool unknown;                    // behind a kernel without golden function
};

struct oracle_parameter {
    const char *name, *text;
};

enum oracle_scaling { ORACLE_UNSCALED, ORACLE_SCALED_LINEAR, ORACLE_LLAMA3, ORACLE_YARN };

// Of rope_table.
struct oracle_rope {
    int64_t scaling; // enum oracle_scaling
    double theta, factor, low_freq, high_freq, beta_fast, beta_slow;
    double attention; // 0: not given
    int64_t original;
};

// An integer, or one for each repetition.
struct oracle_each {
    const int64_t *value;
    int count; // 0: not given
};
int64_t oracle_each_at(const struct oracle_each *, int64_t repetition);

// Attributes of all operations; those that an operation does not have keep their defaults.
struct oracle_node {
    int op, line, region;
    int inputs, outputs, in[ORACLE_PORTS], out[ORACLE_PORTS];
    int64_t rows, cols, row_offset, heads, kv_heads, block, exp_min;
    double scale;                                        // of scores; 0: not given
    int64_t scale_root;                                  // 0: not given
    struct oracle_each window, of;                       // of softmax, 0: all positions; of choose
    double cap;                                          // of scores, of softcap; 0: none
    int64_t along;                                       // NONE: not given
    bool transpose, int4, asym, int16, key, interleaved; // asym: int4_asym
    double eps, gamma_plus;
    bool times_root; // the table is the tensor times sqrt(cols)
    struct oracle_rope rope;
    const char *weight, *bias, *gamma, *beta; // NULL: not given
    int perms, extents;
    int64_t perm[ORACLE_MAX_RANK], extent[ORACLE_MAX_RANK];
    int vectors; // of a custom kernel: names of tensors
    const char *vector[ORACLE_VECTORS];
    bool reads_table; // of a custom kernel: rows, cols, weight
    int parameters;   // given by the operation
    struct oracle_parameter parameter[ORACLE_PARAMETERS];
};

struct oracle_carry {
    int local, init, next;
};

struct oracle_region {
    const char *name;
    int64_t repeat;
    bool last;
    int carries, first_node, nodes;
    struct oracle_carry carry[ORACLE_PORTS];
};

struct oracle_stream {
    const char *name;
    bool int8;
    int extents; // expressions; 0: not given
    const char *extent[ORACLE_MAX_RANK];
};

struct oracle_kernel {
    const char *name, *file, *text, *function; // text NULL: no golden function
    int inputs, outputs, parameters, vectors;
    bool elementwise, reads_table;
    struct oracle_parameter vector[ORACLE_VECTORS]; // elements
    struct oracle_stream in[ORACLE_PORTS], out[ORACLE_PORTS];
    struct oracle_parameter parameter[ORACLE_PARAMETERS];
};

// A format of weights by the name of the tensor.
struct oracle_format {
    const char *pattern, *word;
};

struct oracle_graph {
    struct arena *arena;
    const char *path, *dir; // dir: where golden files are; NULL: beside the spec
    const char *lines;      // path of the file that lines are of: the spec, or the family of its model
    const char *source;     // its text
    const char *family;     // text of its model's family, or NULL
    const char *prefix;     // that a checkpoint's names may have, or NULL
    bool functions;         // golden files are read
    int64_t context, group, tokens;
    struct end_ids eot;
    int mantissa_bits;                   // of `design`: of quantized activations
    bool is_lm;                          // of `design`
    const char *weights;                 // of `design`: the format of what no pattern fits
    VEC(const char *) unused;            // patterns of a checkpoint's names
    VEC(struct oracle_format) format;    // the last that fits, before `weights`
    const struct statistics *statistics; // that weights are quantized by, or NULL
    VEC(struct oracle_tensor) tensor;
    VEC(struct oracle_node) node;
    VEC(struct oracle_region) region;
    VEC(struct oracle_kernel) kernel;
    int inputs, outputs, input[ORACLE_PORTS], output[ORACLE_PORTS];
};

// `{expression}`s in a name: `layer` is the repetition.
const char *oracle_name(struct arena *, const char *pattern, int64_t repetition);
int64_t oracle_elements(const struct oracle_tensor *); // 0 extents count as 1: rows of what grows

// golden_dir NULL: golden files stand beside the spec, as it says; else they have the names of their kernels there.
struct oracle_graph *oracle_read_as(struct arena *, const char *path, const char *golden_dir, struct diag *);

// expand.c: linear and attention become the operations that docs/spec.md says they stand for.
void oracle_expand(struct oracle_graph *);

// shapes.c: kinds and shapes of every tensor, what the outputs need, what cannot be known. False after an error.
bool oracle_shapes(struct oracle_graph *, struct diag *);

// kernels.c: of custom kernels. Shapes of a node's result; the parameters that a golden function is told.
bool oracle_kernel_shape(struct oracle_graph *, struct oracle_node *, struct diag *);
struct rill_parameter;
int64_t oracle_kernel_vector_length(const struct oracle_graph *, const struct oracle_node *);
int oracle_kernel_parameters(const struct oracle_graph *, const struct oracle_node *, struct rill_parameter *out);

#endif
