// SPDX-License-Identifier: Apache-2.0
// Custom kernels in the IR: the operations that a design adds to the operations table. gen/spec/custom.h has their
// declarations as the spec gives them.
#ifndef RILL_IR_CUSTOM_H
#define RILL_IR_CUSTOM_H

#include "gen/ir/ops.h"

// Adds the kernels to the IR's operations, after those of ops.def.
void ir_set_customs(struct ir *, struct custom *, int count);
const struct custom *ir_custom_of(const struct ir *, int node);       // NULL: the node has an operation of ops.def
const struct custom *ir_custom_kernel(const struct ir *, int kernel); // of the node that a kernel serves, or NULL
// Returns the number of elements of each of the node's vector parameters, which are equally long; 1 if the expression
// for it has no value.
int64_t ir_custom_vector_length(const struct ir *, const struct ir_node *);
// Returns the text of a parameter: from the operation, or else the default in the kernel's declaration. *loc is the
// place of the text.
const char *ir_custom_text(const struct ir_node *, const struct custom_param *, struct loc *);

// The state of an evaluation of an expression in a kernel's declaration, for one operation.
struct custom_scope {
    const struct ir *ir;
    const struct ir_node *node;
    const struct custom *custom;
    int lanes;    // 0: not known yet; then `lanes` and `x.words` are 1 in expressions
    bool outputs; // shapes of the outputs are known, so expressions may use them
    bool depends; // set when an expression uses `lanes`, `T` or `x.words`
    int depth;    // parameters that are being evaluated, one inside the other
};
// Evaluates the expression. Returns false after an error: the expression has no value, or its value is below `least` or
// above `most`. what: name of the expression in messages. diag NULL: errors are not reported.
bool ir_custom_value(struct custom_scope *, const struct custom_expr *, int64_t least, int64_t most, const char *what,
                     int64_t *value, struct diag *diag);
// Gets the value of a parameter. Sets *number to whether the value is a number, and then *integer to this number.
// Returns false after an error.
bool ir_custom_param(struct custom_scope *, const struct custom_param *, struct ir_value *, bool *number,
                     int64_t *integer, struct diag *diag);

// The timing contract of a custom kernel as numbers, in cycles and words. gen/spec/custom.h has the expressions and
// explains the members. Words are per token.
struct custom_timing {
    int64_t latency, interval, buffers;
    int64_t ask, ask_next, held;                // for reading rows of a table
    int64_t group;                              // words of the first input in a group; 0: the whole firing
    int64_t groups;                             // groups in a firing
    int64_t gives;                              // output words per group; the last group gives the rest
    int64_t words[CUSTOM_MAX_PORTS], out_words; // words in a firing
};
// Evaluates the timing contract of an operation for this number of lanes. Returns false after an error; diag may be
// NULL.
bool ir_custom_timing(const struct ir *, const struct ir_node *, int lanes, struct custom_timing *, struct diag *);

#endif
