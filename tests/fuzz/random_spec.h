// SPDX-License-Identifier: Apache-2.0
// A random spec in memory. graph_seed.c makes it, and graph_text.c makes it smaller and prints it.
#ifndef RILL_RANDOM_SPEC_H
#define RILL_RANDOM_SPEC_H

#include <stdbool.h>
#include <stdint.h>

enum {
    MAX_OPS = 160,
    MAX_TENSORS = 200,
    MAX_REGIONS = 8,
    MAX_CARRIES = 3,
    MAX_SIZES = 32,
    MAX_RANK = 3,
    MAX_PORTS = 8,
    NAME_BYTES = 24,
    NONE = -1,
};

enum { FORMAT_ASYM = 3 }; // int4_asym, a format of weights in addition to 8 and 4 (bits)

enum op_kind {
#define OP(kind, name) OP_##kind,
#include "tests/fuzz/ops.inc"
#undef OP
    OP_KINDS
};

// Types of tensors: fp32, quantized, integer sums of a product, quantized keys or values, fp32 values that only
// operations of attention read (scores, weights, and factors of heads), a token id, int8 of custom kernels.
enum value_type { VALUE_F32, VALUE_MX, VALUE_ACC, VALUE_KV, VALUE_SCALAR, VALUE_ID, VALUE_BYTES };

// Vectors whose length is a number of heads times the length of a head (heads_length in graph_text.c).
enum heads { NO_HEADS, QUERY_HEADS, KEY_HEADS, VALUE_HEADS, RESULT_HEADS };

// All tensors of a size class have the same shape. The shape is given, or derived from that of class `parent`, so that
// sizes can be made smaller without breaking a graph.
enum shape_source {
    SHAPE_GIVEN,
    SHAPE_FLAT,    // all elements of `parent` as one vector
    SHAPE_MERGED,  // with the first two dimensions of `parent` joined
    SHAPE_TURNED,  // dimension i is dimension perm[i] of `parent`
    SHAPE_ROWS,    // as `parent`, but rows of the length of class `last`
    SHAPE_CUT,     // places of patches along the first dimensions of `parent`, then the elements of a patch
    SHAPE_REDUCED, // without the dimensions whose bits are set in `last`
    SHAPE_ONES,    // with one element along these dimensions
    SHAPE_PAIRS,   // as `parent`, but the last dimension is as long as the one before it
    SHAPE_POOLED,  // a vector with one element for every `last` elements of `parent`, or for all if `last` is 0
};

enum { MAX_AXES = 2 };

// The patches along a dimension, as in the operation `patch`: taps is `size`; before, after: elements of padding.
struct cut {
    int taps, stride, dilation, before, after;
};

// source, parent, perm and last: see enum shape_source. axes, cut: the dimensions that SHAPE_CUT divides into patches.
// (SHAPE_REDUCED has the rank of its parent in `axes`.)
struct size_class {
    int rank, extent[MAX_RANK];
    enum heads heads; // unless it is NO_HEADS, the length follows from attention
    enum shape_source source;
    int parent, perm[MAX_RANK], last;
    int axes;
    struct cut cut[MAX_AXES];
};

struct tensor {
    char name[NAME_BYTES];
    enum value_type type;
    int size, region;  // index of the size class; region that makes the tensor, NONE for an input
    int local_of;      // for a carried name, the region that carries it; else NONE
    float rms;         // rough bound of the root mean square, so that no kernel faults
    bool keep;         // the tensor stays although nothing reads it
    bool needed;       // result of spec_clean
    int block_is_head; // for MX: a block is a head
};

struct op {
    enum op_kind kind;
    int region, ins, in[3], outs, out[2];
    int weight, bias; // numbers of weight tensors, or NONE
    bool per_layer;   // every repetition has separate weights
    int format;       // 8, 4, FORMAT_ASYM, for an embedding also 16, or 0 for the default
    // attributes as in docs/spec.md. eps_exponent: of ten; 0 if eps is not given. extra_rows: rows of a table beyond
    // the context; for an embedding, the size class of the vocabulary
    int row_offset, transpose, exp_min, eps_exponent, extra_rows;
    enum { BLOCK_DEFAULT, BLOCK_GROUP, BLOCK_HEAD, BLOCK_POSITIONS } block;
    bool is_value; // role of a kv_quantize
    int lanes;     // 0 if not given
    int setting;   // choice of the attributes or parameters of the operation; 0 if not given
    int window;    // window of a softmax; 0 if not given
    int along;     // dimension of a norm; NONE if not given
    int heads;     // number of heads of a rope
    int orders, order[MAX_RANK], perm[MAX_RANK]; // orders: entries of `order`; 0 if it is not given
    // list_form: writes a single operand as a list, and attributes even if they have their default. gone: result of
    // spec_clean
    bool list_form, gone;
};

// The tensors of a carry: its name in the region, its initial value, and the value for the next repetition. A local of
// NONE marks a carry that was removed.
struct carry {
    int local, init, next;
};

struct region {
    char name[NAME_BYTES];
    int repeat, carries;
    bool last; // `when: last`
    struct carry carry[MAX_CARRIES];
};

enum design_key {
    KEY_CLOCK,
    KEY_CHANNELS,
    KEY_BEAT_BITS,
    KEY_LANES,
    KEY_TOKENS,
    KEY_WEIGHTS,
    KEY_HEAD,
    KEY_GROUP,
    KEY_PREFETCH,
    KEY_BURST,
    KEY_OUTSTANDING,
    KEY_COPIES,
    KEY_ON_CHIP, // 0 if not given
    KEY_ACTIVATIONS,
    KEY_QUERY_HEADS,
    DESIGN_KEYS,
};

enum model_key {
    MODEL_LAYERS,
    MODEL_HEADS,
    MODEL_HEAD_DIM,
    MODEL_FFN,
    MODEL_VOCAB,
    MODEL_CONTEXT,
    MODEL_UNTIED,
    MODEL_EPS,
    MODEL_BOS,
    MODEL_EOT,
    MODEL_KEYS
};

struct spec {
    uint64_t seed;
    int design[DESIGN_KEYS]; // KEY_CLOCK is in tenths of MHz
    bool is_model, is_lm;
    int model[MODEL_KEYS];                    // MODEL_EPS is an exponent of ten
    int heads, kv_heads, head_dim, value_dim; // sizes of attention; 0 if there is none
    int weights_exp_min;                      // exp_min of the quantized attention weights, equal for all attentions
    int context;                              // 0 if not given
    bool to_end;                              // requests go on to the end of the context
    int most_ops;                             // most operations in regions; joining unread tensors may add more
    int sizes, tensors, ops, regions, inputs, outputs, weights;
    struct size_class size[MAX_SIZES];
    struct tensor tensor[MAX_TENSORS];
    struct op op[MAX_OPS];
    struct region region[MAX_REGIONS];
    int input[MAX_PORTS], output[MAX_PORTS];
};

extern const int design_default[DESIGN_KEYS];

// Returns whether a patch fits into the padded dimension and the padding at either end is shorter than a patch.
bool spec_cut_fits(const struct cut *c, int extent);
int spec_elements(const struct spec *s, int size); // elements of a tensor of a size class
// Sets extent[] to the extents of a size class. Returns its rank.
int spec_extents(const struct spec *s, int size, int extent[MAX_RANK]);
// Makes the spec of a seed.
void spec_make(struct spec *s, uint64_t seed);

// Prints the spec as YAML.
void spec_print(const struct spec *s);
// Marks the operations that no output needs as gone.
void spec_clean(struct spec *s);
// spec_steps returns the number of steps that could make a spec smaller. spec_step does one of them. `whole` is the
// spec before the first step, by which the steps are numbered. A step that is not possible changes nothing.
int spec_steps(const struct spec *s);
void spec_step(struct spec *s, const struct spec *whole, int step);

#endif
