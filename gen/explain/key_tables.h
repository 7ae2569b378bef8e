// SPDX-License-Identifier: Apache-2.0
// The tables of the spec language as one list.
#ifndef RILL_KEY_TABLES_H
#define RILL_KEY_TABLES_H

#include "gen/base/schema.h"

// A row of a table in words, for both kinds of rows.
struct explain_row {
    const char *key, *range, *preset, *doc;
    const char *type; // NULL: `range` includes the type
};

size_t explain_table_count(void);
const struct schema_table *explain_table_at(size_t index);
const struct schema_table *explain_table_find(const char *path); // NULL: no such table
size_t explain_rows(const struct schema_table *);
// Row `index` in the order of the docs: first fields that are read by table, then keys that hold maps or lists.
struct explain_row explain_row_at(const struct schema_table *, size_t index, struct arena *);

// The table that describes the value of a row's key; NULL: none.
const struct schema_table *explain_held(const struct schema_table *, size_t index);

// The page and section of the docs that describe a key, by its full name.
const char *explain_page(const char *name);

// Replaces links to pages of the docs by the pages' names.
const char *explain_plain(const char *doc, struct arena *);

#endif
