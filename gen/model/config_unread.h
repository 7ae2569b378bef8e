// SPDX-License-Identifier: Apache-2.0
// Checks the keys of a checkpoint that its family does not use, because one of them may change what the model computes.
#ifndef RILL_CONFIG_UNREAD_H
#define RILL_CONFIG_UNREAD_H

#include <jansson.h>

#include "gen/spec/family.h"

// The key of a multimodal model's config.json whose map describes the language model.
#define CONFIG_TEXT_MODEL "text_config"

// The keys of a checkpoint, from config.json or from the metadata of a GGUF file.
struct config_text {
    const json_t *root, *outer; // root: the model's map; outer: the map that has it as CONFIG_TEXT_MODEL, or NULL
    const char *text;           // text of config.json, to find the place of a key; NULL: a GGUF file
    size_t len;
    struct loc loc; // the file
};

// Lists the unused keys in the notes of the values. The table families/checkpoint/keys.yaml says which keys are
// harmless and which may change the result. The latter are errors, and keys that the table does not have get a warning.
// Returns false after an error.
bool config_check_unread(const struct config_text *, const struct family_keys *, struct family_values *, struct arena *,
                         struct diag *);

#endif
