// SPDX-License-Identifier: Apache-2.0
// The tables of the spec language as one list.
#ifndef RILL_KEY_TABLES_H
#define RILL_KEY_TABLES_H

#include "gen/base/schema.h"

// What one row says, whichever kind it is.
struct explain_row {
    const char *key, *range, *preset, *doc;
    const char *type; // NULL: `range` says it
};

size_t explain_table_count(void);
const struct schema_table *explain_table_at(size_t index);
const struct schema_table *explain_table_find(const char *path); // NULL: none
size_t explain_rows(const struct schema_table *);
// In the order of the docs: what is read by table first, what is a map or a list behind it.
struct explain_row explain_row_at(const struct schema_table *, size_t index, struct arena *);

// The table of what a row's key holds; NULL: none.
const struct schema_table *explain_held(const struct schema_table *, size_t index);

// The page of the docs that describes a key, by its whole name, and its part.
const char *explain_page(const char *name);

// With the pages of the docs named instead of linked.
const char *explain_plain(const char *doc, struct arena *);

#endif
