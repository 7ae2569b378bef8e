// SPDX-License-Identifier: Apache-2.0
// Negates the elements of every second position that the operation processes; zeros stay +0 or -0. The file is loaded
// once for each operation, so each operation has its own `seen`. Also checks that the caller passes the right number
// and name of the operation: a pair that does not belong together is a fault.
#include "rill_kernel.h"

static int64_t seen;

void turn(struct rill_call *call) {
    static const char *const names[] = {"once", "z"};
    if (call->position == 0 && call->repetition == 0) seen = 0;
    for (int64_t i = 0; i < call->in[0].elements; i++) {
        float x = call->in[0].f32[i];
        call->out[0].f32[i] = (seen & 1) && (rill_bits(x) & 0x7fffffffu) ? -x : x;
    }
    seen++;
    call->fault = call->instance < 0 || call->instance > 1 || strcmp(call->operation, names[call->instance]) != 0;
}
