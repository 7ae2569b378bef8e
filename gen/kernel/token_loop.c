// SPDX-License-Identifier: Apache-2.0
// rill_token_loop: gives the steps and ids of a request.
#include "gen/kernel/class.h"
#include "gen/kernel/kernel.h"

// The stages from one id to the next are: ring, decision, step, id, check, send.
static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)a, (void)at;
    c->machine = TIMING_LOOP;
    c->stages = 6;
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    cost_per(r, class_beat_bits(a), PER_TOKEN_LOOP_BIT);
    cost_per(r, args_int(a, "FAULTS", 1), PER_TOKEN_LOOP_FAULT);
    cost_per(r, args_int(a, "MEMORY_ERRORS", 1), PER_TOKEN_LOOP_MEMORY_ERROR); // selects one of their addresses
    cost_per(r, args_int(a, "BASES", 1), PER_TOKEN_LOOP_BASE_REGISTER);
    cost_per(r, args_int(a, "END_IDS", 1) - 1, PER_TOKEN_LOOP_END_ID);
    cost_per(r, 1, PER_TOKEN_LOOP_BASE);
}

int kernel_reset_way(const struct ir_kernel *k) {
    const struct kernel_args a = args_of(k);
    return (int)args_int(&a, "RESET_WAY", IR_RESET_LEAST);
}

const struct kernel_class rtl_token_loop = {.module = "rill_token_loop",
                                            .without = "no kernel of this design reads or drives these",
                                            .doc = "runs requests: sends steps, collects ids, stops at faults",
                                            .traits = KERNEL_LOOP,
                                            .contract = contract,
                                            .cost = cost};
