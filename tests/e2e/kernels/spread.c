// SPDX-License-Identifier: Apache-2.0
// Repeats every element TIMES times.
#include "rill_kernel.h"

void spread(struct rill_call *call) {
    int64_t times = rill_parameter(call, "TIMES", 1);
    for (int64_t i = 0; i < call->out[0].elements; i++) call->out[0].f32[i] = call->in[0].f32[i / times];
}
