// SPDX-License-Identifier: Apache-2.0
// Cost of rill_fifo, the FIFO of one stream. It has no timing contract, because the simulator treats FIFOs as edges.
#include "gen/kernel/class.h"

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    cost_fifo_add(r, args_int(a, "DEPTH", 0), args_int(a, "DATA_W", 0), args_style(a, RAM_AUTO));
}

const struct kernel_class rtl_fifo = {.module = "rill_fifo", .cost = cost};
