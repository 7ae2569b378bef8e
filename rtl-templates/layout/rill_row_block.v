// SPDX-License-Identifier: Apache-2.0
// Row block: collects ROWS rows of a tensor and sends their words together. Output word w has word w of every row of
// the block, the first row in the low bits. The block is sent TIMES times. The product of two tensors (rill_bmm) reads
// its first operand so: each word of the second operand meets ROWS rows at once.
//
// A bank stores a block, in one memory for each row, so no data are moved between lanes. The writer fills one of two
// banks while the reader sends the other one.
// Tokens are innermost on both sides: each word comes once per active token, tuser = {tok_last, tok}. A bank is full
// after ROWS * WORDS words per token and gives TIMES * WORDS words per token. A firing fills ROUNDS banks.
// m_axis_tlast ends the firing; s_axis_tlast is ignored. The number of active tokens may change from firing to firing.
// Throughput: one word per cycle in and out at the same time. Latency: 2 cycles from the last word in to the first word
// out. Reset: clk, synchronous active-high rst; control only. tready is low in reset.
//
// name    meaning                                unit    range
// DATA_W  width of a word in                     bits    1 or more
// ROWS    rows of a block                        rows    1 or more
// TOKENS  tokens per step, a power of two        tokens  1 or more
// WORDS   words of a row, per token              words   1 or more
// TIMES   how often a block is sent              -       1 or more
// ROUNDS  blocks of a firing                     blocks  1 or more
// USER_W  width of tuser                         bits    derived
`default_nettype none

module rill_row_block #(
    parameter DATA_W = 0,
    parameter ROWS = 0,
    parameter TOKENS = 0,
    parameter WORDS = 0,
    parameter TIMES = 1,
    parameter ROUNDS = 1,
    parameter USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1
) (
    input  wire                   clk,
    input  wire                   rst,
    input  wire                   s_axis_tvalid,
    output wire                   s_axis_tready,
    input  wire [DATA_W-1:0]      s_axis_tdata,
    input  wire [USER_W-1:0]      s_axis_tuser,
    input  wire                   s_axis_tlast,
    output wire                   m_axis_tvalid,
    input  wire                   m_axis_tready,
    output wire [ROWS*DATA_W-1:0] m_axis_tdata,
    output wire [USER_W-1:0]      m_axis_tuser,
    output wire                   m_axis_tlast
);
    generate
        if (DATA_W < 1 || ROWS < 1 || WORDS < 1) begin : gen_bad_size
            rill_error_DATA_W_ROWS_and_WORDS_must_be_at_least_1 u_error ();
        end
        if (TOKENS < 1 || (TOKENS & (TOKENS - 1)) != 0) begin : gen_bad_tokens
            rill_error_TOKENS_must_be_a_power_of_two u_error ();
        end
        if (TIMES < 1 || ROUNDS < 1) begin : gen_bad_rounds
            rill_error_TIMES_and_ROUNDS_must_be_at_least_1 u_error ();
        end
    endgenerate

    localparam TOK_W = USER_W - 1;
    localparam LOG_TOKENS = $clog2(TOKENS);
    localparam WORD_W = WORDS > 1 ? $clog2(WORDS) : 1;
    localparam ROW_W = ROWS > 1 ? $clog2(ROWS) : 1;
    localparam TIME_W = TIMES > 1 ? $clog2(TIMES) : 1;
    localparam ROUND_W = ROUNDS > 1 ? $clog2(ROUNDS) : 1;
    localparam ADDR_W = 1 + WORD_W + LOG_TOKENS;           // {bank, word, token}
    localparam [31:0] WORD_32 = WORDS - 1;
    localparam [31:0] ROW_32 = ROWS - 1;
    localparam [31:0] TIME_32 = TIMES - 1;
    localparam [31:0] ROUND_32 = ROUNDS - 1;

    // ---- input: row by row, block by block ----
    reg                open_q;                             // a word can be taken; low in reset
    reg  [1:0]         full_q;                             // bit b: bank b is full
    reg  [TOK_W-1:0]   last_tok_q [0:1];                   // per bank: number of the last active token
    reg                write_bank_q;                       // bank that is filled
    reg  [WORD_W-1:0]  write_word_q;                       // next word in, and its row
    reg  [ROW_W-1:0]   write_row_q;
    wire               push = s_axis_tvalid && s_axis_tready;
    wire               push_last = push && s_axis_tuser[TOK_W];
    wire               at_word_in = write_word_q == WORD_32[WORD_W-1:0];
    wire               at_row_in = write_row_q == ROW_32[ROW_W-1:0];
    wire               filled = push_last && at_word_in && at_row_in;
    wire               emptied;                            // the last word of the bank that is read has been read
    reg                read_bank_q;                        // bank that is read
    assign s_axis_tready = open_q;
    wire [1:0]         full_d = (full_q | ({1'b0, filled} << write_bank_q)) & ~({1'b0, emptied} << read_bank_q);
    wire               write_bank_d = write_bank_q ^ filled;
    always @(posedge clk) begin
        if (rst) begin
            open_q <= 1'b0;
            full_q <= 2'b00;
            write_bank_q <= 1'b0;
            write_word_q <= {WORD_W{1'b0}};
            write_row_q <= {ROW_W{1'b0}};
        end else begin
            open_q <= !full_d[write_bank_d];
            full_q <= full_d;
            write_bank_q <= write_bank_d;
            if (push_last)
                write_word_q <= at_word_in ? {WORD_W{1'b0}} : write_word_q + 1'b1;
            if (push_last && at_word_in)
                write_row_q <= at_row_in ? {ROW_W{1'b0}} : write_row_q + 1'b1;
        end
        if (filled)
            last_tok_q[write_bank_q] <= s_axis_tuser[TOK_W-1:0];
    end

    // ---- output: all rows together ----
    reg  [WORD_W-1:0]  word_q;                             // next word out
    reg  [TOK_W-1:0]   tok_q;
    reg  [TIME_W-1:0]  time_q;                             // how often the block has been sent
    reg  [ROUND_W-1:0] round_q;                            // blocks of the firing that have been sent
    reg                valid_q;
    reg  [USER_W-1:0]  user_q;
    reg                last_q;
    wire               fetch = full_q[read_bank_q] && (m_axis_tready || !valid_q);
    wire               at_tok = tok_q == last_tok_q[read_bank_q];
    wire               at_word = at_tok && word_q == WORD_32[WORD_W-1:0];
    wire               at_time = at_word && time_q == TIME_32[TIME_W-1:0];
    wire               at_round = round_q == ROUND_32[ROUND_W-1:0];
    assign emptied = fetch && at_time;
    always @(posedge clk) begin
        if (rst) begin
            read_bank_q <= 1'b0;
            word_q <= {WORD_W{1'b0}};
            tok_q <= {TOK_W{1'b0}};
            time_q <= {TIME_W{1'b0}};
            round_q <= {ROUND_W{1'b0}};
            valid_q <= 1'b0;
        end else begin
            valid_q <= fetch || (valid_q && !m_axis_tready);
            if (fetch) begin
                tok_q <= at_tok ? {TOK_W{1'b0}} : tok_q + 1'b1;
                if (at_tok)
                    word_q <= at_word ? {WORD_W{1'b0}} : word_q + 1'b1;
                if (at_word)
                    time_q <= at_time ? {TIME_W{1'b0}} : time_q + 1'b1;
                if (at_time)
                    round_q <= at_round ? {ROUND_W{1'b0}} : round_q + 1'b1;
                read_bank_q <= read_bank_q ^ at_time;
            end
        end
        if (fetch) begin
            user_q <= {at_tok, tok_q};
            last_q <= at_time && at_round;
        end
    end
    assign m_axis_tvalid = valid_q;
    assign m_axis_tuser = user_q;
    assign m_axis_tlast = last_q;

    wire [ADDR_W-1:0] write_addr;
    wire [ADDR_W-1:0] read_addr;
    generate
        if (LOG_TOKENS > 0) begin : gen_tokens
            assign write_addr = {write_bank_q, write_word_q, s_axis_tuser[LOG_TOKENS-1:0]};
            assign read_addr = {read_bank_q, word_q, tok_q[LOG_TOKENS-1:0]};
        end else begin : gen_one_token
            assign write_addr = {write_bank_q, write_word_q};
            assign read_addr = {read_bank_q, word_q};
        end
    endgenerate
    genvar r;
    generate
        for (r = 0; r < ROWS; r = r + 1) begin : gen_row
            localparam [31:0] ROW = r;
            rill_ram_sdp #(.DATA_W(DATA_W), .DEPTH(1 << ADDR_W)) u_ram (
                .clk(clk), .write_en(push && write_row_q == ROW[ROW_W-1:0]), .write_addr(write_addr),
                .write_strobe(1'b1), .write_data(s_axis_tdata), .read_en(fetch), .read_addr(read_addr),
                .read_data(m_axis_tdata[r*DATA_W +: DATA_W]));
        end
    endgenerate

`ifdef RILL_ASSERT
    reg  [ROUND_W-1:0] rounds_in_q;
    always @(posedge clk) begin
        if (rst)
            rounds_in_q <= {ROUND_W{1'b0}};
        else if (filled)
            rounds_in_q <= rounds_in_q == ROUND_32[ROUND_W-1:0] ? {ROUND_W{1'b0}} : rounds_in_q + 1'b1;
        if (!rst && filled && rounds_in_q == ROUND_32[ROUND_W-1:0])
            assert (s_axis_tlast);                         // the writer's firing ends with the last block
    end
`else
    wire unused = s_axis_tlast;
`endif
endmodule

`default_nettype wire
