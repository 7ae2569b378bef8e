// SPDX-License-Identifier: Apache-2.0
// The multipliers' half of rill_matrix_pair: a beat's term of each of two tokens, without the block's exponent.
//
// Free-running pipeline, never stalls:
//     term_i = (sum over the beat of weight * x_i) * group_scale << shift_i mod 8, or that of rill_group_terms
// LATENCY = 10 cycles after valid; both, int4, nibbles, x, group_scale, shift, asym, words and sums are those of
// rill_matrix_pair. A term is given TERM_W bits, enough for the largest factors of all kinds of weights.
// Reset: synchronous; valids only.
//
// name       meaning                                    unit  range
// BEAT_BITS  of a beat                                  bits  256, 512
// ASYM       0: asym, words and sums are not looked at  -     0, 1
// X_BITS     of an element of x                         bits  8, 10
// SUMS_W     of sums                                    bits  derived
// TERM_W     of a term                                  bits  derived
`default_nettype none

module rill_pair_products #(
    parameter BEAT_BITS = 0,
    parameter ASYM = 0,
    parameter X_BITS = 8,
    parameter SUMS_W = (X_BITS + 5) * (BEAT_BITS / 128),
    parameter TERM_W = X_BITS + 26
) (
    input  wire                   clk,
    input  wire                   rst,
    input  wire                   valid,
    input  wire                   both,
    input  wire                   int4,
    input  wire [BEAT_BITS-1:0]   nibbles,
    input  wire [8*BEAT_BITS-1:0] x,
    input  wire [7:0]             group_scale,
    input  wire [9:0]             shift,
    input  wire                   asym,
    input  wire [BEAT_BITS/8-1:0] words,
    input  wire [2*SUMS_W-1:0]    sums,
    output wire [2*TERM_W-1:0]    term         // {term_1, term_0}
);
    localparam TREES = X_BITS > 8 ? BEAT_BITS / 32 : ASYM != 0 ? BEAT_BITS / 128 : 1;
    localparam TOP_W = X_BITS + (X_BITS > 8 ? 6 : ASYM != 0 ? 8 : BEAT_BITS == 512 ? 10 : 9);
    wire [4*TREES*TOP_W-1:0] tree_sums;
    rill_pair_trees #(.BEAT_BITS(BEAT_BITS), .ASYM(ASYM), .X_BITS(X_BITS)) u_trees (
        .clk(clk), .clk_2x(clk), .rst(rst), .valid(valid), .int4(int4), .nibbles(nibbles), .x(x),
        .x_1({8*BEAT_BITS{1'b0}}), .sums(tree_sums));
    rill_pair_terms #(.BEAT_BITS(BEAT_BITS), .ASYM(ASYM), .X_BITS(X_BITS)) u_terms (
        .clk(clk), .rst(rst), .valid(valid), .others(both), .int4(int4), .tree_sums(tree_sums),
        .group_scale(group_scale), .shift(shift), .asym(asym), .words(words), .sums(sums), .term(term));
endmodule

`default_nettype wire
