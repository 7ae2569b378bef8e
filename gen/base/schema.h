// SPDX-License-Identifier: Apache-2.0
// Tables that describe a YAML map of scalars and fill a C struct from it: types, ranges, presets, unknown keys. What a
// key means stands beside them: `rill explain`, `rill schema` and the tables of docs/spec.md are made of it.
#ifndef RILL_SCHEMA_H
#define RILL_SCHEMA_H

#include "gen/base/yaml.h"

// C type of the member: int, double, bool, int (index into words), const char *.
enum schema_type { SCHEMA_INT, SCHEMA_FLOAT, SCHEMA_BOOL, SCHEMA_WORD, SCHEMA_STRING };

struct schema_field {
    const char *key;
    enum schema_type type;
    size_t offset; // of the member in the struct
    bool required;
    double min, max;          // SCHEMA_INT, SCHEMA_FLOAT: inclusive range
    const int64_t *legal;     // SCHEMA_INT: the only legal values, ascending; NULL: the whole range
    const char *const *words; // SCHEMA_WORD
    size_t count;             // of legal or words
    double preset;            // value when the key is absent (int, float, bool 0/1, word index)
    const char *preset_text;  // SCHEMA_STRING
    const char *doc;          // what it means, in Markdown
    const char *range;        // legal values, NULL: as above says; where other keys have a say
    const char *preset_doc;   // the same of the default
    const char *json;         // JSON Schema, where other code reads more than the type has; NULL: of the type
};

// A key whose value other code reads: in words, and as a JSON Schema or as maps of another table.
enum schema_holds { SCHEMA_HOLDS_JSON, SCHEMA_HOLDS_ONE, SCHEMA_HOLDS_LIST, SCHEMA_HOLDS_NAMED };
struct schema_key {
    const char *key;
    bool required;
    const char *range, *preset, *doc;
    enum schema_holds holds;
    const char *json;                 // SCHEMA_HOLDS_JSON: the schema
    const struct schema_table *table; // else: of the value, of its items, of the values of its keys
};

// All keys of a map. path: its place in a spec, for people and `rill explain` ("design", "graph.regions").
struct schema_table {
    const char *path, *what; // what: how diagnostics call it
    const struct schema_field *fields;
    size_t count;
    const struct schema_key *keys;
    size_t key_count;
    bool open;                    // others too: attributes of an operation, parameters of a family
    const struct yaml_gone *gone; // keys of before, up to a NULL key; NULL: none
};

// Fills the struct at out. An absent key gets its preset; so does a wrong one after its error, so that checking can go
// on. map: NULL stands for an empty map. name: how diagnostics call it ("design"). extra: legal keys that other code
// reads. True when no error was found.
bool schema_read(const struct yaml_node *map, const char *name, const struct schema_field *fields, size_t count,
                 const char *const *extra, size_t extra_count, void *out, struct arena *arena, struct diag *diag);

// The same by a whole table.
bool schema_read_table(const struct yaml_node *map, const struct schema_table *, void *out, struct arena *,
                       struct diag *);
// Reports keys that the table does not have.
bool schema_check_keys(const struct yaml_node *map, const struct schema_table *, struct arena *, struct diag *);
// The value of a key that must be there; NULL after an error, unless a misspelt one was reported already.
const struct yaml_node *schema_need(const struct yaml_node *map, const char *key, const struct schema_table *,
                                    struct arena *, struct diag *);

// ---- for people ----

// `1 to 32`, "`int8`, `int4`", `text`.
const char *schema_range(const struct schema_field *, struct arena *);
// `250`, "`int8`", `required`, `none`.
const char *schema_preset(const struct schema_field *, struct arena *);

#endif
