// SPDX-License-Identifier: Apache-2.0
// Access to the operations table (ops.def).
#ifndef RILL_OPS_H
#define RILL_OPS_H

#include "gen/ir/ir.h"

enum ir_op {
#define RILL_OP(id, name, ins, outs, attrs, kernel, ports, traits, weights, type, golden, doc) IR_OP_##id,
#include "include/ops.def"
#undef RILL_OP
    IR_OPS
};

enum op_trait {
    OP_FOLLOWS = 1 << 0,      // tensors of several dimensions in any order of the loops, all streams alike
    OP_PERMUTES = 1 << 1,     // the output has the dimensions of `perm`
    OP_ALONG = 1 << 2,        // vectors along `along`, a firing each
    OP_ROWS = 1 << 3,         // the input's rows, a firing each
    OP_MOVES = 1 << 4,        // computes nothing
    OP_ADDS = 1 << 5,         // what a residual is made by
    OP_QUANTIZES = 1 << 6,    // makes the operand of a product
    OP_BY_WEIGHTS = 1 << 7,   // product with weights,
    OP_BY_KEYS = 1 << 8,      // with the keys of the positions so far: scores,
    OP_BY_VALUES = 1 << 9,    // with their values
    OP_OF_PRODUCT = 1 << 10,  // what an engine does with a product's integers
    OP_OF_SCORES = 1 << 11,   // makes the weights of values
    OP_CACHES = 1 << 12,      // keeps what it makes for all positions
    OP_BY_ID = 1 << 13,       // reads the row of a table that an id names,
    OP_BY_POSITION = 1 << 14, // or the token's position
    OP_CHOOSES = 1 << 15,     // makes an id
    OP_PRODUCT = OP_BY_WEIGHTS | OP_BY_KEYS | OP_BY_VALUES,
    OP_ON_ENGINE = OP_PRODUCT | OP_OF_PRODUCT,
    OP_OF_CACHE = OP_BY_KEYS | OP_BY_VALUES
};

enum ir_weights {
    IR_WEIGHTS_NONE,
    IR_WEIGHTS_MATRIX,   // quantized, in the lanes' order; its format in the attribute `weights`
    IR_WEIGHTS_RECORDS,  // a quantized table, row by row; its format in the attribute `format`
    IR_WEIGHTS_TABLE,    // an fp32 table, row by row
    IR_WEIGHTS_COMPUTED, // the same of no checkpoint: the kernel's formula fills it when the weights are packed
    IR_WEIGHTS_VECTORS,  // fp32 vectors as long as what it works on: gamma, and beta where it has one
};

// Sets dtype, rank, shape (and block, exp_min) of the outputs; false after reporting an error at the node.
typedef bool ir_type_rule(struct ir *, struct ir_node *, struct diag *);

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

// An operation of a spec that stands for several (composites.def).
struct ir_composite {
    const char *name;
    int inputs, outputs;
    const char *attributes, *steps, *rule, *doc;
};
// What a spec may name, operations and then composites, as rows of one table; steps NULL: an operation.
int ir_spec_ops(void);
struct ir_composite ir_spec_op(int row);
const struct ir_composite *ir_composite_find(const char *name); // NULL if there is none

extern const struct ir_op_info ir_op_table[IR_OPS]; // without custom kernels

// The row of an operation; those from IR_OPS on are the IR's custom kernels.
const struct ir_op_info *ir_op_of(const struct ir *, int op);
int ir_op_find(const struct ir *, const char *name); // IR_NONE if there is none

enum { IR_MAX_OP_ATTRS = CUSTOM_MAX_PARAMS };
struct ir_op_attr {
    char name[64];
    enum ir_attr_kind kind;
    bool required, has_default, by_rule; // by_rule: the type rule reports what is no legal word
    bool each;                           // an integer, or a list of one for each repetition of the region
    char text[24];                       // default as written
    char legal[24];                      // lowest..highest, or words with | between, as written; empty: anything
    bool has_range;
    double low, high;
    int64_t preset; // default of an integer
};
// Parses an attribute column, of an operation's; returns the count.
int ir_attr_column(const char *column, struct ir_op_attr out[IR_MAX_OP_ATTRS]);
int ir_op_attrs(const struct ir *, int op, struct ir_op_attr out[IR_MAX_OP_ATTRS]);
// What every operation may have besides its own attributes, `order` and `lanes`; false: another key.
bool ir_common_attr(const char *key, struct ir_op_attr *out);
// The row of an attribute, own or of all operations; false: there is none.
bool ir_op_attr_of(const struct ir *, int op, const char *key, struct ir_op_attr *out);
// Its legal words, NULL-terminated in an arena; none where any are.
const char *const *ir_op_attr_words(const struct ir_op_attr *, struct arena *);
// Sets an attribute from a text: a default of the table, a word of a spec, a field of a dump.
void ir_attr_set_text(struct ir *, struct ir_attrs *, const struct ir_op_attr *, const char *text);
// Whether a value is one of the legal ones; reports it at its place where not.
bool ir_op_attr_check(const struct ir_op_attr *, const struct ir_attr *, struct diag *);
// The legal values in words: ` 1 to 4`, ` a or b`, or nothing.
const char *ir_op_attr_legal(const struct ir_op_attr *, struct arena *);

bool ir_op_is(const struct ir *, int op, unsigned traits);     // one of them at least
bool ir_node_is(const struct ir *, int node, unsigned traits); // IR_NONE: false
enum ir_weights ir_op_weights(const struct ir *, int op);
// Parameter vectors of an operation that reads vectors.
int ir_param_vectors(const struct ir *, const struct ir_node *);
const char *ir_param_name(const struct ir *, const struct ir_node *, int vector); // the attribute with its tensor

// The name-th word of a column of the ports field: column 0 inputs, 1 outputs. NULL past the end.
const char *ir_op_port(const struct ir *, int op, int column, int index);
// Of a node that transposes: perm[d] is the operand's dimension that becomes dimension d. False where the attribute is
// no permutation.
bool ir_permutation(const struct ir *, const struct ir_node *, int perm[]);

#endif
