// SPDX-License-Identifier: Apache-2.0
// Defines in which cycle each product of a beat is computed (rill_pair_products), for the modules that delay
// factors and for those that multiply. Uses PAIRS, PUMP, X_BITS, ASYM and BEAT_BITS of the including module.
// Multipliers form trees. A tree adds the products of PAIR_TREE bytes, either of their low nibbles or of their high
// ones. Each multiplier adds its product to the sums of two other multipliers, one step later than these. A byte is
// in the middle of the bytes whose sums it takes: odd bytes take no sum, byte 2 takes the sums of bytes 1 and 3,
// byte 4 those of bytes 2 and 6. Byte 0 is at the top of the tree: it adds the sum of all others, and the bias.
// PAIR_TOP is the height of the top; odd bytes have height 0.
// A sum holds two tokens. Each has 26 - X_BITS bits, enough for 64 products of 8-bit elements but only for 4 of
// 10-bit elements. With int4_asym weights (ASYM) each group of 32 elements needs its own sum, so trees are smaller.
// A step is one cycle. With PAIR_PUMPED it is half a cycle (one of clk_2x), and each multiplier computes one
// product in each half. The first half is for pair 0 (PAIRS 2) or for the low nibble of a byte (PAIRS 1).
// PUMP 2 has two forms, with PAIR_PUMPED and without. Both have the latency of the slower one, which depends on
// PAIR_TOP. It is PAIR_MORE cycles more than with PUMP 1.
// verilator lint_off UNUSEDPARAM
// verilator lint_off VARHIDDEN
localparam PAIR_TREE = X_BITS > 8 ? 4 : ASYM != 0 ? 16 : BEAT_BITS == 512 ? 64 : 32;
localparam PAIR_TOP = PAIR_TREE == 64 ? 6 : PAIR_TREE == 32 ? 5 : PAIR_TREE == 16 ? 4 : 2;
localparam PAIR_MORE = PUMP < 2 ? 0 : PAIR_TOP == 2 ? 2 : PAIR_TOP == 4 ? 1 : 0;
localparam PAIR_SUMS_AT = 6 + PAIR_MORE; // cycles from a beat to the sums of its operand, for rill_group_terms
`ifdef RILL_VENDOR_CELLS
localparam PAIR_PUMPED = PUMP > 1;
`elsif RILL_PUMP
localparam PAIR_PUMPED = PUMP > 1;
`else
localparam PAIR_PUMPED = 0;              // one clock is enough: clk_2x is ignored
`endif
// verilator lint_on UNUSEDPARAM
// Returns by how many cycles the factor of a beat's nibble, for a token pair, is taken later than the first
// factors.
function integer pair_skew(input integer nibble, input integer pair);
    integer level;
    integer height;
    integer half;
    begin
        height = PAIR_TOP;
        for (level = PAIR_TOP - 1; level >= 0; level = level - 1)
            if (nibble / 2 % (2 << level) == 1 << level)
                height = level;
        half = PAIRS > 1 ? pair : nibble % 2;
        pair_skew = PAIR_PUMPED ? (height + half) / 2 : height;
    end
endfunction
// verilator lint_on VARHIDDEN
