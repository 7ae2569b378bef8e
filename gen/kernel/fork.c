// SPDX-License-Identifier: Apache-2.0
// Timing contract and cost of rill_fork, which sends each word to all its readers. The readers may take the word in
// different cycles.
#include "gen/kernel/class.h"

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)a, (void)at;
    c->machine = TIMING_FORK;
}

static void cost(const struct kernel_args *a, struct cost_resources *r) { cost_per(r, class_ports(a), PER_FORK_PORT); }

const struct kernel_class rtl_fork = {.module = "rill_fork",
                                      .doc = "copies each word to all its readers",
                                      .traits = KERNEL_FORK,
                                      .contract = contract,
                                      .cost = cost};
