// SPDX-License-Identifier: Apache-2.0
// Results of the matrix engine on their way out of the accumulators: one of each row-step and token, and the bank of
// accumulators that a row-step has.
//
// leave: a command goes out after which results leave, with their attributes: tok_end, rows_end, out_row, lanes. COPIES
// 1: the last beat of a row-step for a token (tok, tok_last), whose one result it is. COPIES 2, 4: that of its turn 0;
// the results of all tokens, 0 to tok_end, leave one per cycle from then on.
// row_done: a row-step (with K outermost, chunk) has its last command: with COPIES 4 the next one has the other bank.
// Out, registered, in the cycle after leave (cmd_out_row, cmd_out_bank, cmd_count: held for the results after it):
//     cmd_out       a result leaves, that of token cmd_out_tok, of the accumulators cmd_out_row in bank cmd_out_bank
//     cmd_count     lanes that it has;  cmd_tok_last: of the row-step's last token;  cmd_y_last: of the firing, too
//     bank          of the row-step of the present command
//     room          places for a result, with COPIES 2, 4 for TOKENS of them when none is on its way out
// y_pulse: an output word has left, and its place is free. leave comes only with room.
// Throughput: a result per cycle. Reset: clk, synchronous active-high rst; cmd_out, room, bank.
//
// name       meaning                                                      unit    range
// TOKENS     tokens per step, upper bound                                 tokens  1, 2, 4, 8
// COUNT_W    width of a count of lanes                                    bits    1 or more
// OUT_WORDS  capacity for output words; with COPIES 2, 4 at least TOKENS  words   1 or more
// COPIES     tokens per command, at most TOKENS                           tokens  1, 2, 4
// TOK_W      width of a token's number                                    bits    derived
`default_nettype none

module rill_engine_outgoing #(
    parameter TOKENS = 0,
    parameter COUNT_W = 0,
    parameter OUT_WORDS = 0,
    parameter COPIES = 1,
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
    output reg  [COUNT_W-1:0] cmd_count,
    output reg                cmd_tok_last,
    output reg                cmd_y_last
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
        if (COPIES != 1 && COPIES != 2 && COPIES != 4) begin : gen_bad_copies
            rill_error_COPIES_must_be_1_2_or_4 u_error ();
        end
        if (COPIES > 1 && (TOKENS < COPIES || OUT_WORDS < TOKENS)) begin : gen_bad_pairs
            rill_error_TOKENS_must_be_COPIES_to_OUT_WORDS u_error ();
        end
    endgenerate

    reg  [PLACES_W-1:0] places_q;            // that are free
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
        if (COPIES == 4) begin : gen_banks
            reg bank_q;
            assign bank = bank_q;
            always @(posedge clk)
                bank_q <= !rst && bank_q ^ row_done;
        end else begin : gen_one_bank
            assign bank = 1'b0;
        end
    endgenerate

    generate
        if (COPIES == 1) begin : gen_each
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
            reg  [2:0]          left_q;          // results of the row-step that have still to leave
            reg  [2:0]          next_q;          // the next one's token
            reg                 end_q;           // it is the firing's last row-step
            wire [2:0]          left_d = leave ? tok_end : left_q - {2'd0, left_q != 3'd0};
            wire [PLACES_W+2:0] row_tokens = {{PLACES_W{1'b0}}, tok_end} + 1'b1;
            // Both outcomes before it is known whether this row-step's are taken.
            wire [PLACES_W-1:0] kept = places_q + {{(PLACES_W-1){1'b0}}, y_pulse};
            wire [PLACES_W-1:0] rest = kept - row_tokens[PLACES_W-1:0];
            assign places_d = leave ? rest : kept;
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
