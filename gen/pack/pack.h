// SPDX-License-Identifier: Apache-2.0
// Packing: makes the memory image of a design from a checkpoint, with the weights quantized and laid out as the lanes
// read them, and a file of golden weights for the reference model. Also checks images and checkpoints.
#ifndef RILL_PACK_H
#define RILL_PACK_H

#include "gen/base/base.h"
#include "gen/ir/ir.h"

// Quantizes and packs the weights of a design, after all passes, from `source`: a checkpoint (a folder or a GGUF file)
// or "random:SEED". Writes these files of the output set: image/channel_NN.bin (from offset 0 of each channel, sparse),
// image/golden.bin, the oracle's weights, image/manifest.json and the tokenizer's files. statistics: a calibration
// (gen/reference/calibrate.h) that guides the quantization, or NULL. Returns false after an error; the caller then
// aborts the set.
struct statistics;
bool pack_image_by(const struct ir *ir, const char *source, const struct statistics *statistics, struct output *out,
                   struct diag *diag);
// Writes only the golden weights, for tests of the replay. The pass infer-types must have run.
bool pack_golden(const struct ir *ir, const char *source, struct output *out, struct diag *diag);

// Checks that image_dir/manifest.json was written for this memory layout and that every checksum agrees. Reports an
// error and returns false if not.
bool pack_check_image(const struct ir *ir, const char *image_dir, struct diag *diag);
// Returns a phrase that describes the content of image_dir, such as "the image of design `x`", if this is anything but
// an image of this design and layout. Returns NULL if it is such an image, or if the folder has no image.
const char *pack_foreign_image(const struct ir *ir, const char *image_dir);
// Opens the checkpoint `source` for a design, with the tensor names that the design's family describes. The pass
// infer-types need not have run. Returns NULL after an error.
struct checkpoint;
struct checkpoint *pack_open_checkpoint(const struct ir *ir, const char *source, struct diag *diag);
// Checks that the tokenizer of a language model's checkpoint has no more tokens than the vocabulary. Returns true
// without a tokenizer, where requests can only consist of ids. Warns if the tokenizer cannot be used.
bool pack_check_tokenizer(const struct ir *, const char *dir, struct diag *);
bool pack_has_tokenizer(const struct ir *ir, const char *dir); // whether the checkpoint has a tokenizer
// Returns the hash of the memory layout. A design accepts only images that were packed for a design with the same hash.
uint64_t pack_layout_hash(const struct ir *ir);

#endif
