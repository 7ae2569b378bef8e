// SPDX-License-Identifier: Apache-2.0
// Declares the part of `rill import` that imports ONNX files (import_onnx.c). command_import.c uses it.
#ifndef RILL_IMPORT_ONNX_H
#define RILL_IMPORT_ONNX_H

#include "gen/onnx/onnx.h"

// These add the value of an option, NAME=N (the size of an axis) or NAME=VALUE (an input), to the struct onnx_options
// `into`. They return NULL, or a message.
const char *command_take_dim(struct arena *, void *into, const char *value);
const char *command_take_set(struct arena *, void *into, const char *value);
// Imports the file o->source: prints what it read, and writes the spec and the weights into the folder `dir`. board:
// name or path. Returns false after an error.
bool command_import_onnx(const struct onnx_options *, const char *board, const char *dir, struct arena *,
                         struct diag *);

#endif
