// SPDX-License-Identifier: Apache-2.0
// Access to the operations table (ops.def): its rows, their traits and attributes, and the geometry of operations that
// rearrange or reduce tensors. Passes ask for traits and do not know operations by name.
#ifndef RILL_OPS_H
#define RILL_OPS_H

#include "gen/ir/ir.h"

enum ir_op {
#define RILL_OP(id, name, ins, outs, attrs, kernel, ports, traits, weights, type, golden, doc) IR_OP_##id,
#include "include/ops.def"
#undef RILL_OP
    IR_OPS
};

// Properties by which passes treat operations alike. An operation may have several.
enum op_trait {
    // Takes tensors of several dimensions in any order of the loops, with the same order on all its streams.
    OP_FOLLOWS = 1 << 0,
    OP_PERMUTES = 1 << 1,     // the output's dimensions are permuted by `perm`
    OP_ALONG = 1 << 2,        // works on vectors along dimension `along`; each vector is one firing
    OP_ROWS = 1 << 3,         // works on the rows of its input; each is one firing
    OP_MOVES = 1 << 4,        // only reorders, repeats, drops or joins elements
    OP_ADDS = 1 << 5,         // the addition of a residual
    OP_QUANTIZES = 1 << 6,    // makes the operand of a product
    OP_BY_WEIGHTS = 1 << 7,   // product with weights
    OP_BY_KEYS = 1 << 8,      // product with the keys of the positions so far: scores
    OP_BY_VALUES = 1 << 9,    // product with the values of the positions so far
    OP_OF_PRODUCT = 1 << 10,  // processes the integers of a product on the engine
    OP_OF_SCORES = 1 << 11,   // makes the weights of the values from scores
    OP_CACHES = 1 << 12,      // stores its results for all positions in the KV cache
    OP_BY_ID = 1 << 13,       // reads the table row that an id selects
    OP_BY_POSITION = 1 << 14, // reads the table row that the token's position selects
    OP_CHOOSES = 1 << 15,     // selects an id
    OP_PATCHES = 1 << 16,     // reads its input in patches, which may overlap
    OP_FILLS = 1 << 17,       // elementwise, and its result for +0 is not +0
    OP_REDUCES = 1 << 18,     // makes one element of several
    OP_EXPANDS = 1 << 19,     // repeats elements of its input along a dimension
    OP_CONTRACTS = 1 << 20,   // multiplies two tensors and sums the products
    OP_PRODUCT = OP_BY_WEIGHTS | OP_BY_KEYS | OP_BY_VALUES,
    OP_ON_ENGINE = OP_PRODUCT | OP_OF_PRODUCT,
    OP_OF_CACHE = OP_BY_KEYS | OP_BY_VALUES
};

// The data that an operation reads besides its operands.
enum ir_weights {
    IR_WEIGHTS_NONE,
    IR_WEIGHTS_MATRIX,   // quantized, in the lanes' order; the attribute `weights` gives the format
    IR_WEIGHTS_RECORDS,  // quantized table, row by row; the attribute `format` gives the format
    IR_WEIGHTS_TABLE,    // an fp32 table, row by row
    IR_WEIGHTS_COMPUTED, // fp32 table that is in no checkpoint: the kernel's formula fills it when weights are packed
    IR_WEIGHTS_VECTORS,  // fp32 parameter vectors, as long as the vectors it works on: gamma, and beta if it has one
};

// Sets dtype, rank and shape (and block, exp_min) of the outputs. Returns false after reporting an error at the node.
typedef bool ir_type_rule(struct ir *, struct ir_node *, struct diag *);

// A row of ops.def, which explains the columns. (The kernel's class is in gen/kernel/kernel.c.)
struct ir_op_info {
    const char *name;
    int inputs, outputs;
    const char *attributes;
    const char *ports;
    unsigned traits; // of enum op_trait
    enum ir_weights weights;
    ir_type_rule *type_rule;
    const char *doc;
};

// An operation in a spec that expands to several operations. composites.def explains the columns.
struct ir_composite {
    const char *name;
    int inputs, outputs;
    const char *attributes, *steps, *rule, *doc;
};
// ir_spec_op returns a row of one table of all operations that a spec may name: first operations (`steps` and `rule`
// are NULL), then composites. ir_spec_ops returns the number of rows. Custom kernels are not included.
int ir_spec_ops(void);
struct ir_composite ir_spec_op(int row);
const struct ir_composite *ir_composite_find(const char *name); // NULL if unknown

extern const struct ir_op_info ir_op_table[IR_OPS]; // without custom kernels

// Returns the row of an operation. Rows from IR_OPS on are the IR's custom kernels.
const struct ir_op_info *ir_op_of(const struct ir *, int op);
int ir_op_find(const struct ir *, const char *name); // IR_NONE if unknown

enum { IR_MAX_OP_ATTRS = CUSTOM_MAX_PARAMS }; // most attributes of an operation
// An attribute as the table declares it.
struct ir_op_attr {
    char name[64];
    enum ir_attr_kind kind;
    bool required, has_default, by_rule; // by_rule: the type rule reports an illegal word
    bool each;                           // an integer, or a list with one integer per repetition of the region
    char text[24];                       // default as written
    char legal[40];                      // lowest..highest, or words separated by |, as written; empty: any value
    bool has_range;                      // a number with a lowest and a highest value, `low` and `high`
    double low, high;
    int64_t preset; // default value of an integer
};
// Parses the attribute column of an operation and returns the count.
int ir_attr_column(const char *column, struct ir_op_attr out[IR_MAX_OP_ATTRS]);
// Parses the attributes of an operation, without those that all operations have. Returns the count.
int ir_op_attrs(const struct ir *, int op, struct ir_op_attr out[IR_MAX_OP_ATTRS]);
// Finds the row of one of the attributes `order` and `lanes`, which every operation may have. Returns false for any
// other key.
bool ir_common_attr(const char *key, struct ir_op_attr *out); // order: of the output's loops; lanes: of the kernel
// Finds the row of an attribute of the operation, or of one that all operations have. Returns false if it does not
// exist.
bool ir_op_attr_of(const struct ir *, int op, const char *key, struct ir_op_attr *out);
// Returns a NULL-terminated list of the legal words, allocated in the arena. It is empty if the attribute is not a
// word.
const char *const *ir_op_attr_words(const struct ir_op_attr *, struct arena *);
// Sets an attribute from text: a default in the table, a word in a spec, or a field in a dump.
void ir_attr_set_text(struct ir *, struct ir_attrs *, const struct ir_op_attr *, const char *text);
// Returns whether a value is legal. Reports an illegal value at its location in the spec.
bool ir_op_attr_check(const struct ir_op_attr *, const struct ir_attr *, struct diag *);
// Returns the legal values as text with a leading space: ` 1 to 4`, ` a or b`; "" if any value is legal.
const char *ir_op_attr_legal(const struct ir_op_attr *, struct arena *);

bool ir_op_is(const struct ir *, int op, unsigned traits); // whether it has at least one of the traits
// Returns whether an elementwise operation with these attributes can turn +0 into another value. Then the padding in a
// vector's last word does not stay +0.
bool ir_fills(const struct ir *, const struct ir_node *);
bool ir_node_is(const struct ir *, int node, unsigned traits); // IR_NONE: false
enum ir_weights ir_op_weights(const struct ir *, int op);
// Returns the number of parameter vectors that the operation reads.
int ir_param_vectors(const struct ir *, const struct ir_node *);
const char *ir_param_name(const struct ir *, const struct ir_node *, int vector); // the attribute that names the tensor

// Returns the index-th name in a column of the ports field: column 0 has inputs, column 1 outputs. Returns NULL past
// the end.
const char *ir_op_port(const struct ir *, int op, int column, int index);
// For a node that transposes: dimension perm[d] of the operand becomes dimension d of the output. Returns false if the
// attribute is not a permutation.
bool ir_permutation(const struct ir *, const struct ir_node *, int perm[]);

// A dimension along which a node with OP_PATCHES cuts its input of `size` elements into `places` patches. A patch has
// `taps` elements, which are `dilation` apart. Each patch begins `stride` elements after the previous one. The first
// patch begins `before` elements before the data, and the last one may end up to `after` elements past its end.
struct ir_patch_axis {
    int64_t size, places, stride, taps, dilation, before, after;
};
// Fills axis[] for the first dimensions of the input, one for each number of the attribute `size`. Returns how many
// there are, or 0 if the attributes are illegal.
int ir_patch_axes(const struct ir *, const struct ir_node *, struct ir_patch_axis axis[]); // at most IR_MAX_PATCHES

// How a node with OP_REDUCES reads its input: in each of `groups` groups, `count` parts of `keep` elements become one
// part.
struct ir_reduction {
    int mask;      // bit d: dimension d is reduced
    int64_t every; // attribute `every`: elements that are left of the last dimension; 0: the dimension is reduced as a
                   // whole
    int64_t groups, count, keep;
    bool across;            // keep is 1: neighbouring elements become one
    int order[IR_MAX_RANK]; // of the loops that walk the input
};
bool ir_reduction(const struct ir *, const struct ir_node *, struct ir_reduction *); // false: illegal attributes

// For a node with OP_EXPANDS: dimension from[d] of the operand becomes dimension d of the output. from[d] is IR_NONE if
// the operand's elements are repeated along dimension d. Returns false if the attribute is illegal.
bool ir_expansion(const struct ir *, const struct ir_node *, int from[]);
bool ir_spreads(const struct ir *, const struct ir_node *); // whether elements are repeated along the last dimension

// How a node with OP_CONTRACTS reads its inputs: for each of `batches` pairs of matrices it makes m * n sums of k
// products. In input i, dimension row[i] has m (i = 0) or n (i = 1) elements, and dimension column[i] has k. A
// dimension before these two has one element per batch.
struct ir_contraction {
    int64_t batches, m, n, k;
    int row[2], column[2];
};
bool ir_contraction(const struct ir *, const struct ir_node *, struct ir_contraction *); // false: illegal shapes
// Largest number of rows of input 0 that the kernel of such a node multiplies at the same time (ROWS of rill_bmm).
enum { IR_MAX_BMM_ROWS = 16 };
// Returns how many rows of input 0 the kernel of this node multiplies at the same time: the largest power of two up to
// the design's bmm_rows that divides m.
int64_t ir_bmm_rows(const struct ir *, const struct ir_node *);
// Returns how many words of each operand the kernel of this node takes in a step of one token.
int64_t ir_bmm_words(const struct ir *, const struct ir_node *);

// Returns the number of elements that share an index of the dimension `along` and of all dimensions before it.
int64_t ir_inside(const struct ir *, const struct ir_node *);

#endif
