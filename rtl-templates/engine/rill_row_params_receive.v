// SPDX-License-Identifier: Apache-2.0
// Receives the row parameters of a lane that is cut after its multipliers, at the sums of the lane. Puts them together
// from the words of rill_row_params_send and keeps them until the results of their rows leave.
//
// Cycle 0: params, row and raw of the command for the sums. params 1: a chunk begins; its words come from cycle 2 on,
// one per cycle, rows in order. params 0: a result of the chunk's `row` may leave; its parameters are on row_scale and
// bias in cycle READ_AT + 1. raw 1 (keys) and 2 (values): row_scale is SCALE_K or SCALE_V instead, and bias is +0.
// Rule for the caller: row n of a chunk (from 0) ends no sooner than with command (n + 1) * 64 / PARAM_BITS of the
// chunk. By then its parameters have arrived. The parameters of the latest four chunks are kept, so they are read in
// time even if each row has only one beat.
// Reset: clk, synchronous active-high rst; parameters on their way are discarded.
//
// name        meaning                                     unit       range
// ROWS        rows of a chunk                             rows       1, 4, 8
// PARAM_BITS  width of a word                             bits       8, 16, 32, 64
// READ_AT     delay of the read after a result's command  clocks     3 to 9
// SCALE_K     row scale with raw 1 (keys)                 fp32 bits  any
// SCALE_V     row scale with raw 2 (values)               fp32 bits  any
// ROW_W       width of a row's number                     bits       derived
`default_nettype none

module rill_row_params_receive #(
    parameter ROWS = 1,
    parameter PARAM_BITS = 0,
    parameter READ_AT = 0,
    parameter [31:0] SCALE_K = 0,
    parameter [31:0] SCALE_V = 0,
    parameter ROW_W = ROWS > 1 ? $clog2(ROWS) : 1
) (
    input  wire                  clk,
    input  wire                  rst,
    input  wire                  params,
    input  wire [ROW_W-1:0]      row,
    input  wire [1:0]            raw,
    input  wire [PARAM_BITS-1:0] word,
    output reg  [31:0]           row_scale,
    output reg  [31:0]           bias
);
    generate
        if (ROWS != 1 && ROWS != 4 && ROWS != 8) begin : gen_bad_rows
            rill_error_ROWS_must_be_1_4_or_8 u_error ();
        end
        if (PARAM_BITS != 8 && PARAM_BITS != 16 && PARAM_BITS != 32 && PARAM_BITS != 64) begin : gen_bad_word
            rill_error_PARAM_BITS_must_be_8_16_32_or_64 u_error ();
        end
        if (READ_AT < 3 || READ_AT > 9) begin : gen_bad_read
            rill_error_READ_AT_must_be_3_to_9 u_error ();
        end
    endgenerate
    localparam BITS = PARAM_BITS > 0 ? PARAM_BITS : 64;
    localparam [31:0] WORDS = 64 / BITS;       // words per row
    localparam COUNT_W = 1 + ROW_W + $clog2(WORDS);
    localparam [31:0] WORD_END = WORDS - 1;
    localparam [31:0] END = ROWS * WORDS - 1;
    localparam BANK_W = 2;

    // Counts the words of a chunk, which begin in the second cycle after its command.
    reg                start_q;
    reg                begins_q;               // the first word of a chunk arrives
    reg                active_q;
    reg  [COUNT_W-1:0] count_q;
    wire [COUNT_W-1:0] count = begins_q ? {COUNT_W{1'b0}} : count_q;
    wire               active = begins_q || active_q;
    wire               whole = active && (count & WORD_END[COUNT_W-1:0]) == WORD_END[COUNT_W-1:0];
    wire [COUNT_W-1:0] count_row = count >> $clog2(WORDS);
    reg  [BANK_W-1:0]  bank_q;                 // bank of the chunk that commands refer to
    reg  [BANK_W-1:0]  write_bank_q;           // bank of the chunk whose words arrive
    reg  [63:0]        words_q;                // earlier words, the latest one highest
    wire [63:0]        words;
    always @(posedge clk) begin
        start_q <= params && !rst;
        begins_q <= start_q && !rst;
        active_q <= !rst && active && count != END[COUNT_W-1:0];
        count_q <= count + 1'b1;
        bank_q <= rst ? {BANK_W{1'b0}} : params ? bank_q + 1'b1 : bank_q;
        write_bank_q <= bank_q;
        words_q <= words;
    end
    generate
        if (WORDS > 1) begin : gen_join
            assign words = {word, words_q[63:BITS]};
            wire unused_word = &{1'b0, words_q[BITS-1:0]};
        end else begin : gen_at_once
            assign words = word;
            wire unused_words = &{1'b0, words_q};
        end
    endgenerate

    // The parameters are stored, and read when the result is due.
    (* ram_style = "distributed" *) reg [63:0] kept [0:(1<<(BANK_W+ROW_W))-1];
    wire [BANK_W+ROW_W-1:0] place;
    wire [1:0]              raw_then;
    rill_delay_line #(.DATA_W(2 + BANK_W + ROW_W), .DEPTH(READ_AT)) u_along (
        .clk(clk), .rst(rst), .en(1'b1), .d({raw, bank_q, row}), .q({raw_then, place}));
    wire [63:0]             mine = kept[place];
    always @(posedge clk) begin
        if (whole)
            kept[{write_bank_q, count_row[ROW_W-1:0]}] <= words;
        row_scale <= raw_then[0] ? SCALE_K : raw_then[1] ? SCALE_V : mine[31:0];
        bias <= raw_then == 2'd0 ? mine[63:32] : 32'd0;
    end

    wire unused = &{1'b0, count_row, WORD_END, END};
endmodule

`default_nettype wire
