// SPDX-License-Identifier: Apache-2.0
// The accumulators' half of rill_matrix_pair: terms of rill_pair_products, shifted by the rest of the block's
// exponent, shift / 8 bytes, added up,
// and results in their order.
//
// Free-running pipeline, never stalls. valid to out_row, shift, row_scale and bias are those of rill_matrix_pair, all
// of the same cycle; term, its two terms, comes TERM_AT = 10 cycles later, results leave LATENCY = 12 cycles later.
// PARAM_BITS: row_scale and bias are not looked at; a row's parameters come over `word`, and by params, row and raw,
// valid's cycle too (rill_row_params_receive).
// Reset: synchronous; valids only.
//
// name        meaning                               unit       range
// TOKENS      per step, upper bound                 tokens     2, 4, 8
// ROWS        that may be open at a time            rows       1, 4, 8
// X_BITS      of an element of the operand          bits       8, 10
// ACC_W       of an accumulator                     bits       64, 66
// PARAM_BITS  of row parameters in a clock; 0: all  bits       0, 8, 16, 32, 64
// SCALE_K     of raw 1                              fp32 bits  any
// SCALE_V     of raw 2                              fp32 bits  any
// TOK_W       of a token's number                   bits       derived
// ROW_W       of a row's number                     bits       derived
// TURN_W      of turn                               bits       derived
// TERM_W      of a term                             bits       derived
// WORD_W      of word                               bits       derived
`default_nettype none

module rill_pair_sums #(
    parameter TOKENS = 0,
    parameter ROWS = 1,
    parameter X_BITS = 8,
    parameter ACC_W = 64,
    parameter PARAM_BITS = 0,
    parameter [31:0] SCALE_K = 0,
    parameter [31:0] SCALE_V = 0,
    parameter TOK_W = TOKENS > 1 ? $clog2(TOKENS) : 1,
    parameter ROW_W = ROWS > 1 ? $clog2(ROWS) : 1,
    parameter TURN_W = TOKENS * ROWS > 2 ? $clog2(TOKENS * ROWS) - 1 : 1,
    parameter TERM_W = X_BITS + 26,
    parameter WORD_W = PARAM_BITS > 0 ? PARAM_BITS : 1
) (
    input  wire                clk,
    input  wire                rst,
    input  wire                valid,
    input  wire                both,
    input  wire                first,
    input  wire [TURN_W-1:0]   turn,
    input  wire                out,
    input  wire [TOK_W-1:0]    out_tok,
    input  wire [ROW_W-1:0]    out_row,
    input  wire [9:0]          shift,
    input  wire [31:0]         row_scale,
    input  wire [31:0]         bias,
    input  wire                params,
    input  wire [2:0]          row,
    input  wire [1:0]          raw,
    input  wire [WORD_W-1:0]   word,
    input  wire [2*TERM_W-1:0] term,
    output reg                 out_valid,
    output reg  [ACC_W-1:0]    out_acc,
    output reg  [31:0]         out_row_scale,
    output reg  [31:0]         out_bias
);
    localparam LATENCY = 12;
    localparam TERM_AT = 10;
    localparam SHIFTED_W = TERM_W + 24;
    localparam PLACES = TOKENS > 1 ? TOKENS * ROWS / 2 : 1;

    generate
        if (ACC_W != 64 && ACC_W != 66) begin : gen_bad_acc
            rill_error_ACC_W_must_be_64_or_66 u_error ();
        end
        if (X_BITS != 8 && X_BITS != 10) begin : gen_bad_x
            rill_error_X_BITS_must_be_8_or_10 u_error ();
        end
        if (TOKENS != 2 && TOKENS != 4 && TOKENS != 8) begin : gen_bad_tokens
            rill_error_TOKENS_must_be_2_4_or_8 u_error ();
        end
        if (ROWS != 1 && ROWS != 4 && ROWS != 8) begin : gen_bad_rows
            rill_error_ROWS_must_be_1_4_or_8 u_error ();
        end
    endgenerate

    // What goes along with the terms; index n: valid in stage n.
    reg  [11:1]         valid_q;
    reg  [11:1]         both_q;
    reg  [10:1]         first_q;
    reg  [11:1]         out_q;
    reg  [11*TURN_W-1:0] turn_q;               // stage 1 in the low bits
    reg  [11*TOK_W-1:0] out_tok_q;
    reg  [11*ROW_W-1:0] out_row_q;
    reg  [4*TERM_AT-1:0] shift_q;
    wire [TURN_W-1:0]   turn10 = turn_q[9*TURN_W +: TURN_W];
    wire [TURN_W-1:0]   turn11 = turn_q[10*TURN_W +: TURN_W];
    wire [ROW_W-1:0]    out_row11 = out_row_q[10*ROW_W +: ROW_W];
    wire [TOK_W-1:0]    out_tok11 = out_tok_q[10*TOK_W +: TOK_W];

    always @(posedge clk) begin
        valid_q <= rst ? 11'd0 : {valid_q[10:1], valid};
        both_q <= rst ? 11'd0 : {both_q[10:1], valid && both};
        out_q <= rst ? 11'd0 : {out_q[10:1], out};
        first_q <= {first_q[9:1], first};
        turn_q <= {turn_q[10*TURN_W-1:0], turn};
        out_row_q <= {out_row_q[10*ROW_W-1:0], out_row};
        out_tok_q <= {out_tok_q[10*TOK_W-1:0], out_tok};
        shift_q <= {shift_q[4*TERM_AT-5:0], shift[9:8], shift[4:3]};
    end

    // Stage 11: the block's exponent. 12: an accumulator per token.
    genvar i;
    generate
        for (i = 0; i < 2; i = i + 1) begin : gen_token
            reg  [SHIFTED_W-1:0] term11_q;
            wire [TERM_W-1:0]    term10 = term[TERM_W*i +: TERM_W];
            wire [SHIFTED_W-1:0] wide = {{24{term10[TERM_W-1]}}, term10};
            wire [11:10]         active = i == 0 ? valid_q[11:10] : both_q[11:10];
            reg  [ACC_W-1:0]     acc_q [0:PLACES-1];
            reg  [ACC_W-1:0]     before_q;     // what the term is added to, read a stage earlier
            wire [ACC_W-1:0]     acc = before_q
                + {{(ACC_W+1-SHIFTED_W){term11_q[SHIFTED_W-1]}}, term11_q[SHIFTED_W-2:0]};
            always @(posedge clk) begin
                if (active[10]) begin
                    case (shift_q[4*(TERM_AT-1)+2*i +: 2])
                        2'd0: term11_q <= wide;
                        2'd1: term11_q <= wide << 8;
                        2'd2: term11_q <= wide << 16;
                        default: term11_q <= wide << 24;
                    endcase
                    before_q <= first_q[10] ? {ACC_W{1'b0}} : active[11] && turn11 == turn10 ? acc : acc_q[turn10];
                end
                if (active[11])
                    acc_q[turn11] <= acc;
            end
        end
    endgenerate

    // Results: token 0 as its sum is made, the others from where they are kept.
    wire               out_first11 = out_tok11 == {TOK_W{1'b0}};
    wire [TURN_W-1:0]  out_turn11;
    generate
        if (TOKENS > 2 && ROWS > 1) begin : gen_turns_rows
            assign out_turn11 = {out_row11, out_tok11[TOK_W-1:1]};
        end else if (TOKENS > 2) begin : gen_turns
            assign out_turn11 = out_tok11[TOK_W-1:1];
        end else if (ROWS > 1) begin : gen_rows
            assign out_turn11 = out_row11;
        end else begin : gen_turn
            assign out_turn11 = 1'b0;
        end
    endgenerate
    wire [31:0]        row_scale11;
    wire [31:0]        bias11;
    always @(posedge clk) begin
        out_valid <= out_q[11] && !rst;
        if (out_q[11])
            out_acc <= out_first11 ? gen_token[0].acc : out_tok11[0] ? gen_token[1].acc_q[out_turn11]
                : gen_token[0].acc_q[out_turn11];
        if (out_q[11] && out_first11)
            {out_bias, out_row_scale} <= {bias11, row_scale11};
    end

    // All of it a cycle later: the chunks that are kept last for so long as is then left.
    reg [63:0]       whole_q;
    reg              params_q;
    reg [4:0]        which_q;
    reg [WORD_W-1:0] word_q;
    always @(posedge clk) begin
        params_q <= params && !rst;
        whole_q <= {bias, row_scale};
        which_q <= {raw, row};
        word_q <= word;
    end
    rill_row_params_along #(.ROWS(ROWS), .PARAM_BITS(PARAM_BITS), .LATENCY(LATENCY - 2), .SCALE_K(SCALE_K),
        .SCALE_V(SCALE_V)) u_params (
        .clk(clk), .rst(rst), .s_row_scale(whole_q[31:0]), .s_bias(whole_q[63:32]), .params(params_q),
        .row(which_q[2:0]), .raw(which_q[4:3]), .word(word_q), .row_scale(row_scale11), .bias(bias11));

    wire unused = &{1'b0, out_row11, shift};
endmodule

`default_nettype wire
