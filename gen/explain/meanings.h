// SPDX-License-Identifier: Apache-2.0
// Meanings of operations' attributes and of legal words: the rows of include/meanings.def.
#ifndef RILL_EXPLAIN_MEANINGS_H
#define RILL_EXPLAIN_MEANINGS_H

// Returns the meaning of an attribute. A row for this operation wins over the row for all operations. NULL if there is
// none.
const char *explain_attribute(const char *op, const char *attribute);
// Returns the meaning of a legal word. of: key or attribute, for example `design.weights`. A row for its last part
// (`weights`) wins over the general row. NULL if there is none.
const char *explain_value(const char *of, const char *word);

#endif
