// SPDX-License-Identifier: Apache-2.0
// Accumulator half of rill_matrix_lane: shifts terms left by floor(shift / 8) bytes, the part of the block's exponent
// that the multipliers have not applied, and adds them up.
//
// Free-running pipeline, never stalls. The header of rill_matrix_lane describes the ports from valid to side, which all
// come in the same cycle. term comes TERM_AT cycles later.
// A result leaves LATENCY = TERM_AT + 2 cycles after last.
// PARAM_BITS not 0: row_scale and bias are ignored. A row's parameters come over `word`, with params, row and raw in
// the cycle of valid (rill_row_params_receive).
// Reset: clk, synchronous active-high rst; resets only the valid bits.
//
// name        meaning                                               unit       range
// TOKENS      tokens per step, upper bound                          tokens     1, 2, 4, 8
// ROWS        rows that may be open at a time                       rows       1, 4, 8
// SIDE_W      width of the sideband                                 bits       1 or more
// X_BITS      width of an element of the operand                    bits       8, 10
// ACC_W       width of an accumulator                               bits       64, 66
// TERM_AT     delay from valid to its term                          cycles     7 to 12
// PARAM_BITS  bits of row parameters per cycle; 0: all at once      bits       0, 8, 16, 32, 64
// SCALE_K     row scale with raw 1 (keys)                           fp32 bits  any
// SCALE_V     row scale with raw 2 (values)                         fp32 bits  any
// PLACE_W     width of place                                        bits       derived
// TERM_W      width of the term                                     bits       derived
// WORD_W      width of word                                         bits       derived
`default_nettype none

module rill_lane_sums #(
    parameter TOKENS = 0,
    parameter ROWS = 1,
    parameter SIDE_W = 1,
    parameter X_BITS = 8,
    parameter ACC_W = 64,
    parameter TERM_AT = 7,
    parameter PARAM_BITS = 0,
    parameter [31:0] SCALE_K = 0,
    parameter [31:0] SCALE_V = 0,
    parameter PLACE_W = TOKENS * ROWS > 1 ? $clog2(TOKENS * ROWS) : 1,
    parameter TERM_W = X_BITS + 26,
    parameter WORD_W = PARAM_BITS > 0 ? PARAM_BITS : 1
) (
    input  wire              clk,
    input  wire              rst,
    input  wire              valid,
    input  wire              first,
    input  wire              last,
    input  wire [PLACE_W-1:0] place,         // place in the accumulators: {row, token}
    input  wire [4:0]        shift,
    input  wire [31:0]       row_scale,
    input  wire [31:0]       bias,
    input  wire              params,
    input  wire [2:0]        row,
    input  wire [1:0]        raw,
    input  wire [WORD_W-1:0] word,
    input  wire [SIDE_W-1:0] side,
    input  wire [TERM_W-1:0] term,
    output reg               out_valid,
    output reg  [ACC_W-1:0]  out_acc,
    output wire [31:0]       out_row_scale,
    output wire [31:0]       out_bias,
    output wire [SIDE_W-1:0] out_side
);
    `include "rill_latency.vh"
    localparam LATENCY = TERM_AT + LATENCY_LANE_SUMS;
    localparam AT = TERM_AT > 0 ? TERM_AT : 1; // TERM_AT, at least 1, for declarations
    localparam SHIFTED_W = TERM_W + 24;
    `include "rill_term_shifted.vh"

    generate
        if (ACC_W != 64 && ACC_W != 66) begin : gen_bad_acc
            rill_error_ACC_W_must_be_64_or_66 u_error ();
        end
        if (TOKENS != 1 && TOKENS != 2 && TOKENS != 4 && TOKENS != 8) begin : gen_bad_tokens
            rill_error_TOKENS_must_be_1_2_4_or_8 u_error ();
        end
        if (ROWS != 1 && ROWS != 4 && ROWS != 8) begin : gen_bad_rows
            rill_error_ROWS_must_be_1_4_or_8 u_error ();
        end
        if (X_BITS != 8 && X_BITS != 10) begin : gen_bad_x
            rill_error_X_BITS_must_be_8_or_10 u_error ();
        end
        if (TERM_AT < 7 || TERM_AT > 12) begin : gen_bad_term
            rill_error_TERM_AT_must_be_7_to_12 u_error ();
        end
        if (SIDE_W < 1) begin : gen_bad_side
            rill_error_SIDE_W_must_be_at_least_1 u_error ();
        end
    endgenerate

    // Signals that accompany the term, which is in stage AT; index n: valid in stage n.
    reg  [AT+1:1]      valid_q;
    reg  [AT:1]        first_q;
    reg  [AT+1:1]      last_q;
    reg  [(AT+1)*PLACE_W-1:0] place_q;         // stage 1 in the low bits
    reg  [2*AT-1:0]    shift_q;
    wire [PLACE_W-1:0] place_term = place_q[(AT-1)*PLACE_W +: PLACE_W];
    wire [PLACE_W-1:0] place_sum = place_q[AT*PLACE_W +: PLACE_W];
    reg  [SHIFTED_W-1:0] shifted_q;            // the term times 2 to the block's exponent

    always @(posedge clk) begin
        valid_q <= rst ? {(AT+1){1'b0}} : {valid_q[AT:1], valid};
        first_q <= {first_q[AT-1:1], first};
        last_q <= {last_q[AT:1], last};
        place_q <= {place_q[AT*PLACE_W-1:0], place};
        shift_q <= {shift_q[2*AT-3:0], shift[4:3]};
        shifted_q <= shifted(term, shift_q[2*(AT-1) +: 2]);
    end

    // Stage AT + 2: one accumulator per row and token.
    reg  [ACC_W-1:0] acc_q [0:TOKENS*ROWS-1];
    reg  [ACC_W-1:0] before_q;                 // the value that the term is added to, read one stage earlier
    wire [ACC_W-1:0] acc = before_q + {{(ACC_W+1-SHIFTED_W){shifted_q[SHIFTED_W-1]}}, shifted_q[SHIFTED_W-2:0]};

    always @(posedge clk) begin
        before_q <= first_q[AT] ? {ACC_W{1'b0}} : valid_q[AT+1] && place_sum == place_term ? acc : acc_q[place_term];
        if (valid_q[AT+1])
            acc_q[place_sum] <= acc;
        out_acc <= acc;
        out_valid <= !rst && valid_q[AT+1] && last_q[AT+1];
    end

    rill_delay_line #(.DATA_W(SIDE_W), .DEPTH(LATENCY)) u_along (
        .clk(clk), .rst(rst), .en(1'b1), .d(side), .q(out_side));

    // If terms come late (TERM_AT above LATENCY_LANE_PRODUCTS), results do as well, so the parameters are delayed
    // (LATE).
    localparam ALONG = LATENCY_LANE_PRODUCTS + LATENCY_LANE_SUMS;
    rill_row_params_along #(.ROWS(ROWS), .PARAM_BITS(PARAM_BITS), .LATE(LATENCY - ALONG), .LATENCY(ALONG),
        .SCALE_K(SCALE_K), .SCALE_V(SCALE_V)) u_params (
        .clk(clk), .rst(rst), .s_row_scale(row_scale), .s_bias(bias), .params(params), .row(row), .raw(raw),
        .word(word), .row_scale(out_row_scale), .bias(out_bias));

    wire unused = &{1'b0, shift};
endmodule

`default_nettype wire
