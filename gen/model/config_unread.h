// SPDX-License-Identifier: Apache-2.0
// Checks the keys of a checkpoint that its family does not use, because one of them may change what the model computes.
#ifndef RILL_CONFIG_UNREAD_H
#define RILL_CONFIG_UNREAD_H

#include <jansson.h>

#include "gen/spec/family.h"

// The key of a multimodal model's config.json whose map describes the language model.
#define CONFIG_TEXT_MODEL "text_config"

struct config_text {
    const json_t *root, *outer; // root: the keys of the model; outer: the map that has it as CONFIG_TEXT_MODEL, or NULL
    const char *text;           // of config.json, to find the place of a key; NULL: a GGUF file
    size_t len;
    struct loc loc; // the file
};

// Lists the unused keys in the notes of the values. A key that may change the result is an error. A key that is not
// known to be harmless (families/checkpoint/keys.yaml) gets a warning. Returns false after an error.
bool config_check_unread(const struct config_text *, const struct family_keys *, struct family_values *, struct arena *,
                         struct diag *);

#endif
