// SPDX-License-Identifier: Apache-2.0
// Timing contract and cost of rill_credit_send, the sending end of a stream between dies, which sends a word only if
// the receiving end has a place for it.
#include "gen/kernel/class.h"

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)a, (void)at;
    class_pipe(c, 1);
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    int64_t count_bits = log2_up(args_int(a, "CREDITS", 1) + 1), bits = args_int(a, "DATA_W", 1),
            parts = at_least(args_int(a, "PARTS", 1), 1), rest = (parts - 1) * div_up(bits, parts);
    cost_per(r, count_bits, PER_CREDIT_SEND_COUNTER_BIT);
    cost_per(r, 1, PER_CREDIT_SEND_BASE);
    r->lut += rest;
    r->ff += bits;
    if (parts > 1) cost_per(r, 1, PER_CREDIT_SEND_PARTS);
}

const struct kernel_class rtl_credit_send = {.module = "rill_credit_send", .contract = contract, .cost = cost};
