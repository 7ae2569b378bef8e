// SPDX-License-Identifier: Apache-2.0
// When the products of a beat are made (rill_pair_products of PAIRS = 1 pair of tokens, rill_quad_products of 2),
// included inside a module that has PAIRS, X_BITS, ASYM and BEAT_BITS. Products of PAIR_TREE bytes, their low nibbles
// or their high ones, are added up in a tree of multipliers: each adds its product to the sums of two others, a step
// later than these. A byte is in the middle of those whose sums it takes: of odd bytes nothing, of byte 2 those of bytes
// 1 and 3, of byte 4 those of bytes 2 and 6. The tree's first byte is at its top: it adds the sum of all others, and the
// bias. A token's half of a sum has 26 - X_BITS bits: 64 products of 8 bits fit, but 4 of 10. Each group of 32 elements
// has a sum of its own.
// A step is a cycle. PAIR_PUMPED: it is half a cycle, of clk_2x, and each multiplier takes pair 0 in one half and pair
// 1 in the next. Both forms of two pairs have the latency of the slower one at each height: PAIR_MORE cycles more than
// one pair has.
// verilator lint_off UNUSEDPARAM
// verilator lint_off VARHIDDEN
localparam PAIR_TREE = X_BITS > 8 ? 4 : ASYM != 0 ? 16 : BEAT_BITS == 512 ? 64 : 32;
localparam PAIR_TOP = PAIR_TREE == 64 ? 6 : PAIR_TREE == 32 ? 5 : PAIR_TREE == 16 ? 4 : 2;
localparam PAIR_MORE = PAIRS < 2 ? 0 : PAIR_TOP == 2 ? 2 : PAIR_TOP == 4 ? 1 : 0;
`ifdef SYNTHESIS
localparam PAIR_PUMPED = PAIRS > 1;
`elsif RILL_DSP48E2
localparam PAIR_PUMPED = PAIRS > 1;
`elsif RILL_PUMP
localparam PAIR_PUMPED = PAIRS > 1;
`else
localparam PAIR_PUMPED = 0;              // a simulator is fast with one clock
`endif
// verilator lint_on UNUSEDPARAM
// Cycles after the first ones in which the factors of byte n of a beat, those of a pair, are taken.
function integer pair_skew(input integer n, input integer pair);
    integer level;
    integer height;
    begin
        height = PAIR_TOP;
        for (level = PAIR_TOP - 1; level >= 0; level = level - 1)
            if (n % (2 << level) == 1 << level)
                height = level;
        pair_skew = PAIR_PUMPED ? (height + pair) / 2 : height;
    end
endfunction
// verilator lint_on VARHIDDEN
