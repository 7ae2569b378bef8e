// SPDX-License-Identifier: Apache-2.0
// Computes the difference, quotient, maximum or minimum of two vector streams element by element: y = a OP b.
//
// Streams: docs/rtl.md section 3. Both inputs have the same chunks and tokens; a chunk is taken when it has arrived on
// both inputs. Each input has a register slice of two chunks, because operands come from large memories and the first
// stage of a lane takes a whole cycle.
// Latency 6 cycles for sub, 11 for div, 2 for max and min: one cycle of the slice, the others of the lane
// (rill_binary_lane). One chunk per cycle, II 1. Reset: clk, synchronous active-high rst. fault: pulse on a NaN or
// infinite operand or result, or a zero divisor.
// FUNCTION 3 needs N, the number of elements: the padding after them is 0 in both operands, and dividing by it would
// raise a fault.
//
// name      meaning                                         unit      range
// LANES     fp32 per chunk                                  elements  1 to 32
// TOKENS    tokens per step, upper bound                    tokens    1 to 8
// FUNCTION  1 sub, 3 div, 4 max, 5 min                      -         1, 3, 4, 5
// N         elements of a firing and token, for FUNCTION 3  elements  0 or more
// USER_W    width of tuser                                  bits      derived
`default_nettype none

module rill_binary #(
    parameter LANES = 0,
    parameter TOKENS = 0,
    parameter FUNCTION = 0,
    parameter N = 0,
    parameter USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1
) (
    input  wire                clk,
    input  wire                rst,

    input  wire                s_axis_a_tvalid,
    output wire                s_axis_a_tready,
    input  wire [LANES*32-1:0] s_axis_a_tdata,
    input  wire [USER_W-1:0]   s_axis_a_tuser,
    input  wire                s_axis_a_tlast,

    input  wire                s_axis_b_tvalid,
    output wire                s_axis_b_tready,
    input  wire [LANES*32-1:0] s_axis_b_tdata,
    input  wire [USER_W-1:0]   s_axis_b_tuser,
    input  wire                s_axis_b_tlast,

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
        if (FUNCTION < 1) begin : gen_bad_function
            rill_error_FUNCTION_is_required u_error ();
        end
    endgenerate

    // ---- register slices: operands, and ready to their writers, come from registers ----
    localparam WORD_W = USER_W + 1 + LANES * 32;
    wire [1:0]         valid_in;
    wire [1:0]         ready_in;
    wire [WORD_W-1:0]  a, b;                 // {tlast, tuser, tdata}
    rill_register_slice #(.DATA_W(WORD_W), .MODE(2)) u_a (
        .clk(clk), .rst(rst), .s_axis_tvalid(s_axis_a_tvalid), .s_axis_tready(s_axis_a_tready),
        .s_axis_tdata({s_axis_a_tlast, s_axis_a_tuser, s_axis_a_tdata}), .m_axis_tvalid(valid_in[0]),
        .m_axis_tready(ready_in[0]), .m_axis_tdata(a));
    rill_register_slice #(.DATA_W(WORD_W), .MODE(2)) u_b (
        .clk(clk), .rst(rst), .s_axis_tvalid(s_axis_b_tvalid), .s_axis_tready(s_axis_b_tready),
        .s_axis_tdata({s_axis_b_tlast, s_axis_b_tuser, s_axis_b_tdata}), .m_axis_tvalid(valid_in[1]),
        .m_axis_tready(ready_in[1]), .m_axis_tdata(b));

    // Padding elements are 0 in both operands. A quotient divides them by 1 instead, so that they raise no fault.
    localparam [31:0] ONE = 32'h3f800000;
    wire pads;
    rill_padding #(.LANES(LANES), .N(FUNCTION == 3 ? N : 0)) u_pads (.clk(clk), .rst(rst),
        .take(valid_in[1] && ready_in[1]), .token_last(b[LANES*32+USER_W-1]), .last(pads));

    wire [COPIES-1:0]  move;
    wire [LATENCY-1:0] valid;
    wire [LANES-1:0]   lane_fault;

    rill_elementwise #(.LANES(LANES), .TOKENS(TOKENS), .OPERANDS(2), .LATENCY(LATENCY), .COPIES(COPIES)) u_elementwise (
        .clk(clk), .rst(rst), .s_tvalid(valid_in), .s_tready(ready_in),
        .s_tuser({b[LANES*32 +: USER_W], a[LANES*32 +: USER_W]}), .s_tlast({b[WORD_W-1], a[WORD_W-1]}),
        .m_tvalid(m_axis_y_tvalid), .m_tready(m_axis_y_tready), .m_tuser(m_axis_y_tuser), .m_tlast(m_axis_y_tlast),
        .move(move), .valid(valid),
        .bad(valid[LATENCY-1] && |lane_fault), .fault(fault));

    genvar i;
    generate
        for (i = 0; i < LANES; i = i + 1) begin : gen_lane
            localparam PADDING = FUNCTION == 3 && i >= N % LANES;
            rill_binary_lane #(.FUNCTION(FUNCTION)) u_lane (
                .clk(clk), .rst(rst), .en(move[i*COPIES/LANES]), .a(a[i*32 +: 32]),
                .b(PADDING && pads ? ONE : b[i*32 +: 32]), .y(m_axis_y_tdata[i*32 +: 32]), .fault(lane_fault[i]));
        end
    endgenerate

    wire unused = &{1'b0, valid};
endmodule

`default_nettype wire
