// SPDX-License-Identifier: Apache-2.0
// Draws a token at random (docs/numerics.md section 10) with the same bits as the RTL module rill_sample.
#ifndef RILL_SAMPLE_H
#define RILL_SAMPLE_H

#include <stddef.h>

#include "gen/numerics/fp32.h"
#include "gen/base/sampling.h"

// Computes 64 random bits from a key and a counter: the Threefry-2x32 generator with 20 rounds.
void golden_threefry(const uint32_t key[2], const uint32_t counter[2], uint32_t out[2]);
// Returns the 32 random bits of token `id` at a position. They depend only on the arguments, so that a run can be
// repeated.
uint32_t golden_random(uint64_t seed, int64_t position, uint32_t id);
// Returns the index that is drawn from the logits x[n], or the index of the largest one at temperature 0. most: the
// largest top_k that the design supports. Settings that the design rejects raise a fault.
size_t golden_sample(size_t n, const float x[], const struct sampling *s, int64_t most, int64_t position,
                     struct golden_fault *fault);

#endif
