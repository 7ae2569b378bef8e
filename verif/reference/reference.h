// SPDX-License-Identifier: Apache-2.0
// Plain fp32 GPT-2 with a KV cache: what the model computes before anything is quantized. Measures accuracy, never
// exactness.
#ifndef RILL_REFERENCE_H
#define RILL_REFERENCE_H

#include "checkpoint.h"

// y[rows] = w[rows][k] x[k] + bias[rows]; bias NULL: none.
struct reference_linear {
    int64_t rows, k;
    float *w;
    const float *bias;
};

struct reference_norm {
    const float *gamma, *beta; // [hidden]
};

struct reference_layer {
    struct reference_norm norm1, norm2;
    struct reference_linear qkv;      // [3 * hidden][hidden]: q, k, v
    struct reference_linear out;      // [hidden][hidden]
    struct reference_linear up, down; // [ffn][hidden], [hidden][ffn]
    float *keys, *values;             // [context][hidden]
};

struct reference_model {
    struct gpt2_config config;
    float *token_table;           // [vocab][hidden]
    const float *position_table;  // [context][hidden]
    struct reference_linear head; // [vocab][hidden]; the token table itself when tied
    struct reference_norm norm_final;
    struct reference_layer *layers;
    float *scratch, *logits;
};

// All memory is the arena's. NULL after reporting.
struct reference_model *reference_open(struct arena *arena, struct checkpoint *checkpoint,
                                       const struct gpt2_config *config, struct diag *diag);

// One position; 0 starts anew, the others follow in order. id < vocab, position < context. The logits [vocab] live
// until the next step; NULL when they are not wanted (the head is skipped).
const float *reference_step(struct reference_model *model, uint32_t id, int64_t position, bool want_logits);

// Index of the largest value, ties to the lowest.
uint32_t reference_argmax(const float *x, int64_t n);

#endif
