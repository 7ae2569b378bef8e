// SPDX-License-Identifier: Apache-2.0
// The memory image: quantized weights laid out as the lanes read them, tables, vector parameters, and a separate file
// of golden weights.
#ifndef RILL_PACK_H
#define RILL_PACK_H

#include "gen/base/base.h"
#include "gen/ir/ir.h"

// Quantizes and packs the weights of a design (after all passes) from source, which is a checkpoint (a folder or a GGUF
// file) or "random:SEED", into files of the output set: image/channel_NN.bin (from offset 0 of each channel, sparse),
// image/golden.bin, the oracle's weights, image/manifest.json and the tokenizer's files. statistics: quantize with
// these (gen/reference/calibrate.h); NULL: from the weights alone. Returns false after an error; the caller then aborts
// the set.
struct statistics;
bool pack_image_by(const struct ir *ir, const char *source, const struct statistics *statistics, struct output *out,
                   struct diag *diag);
// Writes only the golden weights, for tests of the replay. The types must be inferred.
bool pack_golden(const struct ir *ir, const char *source, struct output *out, struct diag *diag);

// Whether image_dir/manifest.json was written for this memory layout and every checksum agrees. Reports an error if
// not.
bool pack_check_image(const struct ir *ir, const char *image_dir, struct diag *diag);
// Says in words what image_dir contains if it is not an image of this design and its layout. NULL: it is one, or has no
// image.
const char *pack_foreign_image(const struct ir *ir, const char *image_dir);
// Opens the weights for a design's spec, in the way that its family describes. The types in ir need not be inferred.
// Returns NULL after an error.
struct checkpoint;
struct checkpoint *pack_open_checkpoint(const struct ir *ir, const char *source, struct diag *diag);
// Checks that the tokenizer of a language model's checkpoint has no more tokens than the vocabulary. Without a
// tokenizer only ids go in and out. If it cannot be used, a warning says so.
bool pack_check_tokenizer(const struct ir *, const char *dir, struct diag *);
bool pack_has_tokenizer(const struct ir *ir, const char *dir); // the files of a tokenizer are next to the weights
// The hash of the memory layout. It is equal for designs that can use each other's images, given equal weights.
uint64_t pack_layout_hash(const struct ir *ir);

#endif
