// SPDX-License-Identifier: Apache-2.0
// Passes one of two vector streams and drops the other one. The repetition decides: y = OF[repetition] ? b : a.
//
// Streams: docs/rtl.md section 3. Both inputs have the same chunks and tokens; a chunk is taken when it has arrived on
// both inputs. Specs use it (operation choose) where the repetitions of a region differ.
// Latency 1 cycle; one chunk per cycle, II 1. Reset: clk, synchronous active-high rst.
//
// name     meaning                                                        unit         range
// LANES    fp32 per chunk                                                 elements     1 to 32
// TOKENS   tokens per step, upper bound                                   tokens       1 to 8
// FIRINGS  firings of each input in a repetition                          firings      1 or more
// LAYERS   repetitions of the region in a step                            repetitions  1 or more
// OF       one bit per repetition, the first low: 0 passes a, 1 passes b  bits         any
// USER_W   width of tuser                                                 bits         derived
`default_nettype none

module rill_choose #(
    parameter LANES = 0,
    parameter TOKENS = 0,
    parameter FIRINGS = 0,
    parameter LAYERS = 1,
    parameter [LAYERS-1:0] OF = 0,
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
    output reg  [LANES*32-1:0] m_axis_y_tdata,
    output wire [USER_W-1:0]   m_axis_y_tuser,
    output wire                m_axis_y_tlast
);
    localparam REP_W = LAYERS > 1 ? $clog2(LAYERS) : 1;

    wire             move;
    wire             valid;
    wire             fault;
    wire [REP_W-1:0] repetition;
    wire             take = s_axis_a_tvalid && s_axis_a_tready;

    rill_repetition #(.FIRINGS(FIRINGS), .LAYERS(LAYERS)) u_repetition (
        .clk(clk), .rst(rst), .last(take && s_axis_a_tlast), .together(1'b0), .repetition(repetition));

    rill_elementwise #(.LANES(LANES), .TOKENS(TOKENS), .OPERANDS(2), .LATENCY(1)) u_elementwise (
        .clk(clk), .rst(rst), .s_tvalid({s_axis_b_tvalid, s_axis_a_tvalid}),
        .s_tready({s_axis_b_tready, s_axis_a_tready}), .s_tuser({s_axis_b_tuser, s_axis_a_tuser}),
        .s_tlast({s_axis_b_tlast, s_axis_a_tlast}), .m_tvalid(m_axis_y_tvalid), .m_tready(m_axis_y_tready),
        .m_tuser(m_axis_y_tuser), .m_tlast(m_axis_y_tlast), .move(move), .valid(valid), .bad(1'b0), .fault(fault));

    always @(posedge clk) if (move) m_axis_y_tdata <= OF[repetition] ? s_axis_b_tdata : s_axis_a_tdata;

    wire unused = &{1'b0, valid, fault};
endmodule

`default_nettype wire
