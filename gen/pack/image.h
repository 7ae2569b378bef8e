// SPDX-License-Identifier: Apache-2.0
// The channel images under construction (docs/engine.md and docs/memory.md give the layouts).
#ifndef RILL_IMAGE_H
#define RILL_IMAGE_H

#include <stdio.h>

#include "gen/pack/golden_store.h"
#include "gen/ir/ir.h"

enum { IMAGE_MAX_CHANNELS = 32, IMAGE_MAGIC = 0x474d4952 /* RIMG */, IMAGE_VERSION = 1 };

struct image_part {   // a contiguous piece of the image, for the manifest
    const char *name; // name of the segment
    int channel, repetition;
    int64_t offset, bytes;
    uint32_t crc;
};

struct image {
    const struct ir *ir;
    struct output *out;
    struct arena *arena;            // for the whole run
    struct arena *scratch;          // for one matrix
    FILE *file[IMAGE_MAX_CHANNELS]; // file[0] NULL: write only the golden weights
    FILE *golden;                   // file of the golden weights
    const char *calibration;        // name of the calibration text, for the manifest; NULL: none
    VEC(struct image_part) parts;
};

bool image_open(struct image *);
// Writes a product's matrix for all lanes, or an embedding table as records.
bool image_matrix(struct image *, const struct store_entry *, const struct qmatrix *, struct diag *);
// Writes a table by position, or the parameters of a norm.
bool image_floats(struct image *, const struct store_entry *, const float *, struct diag *);
// Writes the header, after all other parts. The hardware compares the header before it reads anything else.
bool image_header(struct image *, uint64_t checksum, struct diag *);
// Checksum of all parts, never 0 (manifest.c).
uint64_t image_checksum(const struct image *);
// Writes the header and the manifest, and copies the tokenizer's files if the checkpoint's directory has them (dir
// NULL: no directory).
bool image_finish(struct image *, const char *source, const char *dir, struct diag *);
// In check_config.c: compares config.json of a checkpoint with the spec of a model, by the keys of its family, because
// shapes alone do not tell the number of heads or eps. Returns true if there is nothing to compare.
bool pack_check_config(const struct ir *, const char *dir, struct diag *);
// In check_angles.c: compares the frequency divisors in a GGUF file with the tables of angles in the graph.
struct family;
bool pack_check_angles(const struct ir *, const struct family *, const char *path, struct diag *);

#endif
