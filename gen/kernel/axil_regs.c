// SPDX-License-Identifier: Apache-2.0
// Timing contract and cost of rill_axil_regs, the registers that the host reads and writes over AXI4-Lite. For each
// channel there are a base address and two 64-bit counters.
#include "gen/kernel/class.h"
#include "gen/kernel/kernel.h"

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)a, (void)at;
    c->machine = TIMING_NONE;
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    cost_per(r, args_int(a, "CHANNELS", 1), PER_REGISTERS_CHANNEL);
    cost_per(r, args_int(a, "COUNTERS", 0), PER_REGISTERS_COUNTER);
    cost_per(r, args_int(a, "SAMPLING", 0), PER_REGISTERS_SAMPLING); // the registers of the sampling settings
    cost_per(r, args_int(a, "END_IDS", 1) - 1, PER_REGISTERS_END_ID);
    cost_per(r, args_int(a, "PREFIX", 0), PER_REGISTERS_PREFIX); // the registers `prefix` and `held`
    cost_per(r, 1, PER_REGISTERS_BASE);
}

int kernel_counters(const struct ir_kernel *k) {
    const struct kernel_args a = args_of(k);
    return (int)args_int(&a, "COUNTERS", 0);
}

const struct kernel_class rtl_axil_regs = {.module = "rill_axil_regs",
                                           .without = "registers for features that this design does not have",
                                           .doc = "what the host reads and writes over AXI4-Lite",
                                           .traits = KERNEL_REGISTERS,
                                           .contract = contract,
                                           .cost = cost};
