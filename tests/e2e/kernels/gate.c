// SPDX-License-Identifier: Apache-2.0
// Computes x if the first element of s is positive, else zeros.
#include "rill_kernel.h"

void gate(struct rill_call *call) {
    const struct rill_value *x = &call->in[0], *s = &call->in[1];
    for (int64_t i = 0; i < x->elements; i++) call->out[0].f32[i] = s->f32[0] > 0 ? x->f32[i] : 0.0f;
}
