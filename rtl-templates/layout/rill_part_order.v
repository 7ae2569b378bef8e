// SPDX-License-Identifier: Apache-2.0
// Cuts a step's tensor into one tensor for each part of the step, for kernels that process the parts one by one. With
// JOIN, it does the reverse: it puts the tensors of the parts together. Used in designs with slots.
//
// In: words of parts (rill_part_steps), one for each part of a tensor, and the tensor in WORDS words per token in order
// (word, tok), where tok counts over the step. Out: for each part in order, its tokens' words in order (word, tok),
// where tok counts over the part. With JOIN, the tensors of the parts come in and the step's tensor goes out.
// tlast of the input is ignored. A firing of the output ends with the last token of every FIRE_WORDS words; FIRE_WORDS
// divides WORDS.
// The tensor is stored whole before its first word leaves. The next tensor is taken when the last word has been read.
// Throughput: one word per cycle, in or out. Latency: 2 cycles from the tensor's last word (and the word of the part)
// to the first word out.
// Reset: clk, synchronous active-high rst; the tensor that is held is discarded.
//
// name        meaning                                  unit    range
// DATA_W      width of tdata                           bits    1 or more
// TOKENS      tokens per step, upper bound             tokens  1, 2, 4, 8
// WORDS       words of a token                         words   1 or more
// FIRE_WORDS  words of a token in an output firing     words   1 to WORDS
// JOIN        1: puts parts together; 0: cuts          -       0, 1
// USER_W      width of tuser                           bits    derived
`default_nettype none

module rill_part_order #(
    parameter DATA_W = 0,
    parameter TOKENS = 0,
    parameter WORDS = 0,
    parameter FIRE_WORDS = WORDS,
    parameter JOIN = 0,
    parameter USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1
) (
    input  wire              clk,
    input  wire              rst,
    input  wire              s_axis_step_tvalid,
    output wire              s_axis_step_tready,
    input  wire [63:0]       s_axis_step_tdata,
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
    `include "rill_fields.vh"
    generate
        if (DATA_W < 1) begin : gen_bad_width
            rill_error_DATA_W_must_be_at_least_1 u_error ();
        end
        if (TOKENS != 1 && TOKENS != 2 && TOKENS != 4 && TOKENS != 8) begin : gen_bad_tokens
            rill_error_TOKENS_must_be_1_2_4_or_8 u_error ();
        end
        if (WORDS < 1 || FIRE_WORDS < 1 || WORDS % FIRE_WORDS != 0) begin : gen_bad_words
            rill_error_FIRE_WORDS_must_divide_WORDS u_error ();
        end
        if (JOIN != 0 && JOIN != 1) begin : gen_bad_join
            rill_error_JOIN_must_be_0_or_1 u_error ();
        end
    endgenerate

    localparam TOK_W = USER_W - 1;
    localparam WORD_W = WORDS > 1 ? $clog2(WORDS) : 1;
    localparam [31:0] LAST_WORD = WORDS - 1;
    localparam [31:0] LAST_FIRE_WORD = FIRE_WORDS - 1;
    reg  [DATA_W-1:0] mem [0:(1 << (WORD_W + TOK_W))-1];

    // The present part has tokens base_q to base_q + count - 1. With JOIN it comes in, otherwise it goes out.
    reg  [TOK_W-1:0]  base_q;
    wire [3:0]        count = s_axis_step_tdata[PART_NTOK +: PART_NTOK_W];
    wire [3:0]        part_end = {{(4-TOK_W){1'b0}}, base_q} + count; // the token after the part
    wire              part_more = s_axis_step_tdata[PART_MORE];
    wire              part_over;             // the last word of the part has come in, or is read
    assign s_axis_step_tready = part_over;

    // ---- in ----
    reg               open_q;                // low in reset
    reg               full_q;                // the whole tensor is stored
    reg  [WORD_W-1:0] in_word_q;
    wire              take = s_axis_tvalid && s_axis_tready;
    wire              tok_last = s_axis_tuser[TOK_W];
    wire [TOK_W-1:0]  in_tok = s_axis_tuser[TOK_W-1:0] + (JOIN != 0 ? base_q : {TOK_W{1'b0}});
    wire              in_last = take && tok_last && in_word_q == LAST_WORD[WORD_W-1:0];
    wire              all_in = in_last && (JOIN == 0 || !part_more);
    wire              all_out;
    assign s_axis_tready = open_q && !full_q && (JOIN == 0 || s_axis_step_tvalid);
    always @(posedge clk) begin
        open_q <= !rst;
        full_q <= !rst && (all_in || (full_q && !all_out));
        if (rst || in_last)
            in_word_q <= {WORD_W{1'b0}};
        else if (take && tok_last)
            in_word_q <= in_word_q + 1'b1;
        if (take)
            mem[{in_word_q, in_tok}] <= s_axis_tdata;
    end

    // ---- out ----
    reg  [3:0]        total_q;               // JOIN: tokens of the step
    reg  [WORD_W-1:0] out_word_q;
    reg  [WORD_W-1:0] fire_word_q;           // word in its firing
    reg  [TOK_W-1:0]  out_tok_q;             // counts over the part, with JOIN over the step
    reg               valid_q;
    reg  [DATA_W-1:0] data_q;
    reg  [USER_W-1:0] user_q;
    reg               last_q;
    wire              en = !valid_q || m_axis_tready;
    wire              read = full_q && en && (JOIN != 0 || s_axis_step_tvalid);
    wire [3:0]        out_count = JOIN != 0 ? total_q : count;
    wire              out_tok_last = {{(4-TOK_W){1'b0}}, out_tok_q} == out_count - 4'd1;
    wire              out_last = read && out_tok_last && out_word_q == LAST_WORD[WORD_W-1:0];
    wire              fire_last = fire_word_q == LAST_FIRE_WORD[WORD_W-1:0];
    wire [TOK_W-1:0]  place = out_tok_q + (JOIN != 0 ? {TOK_W{1'b0}} : base_q);
    assign all_out = out_last && (JOIN != 0 || !part_more);
    assign part_over = JOIN != 0 ? in_last : out_last;
    always @(posedge clk) begin
        if (rst)
            valid_q <= 1'b0;
        else if (en)
            valid_q <= read;
        if (read) begin
            data_q <= mem[{out_word_q, place}];
            user_q <= {out_tok_last, out_tok_q};
            last_q <= out_tok_last && fire_last;
        end
        if (rst || out_last) begin
            out_word_q <= {WORD_W{1'b0}};
            fire_word_q <= {WORD_W{1'b0}};
            out_tok_q <= {TOK_W{1'b0}};
        end else if (read) begin
            out_tok_q <= out_tok_last ? {TOK_W{1'b0}} : out_tok_q + 1'b1;
            if (out_tok_last) begin
                out_word_q <= out_word_q + 1'b1;
                fire_word_q <= fire_last ? {WORD_W{1'b0}} : fire_word_q + 1'b1;
            end
        end
        if (rst)
            base_q <= {TOK_W{1'b0}};
        else if (part_over)
            base_q <= part_more ? part_end[TOK_W-1:0] : {TOK_W{1'b0}};
        if (part_over && !part_more)
            total_q <= part_end;
    end
    assign m_axis_tvalid = valid_q;
    assign m_axis_tdata = data_q;
    assign m_axis_tuser = user_q;
    assign m_axis_tlast = last_q;

    wire unused = &{1'b0, s_axis_tlast, s_axis_step_tdata, LAST_WORD, LAST_FIRE_WORD, part_end};
endmodule

`default_nettype wire
