// SPDX-License-Identifier: Apache-2.0
// Computes SiLU of each element of a vector stream: y = x * sigmoid(x), docs/numerics.md section 2.
//
// Streams: docs/rtl.md section 3. Latency 25 cycles, one chunk per cycle, II 1. Reset: clk, synchronous active-high
// rst. fault: pulse on a NaN or infinite operand.
//
// name    meaning                       unit      range
// LANES   fp32 per chunk                elements  1 to 32
// TOKENS  tokens per step, upper bound  tokens    1 to 8
// USER_W  width of tuser                bits      derived
`default_nettype none

module rill_silu #(
    parameter LANES = 0,
    parameter TOKENS = 0,
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
    localparam LATENCY = LATENCY_EXP + LATENCY_ADD + LATENCY_RECIP + LATENCY_MUL;

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
            rill_silu_lane #(.STAGES(LATENCY)) u_lane (
                .clk(clk), .rst(rst), .en(move[i*COPIES/LANES]), .valid(valid), .x(s_axis_x_tdata[i*32 +: 32]),
                .y(m_axis_y_tdata[i*32 +: 32]), .fault(lane_fault[i]));
        end
    endgenerate
endmodule

`default_nettype wire
