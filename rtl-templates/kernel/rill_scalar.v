// SPDX-License-Identifier: Apache-2.0
// Combines each element of a vector stream with a number: y = x OP VALUE, or with FIRST = 1 y = VALUE OP x.
//
// Streams: docs/rtl.md section 3. Latency 5, 3, 10 or 1 cycles by FUNCTION (rill_binary_lane); one chunk per cycle, II
// 1. Reset: clk, synchronous active-high rst. fault: pulse on a NaN or infinite operand or result, or a zero divisor.
//
// name      meaning                                                                         unit       range
// LANES     fp32 per chunk                                                                  elements   1 to 32
// TOKENS    tokens per step, upper bound                                                    tokens     1 to 8
// FUNCTION  OP (rill_binary_lane)                                                           -          0 to 5
// VALUE     the number                                                                      fp32 bits  any
// FIRST     1: VALUE is the first operand                                                   -          0, 1
// N         elements of a firing and token: padding after them becomes +0; 0: OP maps 0     elements   0 or more
//           to +0, so padding needs no correction
// USER_W    width of tuser                                                                  bits       derived
`default_nettype none

module rill_scalar #(
    parameter LANES = 0,
    parameter TOKENS = 0,
    parameter FUNCTION = 0,
    parameter [31:0] VALUE = 0,
    parameter FIRST = 0,
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
    localparam LATENCY = FUNCTION <= 1 ? LATENCY_ADD : FUNCTION == 2 ? LATENCY_MUL
        : FUNCTION == 3 ? LATENCY_RECIP + LATENCY_MUL : 1;

    generate
        if (FIRST != 0 && FIRST != 1) begin : gen_bad_first
            rill_error_FIRST_must_be_0_or_1 u_error ();
        end
    endgenerate

    // Padding elements enter a lane as 1, which is a legal divisor, and leave it as +0.
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
        .m_tlast(m_axis_y_tlast), .move(move), .valid(valid), .bad(valid[LATENCY-1] && |lane_fault), .fault(fault));

    genvar i;
    generate
        for (i = 0; i < LANES; i = i + 1) begin : gen_lane
            localparam PADDING = i >= N % LANES;
            wire [31:0] y;
            assign m_axis_y_tdata[i*32 +: 32] = y & {32{!(PADDING && pads_y)}};
            wire [31:0] x = PADDING && pads_x ? ONE : s_axis_x_tdata[i*32 +: 32];
            rill_binary_lane #(.FUNCTION(FUNCTION)) u_lane (
                .clk(clk), .rst(rst), .en(move[i*COPIES/LANES]), .a(FIRST != 0 ? VALUE : x),
                .b(FIRST != 0 ? x : VALUE), .y(y),
                .fault(lane_fault[i]));
        end
    endgenerate

    wire unused = &{1'b0, valid};
endmodule

`default_nettype wire
