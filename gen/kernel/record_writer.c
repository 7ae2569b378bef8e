// SPDX-License-Identifier: Apache-2.0
// Contract and cost of rill_record_writer, which writes a record of log probabilities to memory for each generated id,
// and then passes the id on.
#include "gen/kernel/class.h"

enum {
    RECORD_BITS = 512,
    SETTLE = 9 // cycles of dma_idle after which the write has its response, and one to the state that passes the id on
};

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)at;
    c->machine = TIMING_RECORDS;
    c->stages = 1;
    c->records.beats = RECORD_BITS / class_beat_bits(a);
    c->records.offset = args_address(a, "OFFSET");
    c->records.settle = SETTLE;
}

// Adds the record, which is shifted by beats if it takes several, and the counters and states.
static void cost(const struct kernel_args *a, struct cost_resources *r) {
    const struct cost_resources parts = {.lut = RECORD_BITS + 100, .ff = RECORD_BITS + 80};
    (void)a;
    cost_add(r, &parts, 1);
}

const struct kernel_class rtl_record_writer = {
    .module = "rill_record_writer",
    .doc = "writes the records of log probabilities to memory, and passes the ids on",
    .contract = contract,
    .cost = cost};
