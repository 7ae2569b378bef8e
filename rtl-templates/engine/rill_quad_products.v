// SPDX-License-Identifier: Apache-2.0
// rill_pair_products for four tokens at a time: two pairs, 0 of tokens 0 and 1, 1 of tokens 2 and 3.
//
// Free-running pipeline, never stalls:
//     term_i = (sum over the beat of weight * x_i) * group_scale << shift_i mod 8, or that of rill_group_terms
// LATENCY = 10 + PAIR_MORE cycles after valid (rill_pair_skew.vh, PAIRS 2). All else is as there, doubled; but sums
// come 6 + PAIR_MORE cycles after valid. words come with valid. others: bit i - 1: token i is there. x holds pair 1
// above pair 0; the factors of byte n of the beat, those of a pair, come pair_skew(n, pair) cycles after valid.
// Two forms, with equal terms in equal cycles:
// - PAIR_PUMPED (SYNTHESIS, RILL_DSP48E2 or RILL_PUMP): as many multipliers as for one pair, each at clk_2x, so that it
//   takes both pairs in a cycle. Rising edges of clk are every second one of clk_2x; the lane finds which ones.
// - else, for simulation: twice as many, at clk; clk_2x is not looked at.
// Reset: synchronous; valids only.
//
// name       meaning                                    unit  range
// BEAT_BITS  of a beat                                  bits  256, 512
// ASYM       0: asym, words and sums are not looked at  -     0, 1
// X_BITS     of an element of x                         bits  8, 10
// SUMS_W     of sums of a token                         bits  derived
// TERM_W     of a term                                  bits  derived
`default_nettype none

module rill_quad_products #(
    parameter BEAT_BITS = 0,
    parameter ASYM = 0,
    parameter X_BITS = 8,
    parameter SUMS_W = (X_BITS + 5) * (BEAT_BITS / 128),
    parameter TERM_W = X_BITS + 26
) (
    input  wire                    clk,
    input  wire                    clk_2x,
    input  wire                    rst,
    input  wire                    valid,
    input  wire [2:0]              others,
    input  wire                    int4,
    input  wire [BEAT_BITS-1:0]    nibbles,
    input  wire [16*BEAT_BITS-1:0] x,
    input  wire [7:0]              group_scale,
    input  wire [19:0]             shift,
    input  wire                    asym,
    input  wire [BEAT_BITS/8-1:0]  words,
    input  wire [4*SUMS_W-1:0]     sums,
    output wire [4*TERM_W-1:0]     term        // token 0 low
);
    localparam PAIRS = 2;
    localparam TREES = X_BITS > 8 ? BEAT_BITS / 32 : ASYM != 0 ? BEAT_BITS / 128 : 1;
    localparam TOP_W = X_BITS + (X_BITS > 8 ? 6 : ASYM != 0 ? 8 : BEAT_BITS == 512 ? 10 : 9);
    localparam PAIR_SUMS = 4 * TREES * TOP_W;
`include "rill_pair_skew.vh"

    wire [2*PAIR_SUMS-1:0] tree_sums;
    genvar i;
    generate
        if (PAIR_PUMPED != 0) begin : gen_pumped
            rill_pair_trees #(.BEAT_BITS(BEAT_BITS), .ASYM(ASYM), .X_BITS(X_BITS), .PAIRS(2)) u_trees (
                .clk(clk), .clk_2x(clk_2x), .rst(rst), .valid(valid), .int4(int4), .nibbles(nibbles),
                .x(x[8*BEAT_BITS-1:0]), .x_1(x[16*BEAT_BITS-1:8*BEAT_BITS]), .sums(tree_sums));
        end else begin : gen_plain
            wire unused = &{1'b0, clk_2x};
            for (i = 0; i < 2; i = i + 1) begin : gen_pair
                wire [PAIR_SUMS-1:0] early;
                rill_pair_trees #(.BEAT_BITS(BEAT_BITS), .ASYM(ASYM), .X_BITS(X_BITS)) u_trees (
                    .clk(clk), .clk_2x(clk), .rst(rst), .valid(valid), .int4(int4), .nibbles(nibbles),
                    .x(x[8*BEAT_BITS*i +: 8*BEAT_BITS]), .x_1({8*BEAT_BITS{1'b0}}), .sums(early));
                rill_delay_line #(.DATA_W(PAIR_SUMS), .DEPTH(PAIR_MORE)) u_more (
                    .clk(clk), .rst(rst), .en(1'b1), .d(early), .q(tree_sums[PAIR_SUMS*i +: PAIR_SUMS]));
            end
        end
    endgenerate
    rill_pair_terms #(.BEAT_BITS(BEAT_BITS), .ASYM(ASYM), .X_BITS(X_BITS), .PAIRS(2)) u_terms (
        .clk(clk), .rst(rst), .valid(valid), .others(others), .int4(int4), .tree_sums(tree_sums),
        .group_scale(group_scale), .shift(shift), .asym(asym), .words(words), .sums(sums), .term(term));
endmodule

`default_nettype wire
