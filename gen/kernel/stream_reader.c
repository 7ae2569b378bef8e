// SPDX-License-Identifier: Apache-2.0
// Contract and cost of rill_stream_reader, which reads the rows of a graph's input from memory.
#include "gen/kernel/class.h"

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)at;
    class_rows(a, c);
    c->machine = TIMING_READER;
}

// Adds a buffer of two groups per token. A group is a beat or a chunk, the wider of the two.
static void cost(const struct kernel_args *a, struct cost_resources *r) {
    int64_t beat = class_beat_bits(a), chunk = 32 * class_lanes(a), group = at_least(chunk, beat);
    cost_ram_add(r, 2ll << tok_bits(class_tokens(a)), group, RAM_DISTRIBUTED, 1);
    r->lut += chunk < group ? chunk : 0;
    r->ff += chunk + group - beat;
    cost_per(r, 1, PER_STREAM_READER_BASE);
}

const struct kernel_class rtl_stream_reader = {.module = "rill_stream_reader",
                                               .doc = "reads an input of the graph from memory",
                                               .contract = contract,
                                               .cost = cost};
