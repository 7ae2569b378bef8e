// SPDX-License-Identifier: Apache-2.0
// Timing contract and cost of rill_pulse_word, which sends one constant word for each pulse.
#include "gen/kernel/class.h"

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)a, (void)at;
    c->machine = TIMING_NONE;
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    (void)a;
    cost_per(r, 1, PER_PULSE_WORD);
}

const struct kernel_class rtl_pulse_word = {
    .module = "rill_pulse_word", .doc = "makes a word of each pulse", .contract = contract, .cost = cost};
