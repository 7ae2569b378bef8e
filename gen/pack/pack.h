// SPDX-License-Identifier: Apache-2.0
// The memory image: weights quantized and laid out as the lanes read them, tables, vector parameters, and the golden
// weights beside them.
#ifndef RILL_PACK_H
#define RILL_PACK_H

#include "gen/base/base.h"
#include "gen/ir/ir.h"

// Quantizes and packs the weights of a design (all passes run) from source, a checkpoint directory or "random:SEED",
// into files of the output set: image/channel_NN.bin (from offset 0 of each channel, sparse), image/golden.bin,
// image/manifest.json and the tokenizer's files. By statistics (gen/reference/calibrate.h; NULL: by the weights alone).
// False after reporting; the caller aborts the set.
struct statistics;
bool pack_image_by(const struct ir *ir, const char *source, const struct statistics *statistics, struct output *out,
                   struct diag *diag);
// The golden weights alone (for `rill golden`; the types must be inferred).
bool pack_golden(const struct ir *ir, const char *source, struct output *out, struct diag *diag);

// True when image_dir/manifest.json was written for this memory layout and every checksum agrees; else false after
// reporting.
bool pack_check_image(const struct ir *ir, const char *image_dir, struct diag *diag);
// What lies in image_dir that is not an image of this design and its layout, in words; NULL: nothing.
const char *pack_foreign_image(const struct ir *ir, const char *image_dir);
// The weights of a design's spec, opened as its family says; ir: types need not be inferred. NULL after reporting.
struct checkpoint;
struct checkpoint *pack_open_checkpoint(const struct ir *ir, const char *source, struct diag *diag);
// The tokenizer of a language model's checkpoint: whole and no larger than the vocabulary, or none of its files (ids
// in, ids out).
bool pack_check_tokenizer(const struct ir *, const char *dir, struct diag *);
bool pack_has_tokenizer(const struct ir *ir, const char *dir); // a tokenizer's files lie beside the weights
// Equal for designs whose images are interchangeable given equal weights.
uint64_t pack_layout_hash(const struct ir *ir);

#endif
