// SPDX-License-Identifier: Apache-2.0
// Streams between dies: a sender with credits, registers on the way, a FIFO at the far end (docs/rtl.md section 3).
#ifndef RILL_IR_CREDIT_H
#define RILL_IR_CREDIT_H

#include "include/ir.h"

enum { IR_MAX_WORD_PARTS = 8 };

// Cycles that a word takes longer than through a FIFO alone, over so many boundaries, and so does the room of a word
// that was taken: the sender's register and one for each die that it comes to.
int64_t ir_credit_cycles(int borders);
// In which a word goes, one at least; bits of each, of a word of `bits`.
int ir_edge_parts(const struct ir_edge *);
int64_t ir_part_bits(const struct ir_edge *, int64_t bits);
// Places of the FIFO for a stream that would have `depth` words on one die: as many more as leave in these cycles.
int64_t ir_credits(int64_t depth, int borders);

#endif
