// SPDX-License-Identifier: Apache-2.0
// rill_stream_writer: writes rows of a graph output to memory.
#include "gen/kernel/class.h"

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)at;
    class_rows(a, c);
    c->machine = TIMING_WRITER;
}

// Fitted to the rows of rill_stream_writer in verif/cost/measured.txt (Yosys). chunk: bits of an fp32 word per lane;
// group: bits that are collected before they leave, a whole beat or chunk. A group of every token is buffered.
static void cost(const struct kernel_args *a, struct cost_resources *r) {
    int64_t chunk = 32 * class_lanes(a), group = at_least(chunk, class_beat_bits(a)), tokens = class_tokens(a);
    // Multiplexers that merge a token's buffered group with its new chunk. Up to two tokens take 2 LUTs per bit.
    cost_per(r, group, tokens > 2 ? 1.9 * (double)tokens : 2, 0, 0);
    cost_per(r, 1, 250, 380 + (double)(group * (tokens + 1)), 0);
}

const struct kernel_class rtl_stream_writer = {.module = "rill_stream_writer",
                                               .doc = "writes an output of the graph to memory",
                                               .traits = KERNEL_ROWS_OUT,
                                               .contract = contract,
                                               .cost = cost};
