// SPDX-License-Identifier: Apache-2.0
// Reads the safetensors format: length of the header (8 bytes, little endian), JSON header, raw bytes of tensors.
// All values are returned as fp32. shards.h reads a checkpoint that consists of several such files.
#ifndef RILL_SAFETENSORS_H
#define RILL_SAFETENSORS_H

#include "gen/base/diag.h"

// Types of elements. OTHER: a known type of the format that cannot be read as weights.
enum safetensors_dtype { SAFETENSORS_F32, SAFETENSORS_F16, SAFETENSORS_BF16, SAFETENSORS_OTHER };
enum { SAFETENSORS_MAX_RANK = 8 };

struct safetensors_tensor {
    const char *name;
    const char *dtype_name; // as in the file
    enum safetensors_dtype dtype;
    int rank;
    int64_t shape[SAFETENSORS_MAX_RANK];
    int64_t elements;
    uint64_t begin, end; // byte range in the data area, which follows the header
};

struct safetensors;

// Reads and checks the header: types, shapes against numbers of bytes, and that the byte ranges are inside the file and
// do not overlap. The file stays open and is read tensor by tensor. Returns NULL after an error.
struct safetensors *safetensors_open(struct arena *arena, const char *path, struct diag *diag);
void safetensors_close(struct safetensors *file); // NULL is fine
const char *safetensors_path(const struct safetensors *file);

int safetensors_count(const struct safetensors *file);
const struct safetensors_tensor *safetensors_at(const struct safetensors *file, int index); // ordered by byte range
int safetensors_find(const struct safetensors *file, const char *name);                     // -1: none

// Reads all elements as fp32 (exact) into arena memory. Returns NULL after an error that names the tensor.
float *safetensors_read(struct safetensors *file, int index, struct arena *arena, struct diag *diag);
// Like safetensors_read, for only rows first .. first + rows - 1, which must exist. A row is an index of the first
// dimension. A scalar has the single row 0.
float *safetensors_read_rows(struct safetensors *file, int index, int64_t first, int64_t rows, struct arena *arena,
                             struct diag *diag);
int64_t safetensors_rows(const struct safetensors_tensor *tensor); // extent of the first dimension; 1 for a scalar

// Returns the shape as `[2, 3]`, in arena memory.
const char *safetensors_shape_text(struct arena *arena, const struct safetensors_tensor *tensor);

// These return the value of the bits of a 16-bit float (IEEE half precision, bfloat16), exactly.
float safetensors_from_f16(uint16_t bits);
float safetensors_from_bf16(uint16_t bits);

#endif
