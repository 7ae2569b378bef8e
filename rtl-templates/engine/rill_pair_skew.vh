// SPDX-License-Identifier: Apache-2.0
// When the products of a beat for two tokens are made (rill_pair_products), included inside a module. Products of
// PAIR_TREE bytes, their low nibbles or their high ones, are added up in a tree of multipliers: each adds its product to
// the sums of two others, a cycle later than these. A byte is in the middle of those whose sums it takes: of odd bytes
// nothing, of byte 2 those of bytes 1 and 3, of byte 4 those of bytes 2 and 6. The tree's first byte is at its top: it
// adds the sum of all others, and the bias. A token's half of a sum has 26 - X_BITS bits: 64 products of 8 bits fit, but
// 4 of 10. Each group of 32 elements has a sum of its own.
localparam PAIR_TREE = X_BITS > 8 ? 4 : ASYM != 0 ? 16 : BEAT_BITS == 512 ? 64 : 32;
localparam PAIR_TOP = PAIR_TREE == 64 ? 6 : PAIR_TREE == 32 ? 5 : PAIR_TREE == 16 ? 4 : 2;
// Cycles after the first ones in which the product of byte n of a beat is made.
function integer pair_skew(input integer n);
    integer level;
    begin
        pair_skew = PAIR_TOP;
        for (level = PAIR_TOP - 1; level >= 0; level = level - 1)
            if (n % (2 << level) == 1 << level)
                pair_skew = level;
    end
endfunction
