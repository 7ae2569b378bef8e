// SPDX-License-Identifier: Apache-2.0
// Streams between dies (ir.h): the delay of words and credits, the parts of a word, and the depth of the FIFO.
#include "gen/ir/ir.h"
#include "gen/ir/latency.h"

// Cycles from the write of a word to a FIFO of more than 2 words until its place is free, if the reader takes it at
// once.
enum { PUT_TO_ROOM = CYCLES_FIFO + 1 };

int64_t ir_credit_cycles(int borders) { return borders ? CYCLES_CREDIT + borders : 0; }

int ir_edge_parts(const struct ir_edge *e) { return e->parts > 1 ? e->parts : 1; }
int64_t ir_part_bits(const struct ir_edge *e, int64_t bits) { return (bits + ir_edge_parts(e) - 1) / ir_edge_parts(e); }

int64_t ir_credits(int64_t depth, int borders) {
    if (!borders) return depth;
    return (depth > PUT_TO_ROOM ? depth : PUT_TO_ROOM) + 2 * ir_credit_cycles(borders);
}
