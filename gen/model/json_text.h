// SPDX-License-Identifier: Apache-2.0
// Parses a JSON object from text or a file, for every JSON file of a checkpoint.
#ifndef RILL_JSON_TEXT_H
#define RILL_JSON_TEXT_H

#include <jansson.h>

#include "gen/base/diag.h"

// Parses an object, which the caller owns (json_decref). Returns NULL after an error at `loc` that names line and
// column and says whether the text seems to be truncated. Duplicate keys are an error.
json_t *json_text_object(const char *text, size_t len, struct loc loc, struct diag *diag);

// Parses a file of at most `max` bytes into *root, which the caller owns. If the file does not exist, returns true and
// sets *root to NULL. Returns false after an error in the file.
bool json_file_object(struct arena *arena, const char *path, size_t max, struct diag *diag, json_t **root);

#endif
