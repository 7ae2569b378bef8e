// SPDX-License-Identifier: Apache-2.0
// Timing contract, cost and memory of rill_param_store, which stores the vector parameters of one kernel and sends them
// again and again.
#include "gen/kernel/class.h"
#include "gen/kernel/kernel.h"

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)at;
    c->machine = TIMING_STORE;
    c->store.words = args_int(a, "WORDS", 1);
}

// Returns the bits of a line of the memory: those of a word, or those that the load bus brings per cycle if these are
// more.
static int64_t line_of(const struct kernel_args *a) {
    return at_least(args_int(a, "WORD_W", 1), args_int(a, "LOAD_BITS", 512));
}

static int64_t lines_of(const struct kernel_args *a) {
    return div_up(args_int(a, "WORDS", 1), line_of(a) / at_least(args_int(a, "WORD_W", 1), 1));
}

// Adds the memory, and registers for three lines: one is collected from the load bus, one is read ahead, and one is
// sent.
static void cost(const struct kernel_args *a, struct cost_resources *r) {
    int64_t word = args_int(a, "WORD_W", 1), line = line_of(a);
    struct cost_resources ram = cost_ram(lines_of(a), line, args_style(a, RAM_AUTO));
    cost_add(r, &ram, 1);
    bool whole = ram.bram18 || ram.uram; // the output register of these memories is one of the three
    // Adds the logic that shifts words out of a line, if a line has several words.
    cost_per(r, line > word ? line : 0, whole ? PER_PARAM_STORE_BIT : PER_PARAM_STORE_LUTRAM_BIT);
    cost_per(r, 1, PER_PARAM_STORE_BASE);
    r->ff += line * (whole ? 2 : 3);
    cost_per(r, args_int(a, "HOPS", 0), PER_PARAM_STORE_HOP); // stages from the die of the loader
}

static struct cost_memory memory(const struct kernel_args *a) {
    return (struct cost_memory){.words = lines_of(a), .bits = line_of(a), .times = 1};
}

int64_t kernel_load_hops(const struct ir_kernel *k) {
    const struct kernel_args a = args_of(k);
    return args_int(&a, "HOPS", 0);
}

const struct kernel_class rtl_param_store = {.module = "rill_param_store",
                                             .doc = "holds parameters on chip and sends them again for each firing",
                                             .traits = KERNEL_STORE,
                                             .contract = contract,
                                             .cost = cost,
                                             .memory = memory};
