// SPDX-License-Identifier: Apache-2.0
// rill_stream_writer: writes rows of a graph output to memory.
#include "gen/kernel/class.h"

static void contract(const struct kernel_args *a, const struct kernel_at *at, struct timing_contract *c) {
    (void)at;
    class_rows(a, c);
    c->machine = TIMING_WRITER;
}

static void cost(const struct kernel_args *a, struct cost_resources *r) {
    int64_t chunk = 32 * class_lanes(a), group = at_least(chunk, class_beat_bits(a)), tokens = class_tokens(a);
    cost_per(r, group, tokens > 2 ? 1.9 * (double)tokens : 2, 0, 0); // the group of a token with its new chunk
    cost_per(r, 1, 250, 380 + (double)(group * (tokens + 1)), 0);
}

const struct kernel_class rtl_stream_writer = {.module = "rill_stream_writer",
                                               .doc = "writes an output of the graph to memory",
                                               .traits = KERNEL_ROWS_OUT,
                                               .contract = contract,
                                               .cost = cost};
