// SPDX-License-Identifier: Apache-2.0
// The tensors of a checkpoint: model.safetensors in a folder, the files that its model.safetensors.index.json lists, or
// a GGUF file.
#ifndef RILL_SHARDS_H
#define RILL_SHARDS_H

#include "gen/model/safetensors.h"

struct shards;
struct family_values;

// Reads and checks all headers and keeps the files open. values: as for checkpoint_open_of. NULL after an error.
struct shards *shards_open(struct arena *arena, const char *source, const struct family_values *values,
                           struct diag *diag);
void shards_close(struct shards *); // NULL is fine
int shards_count(const struct shards *);
const struct safetensors_tensor *shards_at(const struct shards *, int index);
// Reads rows like safetensors_read_rows.
float *shards_read(struct shards *, int index, int64_t first, int64_t rows, struct arena *arena, struct diag *diag);
struct loc shards_loc(const struct shards *, int index);  // of a tensor's file; -1: of the only file, or of the index
const char *shards_path(const struct shards *, int file); // NULL: no such file

#endif
