// SPDX-License-Identifier: Apache-2.0
// Names of weights as patterns: `{expression}` stands for a number that depends on `layer`, the repetition of the
// region, from 0 on.
#ifndef RILL_NAMES_H
#define RILL_NAMES_H

#include "gen/base/expression.h"

// The name in a repetition. What is no legal expression stays as it is written.
const char *names_in(struct arena *, const char *pattern, int64_t repetition);
// Whether the name differs from repetition to repetition: it has an expression.
bool names_repeat(const char *pattern);
// Braces in pairs around expressions of `layer`, each with a value that is not negative in every repetition. False
// after filling *error; its place is in the pattern.
bool names_check(struct arena *, const char *pattern, int64_t repetitions, struct expression_error *error);

#endif
