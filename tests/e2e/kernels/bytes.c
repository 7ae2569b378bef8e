// SPDX-License-Identifier: Apache-2.0
// Converts fp32 to fixed point with FRAC bits after the point, as int8 rounded toward zero and clipped to +-127, and
// back.
#include <math.h>

#include "rill_kernel.h"

void narrow(struct rill_call *call) {
    double scale = ldexp(1, (int)rill_parameter(call, "FRAC", 0));
    for (int64_t i = 0; i < call->in[0].elements; i++) {
        double x = trunc(call->in[0].f32[i] * scale);
        call->out[0].i8[i] = (int8_t)(x > 127 ? 127 : x < -127 ? -127 : x);
    }
}

void widen(struct rill_call *call) {
    float scale = ldexpf(1, -(int)rill_parameter(call, "FRAC", 0));
    for (int64_t i = 0; i < call->in[0].elements; i++) call->out[0].f32[i] = (float)call->in[0].i8[i] * scale;
}
