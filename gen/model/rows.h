// SPDX-License-Identifier: Apache-2.0
// Rows of graphs that are no language models, in files: what goes in and what comes out, for each input or output an
// array [rows][...shape] of fp32. A .npy file holds one array, a .safetensors file each by its name.
#ifndef RILL_ROWS_H
#define RILL_ROWS_H

#include "gen/base/diag.h"
#include "gen/ir/ir.h"

struct rows_tensor {
    const char *name;
    int rank;
    int64_t shape[IR_MAX_RANK]; // of one row
    int64_t elements;           // of one row
    float *values;              // [rows][elements]
};

// The graph's inputs, or outputs, without values.
struct rows_tensor *rows_inputs(struct arena *arena, const struct ir *ir);
struct rows_tensor *rows_outputs(struct arena *arena, const struct ir *ir);

// What is wrong with the name of a file for so many tensors, NULL: nothing.
const char *rows_path_fault(struct arena *arena, const char *path, int count);

// The first `wanted` rows of all tensors (0: all that the file has), at most `most`; a file's other tensors are left.
// How many there are; 0 after errors (a tensor that is missing, of another shape or number of rows, NaN, infinity).
int64_t rows_read(struct arena *arena, const char *path, struct rows_tensor *tensor, int count, int64_t wanted,
                  int64_t most, struct diag *diag);

// The whole file appears, or after an error nothing.
bool rows_write(struct arena *arena, const char *path, const struct rows_tensor *tensor, int count, int64_t rows,
                struct diag *diag);

// Random rows (`--data-seed`): every input's, one input after the other, drawn from one state.
uint64_t rows_random_state(uint64_t seed);
float *rows_random(struct arena *arena, size_t count, uint64_t *state);

// FNV-1a by words over all outputs of a row, row by row; begins with 0.
static inline uint64_t rows_hash(uint64_t hash, uint32_t word) { return (hash ^ word) * 0x100000001b3u; }

#endif
