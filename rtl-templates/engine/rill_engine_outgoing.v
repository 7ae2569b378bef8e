// SPDX-License-Identifier: Apache-2.0
// Decides when results of the matrix engine leave the accumulators, one per row-step and token, and which bank of
// accumulators a row-step uses.
//
// leave: the command of this cycle makes results leave. It comes only while room is 1. With leave come tok_end (index
// of the last token), rows_end (this is the last row-step of the firing), out_row (row of accumulators) and lanes
// (number of lanes with a valid result). TURN_TOKENS 1: the command has the last beat of a row-step for one token (tok,
// tok_last), and the one result of this token leaves. TURN_TOKENS 2, 4: the command has the last beat for turn 0, and
// the results of all tokens, 0 to tok_end, leave one per cycle from then on.
// row_done: the command is the last one of a row-step (with K outermost, of a chunk). With TURN_TOKENS 4 the next
// row-step or chunk uses the other bank.
// Out, registered, in the cycle after leave (cmd_out_row, cmd_out_bank and cmd_count stay for the results after it):
//     cmd_out       the result of token cmd_out_tok leaves accumulators cmd_out_row in bank cmd_out_bank
//     cmd_count     lanes with a valid result
//     cmd_tok_last  the result belongs to the row-step's last token
//     cmd_y_last    the result is the last one of the firing
//     bank          bank of the row-step of the present command
//     room          the output FIFO has a place for a result; TURN_TOKENS 2, 4: it has TOKENS places, and no earlier
//                   result is still to leave
// y_pulse: an output word has left the FIFO, so its place is free.
// Throughput: one result per cycle. Reset: clk, synchronous active-high rst: all places of the FIFO are free (room is
// 1), results that have not left are discarded, and cmd_out and bank are 0.
//
// name         meaning                                                           unit    range
// TOKENS       tokens per step, upper bound                                      tokens  1, 2, 4, 8
// COUNT_W      width of a count of lanes                                         bits    1 or more
// OUT_WORDS    capacity for output words; with TURN_TOKENS 2, 4 at least TOKENS  words   1 or more
// TURN_TOKENS  tokens per command, at most TOKENS                                tokens  1, 2, 4
// TOK_W        width of a token's number                                         bits    derived
`default_nettype none

module rill_engine_outgoing #(
    parameter TOKENS = 0,
    parameter COUNT_W = 0,
    parameter OUT_WORDS = 0,
    parameter TURN_TOKENS = 1,
    parameter TOK_W = TOKENS > 1 ? $clog2(TOKENS) : 1
) (
    input  wire               clk,
    input  wire               rst,
    input  wire               y_pulse,
    input  wire               leave,
    input  wire               row_done,
    input  wire [TOK_W-1:0]   tok,
    input  wire               tok_last,
    input  wire [2:0]         tok_end,
    input  wire               rows_end,
    input  wire [2:0]         out_row,
    input  wire [COUNT_W-1:0] lanes,
    output wire               bank,
    output reg                room,
    output reg                cmd_out,
    output reg  [TOK_W-1:0]   cmd_out_tok,
    output reg  [2:0]         cmd_out_row,
    output reg                cmd_out_bank,
    // The output FIFO may be on another die (user_sll_reg: see rill_hop_stage).
    (* user_sll_reg = "true" *) output reg [COUNT_W-1:0] cmd_count,
    (* user_sll_reg = "true" *) output reg               cmd_tok_last,
    (* user_sll_reg = "true" *) output reg               cmd_y_last
);
    localparam PLACES_W = $clog2(OUT_WORDS + 1);
    localparam [31:0] ALL_WORDS = OUT_WORDS;

    generate
        if (TOKENS != 1 && TOKENS != 2 && TOKENS != 4 && TOKENS != 8) begin : gen_bad_tokens
            rill_error_TOKENS_must_be_1_2_4_or_8 u_error ();
        end
        if (COUNT_W < 1 || OUT_WORDS < 1) begin : gen_bad_room
            rill_error_COUNT_W_and_OUT_WORDS_must_be_at_least_1 u_error ();
        end
        if (TURN_TOKENS != 1 && TURN_TOKENS != 2 && TURN_TOKENS != 4) begin : gen_bad_turn
            rill_error_TURN_TOKENS_must_be_1_2_or_4 u_error ();
        end
        if (TURN_TOKENS > 1 && (TOKENS < TURN_TOKENS || OUT_WORDS < TOKENS)) begin : gen_bad_pairs
            rill_error_TOKENS_must_be_TURN_TOKENS_to_OUT_WORDS u_error ();
        end
    endgenerate

    reg  [PLACES_W-1:0] places_q;            // free places
    wire [PLACES_W-1:0] places_d;
    wire                room_d;
    always @(posedge clk)
        if (rst) begin
            places_q <= ALL_WORDS[PLACES_W-1:0];
            room <= 1'b1;
        end else begin
            places_q <= places_d;
            room <= room_d;
        end

    generate
        if (TURN_TOKENS == 4) begin : gen_banks
            reg bank_q;
            assign bank = bank_q;
            always @(posedge clk)
                bank_q <= !rst && bank_q ^ row_done;
        end else begin : gen_one_bank
            assign bank = 1'b0;
        end
    endgenerate

    generate
        if (TURN_TOKENS == 1) begin : gen_each
            assign places_d = places_q + {{(PLACES_W-1){1'b0}}, y_pulse} - {{(PLACES_W-1){1'b0}}, leave};
            assign room_d = places_d != {PLACES_W{1'b0}};
            always @(posedge clk) begin
                cmd_out <= leave && !rst;
                cmd_out_tok <= tok;
                cmd_out_row <= 3'd0;
                cmd_out_bank <= 1'b0;
                cmd_count <= lanes;
                cmd_tok_last <= tok_last;
                cmd_y_last <= rows_end && tok_last;
            end
            wire unused_each = &{1'b0, tok_end, out_row, row_done, bank};
        end else begin : gen_row
            localparam [31:0] ALL_TOKENS = TOKENS;
            reg  [2:0]          left_q;          // results of the row-step that have not left
            reg  [2:0]          next_q;          // token of the next result
            reg                 end_q;           // this is the firing's last row-step
            wire [2:0]          left_d = leave ? tok_end : left_q - {2'd0, left_q != 3'd0};
            wire [PLACES_W+2:0] row_tokens = {{PLACES_W{1'b0}}, tok_end} + 1'b1;
            // Free places after this cycle without and with `leave`, both computed before `leave` is known.
            wire [PLACES_W-1:0] kept = places_q + {{(PLACES_W-1){1'b0}}, y_pulse};
            wire [PLACES_W-1:0] rest = kept - row_tokens[PLACES_W-1:0];
            assign places_d = leave ? rest : kept;
            // A row-step may leave when at most one result of the previous one is left, because this result leaves now.
            assign room_d = leave ? tok_end == 3'd0 && rest >= ALL_TOKENS[PLACES_W-1:0]
                                  : left_q[2:1] == 2'd0 && kept >= ALL_TOKENS[PLACES_W-1:0];
            always @(posedge clk) begin
                left_q <= rst ? 3'd0 : left_d;
                next_q <= leave ? 3'd1 : next_q + 3'd1;
                cmd_out <= (leave || left_q != 3'd0) && !rst;
                cmd_out_tok <= leave ? {TOK_W{1'b0}} : next_q[TOK_W-1:0];
                cmd_tok_last <= left_d == 3'd0;
                cmd_y_last <= (leave ? rows_end : end_q) && left_d == 3'd0;
                if (leave) begin
                    end_q <= rows_end;
                    cmd_out_row <= out_row;
                    cmd_out_bank <= bank;
                    cmd_count <= lanes;
                end
            end
            wire unused_row = &{1'b0, ALL_TOKENS, row_tokens, next_q, tok, tok_last, row_done};
        end
    endgenerate

    wire unused = &{1'b0, ALL_WORDS};
endmodule

`default_nettype wire
