// SPDX-License-Identifier: Apache-2.0
// The memory image: weights quantized and laid out as the lanes read them, tables, vector parameters, and the golden weights beside them.
#ifndef RILL_PACK_H
#define RILL_PACK_H

#include "base.h"
#include "ir.h"

// Quantizes and packs the weights of a design from source, a checkpoint directory or "random:SEED", into files of the output set:
// image/channel_NN.bin (from offset 0 of each channel), image/golden.bin, image/manifest.json and the tokenizer's files.
// False after reporting; the caller aborts the set.
bool pack_image(const struct ir *ir, const char *source, struct output *out, struct diag *diag);
// The golden weights alone (for `rill golden`).
bool pack_golden(const struct ir *ir, const char *source, struct output *out, struct diag *diag);

#endif
