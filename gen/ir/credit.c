// SPDX-License-Identifier: Apache-2.0
// Streams between dies.
#include "include/ir_credit.h"

enum { FIFO_CYCLES = 3 /* from a word's put to the room that it leaves in a FIFO deeper than two words */ };

int64_t ir_credit_cycles(int borders) { return borders ? borders + 1 : 0; }

int ir_edge_parts(const struct ir_edge *e) { return e->parts > 1 ? e->parts : 1; }
int64_t ir_part_bits(const struct ir_edge *e, int64_t bits) { return (bits + ir_edge_parts(e) - 1) / ir_edge_parts(e); }

int64_t ir_credits(int64_t depth, int borders) {
    if (!borders) return depth;
    return (depth > FIFO_CYCLES ? depth : FIFO_CYCLES) + 2 * ir_credit_cycles(borders);
}
