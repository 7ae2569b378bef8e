// SPDX-License-Identifier: Apache-2.0
// Computes y = x * (position + 1), with the position of the row in the request.
#include "rill_kernel.h"
#include "fp32.h"

void graded(struct rill_call *call) {
    struct golden_fault fault = {0};
    for (int64_t i = 0; i < call->in[0].elements; i++)
        call->out[0].f32[i] = g_mul(rill_flush(call->in[0].f32[i]), (float)(call->position + 1), &fault);
    call->fault = fault.raised;
}
