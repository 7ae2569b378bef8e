// SPDX-License-Identifier: Apache-2.0
// Multiplier half of rill_matrix_pair: computes the term of a beat for each of 2 or 4 tokens, without the exponent of
// its block.
//
// Free-running pipeline, never stalls:
//     term_i = (sum over the beat of weight * x_i) * group_scale << (shift_i mod 8)
// The term is shifted left by the low 3 bits of shift_i only; rill_pair_sums shifts by the rest. With asym,
// rill_group_terms computes the value that is shifted. A term has TERM_W bits, enough for the largest factors of all
// kinds of weights.
// Terms come LATENCY = 10 + PAIR_MORE cycles after valid (rill_pair_skew.vh), sums 6 + PAIR_MORE cycles, and the
// factors x of a nibble pair_skew(nibble, pair) cycles. All other inputs come with valid.
// The header of rill_matrix_pair describes nibbles, x and other_toks. The header of rill_pair_terms describes the ports
// from group_scale to sums.
// PUMP must be 2 if PAIRS is 2. PUMP 2 has two forms, with equal terms in equal cycles:
// - PAIR_PUMPED (RILL_VENDOR_CELLS or RILL_PUMP): each multiplier works twice per cycle, at clk_2x, for both pairs or
//   for both nibbles of a byte. Every rising edge of clk is also one of clk_2x. rill_pair_trees finds out which
//   ones (rill_pump_phase).
// - Otherwise, for simulation: twice as many multipliers, at clk. clk_2x is ignored, as with PUMP 1.
// Reset: clk, synchronous active-high rst; resets only the valid bits.
//
// name       meaning                                   unit   range
// BEAT_BITS  width of a beat                           bits   256, 512
// ASYM       0: asym, words and sums are ignored       -      0, 1
// X_BITS     width of an element of x                  bits   8, 10
// PAIRS      token pairs                               pairs  1, 2
// PUMP       multiplications per multiplier and cycle  -      1, 2
// SUMS_W     width of sums of a token                  bits   derived
// TERM_W     width of a term                           bits   derived
`default_nettype none

module rill_pair_products #(
    parameter BEAT_BITS = 0,
    parameter ASYM = 0,
    parameter X_BITS = 8,
    parameter PAIRS = 1,
    parameter PUMP = PAIRS > 1 ? 2 : 1,
    parameter SUMS_W = (X_BITS + 5) * (BEAT_BITS / 128),
    parameter TERM_W = X_BITS + 26
) (
    input  wire                         clk,
    input  wire                         clk_2x,
    input  wire                         rst,
    input  wire                         valid,
    input  wire [2*PAIRS-2:0]           other_toks,
    input  wire                         int4,
    input  wire [BEAT_BITS-1:0]         nibbles,
    input  wire [8*PAIRS*BEAT_BITS-1:0] x,
    input  wire [7:0]                   group_scale,
    input  wire [10*PAIRS-1:0]          shift,
    input  wire                         asym,
    input  wire [BEAT_BITS/8-1:0]       words,
    input  wire [2*PAIRS*SUMS_W-1:0]    sums,
    output wire [2*PAIRS*TERM_W-1:0]    term       // token 0 low
);
    localparam X_W = 8 * BEAT_BITS;
    localparam TREES = X_BITS > 8 ? BEAT_BITS / 32 : ASYM != 0 ? BEAT_BITS / 128 : 1;
    localparam TOP_W = X_BITS + (X_BITS > 8 ? 6 : ASYM != 0 ? 8 : BEAT_BITS == 512 ? 10 : 9);
    localparam PAIR_SUMS = 4 * TREES * TOP_W;
    `include "rill_pair_skew.vh"

    wire [PAIRS*PAIR_SUMS-1:0] tree_sums;
    genvar i;
    generate
        if ((PUMP != 1 && PUMP != 2) || PUMP < PAIRS) begin : gen_bad_pump
            rill_error_PUMP_must_be_1_or_2_and_at_least_PAIRS u_error ();
        end
        if (PAIR_PUMPED != 0) begin : gen_pumped
            rill_pair_trees #(.BEAT_BITS(BEAT_BITS), .ASYM(ASYM), .X_BITS(X_BITS), .PAIRS(PAIRS), .PUMP(2)) u_trees (
                .clk(clk), .clk_2x(clk_2x), .rst(rst), .valid(valid), .int4(int4), .nibbles(nibbles),
                .x(x[X_W-1:0]), .x_1(x[PAIRS*X_W-1 -: X_W]), .sums(tree_sums));
        end else begin : gen_plain
            wire unused = &{1'b0, clk_2x};
            for (i = 0; i < PAIRS; i = i + 1) begin : gen_pair
                wire [PAIR_SUMS-1:0] early;
                rill_pair_trees #(.BEAT_BITS(BEAT_BITS), .ASYM(ASYM), .X_BITS(X_BITS)) u_trees (
                    .clk(clk), .clk_2x(clk), .rst(rst), .valid(valid), .int4(int4), .nibbles(nibbles),
                    .x(x[X_W*i +: X_W]), .x_1({X_W{1'b0}}), .sums(early));
                rill_delay_line #(.DATA_W(PAIR_SUMS), .DEPTH(PAIR_MORE)) u_more (
                    .clk(clk), .rst(rst), .en(1'b1), .d(early), .q(tree_sums[PAIR_SUMS*i +: PAIR_SUMS]));
            end
        end
    endgenerate
    rill_pair_terms #(.BEAT_BITS(BEAT_BITS), .ASYM(ASYM), .X_BITS(X_BITS), .PAIRS(PAIRS), .PUMP(PUMP)) u_terms (
        .clk(clk), .rst(rst), .valid(valid), .other_toks(other_toks), .int4(int4), .tree_sums(tree_sums),
        .group_scale(group_scale), .shift(shift), .asym(asym), .words(words), .sums(sums), .term(term));
endmodule

`default_nettype wire
