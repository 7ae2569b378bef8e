// SPDX-License-Identifier: Apache-2.0
// Reads the named tensors of a model from a Hugging Face style directory or a GGUF file, or makes random weights of any
// shape. All values are returned as fp32.
#ifndef RILL_CHECKPOINT_H
#define RILL_CHECKPOINT_H

#include "gen/base/diag.h"

// ---- tensors ----

struct checkpoint;
struct family_values;

// Opens a checkpoint. source: a directory with model.safetensors, or with model.safetensors.index.json and the files
// that it lists; a GGUF file; or "random:SEED" (SEED: a decimal 64-bit number). The files stay open and are read tensor
// by tensor. Returns NULL after an error.
struct checkpoint *checkpoint_open(struct arena *arena, const char *source, struct diag *diag);
// Returns whether the folder or file `source` exists. If not, reports an error. Not for "random:SEED".
bool checkpoint_is_there(struct arena *arena, const char *source, struct diag *diag);
// Like checkpoint_open, and gives the tensors of a GGUF file the names and layouts that the family of `values`
// describes. If `values` is NULL, the tensors keep the file's names and layouts.
struct checkpoint *checkpoint_open_of(struct arena *arena, const char *source, const struct family_values *values,
                                      struct diag *diag);
void checkpoint_close(struct checkpoint *checkpoint); // NULL is fine
// Sets how names of the spec relate to names in the files. prefix: a prefix of the names in the files that callers may
// leave out, or NULL. unused: patterns (`*`: any characters) of names that need not be used, or `NAME = OTHER`, where
// NAME is a copy of OTHER and must equal it. Both must live as long as the checkpoint.
void checkpoint_set_names(struct checkpoint *checkpoint, const char *prefix, const char *const *unused, size_t count);
const char *checkpoint_dir(const struct checkpoint *checkpoint); // folder or GGUF file; NULL for random weights
// Returns a checksum of the seed, or of every byte of the files. A file that cannot be read counts as empty.
uint64_t checkpoint_checksum(const struct checkpoint *checkpoint);

// A matrix [rows][cols] cut out of a stored one: all columns of the rows row_offset .. row_offset + rows - 1.
// transpose: the file stores it as [cols][all rows] instead of [all rows][cols]. all_rows: rows of the whole matrix; 0:
// unknown to the caller, so only checkpoint_check_coverage checks them. A slice without rows or columns, or one that
// leaves all_rows, is an internal error, which ends the program.
struct checkpoint_slice {
    const char *name; // with or without the file's prefix
    int64_t rows, cols;
    bool transpose;
    int64_t row_offset, all_rows;
    bool is_table; // a row per position, or a table that a custom kernel reads; false: weights, or embeddings of tokens
};

// Returns the slice as fp32 values in `arena`; the caller may release them with arena_release. Returns NULL after an
// error that names file and tensor: an absent tensor, another shape, an unknown dtype, a truncated file, or a value
// that is not finite.
//
// Random values are nearly normal, with standard deviation 1 / sqrt(cols). For a table it is 3, so that each position
// has a distinct residual, and thus distinct generated tokens, however many layers add to it. Element (r, c) of a
// tensor depends only on seed, name, cols, row_offset + r, c, transpose and is_table. So slices and shared (tied)
// tensors agree, and a matrix that is read transposed by mistake has other values.
float *checkpoint_matrix(struct checkpoint *checkpoint, struct arena *arena, const struct checkpoint_slice *slice,
                         struct diag *diag);
// Returns only rows first .. first + rows - 1 of the slice. If the stored matrix is not transposed, nothing else is
// read.
float *checkpoint_rows(struct checkpoint *checkpoint, struct arena *arena, const struct checkpoint_slice *slice,
                       int64_t first, int64_t rows, struct diag *diag);
// Returns how many rows to read at once, so that a matrix of any size takes little memory: an even number, or all rows.
// A transposed matrix is read as a whole.
int64_t checkpoint_piece(const struct checkpoint_slice *slice);

// The role of a vector, which decides its random values: gains are near 1, biases near 0.
enum checkpoint_role { CHECKPOINT_BIAS, CHECKPOINT_GAIN };
// Returns elements offset .. offset + n - 1 of a vector of all_n (0: unknown) elements as fp32 values in `arena`, or
// NULL after an error. `role` matters only for random values.
float *checkpoint_vector(struct checkpoint *checkpoint, struct arena *arena, const char *name, int64_t n,
                         int64_t offset, int64_t all_n, enum checkpoint_role role, struct diag *diag);

// Reports tensors that were not read completely, as in a checkpoint with more layers or wider matrices than the spec
// has. A tensor that was not read at all is no error if it may be unused, or if it is a copy and equals its original.
// Call this after everything was read. Returns false after an error. Random weights have nothing to check.
bool checkpoint_check_coverage(struct checkpoint *checkpoint, struct diag *diag);

#endif
