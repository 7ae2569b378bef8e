// SPDX-License-Identifier: Apache-2.0
// Cost of rill_credit_receive, the receiving end of a stream between dies with its FIFO.
#include "gen/kernel/class.h"

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    int64_t bits = args_int(a, "DATA_W", 1);
    cost_fifo_add(r, args_int(a, "DEPTH", 0), bits, args_style(a, RAM_AUTO));
    cost_per(r, 1, PER_CREDIT_RECEIVE);
    r->ff += bits;
    if (args_int(a, "PARTS", 1) > 1) cost_per(r, 1, PER_CREDIT_RECEIVE_PARTS);
}

const struct kernel_class rtl_credit_receive = {.module = "rill_credit_receive", .cost = cost};
