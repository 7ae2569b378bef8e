// SPDX-License-Identifier: Apache-2.0
// What attributes of operations and legal words mean: the rows of include/meanings.def.
#ifndef RILL_EXPLAIN_MEANINGS_H
#define RILL_EXPLAIN_MEANINGS_H

// Of an attribute: of the operation's, else of any operation's of that name; NULL: no row.
const char *explain_attribute(const char *op, const char *attribute);
// Of a legal word of a key or an attribute, by its last part, else of any; NULL: no row.
const char *explain_value(const char *of, const char *word);

#endif
