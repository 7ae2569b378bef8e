// SPDX-License-Identifier: Apache-2.0
// Custom kernels in the IR: rows of the operations table that a design brings along (custom.h).
#ifndef RILL_IR_CUSTOM_H
#define RILL_IR_CUSTOM_H

#include "gen/ir/ops.h"

// Makes the kernels operations of the IR, behind those of ops.def.
void ir_set_customs(struct ir *, struct custom *, int count);
const struct custom *ir_custom_of(const struct ir *, int node);             // NULL: an operation of ops.def
const struct custom *ir_custom_kernel(const struct ir *, int kernel);       // of the node that a kernel serves, or NULL
int64_t ir_custom_vector_length(const struct ir *, const struct ir_node *); // of its vector parameters
// A parameter as the operation gives it, or as declared.
const char *ir_custom_text(const struct ir_node *, const struct custom_param *, struct loc *);

// An expression of a kernel's declaration for one operation. lanes 0: not known yet, nor is `T`; *depends: it asked for
// them.
struct custom_scope {
    const struct ir *ir;
    const struct ir_node *node;
    const struct custom *custom;
    int lanes;
    bool outputs; // their shapes are known
    bool depends;
    int depth;
};
// False after an error: it has no value, or none from least to most. what names it; diag may be NULL.
bool ir_custom_value(struct custom_scope *, const struct custom_expr *, int64_t least, int64_t most, const char *what,
                     int64_t *value, struct diag *diag);
// The value of a parameter. *number: it is one, and in *integer. False after an error.
bool ir_custom_param(struct custom_scope *, const struct custom_param *, struct ir_value *, bool *number,
                     int64_t *integer, struct diag *diag);

// The timing contract in numbers, words per token.
struct custom_timing {
    int64_t latency, interval, buffers;
    int64_t ask, ask_next, held;                // of the rows of a table
    int64_t group;                              // words of the first input; 0: the whole firing
    int64_t groups;                             // of a firing
    int64_t gives;                              // words out of a group; the last one gives the rest
    int64_t words[CUSTOM_MAX_PORTS], out_words; // of a firing
};
bool ir_custom_timing(const struct ir *, const struct ir_node *, int lanes, struct custom_timing *, struct diag *);

#endif
