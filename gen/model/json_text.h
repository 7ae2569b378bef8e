// SPDX-License-Identifier: Apache-2.0
// A JSON object out of a text or a file, for every file of a checkpoint that is one.
#ifndef RILL_JSON_TEXT_H
#define RILL_JSON_TEXT_H

#include <jansson.h>

#include "gen/base/diag.h"

// Owned by the caller (json_decref). NULL after an error at `loc` that names line and column, and says where the text
// is cut off; no key may stand twice.
json_t *json_text_object(const char *text, size_t len, struct loc loc, struct diag *diag);

// The same of a file that may be missing: then true, and *root is NULL. False after an error in it.
bool json_file_object(struct arena *arena, const char *path, size_t max, struct diag *diag, json_t **root);

#endif
