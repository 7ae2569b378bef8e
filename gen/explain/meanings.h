// SPDX-License-Identifier: Apache-2.0
// Meanings of operations' attributes and of legal words: the rows of include/meanings.def.
#ifndef RILL_EXPLAIN_MEANINGS_H
#define RILL_EXPLAIN_MEANINGS_H

// Returns the meaning of an attribute. A row for this operation wins over the row for all operations. NULL if there is
// none.
const char *explain_attribute(const char *op, const char *attribute);
// Returns the meaning of a legal word. of: last part of its key's or attribute's name (`weights` for `design.weights`).
// A row for this name wins over the row for all names. NULL if there is none.
const char *explain_value(const char *of, const char *word);

#endif
