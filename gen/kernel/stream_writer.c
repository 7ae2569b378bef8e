// SPDX-License-Identifier: Apache-2.0
// rill_stream_writer: writes rows of a graph output to memory.
#include "gen/kernel/class.h"

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)at;
    class_rows(a, c);
    c->machine = TIMING_WRITER;
}

// chunk: bits of a word, an fp32 number per lane. group: bits that are collected before they leave, a whole beat or
// chunk. A group of every token is buffered. Multiplexers merge the groups of all tokens with the new chunk, and select
// a beat if a group has several.
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
