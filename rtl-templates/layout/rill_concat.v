// SPDX-License-Identifier: Apache-2.0
// The kernel of the operation `concat`, which joins two tensors into one. It passes words of a and words of b in turn.
//
// It takes FIRST words of a for each token, then SECOND words of b for each token, then words of a again, and so on.
// The output firing ends with b's firing; tlast of a is ignored.
// Streams: docs/rtl.md section 3. Latency 1 cycle, one word per cycle. Reset: clk, synchronous active-high rst, valids
// and counters only.
//
// name    meaning                       unit      range
// LANES   fp32 per chunk                elements  1 or more
// TOKENS  tokens per step, upper bound  tokens    1 or more
// FIRST   words of a, per token         words     1 to 2^24
// SECOND  words of b, per token         words     1 to 2^24
// USER_W  width of tuser                bits      derived
`default_nettype none

module rill_concat #(
    parameter LANES = 0,
    parameter TOKENS = 0,
    parameter FIRST = 1,
    parameter SECOND = 1,
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
    output wire                m_axis_y_tlast
);
    localparam TOK_W = USER_W - 1;
    localparam COUNT_W = 24;
    localparam [31:0] FIRST_LAST = FIRST - 1;
    localparam [31:0] SECOND_LAST = SECOND - 1;

    generate
        if (LANES < 1 || TOKENS < 1) begin : gen_bad
            rill_error_LANES_and_TOKENS_must_be_at_least_1 u_error ();
        end
        if (FIRST < 1 || SECOND < 1 || FIRST > 16777216 || SECOND > 16777216) begin : gen_bad_words
            rill_error_FIRST_and_SECOND_must_be_1_to_16777216 u_error ();
        end
    endgenerate

    reg                second_q;             // the next word is taken from b
    reg  [COUNT_W-1:0] word_q;               // number of the word in the present turn
    wire               ready, move, valid, en;
    wire               word_last = word_q == (second_q ? SECOND_LAST[COUNT_W-1:0] : FIRST_LAST[COUNT_W-1:0]);
    wire               s_valid = second_q ? s_axis_b_tvalid : s_axis_a_tvalid;
    wire [USER_W-1:0]  user = second_q ? s_axis_b_tuser : s_axis_a_tuser;
    assign s_axis_a_tready = ready && !second_q;
    assign s_axis_b_tready = ready && second_q;
    always @(posedge clk)
        if (rst) begin
            second_q <= 1'b0;
            word_q <= {COUNT_W{1'b0}};
        end else if (s_valid && ready && user[TOK_W]) begin
            word_q <= word_last ? {COUNT_W{1'b0}} : word_q + 1'b1;
            second_q <= second_q ^ word_last;
        end

    reg  [LANES*32-1:0] data_q;
    rill_pipe #(.LATENCY(1), .SIDE_W(USER_W + 1)) u_pipe (
        .clk(clk), .rst(rst), .s_tvalid(s_valid), .s_tready(ready), .s_side({second_q && s_axis_b_tlast, user}),
        .en(en), .move(move), .valid(valid), .m_tvalid(m_axis_y_tvalid), .m_tready(m_axis_y_tready),
        .m_side({m_axis_y_tlast, m_axis_y_tuser}));
    always @(posedge clk) if (move) data_q <= second_q ? s_axis_b_tdata : s_axis_a_tdata;
    assign m_axis_y_tdata = data_q;

    wire unused = &{1'b0, s_axis_a_tlast, en, valid, FIRST_LAST, SECOND_LAST};
endmodule

`default_nettype wire
