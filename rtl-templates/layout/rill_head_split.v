// SPDX-License-Identifier: Apache-2.0
// Undoes rill_head_pack: in a step of one token, a firing of TOGETHER tokens becomes TOGETHER firings of one token, one
// per query head or row of a tensor. The last firing of a tensor may have fewer tokens. Firings of steps with more
// tokens pass unchanged.
//
// In: one step word per step, and firings of at most WORDS words per token, in order (word, tok), with tuser {tok_last,
// tok}. A step has LAYERS * HEADS heads. In a step of one token, a firing has at most TOGETHER heads, otherwise one.
// Out: the same words, always one firing per head.
// Throughput: one word per cycle. In a step of one token, two firings can be stored, and a firing leaves when its last
// word is in. Latency: 0 cycles in a step with more tokens, otherwise 3 cycles from the last word in to the first word
// out. The first word of a step with more tokens waits until the stored heads of the previous step have left. Reset:
// clk, synchronous active-high rst; tready is low in reset, and stored words are lost.
//
// name            meaning                                  unit    range
// DATA_W          width of a word                          bits    1 or more
// TOKENS          tokens of an input firing, upper bound   tokens  2 to 8
// TOGETHER        heads of an input firing                 heads   1 to TOKENS
// WORDS           words of a head                          words   1 or more
// HEADS           heads per layer                          heads   1 or more
// LAYERS          layers per step                          layers  1 or more
// OUTSIDE_TOKENS  tokens per step, upper bound             tokens  1 to TOKENS
// USER_W          width of s_axis_tuser                    bits    derived
// OUTSIDE_W       width of m_axis_tuser                    bits    derived
`default_nettype none

module rill_head_split #(
    parameter DATA_W = 0,
    parameter TOKENS = 0,
    parameter TOGETHER = 0,
    parameter WORDS = 0,
    parameter HEADS = 0,
    parameter LAYERS = 0,
    parameter OUTSIDE_TOKENS = TOKENS,
    parameter USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1,
    parameter OUTSIDE_W = (OUTSIDE_TOKENS > 1 ? $clog2(OUTSIDE_TOKENS) : 1) + 1
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
    output wire [OUTSIDE_W-1:0] m_axis_tuser,
    output wire              m_axis_tlast
);
    `include "rill_fields.vh"
    generate
        if (DATA_W < 1 || WORDS < 1) begin : gen_bad_words
            rill_error_DATA_W_and_WORDS_must_be_at_least_1 u_error ();
        end
        if (TOKENS < 2 || TOKENS > 8) begin : gen_bad_tokens
            rill_error_TOKENS_must_be_2_to_8 u_error ();
        end
        if (LAYERS < 1 || HEADS < 1) begin : gen_bad_heads
            rill_error_LAYERS_and_HEADS_must_be_at_least_1 u_error ();
        end
        if (TOGETHER < 1 || TOGETHER > TOKENS) begin : gen_bad_together
            rill_error_TOGETHER_must_be_1_to_TOKENS u_error ();
        end
        if (OUTSIDE_TOKENS < 1 || OUTSIDE_TOKENS > TOKENS) begin : gen_bad_outside
            rill_error_OUTSIDE_TOKENS_must_be_1_to_TOKENS u_error ();
        end
    endgenerate

    localparam STORED = TOGETHER > 1 ? WORDS : 1;            // words of a head that are stored
    localparam WORD_W = $clog2(STORED + 1);
    localparam FIRINGS = LAYERS * HEADS;
    localparam FIRE_W = $clog2(FIRINGS + 1);
    localparam [31:0] LAST_FIRE = FIRINGS - 1;
    localparam [31:0] LAST_TOGETHER = TOGETHER > 0 ? LAYERS * ((HEADS + TOGETHER - 1) / TOGETHER) - 1 : 0;
    localparam [OUTSIDE_W-1:0] ONLY_TOKEN = {OUTSIDE_W{1'b1}} ^ ({OUTSIDE_W{1'b1}} >> 1); // tok_last 1, tok 0

    // ---- the step ----
    reg               step_q;                // a step is under way
    reg               together_q;            // the step has one token, so its firings are split; TOGETHER 1: always 0
    reg  [FIRE_W-1:0] fire_q;                // firings of the step that have come in
    wire [FIRE_W-1:0] last_fire = together_q ? LAST_TOGETHER[FIRE_W-1:0] : LAST_FIRE[FIRE_W-1:0];
    wire              take = s_axis_tvalid && s_axis_tready;
    wire              fire_end = take && s_axis_tlast;
    wire              step_end = fire_end && fire_q == last_fire;
    assign s_axis_step_tready = !step_q && !rst;
    always @(posedge clk)
        if (rst) begin
            step_q <= 1'b0;
            fire_q <= {FIRE_W{1'b0}};
        end else begin
            step_q <= step_q ? !step_end : s_axis_step_tvalid;
            if (fire_end) fire_q <= step_end ? {FIRE_W{1'b0}} : fire_q + 1'b1;
        end
    always @(posedge clk)
        if (!step_q) together_q <= TOGETHER > 1 && s_axis_step_tdata[STEP_NTOK +: STEP_NTOK_W] == 4'd1;

    // ---- packed heads are stored and leave one after the other; other firings pass only while no head is stored ----
    wire              room;
    wire              w_take;
    wire              w_bank;
    wire [WORD_W-1:0] w_chunk;
    wire              w_end;
    wire              i_avail;
    wire              i_bank;
    wire [WORD_W-1:0] i_chunk;
    wire [WORD_W-1:0] i_last;
    wire [USER_W-1:0] i_tuser;
    wire              i_pad;
    wire              i_end;
    wire              i_tlast;
    wire              i_side;
    wire              valid;
    wire [DATA_W-1:0] data;
    reg               last_q;                // data is the last word of its head
    reg  [1:0]        held_q;                // stored firings that have not left
    reg               end_q;                 // data is the last word of its firing
    wire              en = m_axis_tready || !valid;
    wire              store = s_axis_tvalid && step_q && together_q;
    wire              pass = step_q && !together_q && held_q == 2'd0;
    wire              leave = valid && m_axis_tready && end_q;
    rill_bank_buffer #(.DATA_W(DATA_W), .TOKENS(TOKENS), .CHUNKS(STORED), .TOKEN_MAJOR(1)) u_banks (
        .clk(clk), .rst(rst), .s_tvalid(store), .s_tready(room), .s_tdata(s_axis_tdata), .s_tuser(s_axis_tuser),
        .s_tlast(s_axis_tlast), .s_side(1'b0), .w_take(w_take), .w_bank(w_bank), .w_chunk(w_chunk), .w_end(w_end),
        .r_en(en), .r_go(1'b1), .r_pad(1'b0), .i_avail(i_avail), .i_bank(i_bank), .i_chunk(i_chunk),
        .i_last(i_last), .i_tuser(i_tuser), .i_pad(i_pad), .i_end(i_end), .i_tlast(i_tlast), .i_side(i_side),
        .r_tvalid(valid), .r_tdata(data));
    always @(posedge clk) begin
        if (rst) held_q <= 2'd0;
        else held_q <= held_q + {1'b0, w_take && w_end} - {1'b0, leave};
        if (en) begin
            last_q <= i_chunk == i_last;
            end_q <= i_end;
        end
    end

    assign s_axis_tready = !rst && (pass ? m_axis_tready : step_q && together_q && room);
    assign m_axis_tvalid = pass ? s_axis_tvalid && !rst : valid;
    assign m_axis_tdata = pass ? s_axis_tdata : data;
    assign m_axis_tuser = pass ? {s_axis_tuser[USER_W-1], s_axis_tuser[OUTSIDE_W-2:0]} : ONLY_TOKEN;
    assign m_axis_tlast = pass ? s_axis_tlast : last_q;

    wire unused = &{1'b0, s_axis_step_tdata, s_axis_tuser, w_bank, w_chunk, i_bank, i_avail, i_tuser, i_pad, i_tlast,
        i_side, LAST_FIRE, LAST_TOGETHER};
endmodule

`default_nettype wire
