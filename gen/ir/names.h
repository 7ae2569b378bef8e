// SPDX-License-Identifier: Apache-2.0
// Patterns for names of weights, with which one operation of a repeated region names a different tensor in every
// repetition. `{expression}` is replaced by a number that depends on `layer`, the repetition counted from 0.
#ifndef RILL_NAMES_H
#define RILL_NAMES_H

#include "gen/base/expression.h"

// Returns the name in one repetition. Text in braces that is not a legal expression stays as written.
const char *names_in(struct arena *, const char *pattern, int64_t repetition);
// Returns whether the pattern has an expression, so that the name differs between repetitions.
bool names_repeat(const char *pattern);
// Checks that braces come in pairs around expressions of `layer`, and that each has a non-negative value in repetitions
// 0 to 1024 and in the last one. Returns false after filling *error, whose place is relative to the pattern.
bool names_check(struct arena *, const char *pattern, int64_t repetitions, struct expression_error *error);

#endif
