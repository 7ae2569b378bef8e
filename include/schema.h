// SPDX-License-Identifier: Apache-2.0
// Tables that describe a YAML map of scalars and fill a C struct from it: types, ranges, presets, unknown keys.
#ifndef RILL_SCHEMA_H
#define RILL_SCHEMA_H

#include "include/yaml.h"

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
};

// Fills the struct at out. An absent key gets its preset; so does a wrong one after its error, so that checking can go
// on. map: NULL stands for an empty map. name: how diagnostics call it ("design"). extra: legal keys that other code
// reads. True when no error was found.
bool schema_read(const struct yaml_node *map, const char *name, const struct schema_field *fields, size_t count,
                 const char *const *extra, size_t extra_count, void *out, struct arena *arena, struct diag *diag);

#endif
