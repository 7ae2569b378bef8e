// SPDX-License-Identifier: Apache-2.0
// Sets negative and subnormal elements to 0. NaN and infinity are faults.
#include "rill_kernel.h"

void rectify(struct rill_call *call) {
    for (int64_t i = 0; i < call->in[0].elements; i++) {
        uint32_t x = rill_bits(rill_flush(call->in[0].f32[i]));
        if ((x & 0x7fffffffu) >= 0x7f800000u) call->fault = 1;
        call->out[0].f32[i] = rill_float(x >> 31 ? 0 : x);
    }
}
