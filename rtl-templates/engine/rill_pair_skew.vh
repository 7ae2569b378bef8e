// SPDX-License-Identifier: Apache-2.0
// When the products of a beat are made (rill_pair_products), included inside a module that has PAIRS, PUMP, X_BITS,
// ASYM and BEAT_BITS. Products of PAIR_TREE bytes, their low nibbles or their high ones, are added up in a tree of
// multipliers: each adds its product to the sums of two others, a step later than these. A byte is in the middle of
// those whose sums it takes: of odd bytes nothing, of byte 2 those of bytes 1 and 3, of byte 4 those of bytes 2 and 6.
// The tree's first byte is at its top: it adds the sum of all others, and the bias. A token's half of a sum has 26 -
// X_BITS bits: 64 products of 8 bits fit, but 4 of 10. Each group of 32 elements has a sum of its own.
// A step is a cycle. PAIR_PUMPED: it is half a cycle, of clk_2x, and each multiplier makes a product in each half: of
// two pairs first that of pair 0, of one pair first that of its byte's low nibble. Both forms of PUMP 2 have the
// latency of the slower one at each height: PAIR_MORE cycles more than PUMP 1 has.
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
localparam PAIR_PUMPED = 0;              // one clock is enough: clk_2x is not looked at
`endif
// verilator lint_on UNUSEDPARAM
// Cycles after the first ones in which the factor of a nibble of a beat, that of a pair, is taken.
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
