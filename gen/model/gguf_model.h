// SPDX-License-Identifier: Apache-2.0
// Reads a GGUF file as a checkpoint: gives tensors the names and the layout that a family's graph reads, and metadata
// the names of the family's keys. The section `gguf` of the family says what the names in the file mean.
#ifndef RILL_GGUF_MODEL_H
#define RILL_GGUF_MODEL_H

#include "gen/spec/family.h"
#include "gen/model/gguf.h"
#include "gen/model/safetensors.h"

// Returns whether the path is a GGUF file, not the folder of a checkpoint: it is a plain file, or ends with `.gguf` if
// it does not exist.
bool gguf_is_path(const char *path);

struct gguf_model;

// Opens a GGUF file. values: the values of the model's family; NULL: the graph has no family and reads the tensors as
// they are in the file. Returns NULL after an error: a broken file, an architecture that the family does not read, or a
// tensor whose shape does not fit the family's rule for it.
struct gguf_model *gguf_model_open(struct arena *arena, const char *path, const struct family_values *values,
                                   struct diag *diag);
void gguf_model_close(struct gguf_model *); // NULL is fine
int gguf_model_count(const struct gguf_model *);
// Returns name and shape of a tensor. In the result, begin and end are 0, and dtype_name is ggml's.
const struct safetensors_tensor *gguf_model_at(const struct gguf_model *, int index);
// Reads the rows first .. first + rows - 1, which must exist, as fp32 into arena memory, in the layout that the
// family's graph reads. A row of a vector is one element. Cannot fail, because gguf_model_open has checked the file.
float *gguf_model_read(const struct gguf_model *, int index, int64_t first, int64_t rows, struct arena *arena);

// Returns a vector of fp32 values in the arena by its name in the file, and its length in *n. Returns NULL if the file
// has no such tensor, or after an error: a broken file, or a tensor that is not a vector.
const float *gguf_model_vector(struct arena *arena, const char *path, const char *tensor, int64_t *n,
                               struct diag *diag);
// Returns `general.architecture`, cut to 80 bytes, or "" if it is absent. Returns NULL after an error.
const char *gguf_model_architecture(struct arena *arena, const char *path, struct diag *diag);
// Returns a JSON text with the keys of the family's `gguf.metadata` that the file gives, and the other keys of the
// architecture. Returns NULL after an error.
const char *gguf_model_config(struct arena *arena, const struct family *, const char *path, struct diag *diag);

#endif
