// SPDX-License-Identifier: Apache-2.0
// Gives access to the tensors of a checkpoint as one list, whether they are in model.safetensors of a folder, in the
// files (shards) that model.safetensors.index.json of the folder lists, or in a GGUF file. checkpoint.h finds tensors
// in the list by their names.
#ifndef RILL_SHARDS_H
#define RILL_SHARDS_H

#include "gen/model/safetensors.h"

struct shards;
struct family_values;

// Reads and checks all headers and keeps the files open. values: as for checkpoint_open_of. Returns NULL after an
// error.
struct shards *shards_open(struct arena *arena, const char *source, const struct family_values *values,
                           struct diag *diag);
void shards_close(struct shards *);      // NULL is fine
int shards_count(const struct shards *); // number of tensors
const struct safetensors_tensor *shards_at(const struct shards *, int index);
// Reads rows like safetensors_read_rows.
float *shards_read(struct shards *, int index, int64_t first, int64_t rows, struct arena *arena, struct diag *diag);
// Returns the file of a tensor, as a place for messages. index -1: the only file, or the index file.
struct loc shards_loc(const struct shards *, int index);
const char *shards_path(const struct shards *, int file); // path of a file by its number; NULL: no such file

#endif
