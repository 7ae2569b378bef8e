// SPDX-License-Identifier: Apache-2.0
// The channel images under construction (docs/engine.md and docs/memory.md give the layouts).
#ifndef RILL_IMAGE_H
#define RILL_IMAGE_H

#include <stdio.h>

#include "gen/pack/golden_store.h"
#include "gen/ir/ir.h"

enum { IMAGE_MAX_CHANNELS = 32, IMAGE_MAGIC = 0x474d4952 /* RIMG */, IMAGE_VERSION = 1 };

struct image_part {   // one contiguous piece, for the manifest
    const char *name; // of the segment
    int channel, repetition;
    int64_t offset, bytes;
    uint32_t crc;
};

struct image {
    const struct ir *ir;
    struct output *out;
    struct arena *arena;            // of the run
    struct arena *scratch;          // of one matrix
    FILE *file[IMAGE_MAX_CHANNELS]; // file[0] NULL: golden weights only
    FILE *golden;                   // of the golden weights
    const char *calibration;        // of what text, for the manifest; NULL: none
    VEC(struct image_part) parts;
};

bool image_open(struct image *);
// A product's matrix to all lanes, or an embedding table to its records.
bool image_matrix(struct image *, const struct store_entry *, const struct qmatrix *, struct diag *);
// A table by position, or the parameters of a norm.
bool image_floats(struct image *, const struct store_entry *, const float *, struct diag *);
// The header, when all other parts are there: what the design compares before it reads anything else.
bool image_header(struct image *, uint64_t checksum, struct diag *);
// manifest.c: of all parts, never 0.
uint64_t image_checksum(const struct image *);
// The header and the manifest, and the tokenizer's files where the checkpoint's directory has them (dir NULL: none).
bool image_finish(struct image *, const char *source, const char *dir, struct diag *);
// check_config.c: config.json of a checkpoint against the spec of a model, by the keys of its family. Shapes alone do
// not tell the number of heads or eps. True where there is nothing to compare.
bool pack_check_config(const struct ir *, const char *dir, struct diag *);
// check_angles.c: divisors of frequencies that a GGUF file has, against the tables of the graph.
struct family;
bool pack_check_angles(const struct ir *, const struct family *, const char *path, struct diag *);

#endif
