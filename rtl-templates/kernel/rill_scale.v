// SPDX-License-Identifier: Apache-2.0
// Multiplies vectors by scalars: y = x * s, one scalar per token and firing of x. HEADS firings of x, such as the heads
// of attention, are joined to one firing of y.
//
// Streams: docs/rtl.md section 3. A firing of s holds the scalars of all tokens, in order tok, and serves one firing of
// x. The scalars are taken together with the first chunk. m_axis_y_tlast comes only at the end of every HEADS-th firing
// of x. If HEADS > 1, the length of a firing must be a multiple of LANES.
// Latency 4 cycles; one chunk per cycle, II 1. Reset: clk, synchronous active-high rst. fault: pulse on a NaN or
// infinite operand or result.
//
// name    meaning                       unit      range
// LANES   fp32 per chunk                elements  1 to 32
// TOKENS  tokens per step, upper bound  tokens    1 to 8
// HEADS   firings of x per firing of y  firings   1 or more
// USER_W  width of tuser                bits      derived
`default_nettype none

module rill_scale #(
    parameter LANES = 0,
    parameter TOKENS = 0,
    parameter HEADS = 0,
    parameter USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1
) (
    input  wire                clk,
    input  wire                rst,

    input  wire                s_axis_x_tvalid,
    output wire                s_axis_x_tready,
    input  wire [LANES*32-1:0] s_axis_x_tdata,
    input  wire [USER_W-1:0]   s_axis_x_tuser,
    input  wire                s_axis_x_tlast,

    input  wire                s_axis_s_tvalid,
    output wire                s_axis_s_tready,
    input  wire [31:0]         s_axis_s_tdata,
    input  wire [USER_W-1:0]   s_axis_s_tuser,
    input  wire                s_axis_s_tlast,

    output wire                m_axis_y_tvalid,
    input  wire                m_axis_y_tready,
    output wire [LANES*32-1:0] m_axis_y_tdata,
    output wire [USER_W-1:0]   m_axis_y_tuser,
    output wire                m_axis_y_tlast,

    output wire                fault
);
    generate
        if (HEADS < 1) begin : gen_bad_heads
            rill_error_HEADS_must_be_at_least_1 u_error ();
        end
    endgenerate

    `include "rill_latency.vh"
    localparam LATENCY = 1 + LATENCY_MUL;       // the operand stage, the product
    localparam TOK_W = USER_W - 1;
    localparam HEAD_W = $clog2(HEADS + 1);
    localparam [31:0] LAST_HEAD = HEADS - 1;

    wire               move;
    wire               ready;
    wire [LATENCY-1:0] valid;
    wire [LANES-1:0]   lane_fault;
    reg                first_q;                 // the first chunk of a firing
    reg  [HEAD_W-1:0]  head_q;
    reg  [31:0]        kept_q [0:(1<<TOK_W)-1]; // scalars of the firing's tokens
    wire               tok_last = s_axis_x_tuser[TOK_W];
    wire [TOK_W-1:0]   tok = s_axis_x_tuser[TOK_W-1:0];
    wire [31:0]        factor = first_q ? s_axis_s_tdata : kept_q[tok];
    wire               factor_there = !first_q || s_axis_s_tvalid;
    wire               last_head = head_q == LAST_HEAD[HEAD_W-1:0];
    wire               take = s_axis_x_tvalid && s_axis_x_tready;

    rill_elementwise #(.LANES(LANES), .TOKENS(TOKENS), .LATENCY(LATENCY)) u_elementwise (
        .clk(clk), .rst(rst), .s_tvalid(s_axis_x_tvalid && factor_there), .s_tready(ready), .s_tuser(s_axis_x_tuser),
        .s_tlast(s_axis_x_tlast && last_head), .m_tvalid(m_axis_y_tvalid), .m_tready(m_axis_y_tready),
        .m_tuser(m_axis_y_tuser), .m_tlast(m_axis_y_tlast), .move(move), .valid(valid),
        .bad(valid[LATENCY-1] && |lane_fault), .fault(fault));
    assign s_axis_x_tready = ready && factor_there;
    assign s_axis_s_tready = ready && first_q && s_axis_x_tvalid;

    always @(posedge clk)
        if (rst) begin
            first_q <= 1'b1;
            head_q <= {HEAD_W{1'b0}};
        end else if (take) begin
            if (tok_last) first_q <= s_axis_x_tlast;
            if (s_axis_x_tlast) head_q <= last_head ? {HEAD_W{1'b0}} : head_q + 1'b1;
        end
    always @(posedge clk) if (take && first_q) kept_q[tok] <= s_axis_s_tdata;

    reg  [LANES*32-1:0] x1_q;
    reg  [31:0]         factor1_q;
    always @(posedge clk)
        if (move) begin
            x1_q <= s_axis_x_tdata;
            factor1_q <= factor;
        end

    genvar i;
    generate
        for (i = 0; i < LANES; i = i + 1) begin : gen_lane
            rill_fp32_mul #(.SATURATE(0)) u_mul (
                .clk(clk), .en(move), .a(x1_q[i*32 +: 32]), .b(factor1_q), .y(m_axis_y_tdata[i*32 +: 32]),
                .fault(lane_fault[i]));
        end
    endgenerate

`ifdef RILL_ASSERT
    always @(posedge clk)
        if (!rst && take && first_q) assert (s_axis_s_tuser == s_axis_x_tuser);
`endif
    wire unused = &{1'b0, valid, s_axis_s_tuser, s_axis_s_tlast};
endmodule

`default_nettype wire
