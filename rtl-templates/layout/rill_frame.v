// SPDX-License-Identifier: Apache-2.0
// Changes the length of a stream's firings: sets tlast after every WORDS words per token and ignores the tlast of the
// input.
//
// For example, it divides a tensor that arrives as one firing into one firing per row, or joins rows into one firing.
// tuser = {tok_last, tok}; a word comes once per active token. Payload and handshake are wires: latency 0, one word per
// cycle.
// Reset: clk, synchronous active-high rst; tvalid and tready are low in reset.
//
// name    meaning                               unit    range
// DATA_W  width of a word                       bits    1 or more
// TOKENS  tokens per step, a power of two       tokens  1 or more
// WORDS   words of an output firing, per token  words   1 or more
// USER_W  width of tuser                        bits    derived
`default_nettype none

module rill_frame #(
    parameter DATA_W = 0,
    parameter TOKENS = 0,
    parameter WORDS = 0,
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
        if (DATA_W < 1 || WORDS < 1) begin : gen_bad
            rill_error_DATA_W_and_WORDS_must_be_at_least_1 u_error ();
        end
        if (TOKENS < 1 || (TOKENS & (TOKENS - 1)) != 0) begin : gen_bad_tokens
            rill_error_TOKENS_must_be_a_power_of_two u_error ();
        end
    endgenerate

    localparam WORD_W = $clog2(WORDS + 1);
    localparam [31:0] TOP_32 = WORDS - 1;

    reg  [WORD_W-1:0] word_q;                              // number of the word in the output firing
    wire              at_top = word_q == TOP_32[WORD_W-1:0];
    wire              row_end = m_axis_tvalid && m_axis_tready && s_axis_tuser[USER_W-1];

    assign m_axis_tvalid = s_axis_tvalid && !rst;
    assign s_axis_tready = m_axis_tready && !rst;
    assign m_axis_tdata = s_axis_tdata;
    assign m_axis_tuser = s_axis_tuser;
    assign m_axis_tlast = at_top && s_axis_tuser[USER_W-1];

    always @(posedge clk)
        if (rst)
            word_q <= {WORD_W{1'b0}};
        else if (row_end)
            word_q <= at_top ? {WORD_W{1'b0}} : word_q + 1'b1;

    wire unused = s_axis_tlast;
endmodule

`default_nettype wire
