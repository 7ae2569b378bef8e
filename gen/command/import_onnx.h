// SPDX-License-Identifier: Apache-2.0
// rill import of an ONNX file.
#ifndef RILL_IMPORT_ONNX_H
#define RILL_IMPORT_ONNX_H

#include "gen/onnx/onnx.h"

// Read an option NAME=N (the size of an axis) or NAME=VALUE (an input) into a struct onnx_options. Return NULL, or what
// is wrong with the value.
const char *command_take_dim(struct arena *, void *into, const char *value);
const char *command_take_set(struct arena *, void *into, const char *value);
bool command_import_onnx(const struct onnx_options *, const char *board, const char *dir, struct arena *,
                         struct diag *);

#endif
