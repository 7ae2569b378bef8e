// SPDX-License-Identifier: Apache-2.0
// One lane of the matrix engine for one or two pairs of tokens at a time. For each token it computes what
// rill_matrix_lane computes, with an operand and a set of accumulators per token. But it needs only one multiplier per
// nibble for both tokens of a pair (rill_packed_mul). With PUMP 2 one multiplier serves both pairs, or both nibbles of
// a byte, at clk_2x.
//
// Free-running pipeline, never stalls: one beat per cycle for the 2 * PAIRS tokens of a turn. Bit i of other_toks:
// token i + 1 of the turn is valid. rill_pair_products makes the terms of a beat, and rill_pair_sums adds them up:
//     term_i = (sum over the beat of weight * x_i) * group_scale << shift_i
//     acc_i[turn] = (first ? 0 : acc_i[turn]) + term_i, ACC_W bits
// x holds 32 bits for each nibble, in the order of rill_matrix_lane: x_1 * 2^(26 - X_BITS) + x_0, sign-extended from 27
// bits, as rill_packed_mul takes it. All factors of tokens 2 and 3 are above all factors of tokens 0 and 1. The factors
// of nibble n of the beat and pair p come pair_skew(n, p) cycles later (rill_pair_skew.vh), because the multipliers add
// in trees. nibbles is the unchanged beat: signed weights of 4 bits (int4), else signed bytes. The multipliers take
// signed weights, so there is no offset.
// ASYM: asym and words are as in rill_matrix_lane. sums has the sums of each token's operand (rill_engine_offset).
// Results leave one per cycle: with emit, the result of token out_tok leaves LATENCY = 12 + PAIR_MORE cycles later.
// emit with out_tok 0 belongs to the cycle of turn 0 of the last beat, and takes row_scale and bias for all tokens of
// the row. The other tokens follow in order. A result must leave at the latest in the cycle in which the first beat of
// another row comes to its accumulator, which is the one of its row and turn. So a row of n tokens may end n cycles
// after the previous row.
// ROWS rows may be open at a time: the port turn is {row, turn}, and out_row is the row whose result leaves (ignored
// with out_tok 0). With two pairs, the next row comes to an accumulator before the result in it has left. So there are
// two banks of accumulators, selected by a bit above row: each row, or each set of rows that are open together, uses
// another bank than the previous one.
// HOPS: u_products and u_sums may be on dies HOPS boundaries apart. sum_valid, sum_others, sum_shift (second copies of
// valid, other_toks and shift), first, turn, emit, out_tok and out_row come HOPS cycles later than the rest, and so do
// results.
// PARAM_BITS not 0: row_scale and bias are ignored. The row's parameters come as words of that many bits, in the cycles
// of beats (rill_row_params_send), and params, row and raw come in the cycles of the sums (rill_row_params_receive).
// Reset: clk, synchronous active-high rst, and sum_rst for u_sums; resets only the valid bits.
//
// name        meaning                                           unit       range
// BEAT_BITS   width of a beat                                   bits       256, 512
// TOKENS      tokens per step, upper bound, 2 * PAIRS or more   tokens     2, 4, 8
// PAIRS       token pairs that are processed at a time          pairs      1, 2
// PUMP        multiplications per multiplier and cycle          -          1, 2
// ROWS        rows that may be open at a time                   rows       1, 4, 8
// ASYM        0: asym, words and sums are ignored               -          0, 1
// X_BITS      width of an element of x                          bits       8, 10
// ACC_W       width of an accumulator                           bits       64, 66
// HOPS        register stages between the halves                clocks     0 or more
// PARAM_BITS  bits of row parameters per cycle; 0: all at once  bits       0, 8, 16, 32, 64
// SCALE_K     row scale with raw 1 (keys)                       fp32 bits  any
// SCALE_V     row scale with raw 2 (values)                     fp32 bits  any
// TOK_W       width of a token's number                         bits       derived
// ROW_W       width of a row's number, with its bank            bits       derived
// TURN_W      width of turn                                     bits       derived
// SUMS_W      width of sums                                     bits       derived
// WORD_W      width of word                                     bits       derived
`default_nettype none

module rill_matrix_pair #(
    parameter BEAT_BITS = 0,
    parameter TOKENS = 0,
    parameter PAIRS = 1,
    parameter PUMP = PAIRS > 1 ? 2 : 1,
    parameter ROWS = 1,
    parameter ASYM = 0,
    parameter X_BITS = 8,
    parameter ACC_W = 64,
    parameter HOPS = 0,
    parameter PARAM_BITS = 0,
    parameter [31:0] SCALE_K = 0,
    parameter [31:0] SCALE_V = 0,
    parameter TOK_W = TOKENS > 1 ? $clog2(TOKENS) : 1,
    parameter ROW_W = PAIRS * ROWS > 1 ? $clog2(PAIRS * ROWS) : 1,
    parameter TURN_W = TOKENS * ROWS > 2 ? $clog2(TOKENS * ROWS) - 1 : 1,
    parameter SUMS_W = (X_BITS + 5) * (BEAT_BITS / 128),
    parameter WORD_W = PARAM_BITS > 0 ? PARAM_BITS : 1
) (
    input  wire                   clk,
    // Twice as fast as clk; every rising edge of clk is also one of clk_2x; used with PUMP 2 only
    input  wire                   clk_2x,
    input  wire                   rst,
    input  wire                   sum_rst,

    input  wire                   valid,
    input  wire [2*PAIRS-2:0]     other_toks,
    input  wire                   int4,
    input  wire                   sum_valid,
    input  wire [2*PAIRS-2:0]     sum_others,
    input  wire [10*PAIRS-1:0]    sum_shift,
    input  wire                   first,       // first beat of the row
    input  wire [TURN_W-1:0]      turn,
    input  wire                   emit,
    input  wire [TOK_W-1:0]       out_tok,
    input  wire [ROW_W-1:0]       out_row,
    input  wire [BEAT_BITS-1:0]   nibbles,     // nibbles of the beat
    input  wire [8*PAIRS*BEAT_BITS-1:0] x,     // 32 bits each
    input  wire [7:0]             group_scale, // 1 if there is no scale
    input  wire [10*PAIRS-1:0]    shift,       // shift_0 low
    input  wire                   asym,
    input  wire [BEAT_BITS/8-1:0] words,       // {offset, scale} of each 32 elements
    input  wire [2*PAIRS*SUMS_W-1:0] sums,  // sums of the beat that was valid 6 + PAIR_MORE cycles before, sums_0 low
    input  wire [31:0]            row_scale,
    input  wire [31:0]            bias,
    input  wire                   params,
    input  wire [2:0]             row,
    input  wire [1:0]             raw,
    input  wire [WORD_W-1:0]      word,

    output wire                   out_valid,
    output wire [ACC_W-1:0]       out_acc,
    output wire [31:0]            out_row_scale,
    output wire [31:0]            out_bias
);
    localparam TERM_W = X_BITS + 26;
    localparam TERM_BITS = 2 * PAIRS * TERM_W;
    `include "rill_pair_skew.vh"
    `include "rill_latency.vh"

    generate
        if (PAIRS != 1 && PAIRS != 2) begin : gen_bad_pairs
            rill_error_PAIRS_must_be_1_or_2 u_error ();
        end
    endgenerate

    wire [TERM_BITS-1:0] term;
    wire [TERM_BITS-1:0] sum_term;
    wire [31:0]          sum_row_scale;
    wire [31:0]          sum_bias;
    wire [WORD_W-1:0]    sum_word;
    rill_pair_products #(.BEAT_BITS(BEAT_BITS), .ASYM(ASYM), .X_BITS(X_BITS), .PAIRS(PAIRS), .PUMP(PUMP)) u_products (
        .clk(clk), .clk_2x(clk_2x), .rst(rst), .valid(valid), .other_toks(other_toks), .int4(int4), .nibbles(nibbles),
        .x(x),
        .group_scale(group_scale), .shift(shift), .asym(asym), .words(words), .sums(sums), .term(term));
    rill_term_way #(.TERM_BITS(TERM_BITS), .HOPS(HOPS), .PARAM_BITS(PARAM_BITS)) u_way (
        .clk(clk), .rst(rst), .term(term), .row_scale(row_scale), .bias(bias), .word(word), .sum_term(sum_term),
        .sum_row_scale(sum_row_scale), .sum_bias(sum_bias), .sum_word(sum_word));
    rill_pair_sums #(.TOKENS(TOKENS), .PAIRS(PAIRS), .ROWS(ROWS), .X_BITS(X_BITS), .ACC_W(ACC_W),
        .TERM_AT(LATENCY_PAIR_PRODUCTS + PAIR_MORE), .PARAM_BITS(PARAM_BITS), .SCALE_K(SCALE_K),
        .SCALE_V(SCALE_V)) u_sums (
        .clk(clk), .rst(sum_rst), .valid(sum_valid), .other_toks(sum_others), .first(first), .turn(turn), .emit(emit),
        .out_tok(out_tok), .out_row(out_row), .shift(sum_shift), .row_scale(sum_row_scale), .bias(sum_bias),
        .params(params), .row(row), .raw(raw), .word(sum_word),
        .term(sum_term), .out_valid(out_valid), .out_acc(out_acc), .out_row_scale(out_row_scale), .out_bias(out_bias));
endmodule

`default_nettype wire
