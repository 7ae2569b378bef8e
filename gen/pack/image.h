// SPDX-License-Identifier: Apache-2.0
// The channel images under construction (docs/rtl.md sections 6 to 9 give the layouts).
#ifndef RILL_IMAGE_H
#define RILL_IMAGE_H

#include <stdio.h>

#include "../../verif/golden/store.h"
#include "ir.h"

enum { IMAGE_MAX_CHANNELS = 32 };

struct image_part { // one contiguous piece, for the manifest
    const char *name;
    int channel, repetition;
    int64_t offset, bytes;
    uint32_t crc;
};

struct image {
    const struct ir *ir;
    struct output *out;
    struct arena *arena;   // of the run
    struct arena *scratch; // released after each matrix
    FILE *file[IMAGE_MAX_CHANNELS];
    VEC(struct image_part) parts;
};

bool image_open(struct image *);
// A product's matrix to all lanes, or an embedding table to its records.
bool image_matrix(struct image *, const struct store_entry *, const struct qmatrix *, struct diag *);
// A position table, or the parameters of a norm.
bool image_floats(struct image *, const struct store_entry *, const float *, struct diag *);
// The manifest, and the tokenizer's files where the checkpoint's directory has them (dir NULL: none).
bool image_finish(struct image *, const char *source, const char *dir, struct diag *);

#endif
