// SPDX-License-Identifier: Apache-2.0
// Tables that describe the keys of a YAML map (types, ranges, presets), and functions that fill a C struct from such a
// map and report unknown keys. The tables also hold the meaning of each key, from which `rill explain`, `rill schema`
// and the tables of docs/spec.md are generated.
#ifndef RILL_SCHEMA_H
#define RILL_SCHEMA_H

#include "gen/base/yaml.h"

// The C types of the members are, in this order: int, double, bool, int (index into words), const char *.
enum schema_type { SCHEMA_INT, SCHEMA_FLOAT, SCHEMA_BOOL, SCHEMA_WORD, SCHEMA_STRING };

struct schema_field {
    const char *key;
    enum schema_type type;
    size_t offset; // offset of the member in the struct
    bool required;
    double min, max;          // SCHEMA_INT, SCHEMA_FLOAT: inclusive range
    const int64_t *legal;     // SCHEMA_INT: the only legal values, ascending; NULL: the whole range
    const char *const *words; // SCHEMA_WORD: the legal words
    size_t count;             // number of legal values or words
    double preset;            // value when the key is absent (int, float, bool 0/1, word index)
    const char *preset_text;  // SCHEMA_STRING: value when the key is absent, or NULL
    const char *doc;          // meaning of the key, in Markdown
    const char *range;        // legal values in words, if other keys restrict them; NULL: as the fields above
    const char *preset_doc;   // default in words, if other keys decide it; NULL: `preset`
    bool search;              // `rill explore` varies the key if its command line does not name the keys to vary
    const char *json;         // JSON Schema, if other code reads more than the type allows; NULL: derived from the type
};

// A key whose value other code reads, because it is not a scalar or depends on other keys. `holds` says how the value
// is described: by a JSON Schema, or by another table for the value itself (ONE), for each item of a list (LIST), or
// for each value of a map with free keys (NAMED).
enum schema_holds { SCHEMA_HOLDS_JSON, SCHEMA_HOLDS_ONE, SCHEMA_HOLDS_LIST, SCHEMA_HOLDS_NAMED };
struct schema_key {
    const char *key;
    bool required;
    const char *range, *preset, *doc; // legal values, default and meaning in words
    enum schema_holds holds;
    const char *json;                 // SCHEMA_HOLDS_JSON: the schema
    const struct schema_table *table; // otherwise: table of the value, of its items, or of the values of its keys
};

// All keys of a map. path: the place of the map in a spec, for messages and `rill explain` ("design", "graph.regions").
struct schema_table {
    const char *path, *what; // what: the map's name in diagnostics
    const struct schema_field *fields;
    size_t count;
    const struct schema_key *keys;
    size_t key_count;
    bool open; // other keys are allowed: attributes of an operation, parameters of a family
};

// Fills the struct at `out`, to which the offsets of the fields refer. A field whose key is absent gets its preset; a
// required field gets it as well, after the error. A field with a wrong value gets its preset after the error is
// reported, so that checking can continue. Unknown keys are errors. map: NULL means an empty map. name: the map's name
// in diagnostics ("design"). extra: legal keys that other code reads. Returns true if no error was found.
bool schema_read(const struct yaml_node *map, const char *name, const struct schema_field *fields, size_t count,
                 const char *const *extra, size_t extra_count, void *out, struct arena *arena, struct diag *diag);

// Like schema_read, with a whole table.
bool schema_read_table(const struct yaml_node *map, const struct schema_table *, void *out, struct arena *,
                       struct diag *);
// Reports keys of the map that the table does not have. Returns true if there are none.
bool schema_check_keys(const struct yaml_node *map, const struct schema_table *, struct arena *, struct diag *);
// Returns the value of a required key. If the key is absent, returns NULL and reports an error, unless the map has a
// key that is probably this one, misspelt, which was already reported.
const struct yaml_node *schema_need(const struct yaml_node *map, const char *key, const struct schema_table *,
                                    struct arena *, struct diag *);

// ---- for documentation and messages ----

// Returns the legal values as text: `1 to 32`, "`int8`, `int4`", `text`.
const char *schema_range(const struct schema_field *, struct arena *);
// Returns the default as text: `250`, "`int8`", `required`, `none`.
const char *schema_preset(const struct schema_field *, struct arena *);

#endif
