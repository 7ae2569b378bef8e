// SPDX-License-Identifier: Apache-2.0
// Access to the operations table (ops.def).
#ifndef RILL_OPS_H
#define RILL_OPS_H

#include "ir.h"

enum ir_op {
#define RILL_OP(id, name, ins, outs, attrs, module, ports, type, bind, golden, doc) IR_OP_##id,
#include "ops.def"
#undef RILL_OP
    IR_OPS
};

// Sets dtype, rank, shape (and block, exp_min) of the outputs; false after reporting an error at the node.
typedef bool ir_type_rule(struct ir *, struct ir_node *, struct diag *);

struct ir_op_info {
    const char *name;
    int inputs, outputs;
    const char *attributes;
    const char *module;
    const char *ports;
    ir_type_rule *type_rule;
    const char *doc;
};

extern const struct ir_op_info ir_op_table[IR_OPS]; // without hand-written kernels

// The row of an operation; those from IR_OPS on are the IR's hand-written kernels.
const struct ir_op_info *ir_op_of(const struct ir *, int op);
int ir_op_find(const struct ir *, const char *name); // IR_NONE if there is none

enum { IR_MAX_OP_ATTRS = CUSTOM_MAX_PARAMS };
struct ir_op_attr {
    char name[64];
    enum ir_attr_kind kind;
    bool required, has_default;
    char text[24];  // default as written
    char legal[24]; // lowest..highest, or words with | between; empty: anything
};
// Parses the attribute column; returns the count.
int ir_op_attrs(const struct ir *, int op, struct ir_op_attr out[IR_MAX_OP_ATTRS]);
// Whether a value is one of the legal ones; reports it at its place where not.
bool ir_op_attr_check(const struct ir_op_attr *, const struct ir_attr *, struct diag *);
// The legal values in words: ` from 1 to 4`, ` a or b`, or nothing.
const char *ir_op_attr_legal(const struct ir_op_attr *, struct arena *);

// The name-th word of a column of the ports field: column 0 inputs, 1 outputs, 2 extras. NULL past the end.
const char *ir_op_port(const struct ir *, int op, int column, int index);
// Of a node that transposes: perm[d] is the operand's dimension that becomes dimension d. False where the attribute is
// no permutation.
bool ir_permutation(const struct ir *, const struct ir_node *, int perm[]);
bool ir_op_has_extra(const struct ir *, int op, const char *extra);

#endif
