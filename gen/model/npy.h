// SPDX-License-Identifier: Apache-2.0
// Reads and writes arrays of fp32 in numpy's .npy format. Such a file has a magic number, the version (1 to 3), a
// header that is a Python dictionary, and the values.
#ifndef RILL_NPY_H
#define RILL_NPY_H

#include "gen/base/diag.h"

enum { NPY_MAX_RANK = 8 };

struct npy_array {
    int rank; // 0 to NPY_MAX_RANK
    int64_t shape[NPY_MAX_RANK];
    int64_t elements; // product of the shape; 1 for rank 0
};

struct npy;

// Reads and checks the header: little-endian fp32 in C order, and exactly as many bytes as the shape needs. The file
// stays open. Returns NULL after an error.
struct npy *npy_open(struct arena *arena, const char *path, struct diag *diag);
void npy_close(struct npy *file); // NULL is fine
const struct npy_array *npy_array(const struct npy *file);
// Reads the first `elements` elements of the array into `out`. More than the array has are an internal error, which
// ends the program. Returns false after an error of the file.
bool npy_read(struct npy *file, int64_t elements, float *out, struct diag *diag);

// Adds the bytes of a whole file to `out`, in version 1 like numpy.save. values: array->elements values.
void npy_write(struct text *out, const struct npy_array *array, const float *values);

#endif
