// SPDX-License-Identifier: Apache-2.0
// Turns query heads, or rows of a tensor, into tokens: in a step of one token, TOGETHER firings become one firing, in
// which head h is token h. So the engine reads a beat once for all of these heads. Firings of steps with more tokens
// pass unchanged.
//
// In: one firing per head, with all words of a token before those of the next one (mx units of q), tuser {tok_last,
// tok}. Out: the same words in the same order, with another tuser and tlast. The module recognizes a step of one token
// by a word of token 0 that has tok_last. If FIRINGS is not a multiple of TOGETHER, the last output firing of a tensor
// has fewer heads. Payload and handshake are wires: latency 0, one word per cycle. Reset: clk, synchronous active-high
// rst; tvalid and tready are low in reset.
//
// name            meaning                                                                   unit     range
// DATA_W          width of a word                                                           bits     1 or more
// TOKENS          tokens of an output firing, upper bound                                   tokens   2 to 8
// TOGETHER        heads of an output firing                                                 heads    1 to TOKENS
// FIRINGS         input firings of a tensor; 0: a multiple of TOGETHER                      firings  0 or more
// OUTSIDE_TOKENS  tokens per step, upper bound                                              tokens   1 to TOKENS
// USER_W          width of m_axis_tuser                                                     bits     derived
// OUTSIDE_W       width of s_axis_tuser                                                     bits     derived
`default_nettype none

module rill_head_pack #(
    parameter DATA_W = 0,
    parameter TOKENS = 0,
    parameter TOGETHER = 0,
    parameter FIRINGS = 0,
    parameter OUTSIDE_TOKENS = TOKENS,
    parameter USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1,
    parameter OUTSIDE_W = (OUTSIDE_TOKENS > 1 ? $clog2(OUTSIDE_TOKENS) : 1) + 1
) (
    input  wire              clk,
    input  wire              rst,
    input  wire              s_axis_tvalid,
    output wire              s_axis_tready,
    input  wire [DATA_W-1:0] s_axis_tdata,
    input  wire [OUTSIDE_W-1:0] s_axis_tuser,
    input  wire              s_axis_tlast,
    output wire              m_axis_tvalid,
    input  wire              m_axis_tready,
    output wire [DATA_W-1:0] m_axis_tdata,
    output wire [USER_W-1:0] m_axis_tuser,
    output wire              m_axis_tlast
);
    generate
        if (DATA_W < 1) begin : gen_bad_width
            rill_error_DATA_W_must_be_at_least_1 u_error ();
        end
        if (TOKENS < 2 || TOKENS > 8) begin : gen_bad_tokens
            rill_error_TOKENS_must_be_2_to_8 u_error ();
        end
        if (TOGETHER < 1 || TOGETHER > TOKENS) begin : gen_bad_together
            rill_error_TOGETHER_must_be_1_to_TOKENS u_error ();
        end
        if (OUTSIDE_TOKENS < 1 || OUTSIDE_TOKENS > TOKENS) begin : gen_bad_outside
            rill_error_OUTSIDE_TOKENS_must_be_1_to_TOKENS u_error ();
        end
    endgenerate

    localparam TOK_W = USER_W - 1;
    localparam [31:0] LAST_HEAD = TOGETHER - 1;
    localparam [OUTSIDE_W-1:0] ONLY_TOKEN = {OUTSIDE_W{1'b1}} ^ ({OUTSIDE_W{1'b1}} >> 1); // tok_last 1, tok 0

    reg  [TOK_W-1:0] head_q;                               // number of the head in the output firing
    wire             alone = s_axis_tuser == ONLY_TOKEN;   // the step has one token
    wire [TOK_W-1:0] tok;
    wire             left_last;                            // the head is the last one of its tensor
    wire             head_last = head_q == LAST_HEAD[TOK_W-1:0] || left_last;
    wire             head_end = m_axis_tvalid && m_axis_tready && s_axis_tlast && alone;

    assign m_axis_tvalid = s_axis_tvalid && !rst;
    assign s_axis_tready = m_axis_tready && !rst;
    assign m_axis_tdata = s_axis_tdata;
    assign m_axis_tuser = alone ? {head_last, head_q} : {s_axis_tuser[OUTSIDE_W-1], tok};
    assign m_axis_tlast = s_axis_tlast && (!alone || head_last);

    always @(posedge clk)
        if (rst)
            head_q <= {TOK_W{1'b0}};
        else if (head_end)
            head_q <= head_last ? {TOK_W{1'b0}} : head_q + 1'b1;

    generate
        if (USER_W > OUTSIDE_W) begin : gen_wider
            assign tok = {{(USER_W-OUTSIDE_W){1'b0}}, s_axis_tuser[OUTSIDE_W-2:0]};
        end else begin : gen_same
            assign tok = s_axis_tuser[TOK_W-1:0];
        end
        if (TOGETHER > 0 && FIRINGS % TOGETHER != 0) begin : gen_left
            localparam LEFT_W = $clog2(FIRINGS + 1);
            localparam [31:0] LAST_LEFT = FIRINGS - 1;
            reg [LEFT_W-1:0] left_q;                       // number of the head in its tensor
            assign left_last = left_q == LAST_LEFT[LEFT_W-1:0];
            always @(posedge clk)
                if (rst)
                    left_q <= {LEFT_W{1'b0}};
                else if (head_end)
                    left_q <= left_last ? {LEFT_W{1'b0}} : left_q + 1'b1;
            wire unused_left = &{1'b0, LAST_LEFT};
        end else begin : gen_whole
            assign left_last = 1'b0;
        end
    endgenerate

    wire unused = &{1'b0, LAST_HEAD};
endmodule

`default_nettype wire
