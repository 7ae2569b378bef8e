// SPDX-License-Identifier: Apache-2.0
// Named tensors of a model: a Hugging Face style directory, or random weights of any shape. Everything comes out as
// fp32.
#ifndef RILL_CHECKPOINT_H
#define RILL_CHECKPOINT_H

#include "gen/base/diag.h"

// ---- tensors ----

struct checkpoint;
struct family_values;

// source: a directory with model.safetensors, or with model.safetensors.index.json and the files that it lists,
// a GGUF file, or "random:SEED" (SEED a decimal 64-bit
// number). The files stay open and are read tensor by tensor. NULL after reporting the error.
struct checkpoint *checkpoint_open(struct arena *arena, const char *source, struct diag *diag);
// Whether a folder or a file is there at all; false after reporting that it is not.
bool checkpoint_is_there(struct arena *arena, const char *source, struct diag *diag);
// values: of the family that says what the tensors of a GGUF file are (NULL: they have the file's names and layout).
struct checkpoint *checkpoint_open_of(struct arena *arena, const char *source, const struct family_values *values,
                                      struct diag *diag);
void checkpoint_close(struct checkpoint *checkpoint); // NULL is fine
// prefix: what the file's names may begin with and those that are asked for may leave out, or NULL. unused: patterns
// (`*`: any characters) of names that need no use, or `NAME = OTHER`: a copy of a tensor, which must equal it. Both
// must live as long as the checkpoint.
void checkpoint_set_names(struct checkpoint *checkpoint, const char *prefix, const char *const *unused, size_t count);
const char *checkpoint_dir(const struct checkpoint *checkpoint); // NULL for random weights
// Of the seed, or of every byte of the files; one that cannot be read counts as empty.
uint64_t checkpoint_checksum(const struct checkpoint *checkpoint);

// A matrix [rows][cols] cut out of a stored one: rows row_offset .. row_offset + rows - 1 of all its columns.
// transpose: the file holds it as [cols][all rows], else as [all rows][cols].
// all_rows: rows of the whole matrix when the caller knows it, 0: checked by checkpoint_check_coverage alone.
struct checkpoint_slice {
    const char *name; // with or without the file's prefix
    int64_t rows, cols;
    bool transpose;
    int64_t row_offset, all_rows;
    bool is_table; // rows are added to the residual, not multiplied with it
};

// fp32 values in `arena` (may be scratch: take a mark around large matrices). NULL after an error that names file and
// tensor: absent, other shape, unknown dtype, truncated file, a value that is not finite. Random: normal with standard
// deviation 1 / sqrt(cols), of a table 3: each position then has a residual of its own, and so ids that differ, however
// many layers add to it. Element (r, c) of a name depends on seed, name, row_offset + r, c and transpose alone, so
// slices and shared (tied) tensors agree, and a matrix that is read the wrong way round is another one.
float *checkpoint_matrix(struct checkpoint *checkpoint, struct arena *arena, const struct checkpoint_slice *slice,
                         struct diag *diag);
// Rows first .. first + rows - 1 of the slice alone: of a stored matrix that is not transposed no more is read.
float *checkpoint_rows(struct checkpoint *checkpoint, struct arena *arena, const struct checkpoint_slice *slice,
                       int64_t first, int64_t rows, struct diag *diag);
// How many rows to read at once, so that a matrix of any size takes little memory; even, or all of them.
int64_t checkpoint_piece(const struct checkpoint_slice *slice);

// What a random vector looks like: a gain is near 1, a bias near 0.
enum checkpoint_role { CHECKPOINT_BIAS, CHECKPOINT_GAIN };
// Elements offset .. offset + n - 1 of a vector of all_n (0: unknown) elements.
float *checkpoint_vector(struct checkpoint *checkpoint, struct arena *arena, const char *name, int64_t n,
                         int64_t offset, int64_t all_n, enum checkpoint_role role, struct diag *diag);

// After everything was read: reports tensors of which no or not every element was asked for (a checkpoint with more
// layers or wider matrices than the spec), but for those that may be unused. True when complete.
bool checkpoint_check_coverage(struct checkpoint *checkpoint, struct diag *diag);

#endif
