// SPDX-License-Identifier: Apache-2.0
// The golden functions of narrow.v and widen.v. narrow converts fp32 to int8 with FRAC bits after the point, rounded
// toward zero and clipped to +-127. widen converts such numbers back.
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
