// SPDX-License-Identifier: Apache-2.0
// Computes x * scale, negated where the lowest bit of `turn` is 1.
#include "rill_kernel.h"
#include "fp32.h"

void affine(struct rill_call *call) {
    struct golden_fault fault = {0};
    const struct rill_value *scale = &call->vector[0], *turn = &call->vector[1];
    for (int64_t i = 0; i < call->in[0].elements; i++) {
        float by = rill_bits(turn->f32[i]) & 1 ? -scale->f32[i] : scale->f32[i];
        call->out[0].f32[i] = g_mul(rill_flush(call->in[0].f32[i]), rill_flush(by), &fault);
    }
    call->fault = fault.raised;
}
