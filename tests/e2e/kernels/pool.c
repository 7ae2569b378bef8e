// SPDX-License-Identifier: Apache-2.0
// Computes the largest of every GROUP neighbours. The last group may be shorter.
#include "rill_kernel.h"

// Returns an integer that orders as the float does, with -0 below +0.
static uint32_t key(float x) {
    uint32_t bits = rill_bits(x);
    return bits >> 31 ? ~bits : bits | 0x80000000u;
}

void largest(struct rill_call *call) {
    const float *x = call->in[0].f32;
    int64_t group = rill_parameter(call, "GROUP", 1);
    for (int64_t o = 0; o < call->out[0].elements; o++) {
        float best = x[o * group];
        for (int64_t i = o * group; i < (o + 1) * group && i < call->in[0].elements; i++)
            if (key(x[i]) > key(best)) best = x[i];
        call->out[0].f32[o] = best;
    }
}
