// SPDX-License-Identifier: Apache-2.0
// Multiplies x with the row of the table that has the number of the position. A position past the table is a fault.
#include "rill_kernel.h"
#include "fp32.h"

void placed(struct rill_call *call) {
    struct golden_fault fault = {0};
    const struct rill_value *table = call->table;
    int64_t row = call->position, cols = table->extent[1];
    if (row >= table->extent[0]) {
        call->fault = 1;
        return;
    }
    for (int64_t i = 0; i < call->in[0].elements; i++)
        call->out[0].f32[i] = g_mul(rill_flush(call->in[0].f32[i]), rill_flush(table->f32[row * cols + i]), &fault);
    call->fault = fault.raised;
}
