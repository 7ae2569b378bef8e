// SPDX-License-Identifier: Apache-2.0
// Sends every head of a stream of kv units REPLAYS times: with grouped queries, the engine needs the keys of a step
// once for each query head that reads them. In a step of one token, a head is sent only REPLAYS / TOGETHER times,
// because TOGETHER query heads share a pass (rill_head_pack).
//
// In and out: kv units in order head, tok, unit in head; tuser {tok_last, tok}. A head ends with unit UNITS-1 of the
// token that has tok_last.
// m_axis_tlast ends every pass of a head. Latency, throughput and reset are those of rill_replay_buffer, which treats a
// head as a firing.
//
// name      meaning                                                                unit    range
// DATA_W    width of a unit                                                        bits    1 or more
// TOKENS    tokens per step, upper bound                                           tokens  1 to 8
// UNITS     units of a head and token                                              units   1 or more
// REPLAYS   times that every head is sent                                          times   1 or more
// TOGETHER  query heads that share a pass in a step of one token; divides REPLAYS  heads   1 or more
// USER_W    width of tuser                                                         bits    derived
`default_nettype none

module rill_head_replay #(
    parameter DATA_W = 0,
    parameter TOKENS = 0,
    parameter UNITS = 0,
    parameter REPLAYS = 0,
    parameter TOGETHER = 1,
    parameter USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1
) (
    input  wire              clk,
    input  wire              rst,
    input  wire              s_axis_tvalid,
    output wire              s_axis_tready,
    input  wire [DATA_W-1:0] s_axis_tdata,
    input  wire [USER_W-1:0] s_axis_tuser,
    input  wire              s_axis_tlast,
    output wire              m_axis_tvalid,
    input  wire              m_axis_tready,
    output wire [DATA_W-1:0] m_axis_tdata,
    output wire [USER_W-1:0] m_axis_tuser,
    output wire              m_axis_tlast
);
    generate
        if (TOKENS < 1 || TOKENS > 8) begin : gen_bad_tokens
            rill_error_TOKENS_must_be_1_to_8 u_error ();
        end
        if (UNITS < 1) begin : gen_bad_units
            rill_error_UNITS_must_be_at_least_1 u_error ();
        end
    endgenerate

    localparam UNIT_W = UNITS > 1 ? $clog2(UNITS) : 1;
    localparam [31:0] TOP = UNITS - 1;
    reg  [UNIT_W-1:0] unit_q;
    wire              unit_end = unit_q == TOP[UNIT_W-1:0];
    wire              head_end = unit_end && s_axis_tuser[USER_W-1];

    always @(posedge clk)
        if (rst)
            unit_q <= {UNIT_W{1'b0}};
        else if (s_axis_tvalid && s_axis_tready)
            unit_q <= unit_end ? {UNIT_W{1'b0}} : unit_q + 1'b1;

    rill_replay_buffer #(.DATA_W(DATA_W), .USER_W(USER_W), .DEPTH(TOKENS * UNITS), .REPLAYS(REPLAYS),
        .TOGETHER(TOGETHER), .RAM_STYLE("distributed")) u_replay (
        .clk(clk), .rst(rst), .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready), .s_axis_tdata(s_axis_tdata),
        .s_axis_tuser(s_axis_tuser), .s_axis_tlast(head_end), .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready),
        .m_axis_tdata(m_axis_tdata), .m_axis_tuser(m_axis_tuser), .m_axis_tlast(m_axis_tlast));

    wire unused = s_axis_tlast;
endmodule

`default_nettype wire
