// SPDX-License-Identifier: Apache-2.0
// The tables of the spec language as one list, and their rows in words, for `rill explain` and docs/spec.md.
#ifndef RILL_KEY_TABLES_H
#define RILL_KEY_TABLES_H

#include "gen/base/schema.h"

// A row of a table in words. It describes a field or a key (schema.h).
struct explain_row {
    // `range` has the legal values, `preset` the default, and `doc` the meaning as Markdown.
    const char *key, *range, *preset, *doc;
    const char *type; // NULL: `range` includes the type
};

size_t explain_table_count(void);
const struct schema_table *explain_table_at(size_t index);       // index: from 0 to explain_table_count() - 1
const struct schema_table *explain_table_find(const char *path); // path: "graph.regions"; NULL: no such table
size_t explain_rows(const struct schema_table *);                // number of rows
// Returns row `index`: the fields come first, then the keys whose values other code reads.
struct explain_row explain_row_at(const struct schema_table *, size_t index, struct arena *);

// Returns the table with the keys of a row's value, or NULL if the value has no keys that a table describes.
const struct schema_table *explain_held(const struct schema_table *, size_t index);

// Returns the page and section of docs/ that describe a key. name: its full name, `design.T`.
const char *explain_page(const char *name);

// Returns a text with its Markdown links replaced by the names of the pages, for a terminal.
const char *explain_plain(const char *doc, struct arena *);

#endif
