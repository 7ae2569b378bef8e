// SPDX-License-Identifier: Apache-2.0
// Meanings of operations' attributes and of legal words: the rows of include/meanings.def.
#ifndef RILL_EXPLAIN_MEANINGS_H
#define RILL_EXPLAIN_MEANINGS_H

// The meaning of an attribute: the row of this operation, else the row for all operations. NULL: no row.
const char *explain_attribute(const char *op, const char *attribute);
// The meaning of a legal word of a key or attribute: the row of that key's last part, else the row for all. NULL: no
// row.
const char *explain_value(const char *of, const char *word);

#endif
