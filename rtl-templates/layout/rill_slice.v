// SPDX-License-Identifier: Apache-2.0
// The kernel of the operation `slice`, which passes on a part of a tensor. It reads every word of the tensor and sends
// only the words of some rounds.
//
// A firing has GROUPS groups, a group ROUNDS rounds, and a round WORDS words per token. In each group the words of
// COUNT rounds leave: of round FIRST, and of every STEP-th round after it. The last of them, FIRST + (COUNT - 1) *
// STEP, must be below ROUNDS. m_axis_y_tlast is high with the last word that leaves; s_axis_x_tlast is ignored.
// Streams: docs/rtl.md section 3. Latency: 1 cycle. Throughput: takes one word per cycle. Reset: clk, synchronous
// active-high rst; valids and counters only.
//
// name    meaning                            unit      range
// LANES   fp32 per chunk                     elements  1 or more
// TOKENS  tokens per step, upper bound       tokens    1 or more
// GROUPS  groups of a firing                 groups    1 to 2^24
// ROUNDS  rounds of a group                  rounds    1 to 2^24
// WORDS   words of a round and token         words     1 to 2^24
// FIRST   first round that leaves            rounds    0 to ROUNDS - 1
// STEP    distance from a round that leaves  rounds    1 to 2^24
//         to the next one
// COUNT   rounds of a group that leave       rounds    1 or more
// USER_W  width of tuser                     bits      derived
`default_nettype none

module rill_slice #(
    parameter LANES = 0,
    parameter TOKENS = 0,
    parameter GROUPS = 1,
    parameter ROUNDS = 1,
    parameter WORDS = 1,
    parameter FIRST = 0,
    parameter STEP = 1,
    parameter COUNT = 1,
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
    output wire                m_axis_y_tlast
);
    localparam TOK_W = USER_W - 1;
    localparam COUNT_W = 24;
    localparam [31:0] GROUP_LAST = GROUPS - 1;
    localparam [31:0] ROUND_LAST = ROUNDS - 1;
    localparam [31:0] WORD_LAST = WORDS - 1;
    localparam [31:0] FIRST_32 = FIRST;
    localparam [31:0] STEP_32 = STEP;
    localparam [31:0] LAST_32 = FIRST + (COUNT - 1) * STEP;

    generate
        if (LANES < 1 || TOKENS < 1) begin : gen_bad
            rill_error_LANES_and_TOKENS_must_be_at_least_1 u_error ();
        end
        if (GROUPS < 1 || ROUNDS < 1 || WORDS < 1 || STEP < 1 || COUNT < 1 || FIRST < 0) begin : gen_bad_counts
            rill_error_GROUPS_ROUNDS_WORDS_STEP_and_COUNT_must_be_at_least_1 u_error ();
        end
        if (GROUPS > 16777216 || WORDS > 16777216 || ROUNDS > 16777216) begin : gen_bad_large
            rill_error_GROUPS_WORDS_and_ROUNDS_must_be_at_most_16777216 u_error ();
        end
        if (FIRST + (COUNT - 1) * STEP >= ROUNDS) begin : gen_bad_rounds
            rill_error_the_last_round_must_be_one_of_ROUNDS u_error ();
        end
    endgenerate

    // ---- group, round and word numbers of the word that enters; wanted_q: number of the next round that leaves ----
    wire               take = s_axis_x_tvalid && s_axis_x_tready;
    reg  [COUNT_W-1:0] group_q, round_q, word_q, wanted_q;
    wire               group_last = group_q == GROUP_LAST[COUNT_W-1:0];
    wire               round_last = round_q == ROUND_LAST[COUNT_W-1:0];
    wire               word_last = word_q == WORD_LAST[COUNT_W-1:0];
    wire               is_wanted = round_q == wanted_q;
    wire               ends = group_last && word_last && round_q == LAST_32[COUNT_W-1:0] && s_axis_x_tuser[TOK_W];
    always @(posedge clk)
        if (rst) begin
            group_q <= {COUNT_W{1'b0}};
            round_q <= {COUNT_W{1'b0}};
            word_q <= {COUNT_W{1'b0}};
            wanted_q <= FIRST_32[COUNT_W-1:0];
        end else if (take && s_axis_x_tuser[TOK_W]) begin
            word_q <= word_last ? {COUNT_W{1'b0}} : word_q + 1'b1;
            if (word_last) begin
                round_q <= round_last ? {COUNT_W{1'b0}} : round_q + 1'b1;
                if (round_last) wanted_q <= FIRST_32[COUNT_W-1:0];
                else if (is_wanted && round_q != LAST_32[COUNT_W-1:0]) wanted_q <= wanted_q + STEP_32[COUNT_W-1:0];
            end
            if (word_last && round_last) group_q <= group_last ? {COUNT_W{1'b0}} : group_q + 1'b1;
        end

    // ---- the output register drops a word that does not leave, even while the reader is not ready ----
    wire move, valid, en, m_valid, leaves;
    reg  [LANES*32-1:0] data_q;
    rill_pipe #(.LATENCY(1), .SIDE_W(USER_W + 2)) u_pipe (
        .clk(clk), .rst(rst), .s_tvalid(s_axis_x_tvalid), .s_tready(s_axis_x_tready),
        .s_side({is_wanted, ends, s_axis_x_tuser}), .en(en), .move(move), .valid(valid), .m_tvalid(m_valid),
        .m_tready(m_axis_y_tready || (m_valid && !leaves)), .m_side({leaves, m_axis_y_tlast, m_axis_y_tuser}));
    always @(posedge clk) if (move) data_q <= s_axis_x_tdata;
    assign m_axis_y_tvalid = m_valid && leaves;
    assign m_axis_y_tdata = data_q;

    wire unused = &{1'b0, s_axis_x_tlast, en, valid, GROUP_LAST, ROUND_LAST, WORD_LAST, FIRST_32, STEP_32, LAST_32};
endmodule

`default_nettype wire
