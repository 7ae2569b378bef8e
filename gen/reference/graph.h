// SPDX-License-Identifier: Apache-2.0
// The oracle's own graph: the contents of the spec file with every default of docs/spec.md filled in. spec_graph.c
// reads it, expand.c expands its composites, and shapes.c finds the shapes. It has nothing in common with the
// compiler's IR.
#ifndef RILL_GRAPH_H
#define RILL_GRAPH_H

#include "gen/reference/oracle.h"

// ORACLE_PORTS: most inputs and outputs of an operation, a custom kernel or the graph, and most carried values of a
// region. ORACLE_PARAMETERS, ORACLE_VECTORS: most parameters and vectors of a custom kernel.
enum { ORACLE_PORTS = 8, ORACLE_PARAMETERS = 16, ORACLE_VECTORS = 4, NONE = ORACLE_NONE };

enum oracle_op {
#define ORACLE_OP(op, name, ins, outs, exact, in_float) ORACLE_##op,
#include "gen/reference/ops.inc"
#undef ORACLE_OP
    ORACLE_LINEAR,    // replaced by oracle_expand
    ORACLE_CONV,      // replaced by oracle_expand
    ORACLE_ATTENTION, // replaced by oracle_expand
    ORACLE_OPS        // number of operations; ORACLE_OPS + k is custom kernel k
};

// A tensor. Other structures refer to it by its index in oracle_graph.tensor.
struct oracle_tensor {
    const char *name;
    int line;   // in the file that oracle_graph.lines names
    int node;   // the node that makes it; NONE: an input, or carried
    int region; // NONE: an input
    int carry;  // index in its region; NONE: not carried
    enum oracle_kind kind;
    int rank;
    int64_t extent[ORACLE_MAX_RANK]; // of the value at one position
    bool grows;                      // the last dimension grows by one each position; its extent here is the context
    int64_t block, exp_min; // ORACLE_MX: elements that share an exponent, and the smallest exponent. In ORACLE_ACC,
                            // exp_min is that of the operand of the product
    bool needed;            // an output depends on it
    bool unknown;           // its value depends on a kernel without a golden function
};

// A name with a text: an expression or a tensor's name.
struct oracle_parameter {
    const char *name, *text;
};

enum oracle_scaling { ORACLE_UNSCALED, ORACLE_SCALED_LINEAR, ORACLE_LLAMA3, ORACLE_YARN };

// Attributes of rope_table.
struct oracle_rope {
    int64_t scaling; // enum oracle_scaling
    double theta, factor, low_freq, high_freq, beta_fast, beta_slow;
    double attention; // 0: not given
    int64_t original; // original_context
};

// An attribute with one integer for all repetitions, or one for each repetition.
struct oracle_each {
    const int64_t *value;
    int count; // 0: not given
};
int64_t oracle_each_at(const struct oracle_each *, int64_t repetition); // 0 if not given

// Attributes of all operations (docs/spec.md section 5), under the names of the spec unless a comment gives another.
// An attribute that an operation does not have keeps its default.
struct oracle_node {
    int op, line, region; // op: enum oracle_op, or from ORACLE_OPS on a custom kernel; line: as in oracle_tensor
    int inputs, outputs, in[ORACLE_PORTS], out[ORACLE_PORTS];
    int64_t rows, cols, row_offset, heads, kv_heads, block, exp_min;
    double scale;       // scale of scores; 0: not given
    int64_t scale_root; // the scale is 1 / sqrt(scale_root); 0: not given
    // window: of attention, in positions; 0: all positions. of: of `choose`; 1: the result is operand 1, 0: operand 0.
    struct oracle_each window, of;
    double cap;      // soft cap of scores; 0: none
    double given[2]; // attributes of an operation of unary.inc; NAN: not given
    int64_t along;   // NONE: not given
    // asym: int4_asym. key: `role: key` of `kv_quantize`. interleaved: `pairs: interleaved` of `rope`.
    bool transpose, int4, asym, int16, key, interleaved;
    double eps, gamma_plus;
    bool times_root; // `times: sqrt_cols` of `embed`: the table is the tensor times sqrt(cols)
    struct oracle_rope rope;
    const char *weight, *bias, *gamma, *beta; // NULL: not given
    int perms, extents, joins;                // counts of the lists perm, extent (`shape`) and join; 0: not given
    int64_t perm[ORACLE_MAX_RANK], extent[ORACLE_MAX_RANK];
    int taps, strides, dilations, pads; // counts of the lists of `patch`: tap is `size`, padding is `pads`
    int64_t tap[ORACLE_MAX_RANK], stride[ORACLE_MAX_RANK], dilation[ORACLE_MAX_RANK], padding[2 * ORACLE_MAX_RANK];
    int64_t join[ORACLE_MAX_RANK]; // `along` of `reduce`: dimensions that it joins
    int64_t start, take, skip;     // of `slice`: start, count, step
    int64_t every;                 // of `reduce`: elements that the result keeps of the last dimension; 0: not given
    int kind;                      // of `reduce`: 0 to 3 for max, min, sum, mean
    double pad;                    // of `patch`: value of the elements that are added
    int vectors;                   // custom kernels: number of tensor names in `vector`
    const char *vector[ORACLE_VECTORS];
    bool reads_table; // custom kernels: has rows, cols and weight
    int parameters;   // custom kernels: number of parameters that the operation gives
    struct oracle_parameter parameter[ORACLE_PARAMETERS];
};

// A carried value, which a repetition of a region hands to the next one, as tensors: its name inside of the region, its
// value in the first repetition, and the tensor of a repetition that becomes its value in the next one.
struct oracle_carry {
    int local, init, next;
};

// A region: nodes first_node to first_node + nodes - 1, which run `repeat` times at a position.
struct oracle_region {
    const char *name;
    int64_t repeat;
    bool last; // `when: last`: runs only at positions whose next token is needed, not at earlier prompt positions
    int carries, first_node, nodes;
    struct oracle_carry carry[ORACLE_PORTS];
};

// An input or output that a custom kernel declares.
struct oracle_stream {
    const char *name;
    bool int8;   // its elements are int8; false: fp32
    int extents; // number of expressions in `extent`; 0: the shape is not given
    const char *extent[ORACLE_MAX_RANK];
};

// A custom kernel. file, text and function: name and contents of its golden file, and the function in it.
struct oracle_kernel {
    const char *name, *file, *text, *function; // text NULL: no golden function
    int inputs, outputs, parameters, vectors;
    bool elementwise, reads_table;
    struct oracle_parameter vector[ORACLE_VECTORS]; // lengths in elements
    struct oracle_stream in[ORACLE_PORTS], out[ORACLE_PORTS];
    struct oracle_parameter parameter[ORACLE_PARAMETERS];
};

// The format of the weights whose tensor names fit the pattern.
struct oracle_format {
    const char *pattern, *word;
};

struct oracle_graph {
    struct arena *arena;
    const char *path, *dir;         // dir: folder of the golden files; NULL: the spec's folder
    const char *lines;              // path of the file that line numbers refer to: the spec, or the family of its model
    const char *source;             // text of the spec
    const char *family;             // text of the family of its model, or NULL
    const char *prefix;             // optional prefix of a checkpoint's tensor names, or NULL
    bool functions;                 // golden files are read; false after oracle_read_text
    int64_t context, group, tokens; // `context`, `design.group` and `design.T`
    struct end_ids eot;
    int mantissa_bits;                   // `design`: mantissa bits of quantized activations
    bool is_lm;                          // a language model: an embedding reads an input
    const char *weights;                 // `design`: the format where no pattern fits
    VEC(const char *) unused;            // `unused`: patterns for names of checkpoint tensors that are not read
    VEC(struct oracle_format) format;    // the last pattern that fits a weight's name replaces `weights`
    const struct statistics *statistics; // by which weights are quantized, or NULL
    VEC(struct oracle_tensor) tensor;
    VEC(struct oracle_node) node;
    VEC(struct oracle_region) region;
    VEC(struct oracle_kernel) kernel;
    int inputs, outputs, input[ORACLE_PORTS], output[ORACLE_PORTS];
};

// Returns the pattern with every `{expression}` replaced by its value; `layer` is the repetition.
const char *oracle_name(struct arena *, const char *pattern, int64_t repetition);
int64_t oracle_elements(const struct oracle_tensor *); // at one position; a dimension that grows counts as the context

// Reads a spec. If golden_dir is NULL, golden files are where the spec says, relative to its folder. Otherwise they and
// the model's family are in golden_dir; golden files are named after their kernels there.
struct oracle_graph *oracle_read_as(struct arena *, const char *path, const char *golden_dir, struct diag *);

// expand.c: replaces linear, conv and attention by the operations that docs/spec.md defines them as.
void oracle_expand(struct oracle_graph *);

// shapes.c: sets kind, shape, `needed` and `unknown` of all tensors. Returns false after an error.
bool oracle_shapes(struct oracle_graph *, struct diag *);

// custom_kernels.c: set kind and shape of a node's first result (false after an error), return the length of its
// vectors in elements (0 after an error), and list the parameters that its golden function gets.
// oracle_kernel_parameters returns their number, at most ORACLE_PARAMETERS. It leaves out parameters that differ
// between designs.
bool oracle_kernel_shape(struct oracle_graph *, struct oracle_node *, struct diag *);
struct rill_parameter;
int64_t oracle_kernel_vector_length(const struct oracle_graph *, const struct oracle_node *);
int oracle_kernel_parameters(const struct oracle_graph *, const struct oracle_node *, struct rill_parameter *out);

#endif
