// SPDX-License-Identifier: Apache-2.0
// Timing contract, cost and memory of rill_fifo_pool, one storage for several streams of groups that never run at the
// same time.
#include "gen/kernel/class.h"
#include "gen/kernel/kernel.h"

// The only input that needs a contract is that of the step words, which the pool always accepts. The simulator treats
// each stream in the pool as an edge with its own FIFO.
static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)a, (void)at;
    c->machine = TIMING_SINK;
}

// Adds two modules that walk the schedule, one for writing and one for reading, a multiplexer of all streams' words,
// and the FIFO.
static void cost(const struct kernel_args *a, struct cost_resources *r) {
    int64_t word = args_int(a, "DATA_W", 1) + 1; // with tlast
    cost_fifo_add(r, args_int(a, "DEPTH", 0), word, args_style(a, RAM_AUTO));
    class_cost_turns(a, r);
    class_cost_turns(a, r);
    cost_per(r, word * class_ports(a), PER_FIFO_POOL_BIT);
}

// Returns the memory of the FIFO, which stores all words except the one in the output register.
static struct cost_memory memory(const struct kernel_args *a) {
    return (struct cost_memory){
        .words = at_least(args_int(a, "DEPTH", 1) - 1, 1), .bits = args_int(a, "DATA_W", 1) + 1, .times = 1};
}

int64_t kernel_pool_words(const struct ir_kernel *k) {
    const struct kernel_args a = args_of(k);
    return args_int(&a, "DEPTH", 1);
}

int64_t kernel_pool_word_bits(const struct ir_kernel *k) {
    const struct kernel_args a = args_of(k);
    return args_int(&a, "DATA_W", 1);
}

int64_t kernel_pool_bits(const struct ir_kernel *k) { return kernel_pool_words(k) * (kernel_pool_word_bits(k) + 1); }

const struct kernel_class rtl_fifo_pool = {.module = "rill_fifo_pool",
                                           .doc = "stores the streams of groups that never run at the same time",
                                           .traits = KERNEL_POOL,
                                           .contract = contract,
                                           .cost = cost,
                                           .memory = memory};
