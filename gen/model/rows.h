// SPDX-License-Identifier: Apache-2.0
// Reads and writes files with rows of graphs that are not language models: for each input or output an fp32 array
// [rows][...shape]. A .npy file has one array; a .safetensors file has arrays by name. rows_random makes random rows
// instead.
#ifndef RILL_ROWS_H
#define RILL_ROWS_H

#include "gen/base/diag.h"
#include "gen/ir/ir.h"

struct rows_tensor { // an input or output of a graph; a row is its value at one position
    const char *name;
    int rank;                   // of one row
    int64_t shape[IR_MAX_RANK]; // of one row
    int64_t elements;           // of one row
    float *values;              // [rows][elements]
};

// These return the graph's inputs, and its outputs, as an array in the arena. Their `values` are not set.
struct rows_tensor *rows_inputs(struct arena *arena, const struct ir *ir);
struct rows_tensor *rows_outputs(struct arena *arena, const struct ir *ir);

// Returns NULL if a file of this name can hold `count` tensors (.npy: one, .safetensors: any number), or otherwise a
// message.
const char *rows_path_fault(struct arena *arena, const char *path, int count);

// Reads the first `wanted` rows of all tensors (0: all rows in the file) into their `values`, which are in the arena.
// Other tensors in the file are ignored. Returns the number of rows, or 0 after errors (more than `most` rows, fewer
// than `wanted`, or a tensor that is missing, has another shape or number of rows, or contains NaN or infinity).
int64_t rows_read(struct arena *arena, const char *path, struct rows_tensor *tensor, int count, int64_t wanted,
                  int64_t most, struct diag *diag);

// Writes the whole file, or nothing after an error. Returns false after an error.
bool rows_write(struct arena *arena, const char *path, const struct rows_tensor *tensor, int count, int64_t rows,
                struct diag *diag);

// These make random rows (`--data-seed`). The first returns the state of the generator for a seed. The second returns
// the next `count` values in the arena, and changes the state. The values are in [-4, 4), with a bell-shaped
// distribution. One state gives the rows of all inputs, one input after the other.
uint64_t rows_random_state(uint64_t seed);
float *rows_random(struct arena *arena, size_t count, uint64_t *state);

// Returns a hash after one more 32-bit word: FNV-1a with words instead of bytes, beginning with 0. The hash of a run
// covers all outputs, row by row.
static inline uint64_t rows_hash(uint64_t hash, uint32_t word) { return (hash ^ word) * 0x100000001b3u; }

#endif
