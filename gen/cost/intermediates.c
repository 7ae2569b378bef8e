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

// Counts the memory for tensors by the machine of the kernel's contract: the rows that wait in a width converter
// (GEAR); the RAM of kernels that repeat or reorder words (REPLAY, LAYOUT, ORDER, LINES); the banks of a custom kernel
// for words of its first input (GROUPS); and other banks (BANKS, SOFTMAX, SPLIT), whose size the contract gives in
// words (`room`) or in rows, or which hold whole firings if it gives neither. Other machines keep no tensor.
int64_t cost_local_bits(const struct ir *ir, int kernel) {
    const struct ir_kernel *k = &ir->kernel[kernel];
    const struct ir_port *in = first_input(k);
    struct timing_contract c;
    struct cost_memory m;
    if (!timing_contract(ir, kernel, &c) || !in || kernel_is(k, KERNEL_SPILL)) return 0;
    if (c.machine == TIMING_GEAR) return c.gear.lines * ir->design.tokens * (c.gear.in + c.gear.out - 1) * 32;
    if (c.machine == TIMING_REPLAY || c.machine == TIMING_LAYOUT || c.machine == TIMING_ORDER ||
        c.machine == TIMING_LINES)
        return kernel_memory(k, &m) ? m.words * m.bits * m.times : 0;
    if (c.machine == TIMING_GROUPS) return c.groups.banks * c.groups.take[0] * ir->design.tokens * in->data_bits;
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

// Counts each element with its share of exponents or scales. The sums of a product (IR_ACC) never leave the engine, so
// they have 0 bits.
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
