// SPDX-License-Identifier: Apache-2.0
// Meanings of operations' attributes and of legal words: the rows of include/meanings.def.
#ifndef RILL_EXPLAIN_MEANINGS_H
#define RILL_EXPLAIN_MEANINGS_H

// Returns the meaning of an attribute, or NULL if the table has none. A row for this operation has precedence over the
// row for all operations.
const char *explain_attribute(const char *op, const char *attribute);
// Returns the meaning of a legal word, or NULL if the table has none. of: last part of its key's or attribute's name
// (`weights` for `design.weights`). A row for this name has precedence over the row for all names.
const char *explain_value(const char *of, const char *word);

#endif
