// SPDX-License-Identifier: Apache-2.0
// Keys of a checkpoint that its family does not use.
#ifndef RILL_CONFIG_UNREAD_H
#define RILL_CONFIG_UNREAD_H

#include <jansson.h>

#include "gen/spec/family.h"

// The map of a multimodal model's config.json that describes the part that makes text.
#define CONFIG_TEXT_MODEL "text_config"

struct config_text {
    const json_t *root, *outer; // outer: the map with `root` as CONFIG_TEXT_MODEL, or NULL
    const char *text;           // of config.json, to find the place of a key; NULL: a GGUF file
    size_t len;
    struct loc loc; // the file
};

// Lists these keys in the notes of the values. A key that may change the result is an error. A key that is not known to
// be harmless (families/checkpoint/keys.yaml) gets a warning. False after an error.
bool config_check_unread(const struct config_text *, const struct family_keys *, struct family_values *, struct arena *,
                         struct diag *);

#endif
