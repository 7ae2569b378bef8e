// SPDX-License-Identifier: Apache-2.0
// The golden weights of a design: every quantized matrix, table and vector parameter, by node and repetition, in one
// file (image/golden.bin). The file has a magic number, the number of entries, the entries, and then the arrays at
// 64-byte boundaries. A matrix that several nodes share (a tied head) is stored once. `rill pack` writes the file, and
// verif/replay maps it.
#ifndef RILL_GOLDEN_STORE_H
#define RILL_GOLDEN_STORE_H

#include <stdio.h>

#include "gen/ir/ir.h"
#include "gen/numerics/quantize.h"

#define GOLDEN_STORE_FILE "golden.bin"
#define GOLDEN_STORE_MAGIC "RILLGLD3"

// The weights of a node in one repetition (0 for a node outside of repeated regions). The fields from q to f32 are
// offsets of arrays, in bytes from the start of the file. Offset 0 means that the entry has no such array.
struct store_entry {
    int32_t node, repetition;
    int32_t format; // enum qformat of the array q; its elements are int16_t with QFORMAT_INT16, else int8_t
    // 1: the entry has `rows` x `k` fp32 values in f32 instead of q: the rows of a table, or one row for each parameter
    // vector, such as the gain of a norm and then its offset.
    int32_t is_float;
    int32_t owner;    // entry that stores the matrix: its own index, or that of an earlier entry with the same matrix
    int32_t reserved; // 0
    // Sizes. k: columns; group: weights that share a scale; groups: groups in a row.
    int64_t rows, k, group, groups;
    int64_t q, row_scale, group_scale, group_offset, bias, f32;
};

// Returns the entries that a design needs, in the order of nodes and repetitions, with their offsets. Sets *bytes to
// the size of the file.
struct store_entry *store_plan(struct arena *, const struct ir *, int *count, int64_t *bytes);
// Returns the name in the checkpoint of the tensor that a node's attribute `key` gives, where the repetition replaces
// `{layer}`. Returns "" if the node does not have the attribute.
const char *store_tensor_name(struct arena *, const struct ir_node *, const char *key, int64_t repetition);

// These write the head and the arrays at their offsets, in any order. They return false, with errno, if the file cannot
// be written.
bool store_write_head(FILE *, const struct store_entry *, int count);
// Writes the matrix of an entry that is its own owner. Does not write the bias.
bool store_write_matrix(FILE *, const struct store_entry *, const struct qmatrix *);
bool store_write_bias(FILE *, const struct store_entry *, const float *bias); // does nothing if the entry has no bias
bool store_write_floats(FILE *, const struct store_entry *, const float *);

struct store {
    const uint8_t *data; // the file, mapped
    size_t size;         // bytes of the file
    const struct store_entry *entry;
    int count;
};
// Maps the file in `image_dir` until store_close. Reports an error and returns false if the file is absent, truncated,
// or of another design.
bool store_open(struct store *, struct arena *, const struct ir *, const char *image_dir, struct diag *);
void store_close(struct store *);
const struct store_entry *store_find(const struct store *, int node, int64_t repetition); // NULL if absent
// Returns the array at an offset of an entry, or NULL if the entry has no such array.
static inline const void *store_at(const struct store *s, int64_t offset) { return offset ? s->data + offset : NULL; }

#endif
