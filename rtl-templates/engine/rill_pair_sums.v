// SPDX-License-Identifier: Apache-2.0
// Accumulator half of rill_matrix_pair: shifts the terms of rill_pair_products left by floor(shift / 8) bytes, the part
// of the block's exponent that is not applied yet, adds them up, and sends the results in order.
//
// Free-running pipeline, never stalls. The header of rill_matrix_pair describes the ports from valid to bias, which all
// come in the same cycle. term, one per token of a turn, comes TERM_AT cycles later.
// A result leaves LATENCY = TERM_AT + 2 cycles after its emit.
// PARAM_BITS not 0: row_scale and bias are ignored. A row's parameters come over `word`, with params, row and raw in
// the cycle of valid (rill_row_params_receive).
// Reset: clk, synchronous active-high rst; resets only the valid bits.
//
// name        meaning                                           unit       range
// TOKENS      tokens per step, 2 * PAIRS or more                tokens     2, 4, 8
// PAIRS       token pairs that are processed at a time          pairs      1, 2
// ROWS        rows that may be open at a time                   rows       1, 4, 8
// X_BITS      width of an element of the operand                bits       8, 10
// ACC_W       width of an accumulator                           bits       64, 66
// TERM_AT     delay from a beat to its terms                    clocks     10 to 12
// PARAM_BITS  bits of row parameters per cycle; 0: all at once  bits       0, 8, 16, 32, 64
// SCALE_K     row scale with raw 1 (keys)                       fp32 bits  any
// SCALE_V     row scale with raw 2 (values)                     fp32 bits  any
// TOK_W       width of a token's number                         bits       derived
// ROW_W       width of a row's number, with its bank            bits       derived
// TURN_W      width of turn                                     bits       derived
// TERM_W      width of a term                                   bits       derived
// WORD_W      width of word                                     bits       derived
`default_nettype none

module rill_pair_sums #(
    parameter TOKENS = 0,
    parameter PAIRS = 1,
    parameter ROWS = 1,
    parameter X_BITS = 8,
    parameter ACC_W = 64,
    parameter TERM_AT = 10,
    parameter PARAM_BITS = 0,
    parameter [31:0] SCALE_K = 0,
    parameter [31:0] SCALE_V = 0,
    parameter TOK_W = TOKENS > 1 ? $clog2(TOKENS) : 1,
    parameter ROW_W = PAIRS * ROWS > 1 ? $clog2(PAIRS * ROWS) : 1,
    parameter TURN_W = TOKENS * ROWS > 2 ? $clog2(TOKENS * ROWS) - 1 : 1,
    parameter TERM_W = X_BITS + 26,
    parameter WORD_W = PARAM_BITS > 0 ? PARAM_BITS : 1
) (
    input  wire                clk,
    input  wire                rst,
    input  wire                valid,
    input  wire [2*PAIRS-2:0]  other_toks,
    input  wire                first,
    input  wire [TURN_W-1:0]   turn,
    input  wire                emit,
    input  wire [TOK_W-1:0]    out_tok,
    input  wire [ROW_W-1:0]    out_row,
    input  wire [10*PAIRS-1:0] shift,
    input  wire [31:0]         row_scale,
    input  wire [31:0]         bias,
    input  wire                params,
    input  wire [2:0]          row,
    input  wire [1:0]          raw,
    input  wire [WORD_W-1:0]   word,
    input  wire [2*PAIRS*TERM_W-1:0] term,
    output reg                 out_valid,
    output reg  [ACC_W-1:0]    out_acc,
    output reg  [31:0]         out_row_scale,
    output reg  [31:0]         out_bias
);
    localparam SHIFTED_W = TERM_W + 24;
    `include "rill_term_shifted.vh"
    `include "rill_latency.vh"
    localparam PLACES = TOKENS > 1 ? TOKENS * ROWS / 2 : 1; // accumulators of a token, with a second bank for two pairs
    localparam MANY = 2 * PAIRS;                           // tokens per turn
    localparam OTHERS = MANY - 1;
    localparam SHIFT_W = 2 * MANY;  // width of the part of the exponents that is still to be applied
    localparam AT = TERM_AT;

    generate
        if (ACC_W != 64 && ACC_W != 66) begin : gen_bad_acc
            rill_error_ACC_W_must_be_64_or_66 u_error ();
        end
        if (X_BITS != 8 && X_BITS != 10) begin : gen_bad_x
            rill_error_X_BITS_must_be_8_or_10 u_error ();
        end
        if ((TOKENS != 2 && TOKENS != 4 && TOKENS != 8) || TOKENS < MANY) begin : gen_bad_tokens
            rill_error_TOKENS_must_be_2_4_or_8_and_at_least_2_for_each_pair u_error ();
        end
        if (PAIRS != 1 && PAIRS != 2) begin : gen_bad_pairs
            rill_error_PAIRS_must_be_1_or_2 u_error ();
        end
        if (TERM_AT < 10 || TERM_AT > 12) begin : gen_bad_term
            rill_error_TERM_AT_must_be_10_to_12 u_error ();
        end
        if (ROWS != 1 && ROWS != 4 && ROWS != 8) begin : gen_bad_rows
            rill_error_ROWS_must_be_1_4_or_8 u_error ();
        end
    endgenerate

    // Signals that accompany the terms; index n: valid in stage n. The terms arrive in stage AT.
    reg  [AT+1:1]       valid_q;
    reg  [(AT+1)*OTHERS-1:0] others_q;         // stage 1 in the low bits
    reg  [AT:1]         first_q;
    reg  [AT+1:1]       out_q;
    reg  [(AT+1)*TURN_W-1:0] turn_q;
    reg  [(AT+1)*TOK_W-1:0] out_tok_q;
    reg  [(AT+1)*ROW_W-1:0] out_row_q;
    reg  [SHIFT_W*AT-1:0] shift_q;
    reg  [SHIFT_W-1:0]  rest;                  // the part of the exponents that rill_pair_products has not applied
    wire [TURN_W-1:0]   turn_term = turn_q[(AT-1)*TURN_W +: TURN_W];
    wire [TURN_W-1:0]   turn_sum = turn_q[AT*TURN_W +: TURN_W];
    wire [ROW_W-1:0]    out_row_sum = out_row_q[AT*ROW_W +: ROW_W];
    wire [TOK_W-1:0]    out_tok_sum = out_tok_q[AT*TOK_W +: TOK_W];

    integer t;
    always @*
        for (t = 0; t < MANY; t = t + 1)
            rest[2*t +: 2] = shift[5*t+3 +: 2];
    always @(posedge clk) begin
        valid_q <= rst ? {(AT+1){1'b0}} : {valid_q[AT:1], valid};
        others_q <= rst ? {(AT+1)*OTHERS{1'b0}} : {others_q[AT*OTHERS-1:0], valid ? other_toks : {OTHERS{1'b0}}};
        out_q <= rst ? {(AT+1){1'b0}} : {out_q[AT:1], emit};
        first_q <= {first_q[AT-1:1], first};
        turn_q <= {turn_q[AT*TURN_W-1:0], turn};
        out_row_q <= {out_row_q[AT*ROW_W-1:0], out_row};
        out_tok_q <= {out_tok_q[AT*TOK_W-1:0], out_tok};
        shift_q <= {shift_q[SHIFT_W*(AT-1)-1:0], rest};
    end

    // Stage AT + 1: the block's exponent. AT + 2: an accumulator per token.
    wire [TURN_W-1:0]     out_place;
    wire [ACC_W-1:0]      kept;                // accumulator of the token whose result leaves
    genvar i;
    generate
        for (i = 0; i < MANY; i = i + 1) begin : gen_token
            reg  [SHIFTED_W-1:0] shifted_q;
            wire [TERM_W-1:0]    mine = term[TERM_W*i +: TERM_W];
            wire                 term_active = i == 0 ? valid_q[AT] : others_q[(AT-1)*OTHERS + (i > 0 ? i - 1 : 0)];
            wire                 sum_active = i == 0 ? valid_q[AT+1] : others_q[AT*OTHERS + (i > 0 ? i - 1 : 0)];
            reg  [ACC_W-1:0]     acc_q [0:PLACES-1];
            reg  [ACC_W-1:0]     before_q;     // the value that the term is added to, read one stage earlier
            wire [ACC_W-1:0]     acc = before_q
                + {{(ACC_W+1-SHIFTED_W){shifted_q[SHIFTED_W-1]}}, shifted_q[SHIFTED_W-2:0]};
            always @(posedge clk) begin
                if (term_active) begin
                    shifted_q <= shifted(mine, shift_q[SHIFT_W*(AT-1)+2*i +: 2]);
                    before_q <= first_q[AT] ? {ACC_W{1'b0}} : sum_active && turn_sum == turn_term ? acc
                        : acc_q[turn_term];
                end
                if (sum_active)
                    acc_q[turn_sum] <= acc;
            end
        end
    endgenerate

    // Results: the result of token 0 leaves as its sum is made, the others are read from their accumulators.
    localparam IN_TURN_W = PAIRS == 2 ? 2 : 1; // width of a token's number in its turn
    wire               out_first = out_tok_sum == {TOK_W{1'b0}};
    generate
        if (TOKENS > MANY && PAIRS * ROWS > 1) begin : gen_turns_rows
            assign out_place = {out_row_sum, out_tok_sum[TOK_W-1:IN_TURN_W]};
        end else if (TOKENS > MANY) begin : gen_turns
            assign out_place = out_tok_sum[TOK_W-1:IN_TURN_W];
        end else if (PAIRS * ROWS > 1) begin : gen_rows
            assign out_place = out_row_sum;
        end else begin : gen_turn
            assign out_place = 1'b0;
        end
        if (PAIRS == 2) begin : gen_kept_of_four
            wire [ACC_W-1:0] low = out_tok_sum[0] ? gen_token[1].acc_q[out_place] : gen_token[0].acc_q[out_place];
            wire [ACC_W-1:0] high = out_tok_sum[0] ? gen_token[MANY-1].acc_q[out_place]
                : gen_token[MANY-2].acc_q[out_place];
            assign kept = out_tok_sum[IN_TURN_W-1] ? high : low;
        end else begin : gen_kept
            assign kept = out_tok_sum[0] ? gen_token[1].acc_q[out_place] : gen_token[0].acc_q[out_place];
        end
    endgenerate
    wire [31:0]        row_scale_sum;
    wire [31:0]        bias_sum;
    always @(posedge clk) begin
        out_valid <= out_q[AT+1] && !rst;
        if (out_q[AT+1])
            out_acc <= out_first ? gen_token[0].acc : kept;
        if (out_q[AT+1] && out_first)
            {out_bias, out_row_scale} <= {bias_sum, row_scale_sum};
    end

    // The parameters come one cycle before the result, AT + LATENCY_PAIR_SUMS - 1 cycles after their command.
    // rill_row_params_along takes ALONG of these cycles; LATE is the rest.
    localparam ALONG = LATENCY_PAIR_PRODUCTS;
    rill_row_params_along #(.ROWS(ROWS), .PARAM_BITS(PARAM_BITS), .LATE(AT + LATENCY_PAIR_SUMS - 1 - ALONG),
        .LATENCY(ALONG), .SCALE_K(SCALE_K), .SCALE_V(SCALE_V)) u_params (
        .clk(clk), .rst(rst), .s_row_scale(row_scale), .s_bias(bias), .params(params), .row(row), .raw(raw),
        .word(word), .row_scale(row_scale_sum), .bias(bias_sum));

    wire unused = &{1'b0, out_row_sum, shift};
endmodule

`default_nettype wire
