// SPDX-License-Identifier: Apache-2.0
// Limits the magnitude to that of the float whose bits are LIMIT. NaN and infinity are faults.
#include "rill_kernel.h"

void clamp(struct rill_call *call) {
    uint32_t limit = (uint32_t)rill_parameter(call, "LIMIT", 0);
    for (int64_t i = 0; i < call->in[0].elements; i++) {
        uint32_t x = rill_bits(rill_flush(call->in[0].f32[i])), magnitude = x & 0x7fffffffu;
        if (magnitude >= 0x7f800000u) call->fault = 1;
        call->out[0].f32[i] = rill_float((x & 0x80000000u) | (magnitude > limit ? limit : magnitude));
    }
}
