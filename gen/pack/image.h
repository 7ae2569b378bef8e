// SPDX-License-Identifier: Apache-2.0
// The memory image while `rill pack` writes it: one file per channel, and a list of the parts for the manifest.
// docs/engine.md and docs/memory.md describe the layouts.
#ifndef RILL_IMAGE_H
#define RILL_IMAGE_H

#include <stdio.h>

#include "gen/pack/golden_store.h"
#include "gen/ir/ir.h"

// IMAGE_MAGIC, IMAGE_VERSION: the first two words of the header, which the hardware checks.
enum { IMAGE_MAX_CHANNELS = 32, IMAGE_MAGIC = 0x474d4952 /* RIMG */, IMAGE_VERSION = 1 };

struct image_part {          // a contiguous piece of the image, for the manifest
    const char *name;        // name of the segment
    int channel, repetition; // repetition: of the operation's region; 0 if the segment has one part for all of them
    int64_t offset, bytes;   // offset: in bytes from the start of the channel's file
    uint32_t crc;            // CRC-32 of the bytes
};

struct image {
    const struct ir *ir;
    struct output *out;
    struct arena *arena;            // for the whole run
    struct arena *scratch;          // for one matrix
    FILE *file[IMAGE_MAX_CHANNELS]; // per channel; file[0] is NULL if only the golden weights are written
    FILE *golden;                   // file of the golden weights
    const char *calibration;        // name of the calibration text, for the manifest; NULL: none
    VEC(struct image_part) parts;
};

// Opens the files of all channels in the output folder. This function and the functions below that return bool return
// false after an error.
bool image_open(struct image *);
// Returns whether the engine processes the first chunk of a product column by column, with K (the columns of the
// matrix) as the outermost loop. See layout_data_beat.
bool image_is_outer(const struct ir *, int node);
// Writes a product's matrix for all lanes, or an embedding table as records.
bool image_matrix(struct image *, const struct store_entry *, const struct qmatrix *, struct diag *);
// Writes a table by position, or the parameters of a norm.
bool image_floats(struct image *, const struct store_entry *, const float *, struct diag *);
// Writes the header, after all other parts. The hardware compares the header before it reads anything else.
bool image_header(struct image *, uint64_t checksum, struct diag *);
// Returns a checksum over the places and CRCs of all parts, which is never 0 (manifest.c).
uint64_t image_checksum(const struct image *);
// Writes the header and the manifest. Also copies the tokenizer from the checkpoint at `dir`, a folder or a GGUF file,
// if it has one. source: where the weights come from, as in pack.h; the manifest gets its last part as a name. dir:
// NULL for weights without a checkpoint.
bool image_finish(struct image *, const char *source, const char *dir, struct diag *);
// In check_config.c: compares config.json of the checkpoint at `dir` (or the metadata of a GGUF file) with the spec of
// a model, by the keys of its family, because shapes alone do not tell the number of heads or eps. Returns false after
// an error, and true if there is nothing to compare.
bool pack_check_config(const struct ir *, const char *dir, struct diag *);
// In check_angles.c: compares the frequency divisors in a GGUF file with the tables of angles (`rope_table`) in the
// graph. Returns false after an error, and true if `path` is not a GGUF file.
struct family;
bool pack_check_angles(const struct ir *, const struct family *, const char *path, struct diag *);

#endif
