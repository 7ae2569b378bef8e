// SPDX-License-Identifier: Apache-2.0
// Declarations that the readers of a family's file share: family.c, family_keys.c (how checkpoints are read),
// family_names.c and family_scope.c (names in expressions).
#ifndef RILL_FAMILY_READ_H
#define RILL_FAMILY_READ_H

#include "gen/spec/family.h"

struct family_reader {
    struct family *family;
    struct arena *arena;
    struct diag *diag;
};

// A row of a table of keys, and JSON Schemas for the values of keys.
#define KEY(word, must, text, schema)                                                                                  \
    { .key = word, .required = must, .doc = text, .json = schema }
#define EXPRESSION "{\"type\": [\"string\", \"integer\", \"number\", \"boolean\"]}"
#define TEXT "{\"type\": \"string\"}"
#define NUMBER "{\"type\": \"number\"}"
#define FLAG "{\"type\": \"boolean\"}"
#define LIST "{\"type\": \"array\", \"minItems\": 1, \"items\": " EXPRESSION "}"
#define MAP "{\"type\": \"object\", \"additionalProperties\": " EXPRESSION "}"
#define TEXTS "{\"anyOf\": [" TEXT ", " LIST "]}"

extern const struct schema_table family_config_table, family_gguf_table;

// Returns the value of a required key, or NULL after an error.
const struct yaml_node *family_need(struct family_reader *, const struct yaml_node *map, const char *key,
                                    const struct schema_table *);
// Returns the value of a key that is a map or a list of at most `most` items, or NULL if it is absent or wrong.
const struct yaml_node *family_container(struct family_reader *, const struct yaml_node *map, const char *key,
                                         enum yaml_kind, size_t most);
// Reports a name that is neither a parameter of the family nor a design key written as `design.KEY`.
void family_check_parameter(struct family_reader *, const char *name, struct loc);

// Checks a family that was read without errors: reports names and words that nothing defines.
void family_check_names(struct family_reader *);
// These return whether expressions may use a name of the form `design.lanes`, and one of the form `parameter.word`.
bool family_is_design_name(const char *name);
bool family_has_word(const struct family *, const char *name);
// Reports an unknown name in the expression `text` and suggests similar names. offset: place of the name in the text of
// the scalar `at`.
void family_refuse_name(const struct family_scope *, const struct yaml_node *at, const char *text, size_t offset,
                        const char *name);

// These read the parts `config` and `gguf` of the file into the family.
void family_read_config(struct family_reader *, const struct yaml_node *root);
void family_read_gguf(struct family_reader *, const struct yaml_node *root);

#endif
