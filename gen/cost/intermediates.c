// SPDX-License-Identifier: Apache-2.0
// Counts the storage of intermediate tensors: buffers of kernels, of pools and of spills. Caches, parameters and
// pipelines are not counted.
#include "gen/kernel/args.h"
#include "gen/cost/cost.h"
#include "gen/kernel/ports.h"
#include "gen/kernel/contract.h"
#include "gen/kernel/kernel.h"

// Returns the kernel's first input that carries a tensor, or NULL.
static const struct ir_port *first_input(const struct ir_kernel *k) {
    for (int p = 0; p < k->ports; p++)
        if (!k->port[p].is_output && k->port[p].kind != IR_STREAM_BARE) return &k->port[p];
    return NULL;
}

// Counts the memory for tensors by the machine of the kernel's contract (contract.h). The result is 0 for machines that
// keep no tensor, for kernels without a contract, and for spills, which cost_spill_bits counts. A row is a word of each
// token.
int64_t cost_local_bits(const struct ir *ir, int kernel) {
    const struct ir_kernel *k = &ir->kernel[kernel];
    const struct ir_port *in = first_input(k);
    struct timing_contract c;
    struct cost_memory m;
    if (!timing_contract(ir, kernel, &c) || !in || kernel_is(k, KERNEL_SPILL)) return 0;
    // A width converter has a buffer of rows. An element has 32 bits. A word joins an input word with the elements that
    // were left of the one before, which are at most out - 1.
    if (c.machine == TIMING_GEAR) return c.gear.lines * ir->design.tokens * (c.gear.in + c.gear.out - 1) * 32;
    // These repeat or reorder words. The parameters of the module give the size of their RAM.
    if (c.machine == TIMING_REPLAY || c.machine == TIMING_LAYOUT || c.machine == TIMING_ORDER ||
        c.machine == TIMING_LINES)
        return kernel_memory(k, &m) ? m.words * m.bits * m.times : 0;
    // A custom kernel keeps groups of words of its first input.
    if (c.machine == TIMING_GROUPS) return c.groups.banks * c.groups.take[0] * ir->design.tokens * in->data_bits;
    // The other machines with banks: the contract gives the words of all groups together (`room`), or else the rows of
    // a group. With neither, a group is a whole firing.
    bool banks = c.machine == TIMING_BANKS || c.machine == TIMING_SOFTMAX;
    if (!banks && c.machine != TIMING_SPLIT) return 0;
    if (banks && c.banks.room) return c.banks.room * in->data_bits;
    int64_t groups = banks ? c.banks.banks : c.split.banks, rows = banks ? c.banks.rows : c.split.rows;
    return groups * (rows ? rows * ir->design.tokens : ports_firing_words(in)) * in->data_bits;
}

// Includes the buffers of the spill's two DMA engines.
int64_t cost_spill_bits(const struct ir *ir, int kernel) {
    const struct ir_kernel *k = &ir->kernel[kernel];
    if (!kernel_is(k, KERNEL_SPILL)) return 0;
    int64_t bits = kernel_spill_bits(k);
    for (int c = 0; c < ir->clients; c++)
        if (ir->client[c].kernel == kernel) bits += ir->client[c].buffer * ir->design.beat_bits;
    return bits;
}

int64_t cost_pool_bits(const struct ir_kernel *k) { return kernel_is(k, KERNEL_POOL) ? kernel_pool_bits(k) : 0; }

// Counts the elements, and the exponents or scales that they share: 8 bits for each block of IR_MX, an fp32 number for
// each row of IR_KV, which is the vector of a head. The sums of a product (IR_ACC) never leave the engine, so they have
// 0 bits.
int64_t cost_tensor_bits(const struct ir *ir, const struct ir_tensor *t) {
    int64_t n = ir_tensor_elements(t), last = t->rank ? t->shape[t->rank - 1].bound : 1;
    switch (t->dtype) {
    case IR_F32: return 32 * n;
    case IR_INT8: return 8 * n;
    case IR_MX: return spec_mantissa_bits(ir->design.activations) * n + 8 * div_up(n, at_least(t->block, 1));
    case IR_KV: return 8 * n + 32 * (n / at_least(last, 1));
    case IR_SCALAR:
    case IR_ID: return 32 * n;
    case IR_ACC:
    case IR_DTYPES: break;
    }
    return 0;
}
