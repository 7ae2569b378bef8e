// SPDX-License-Identifier: Apache-2.0
// Costs of the modules on a memory channel: the DMA engines for reading and writing, and the arbiter of those that
// read.
#include "gen/kernel/class.h"

static int64_t clients(const struct kernel_args *a) { return args_int(a, "CLIENTS", 1); }

// Returns the bits of an address that are stored: addresses count beats, not bytes.
static int64_t address_bits(const struct kernel_args *a) {
    return args_int(a, "ADDR_BITS", 64) - log2_up(class_beat_bits(a) / 8);
}

static void cost_dma_read(const struct kernel_args *a, struct cost_resources *r) {
    cost_fifo_add(r, args_int(a, "PREFETCH_BEATS", 0), class_beat_bits(a), args_style(a, RAM_BLOCK));
    cost_per(r, address_bits(a), PER_DMA_READ_ADDRESS_BIT);
    cost_per(r, 1, PER_DMA_READ_BASE);
}

// Adds the buffer and the selection of a client's beat. The selection takes one LUT per bit for each three clients; a
// single client needs none.
static void cost_dma_write(const struct kernel_args *a, struct cost_resources *r) {
    cost_fifo_add(r, args_int(a, "BUFFER_BEATS", 1), class_beat_bits(a), args_style(a, RAM_DISTRIBUTED));
    if (clients(a) > 1) r->lut += class_beat_bits(a) * div_up(clients(a), 3);
    cost_per(r, address_bits(a), PER_DMA_WRITE_ADDRESS_BIT);
    cost_per(r, clients(a), PER_DMA_WRITE_CLIENT);
    cost_per(r, 1, PER_DMA_WRITE_BASE);
}

// Adds the selection of a client, and registers for an address and a beat. With one client there is no selection, and
// the arbiter only counts outstanding beats.
static void cost_axi_read_arbiter(const struct kernel_args *a, struct cost_resources *r) {
    int64_t chosen = clients(a) > 1 ? clients(a) : 0;
    cost_per(r, chosen ? args_int(a, "ADDR_BITS", 64) : 0, PER_READ_ARBITER_ADDRESS_BIT);
    cost_per(r, chosen, PER_READ_ARBITER_CLIENT);
    cost_per(r, 1, chosen ? PER_READ_ARBITER_BASE : PER_READ_ARBITER_ALONE);
    r->ff += args_int(a, "ADDR_BITS", 64) + class_beat_bits(a);
}

const struct kernel_class rtl_axi_read_arbiter = {.module = "rill_axi_read_arbiter", .cost = cost_axi_read_arbiter};
const struct kernel_class rtl_dma_read = {.module = "rill_dma_read", .cost = cost_dma_read};
const struct kernel_class rtl_dma_write = {.module = "rill_dma_write", .cost = cost_dma_write};
