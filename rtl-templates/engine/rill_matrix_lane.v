// SPDX-License-Identifier: Apache-2.0
// One lane of the matrix engine for one token at a time: multiplies a memory beat with its part of the operand and
// accumulates rows, exactly. rill_matrix_pair does this for several tokens at a time.
//
// Free-running pipeline, never stalls: one beat and token per cycle. out_valid comes LATENCY = 9 cycles after the valid
// that carries last.
//     term = (sum over the beat of weight * x) * group_scale << shift
//     acc[place] = (first ? 0 : acc[place]) + term, ACC_W bits
// Weights: with int4 = 1, nibble i of the beat is a weight in two's complement. With int4 = 0, byte k is a weight: 16 *
// (high nibble) + (unsigned low nibble). One array of multipliers serves both. x holds a factor for every nibble, so
// with int8 weights the factor of a byte is at both of its nibbles. Factors of nibbles with the same place in a word of
// 32 bits are neighbours: the factor of nibble 8 w + k is element BEAT_BITS / 32 * k + w.
// All arithmetic is unsigned: a signed nibble (with int4 every nibble, else the high ones) arrives as nibble + 8 (its
// top bit is inverted), and a product is kept as product + 2^(X_BITS + 3). These additions raise the beat's sum by
// offset, which comes 4 cycles after valid and is common to all lanes (rill_engine_offset).
// PUMP 2: rill_pair_products has the multipliers and uses only one token of a pair. Each makes two products per cycle,
// at clk_2x. Then results come 3 + PAIR_MORE cycles later (rill_pair_skew.vh), sums are due 2 + PAIR_MORE cycles
// later, and the factors of a nibble pair_skew cycles later. nibbles is the unchanged beat, and there is no offset.
// ASYM: with asym (and int4), words has a scale and an offset for each 32 elements, and sums comes in the same cycle as
// offset. rill_group_terms computes the term, which is shifted like any other.
// row_scale, bias and side of the row's last beat leave unchanged with its result.
// The lane has two halves: rill_lane_products or rill_pair_products makes terms of beats, and rill_lane_sums adds them
// up. With HOPS the halves may be on dies HOPS boundaries apart. Then sum_valid, sum_shift (second copies of valid and
// shift), first, last, place and side come HOPS cycles later than the rest, and so do results.
// PARAM_BITS not 0: row_scale and bias are ignored. The row's parameters come as words of that many bits, in the cycles
// of beats (rill_row_params_send), and params, row and raw come in the cycles of the sums (rill_row_params_receive).
// Reset: clk, synchronous active-high rst, and sum_rst for u_sums; resets only the valid bits.
//
// name        meaning                                               unit       range
// BEAT_BITS   width of a beat                                       bits       256, 512
// TOKENS      tokens per step, upper bound                          tokens     1, 2, 4, 8
// ROWS        rows that may be open at a time                       rows       1, 4, 8
// SIDE_W      width of the sideband                                 bits       1 or more
// ASYM        0: asym, words and sums are ignored                   -          0, 1
// X_BITS      width of an element of x                              bits       8, 10
// ACC_W       width of an accumulator                               bits       64, 66
// PUMP        multiplications per multiplier and cycle              -          1, 2
// HOPS        register stages between the halves                    clocks     0 or more
// PARAM_BITS  bits of row parameters per cycle; 0: all at once      bits       0, 8, 16, 32, 64
// SCALE_K     row scale with raw 1 (keys)                           fp32 bits  any
// SCALE_V     row scale with raw 2 (values)                         fp32 bits  any
// PLACE_W     width of place                                        bits       derived
// SUMS_W      width of sums                                         bits       derived
// WORD_W      width of word                                         bits       derived
`default_nettype none

module rill_matrix_lane #(
    parameter BEAT_BITS = 0,
    parameter TOKENS = 0,
    parameter ROWS = 1,
    parameter SIDE_W = 1,
    parameter ASYM = 0,
    parameter X_BITS = 8,
    parameter ACC_W = 64,
    parameter PUMP = 1,
    parameter HOPS = 0,
    parameter PARAM_BITS = 0,
    parameter [31:0] SCALE_K = 0,
    parameter [31:0] SCALE_V = 0,
    parameter PLACE_W = TOKENS * ROWS > 1 ? $clog2(TOKENS * ROWS) : 1,
    parameter SUMS_W = (X_BITS + 5) * (BEAT_BITS / 128),
    parameter WORD_W = PARAM_BITS > 0 ? PARAM_BITS : 1
) (
    input  wire                   clk,
    // Twice as fast as clk; every rising edge of clk is also one of clk_2x; used with PUMP 2 only
    input  wire                   clk_2x,
    input  wire                   rst,
    input  wire                   sum_rst,

    input  wire                   valid,
    input  wire                   int4,
    input  wire                   sum_valid,
    input  wire [4:0]             sum_shift,
    input  wire                   first,       // first beat of the row
    input  wire                   last,        // last beat of the row
    input  wire [PLACE_W-1:0]     place,     // place in the accumulators: {row, token}
    input  wire [BEAT_BITS-1:0]   nibbles,     // nibbles of the beat; unsigned with PUMP 1
    input  wire [4*BEAT_BITS-1:0] x,           // 16 bits each, sign-extended
    input  wire [X_BITS+13:0]     offset,      // offset of the beat that was valid 4 cycles before
    input  wire [7:0]             group_scale, // 1 if there is no scale
    input  wire [4:0]             shift,
    input  wire                   asym,
    input  wire [BEAT_BITS/8-1:0] words,       // {offset, scale} of each 32 elements
    input  wire [SUMS_W-1:0]      sums, // sums of the beat that was valid 4 (PUMP 2: 6 + PAIR_MORE) cycles before
    input  wire [31:0]            row_scale,
    input  wire [31:0]            bias,
    input  wire                   params,
    input  wire [2:0]             row,
    input  wire [1:0]             raw,
    input  wire [WORD_W-1:0]      word,
    input  wire [SIDE_W-1:0]      side,

    output wire                   out_valid,
    output wire [ACC_W-1:0]       out_acc,
    output wire [31:0]            out_row_scale,
    output wire [31:0]            out_bias,
    output wire [SIDE_W-1:0]      out_side
);
    localparam TERM_W = X_BITS + 26;
    localparam PAIRS = 1;
    `include "rill_pair_skew.vh"
    `include "rill_latency.vh"
    localparam TERM_AT = PUMP == 2 ? LATENCY_PAIR_PRODUCTS + PAIR_MORE : LATENCY_LANE_PRODUCTS;
    wire [TERM_W-1:0] term;
    wire [TERM_W-1:0] sum_term;
    wire [31:0]        sum_row_scale;
    wire [31:0]        sum_bias;
    wire [WORD_W-1:0]  sum_word;
    function [8*BEAT_BITS-1:0] all_extended(input [4*BEAT_BITS-1:0] narrow); // widens elements from 16 bits to 32
        integer i;
        begin
            all_extended = {8*BEAT_BITS{1'b0}};
            for (i = 0; i < BEAT_BITS / 4; i = i + 1)
                all_extended[32*i +: 32] = {{16{narrow[16*i+15]}}, narrow[16*i +: 16]};
        end
    endfunction
    generate
        if (PUMP != 1 && PUMP != 2) begin : gen_bad_pump
            rill_error_PUMP_must_be_1_or_2 u_error ();
        end
        if (PUMP == 2) begin : gen_pumped
            wire [TERM_W-1:0]      none;
            wire [8*BEAT_BITS-1:0] factors = all_extended(x); // handled as one vector, which is fast in simulation
            rill_pair_products #(.BEAT_BITS(BEAT_BITS), .ASYM(ASYM), .X_BITS(X_BITS), .PUMP(2)) u_products (
                .clk(clk), .clk_2x(clk_2x), .rst(rst), .valid(valid), .other_toks(1'b0), .int4(int4), .nibbles(nibbles),
                .x(factors), .group_scale(group_scale), .shift({5'd0, shift}), .asym(asym), .words(words),
                .sums({{SUMS_W{1'b0}}, sums}), .term({none, term}));
            wire unused = &{1'b0, offset, none};
        end else begin : gen_single
            rill_lane_products #(.BEAT_BITS(BEAT_BITS), .ASYM(ASYM), .X_BITS(X_BITS)) u_products (
                .clk(clk), .rst(rst), .valid(valid), .int4(int4), .nibbles(nibbles), .x(x), .offset(offset),
                .group_scale(group_scale), .shift(shift), .asym(asym), .words(words), .sums(sums), .term(term));
            wire unused = clk_2x;
        end
    endgenerate
    rill_term_way #(.TERM_BITS(TERM_W), .HOPS(HOPS), .PARAM_BITS(PARAM_BITS)) u_way (
        .clk(clk), .rst(rst), .term(term), .row_scale(row_scale), .bias(bias), .word(word), .sum_term(sum_term),
        .sum_row_scale(sum_row_scale), .sum_bias(sum_bias), .sum_word(sum_word));
    rill_lane_sums #(.TOKENS(TOKENS), .ROWS(ROWS), .SIDE_W(SIDE_W), .X_BITS(X_BITS), .ACC_W(ACC_W),
        .TERM_AT(TERM_AT), .PARAM_BITS(PARAM_BITS), .SCALE_K(SCALE_K), .SCALE_V(SCALE_V)) u_sums (
        .clk(clk), .rst(sum_rst), .valid(sum_valid), .first(first), .last(last), .place(place), .shift(sum_shift),
        .row_scale(sum_row_scale), .bias(sum_bias),
        .params(params), .row(row), .raw(raw), .word(sum_word), .side(side), .term(sum_term), .out_valid(out_valid),
        .out_acc(out_acc), .out_row_scale(out_row_scale), .out_bias(out_bias), .out_side(out_side));
endmodule

`default_nettype wire
