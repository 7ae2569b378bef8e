// SPDX-License-Identifier: Apache-2.0
// Evaluates integer expressions: sizes and numbers of custom kernels in a spec, parameters and widths in a Verilog
// module header, and the expressions in the file of a family.
#ifndef RILL_EXPRESSION_H
#define RILL_EXPRESSION_H

#include "gen/base/base.h"

// Sets *value to the value of a name (letters, digits, `_`, `.`, `$`). Returns false if the name has none.
typedef bool expression_lookup(void *context, const char *name, int64_t *value);

struct expression_error {
    const char *why;     // the reason, as the end of a message
    const char *unknown; // the name that has no value, or NULL. `lookup` may set it to a name on which its name depends
    size_t at;           // offset of the error in the text, in bytes
};

// Evaluates an expression of 64-bit integers: the operators of C and Verilog (?: || && | ^ & == != < <= > >= << >> + -
// * / % and unary - + ! ~), parentheses, decimal, 0x and sized constants up to 63 bits, and $clog2() or clog2(). Sets
// *value and returns true, or sets *error and returns false. A division by zero and a result that does not fit are
// errors. `context` is passed to `lookup`. Reasons and names in *error are in the arena or constant.
bool expression_value(struct arena *arena, const char *text, expression_lookup *lookup, void *context, int64_t *value,
                      struct expression_error *error);

#endif
