// SPDX-License-Identifier: Apache-2.0
// Contract and cost of rill_ring_writer, which writes each generated id to the ring in memory.
#include "gen/kernel/class.h"

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)a, (void)at;
    c->machine = TIMING_RING;
    c->stages = 1;      // S_PLACE
    c->ring.settle = 9; // S_RESPONSE waits for 8 cycles of dma_idle in a row; then S_ID takes the next id
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    cost_per(r, class_beat_bits(a), PER_RING_WRITER_BIT);
    cost_per(r, 1, PER_RING_WRITER_BASE);
}

const struct kernel_class rtl_ring_writer = {.module = "rill_ring_writer",
                                             .doc = "writes its words to memory one after the other",
                                             .contract = contract,
                                             .cost = cost};
