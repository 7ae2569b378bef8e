// SPDX-License-Identifier: Apache-2.0
// Computes a function of each element of a vector stream: y = f(x), docs/numerics.md section 2. FUNCTION selects f; the
// header of rill_unary_lane lists the functions.
//
// Streams: docs/rtl.md section 3. Latency 3 to 22 cycles, by FUNCTION; one chunk per cycle, II 1. Reset: clk,
// synchronous active-high rst. fault: pulse on a NaN or infinite operand, an operand outside the function's domain, or
// (FUNCTION 9) an overflow.
//
// name      meaning                                                                       unit       range
// LANES     fp32 per chunk                                                                elements   1 to 32
// TOKENS    tokens per step, upper bound                                                  tokens     1 to 8
// FUNCTION  number of the function (rill_unary_lane)                                      -          0 to 11
// A         first constant of the function                                                fp32 bits  any
// B         second constant of the function                                               fp32 bits  any
// N         elements of a firing and token, so that padding after them can be set to      elements   0 or more
//           +0. N = 0 leaves padding as it is, for functions with f(0) = +0
// USER_W    width of tuser                                                                bits       derived
`default_nettype none

module rill_unary #(
    parameter LANES = 0,
    parameter TOKENS = 0,
    parameter FUNCTION = 0,
    parameter [31:0] A = 0,
    parameter [31:0] B = 0,
    parameter N = 0,
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
    localparam LATENCY =
        FUNCTION == 0 ? LATENCY_EXP + LATENCY_ADD + LATENCY_RECIP :
        FUNCTION <= 3 ? LATENCY_CURVE + LATENCY_MUL :
        FUNCTION == 4 ? LATENCY_EXP :
        FUNCTION == 5 ? LATENCY_LN :
        FUNCTION == 6 ? LATENCY_RSQRT + LATENCY_MUL :
        FUNCTION == 7 ? LATENCY_RECIP :
        FUNCTION == 8 ? LATENCY_CURVE + LATENCY_ADD :
        FUNCTION == 9 ? LATENCY_MUL :
        LATENCY_MUL + LATENCY_ADD + 1 + (FUNCTION == 11 ? LATENCY_MUL : 0);

    // Padding elements enter a lane as 1, which every function takes without a fault, and leave it as +0.
    localparam [31:0] ONE = 32'h3f800000;
    wire pads_x, pads_y;
    rill_padding #(.LANES(LANES), .N(N)) u_pads_x (.clk(clk), .rst(rst), .take(s_axis_x_tvalid && s_axis_x_tready),
        .token_last(s_axis_x_tuser[USER_W-1]), .last(pads_x));
    rill_padding #(.LANES(LANES), .N(N)) u_pads_y (.clk(clk), .rst(rst), .take(m_axis_y_tvalid && m_axis_y_tready),
        .token_last(m_axis_y_tuser[USER_W-1]), .last(pads_y));

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
            localparam PADDING = i >= N % LANES;
            wire [31:0] y;
            assign m_axis_y_tdata[i*32 +: 32] = y & {32{!(PADDING && pads_y)}};
            rill_unary_lane #(.FUNCTION(FUNCTION), .A(A), .B(B), .STAGES(LATENCY)) u_lane (
                .clk(clk), .rst(rst), .en(move[i*COPIES/LANES]), .valid(valid),
                .x(PADDING && pads_x ? ONE : s_axis_x_tdata[i*32 +: 32]), .y(y), .fault(lane_fault[i]));
        end
    endgenerate
endmodule

`default_nettype wire
