// SPDX-License-Identifier: Apache-2.0
// Contract and cost of rill_token_select. In steps whose step word has `head`, it passes the last token of a firing, or
// all tokens in designs with drafts or slots. It drops everything else.
#include "gen/kernel/class.h"

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)a, (void)at;
    c->machine = TIMING_SELECT;
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    (void)a;
    cost_per(r, 1, PER_TOKEN_SELECT);
}

const struct kernel_class rtl_token_select = {
    .module = "rill_token_select",
    .doc = "in steps with head = 1, passes on the last token, with the tuser of a step of one token (number 0, last); "
           "drops all other words",
    .traits = KERNEL_ENTRY | KERNEL_LAST,
    .contract = contract,
    .cost = cost};
