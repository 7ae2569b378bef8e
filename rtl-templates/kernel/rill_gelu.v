// SPDX-License-Identifier: Apache-2.0
// Elementwise GELU (docs/numerics.md section 2):
//     EXACT 0, the tanh form: y = x * sigmoid(2 * sqrt(2/pi) * (x + 0.044715 x^3))
//     EXACT 1: y = x * Phi(x), where Phi is the distribution function of the normal distribution
//
// Streams: docs/rtl.md section 3. Latency 42 cycles, with EXACT 17; one chunk per cycle, II 1. Reset: clk, synchronous
// active-high rst. fault: pulse on a NaN or infinite operand.
//
// name    meaning                       unit      range
// LANES   fp32 per chunk                elements  1 to 32
// TOKENS  tokens per step, upper bound  tokens    1 to 8
// EXACT   1: the exact form             -         0, 1
// USER_W  width of tuser                bits      derived
`default_nettype none

module rill_gelu #(
    parameter LANES = 0,
    parameter TOKENS = 0,
    parameter EXACT = 0,
    parameter USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1
) (
    input  wire                clk,
    input  wire                rst,

    input  wire                s_axis_x_tvalid,
    output wire                s_axis_x_tready,
    input  wire [LANES*32-1:0] s_axis_x_tdata,
    input  wire [USER_W-1:0]   s_axis_x_tuser,
    input  wire                s_axis_x_tlast,

    output wire                m_axis_y_tvalid,
    input  wire                m_axis_y_tready,
    output wire [LANES*32-1:0] m_axis_y_tdata,
    output wire [USER_W-1:0]   m_axis_y_tuser,
    output wire                m_axis_y_tlast,

    output wire                fault
);
    `include "rill_latency.vh"
    `include "rill_copies.vh"
    localparam LATENCY = EXACT != 0 ? LATENCY_CURVE + LATENCY_MUL
        : 4 * LATENCY_MUL + LATENCY_ADD                              // the argument of exp
        + LATENCY_EXP + LATENCY_ADD + LATENCY_RECIP + LATENCY_MUL;

    generate
        if (EXACT != 0 && EXACT != 1) begin : gen_bad_exact
            rill_error_EXACT_must_be_0_or_1 u_error ();
        end
    endgenerate

    wire [COPIES-1:0]  move;
    wire [LATENCY-1:0] valid;
    wire [LANES-1:0]   lane_fault;

    rill_elementwise #(.LANES(LANES), .TOKENS(TOKENS), .LATENCY(LATENCY), .COPIES(COPIES)) u_elementwise (
        .clk(clk), .rst(rst), .s_tvalid(s_axis_x_tvalid), .s_tready(s_axis_x_tready), .s_tuser(s_axis_x_tuser),
        .s_tlast(s_axis_x_tlast), .m_tvalid(m_axis_y_tvalid), .m_tready(m_axis_y_tready), .m_tuser(m_axis_y_tuser),
        .m_tlast(m_axis_y_tlast), .move(move), .valid(valid), .bad(|lane_fault), .fault(fault));

    genvar i;
    generate
        for (i = 0; i < LANES; i = i + 1) begin : gen_lane
            if (EXACT != 0) begin : gen_exact
                // FUNCTION 3: gelu
                rill_unary_lane #(.FUNCTION(3), .STAGES(LATENCY)) u_lane (
                    .clk(clk), .rst(rst), .en(move[i*COPIES/LANES]), .valid(valid), .x(s_axis_x_tdata[i*32 +: 32]),
                    .y(m_axis_y_tdata[i*32 +: 32]), .fault(lane_fault[i]));
            end else begin : gen_tanh
                rill_gelu_lane #(.STAGES(LATENCY)) u_lane (
                    .clk(clk), .rst(rst), .en(move[i*COPIES/LANES]), .valid(valid), .x(s_axis_x_tdata[i*32 +: 32]),
                    .y(m_axis_y_tdata[i*32 +: 32]), .fault(lane_fault[i]));
            end
        end
    endgenerate
endmodule

`default_nettype wire
