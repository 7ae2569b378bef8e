// SPDX-License-Identifier: Apache-2.0
// Contract and cost of rill_stream_writer, which writes the rows of a graph's output to memory.
#include "gen/kernel/class.h"

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)at;
    class_rows(a, c);
    c->machine = TIMING_WRITER;
}

// Adds the resources of an instance. chunk: bits of a word on the stream, one fp32 number per lane. group: bits that
// are collected before they are sent to memory, the larger of a beat and a chunk.
// Flip-flops hold the group of each token, while it is collected, and the group that is being sent. LUTs are
// multiplexers: they put a chunk into its group, select the group of a token, and select a beat if a group has several.
// A module for two tokens takes about as many LUTs as one for one token (1305 and 1291 with 16 lanes and beats of 512
// bits, verif/cost/measured.txt), so `tokens` counts only above two.
static void cost(const struct kernel_args *a, struct cost_resources *r) {
    int64_t chunk = 32 * class_lanes(a), beat = class_beat_bits(a), group = at_least(chunk, beat),
            tokens = class_tokens(a);
    if (tokens <= 2) cost_per(r, group, PER_STREAM_WRITER_BIT);
    else cost_per(r, group * tokens, group > beat ? PER_STREAM_WRITER_WIDE_TOKEN_BIT : PER_STREAM_WRITER_TOKEN_BIT);
    cost_per(r, 1, PER_STREAM_WRITER_BASE);
    r->ff += group * (tokens + 1);
}

const struct kernel_class rtl_stream_writer = {.module = "rill_stream_writer",
                                               .doc = "writes an output of the graph to memory",
                                               .traits = KERNEL_ROWS_OUT,
                                               .contract = contract,
                                               .cost = cost};
