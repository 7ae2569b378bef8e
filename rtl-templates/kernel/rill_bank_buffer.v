// SPDX-License-Identifier: Apache-2.0
// Buffers blocks of a vector stream (order chunk, tok), one block per bank: a block is written while earlier blocks are
// read. Kernels that need a whole vector before they can compute its first element use it, such as norms and softmax.
//
// Write: a block ends with the last token's word of a chunk that has s_tlast or is chunk CHUNKS - 1. s_tready is low
// while all banks are full. w_take marks an accepted word, w_bank and w_chunk give its place, and w_end marks the last
// word of the block. s_side of the last word is kept with the block.
// The banks share a ring of words with room for two blocks of the largest size. BANKS above 2 helps with smaller
// blocks, such as those of one token. Such a block may be shorter than the latency of the reader, so several blocks
// must be held at a time to keep the reader busy. s_tready is also low while the ring is full.
// Read: i_avail says that a word can be issued; i_* describe this word. It is issued when i_avail && r_go && r_en. Its
// data is on r_tdata after the next enabled clock, together with r_tvalid (registered RAM read, held while r_en is
// low). A bank is free for writing only when its last word has left r_tdata. So values that the user of the module
// keeps per bank stay valid as long as the bank's words are on r_tdata.
// TOKEN_MAJOR 0: words are read in order (chunk, tok). TOKEN_MAJOR 1: in order (tok, chunk); if r_pad is high at a
// token's last chunk, one more word without data is issued after it, with i_pad and chunk = number of chunks.
// Latency: a block can be issued READY_DELAY + 1 cycles after its last word was accepted. Throughput: one word per
// cycle on both sides.
// Reset: clk, synchronous active-high rst; contents are lost.
//
// name         meaning                                                                             unit    range
// DATA_W       width of a word                                                                     bits    1 or more
// TOKENS       tokens per step, upper bound                                                        tokens  1 to 8
// CHUNKS       chunks of a block and token, upper bound                                            chunks  1 or more
// BANKS        blocks that are kept at a time                                                      blocks  2, 4, 8
// TOKEN_MAJOR  1: read in order (tok, chunk)                                                       -       0, 1
// READY_DELAY  delay of a block after its last word, so that what is computed from it is complete  cycles  1 or more
// SIDE_W       width of s_side                                                                     bits    1 or more
// TOK_W        width of a token's number                                                           bits    derived
// CHUNK_W      width of a chunk's number                                                           bits    derived
// BANK_W       width of a bank's number                                                            bits    derived
`default_nettype none

module rill_bank_buffer #(
    parameter DATA_W = 0,
    parameter TOKENS = 0,
    parameter CHUNKS = 0,
    parameter BANKS = 2,
    parameter TOKEN_MAJOR = 0,
    parameter READY_DELAY = 1,
    parameter SIDE_W = 1,
    parameter TOK_W = TOKENS > 1 ? $clog2(TOKENS) : 1,
    parameter CHUNK_W = $clog2(CHUNKS + 1),
    parameter BANK_W = $clog2(BANKS)
) (
    input  wire               clk,
    input  wire               rst,

    input  wire               s_tvalid,
    output wire               s_tready,
    input  wire [DATA_W-1:0]  s_tdata,
    input  wire [TOK_W:0]     s_tuser,   // {tok_last, tok}
    input  wire               s_tlast,
    input  wire [SIDE_W-1:0]  s_side,
    output wire               w_take,
    output wire [BANK_W-1:0]  w_bank,
    output wire [CHUNK_W-1:0] w_chunk,
    output wire               w_end,

    input  wire               r_en,
    input  wire               r_go,
    input  wire               r_pad,
    output wire               i_avail,
    output wire [BANK_W-1:0]  i_bank,
    output wire [CHUNK_W-1:0] i_chunk,
    output wire [CHUNK_W-1:0] i_last,    // the block's last chunk
    output wire [TOK_W:0]     i_tuser,   // {tok_last, tok}
    output wire               i_pad,
    output wire               i_end,     // last word of the block
    output wire               i_tlast,   // the block ended with s_tlast
    output wire [SIDE_W-1:0]  i_side,
    output wire               r_tvalid,
    output wire [DATA_W-1:0]  r_tdata
);
    generate
        if (DATA_W < 1 || CHUNKS < 1) begin : gen_bad
            rill_error_DATA_W_and_CHUNKS_must_be_at_least_1 u_error ();
        end
        if (TOKENS < 1 || TOKENS > 8) begin : gen_bad_tokens
            rill_error_TOKENS_must_be_1_to_8 u_error ();
        end
        if (BANKS != 2 && BANKS != 4 && BANKS != 8) begin : gen_bad_banks
            rill_error_BANKS_must_be_2_4_or_8 u_error ();
        end
        if (READY_DELAY < 1) begin : gen_bad_delay
            rill_error_READY_DELAY_must_be_at_least_1 u_error ();
        end
    endgenerate

    localparam WORDS = 2 * TOKENS * CHUNKS;
    localparam ADDR_W = $clog2(WORDS);
    localparam COUNT_W = $clog2(WORDS + 1);
    localparam [31:0] WORDS_32 = WORDS;
    localparam [31:0] BANKS_32 = BANKS;
    localparam [31:0] CHUNKS_32 = CHUNKS;
    localparam [CHUNK_W-1:0] LAST_CHUNK = CHUNKS_32[CHUNK_W-1:0] - 1'b1;

    (* ram_style = "auto" *) reg [DATA_W-1:0] mem [0:WORDS-1];

    // Returns the address `by` words after `from` in the ring.
    function [ADDR_W-1:0] onwards(input [ADDR_W-1:0] from, input [TOK_W:0] by);
        reg [ADDR_W+TOK_W+1:0] put_at;
        begin
            put_at = {{(TOK_W+2){1'b0}}, from} + {{(ADDR_W+1){1'b0}}, by};
            onwards = put_at >= WORDS_32[ADDR_W+TOK_W+1:0] ? put_at[ADDR_W-1:0] - WORDS_32[ADDR_W-1:0]
                : put_at[ADDR_W-1:0];
        end
    endfunction
    localparam [TOK_W:0] ONE = {{TOK_W{1'b0}}, 1'b1};

    // ---- write ----
    reg  [BANK_W-1:0]     w_bank_q;
    reg  [CHUNK_W-1:0]    w_chunk_q;
    reg  [ADDR_W-1:0]     w_addr_q;
    reg  [BANK_W:0]       full_q;      // number of banks that hold a complete block
    reg  [BANK_W:0]       ready_q;     // number of these that may be read
    reg  [READY_DELAY-1:0] done_q;     // ends of blocks that are delayed by READY_DELAY
    wire [READY_DELAY:0]  done_d = {done_q, w_take && w_end};
    wire                  w_tok_last = s_tuser[TOK_W];
    wire                  could;       // a word can be issued if r_en is high, which comes late in the cycle
    wire [BANK_W:0]       ready_same = ready_q + {{BANK_W{1'b0}}, done_q[READY_DELAY-1]};
    wire [BANK_W:0]       ready_less = ready_q - {{BANK_W{1'b0}}, !done_q[READY_DELAY-1]};
    reg                   end_q;       // r_tdata is the last word of its block
    wire                  free = r_en && end_q;

    reg                   open_q;      // a bank is free, and the ring has room
    wire [BANK_W:0]       full_d = full_q + {{BANK_W{1'b0}}, w_take && w_end} - {{BANK_W{1'b0}}, free};
    wire                  room_d;
    assign s_tready = open_q;
    assign w_take = s_tvalid && s_tready;
    assign w_bank = w_bank_q;
    assign w_chunk = w_chunk_q;
    assign w_end = w_tok_last && (s_tlast || w_chunk_q == LAST_CHUNK);

    always @(posedge clk) if (w_take) mem[w_addr_q] <= s_tdata;

    // Attributes of each block.
    reg [CHUNK_W-1:0] last_chunk_q [0:BANKS-1];
    reg [TOK_W-1:0]   last_tok_q [0:BANKS-1];
    reg               tlast_q [0:BANKS-1];
    reg [SIDE_W-1:0]  side_q [0:BANKS-1];
    always @(posedge clk)
        if (w_take) begin // each word overwrites the attributes, so the values of the last word remain
            last_chunk_q[w_bank_q] <= w_chunk_q;
            last_tok_q[w_bank_q] <= s_tuser[TOK_W-1:0];
            tlast_q[w_bank_q] <= s_tlast;
            side_q[w_bank_q] <= s_side;
        end

    always @(posedge clk)
        if (rst) begin
            w_bank_q <= {BANK_W{1'b0}};
            w_chunk_q <= {CHUNK_W{1'b0}};
            w_addr_q <= {ADDR_W{1'b0}};
            full_q <= {(BANK_W+1){1'b0}};
            open_q <= 1'b0;
            ready_q <= {(BANK_W+1){1'b0}};
            done_q <= {READY_DELAY{1'b0}};
        end else begin
            if (w_take) w_addr_q <= onwards(w_addr_q, ONE);
            if (w_take && w_end) w_bank_q <= w_bank_q + 1'b1;
            if (w_take && w_tok_last) w_chunk_q <= w_end ? {CHUNK_W{1'b0}} : w_chunk_q + 1'b1;
            full_q <= full_d;
            open_q <= full_d != BANKS_32[BANK_W:0] && room_d;
            ready_q <= r_en && could && i_end ? ready_less : ready_same;
            done_q <= done_d[READY_DELAY-1:0];
        end

    // ---- read ----
    reg  [BANK_W-1:0]  bank_q;
    reg  [CHUNK_W-1:0] chunk_q;
    reg  [TOK_W-1:0]   tok_q;
    reg  [ADDR_W-1:0]  addr_q;
    reg                valid_q;
    reg  [DATA_W-1:0]  data_q;
    reg                pad_q;      // the additional word after a token's last one
    // Attributes of the present block (see below)
    reg  [CHUNK_W-1:0] now_chunk_q;
    reg  [TOK_W-1:0]   now_tok_q;
    reg                now_tlast_q;
    reg  [SIDE_W-1:0]  now_side_q;
    wire               tok_last = tok_q == now_tok_q;
    wire               chunk_last = chunk_q == now_chunk_q;
    // TOKEN_MAJOR 1: the last word of a token
    wire               tok_done = TOKEN_MAJOR == 0 || i_pad || (chunk_last && !r_pad);

    assign i_avail = ready_q != {(BANK_W+1){1'b0}};
    assign i_bank = bank_q;
    assign i_chunk = chunk_q;
    assign i_last = now_chunk_q;
    assign i_tuser = {tok_last, tok_q};
    assign i_pad = TOKEN_MAJOR != 0 && pad_q;
    assign i_end = tok_last && (TOKEN_MAJOR != 0 ? tok_done : chunk_last);
    assign i_tlast = now_tlast_q;
    assign i_side = now_side_q;
    assign could = i_avail && r_go;
    assign r_tvalid = valid_q;
    assign r_tdata = data_q;

    // The attributes of the present block come from registers. While no block may be read, these registers follow the
    // attributes of the next block, so they are right when it may be read. When a block ends, the attributes of the
    // block after it are loaded.
    wire               ends = r_en && could && i_end;
    wire [BANK_W-1:0]  next_bank = bank_q + 1'b1;
    always @(posedge clk)
        if (ends || !i_avail) begin
            now_chunk_q <= ends ? last_chunk_q[next_bank] : last_chunk_q[bank_q];
            now_tok_q <= ends ? last_tok_q[next_bank] : last_tok_q[bank_q];
            now_tlast_q <= ends ? tlast_q[next_bank] : tlast_q[bank_q];
            now_side_q <= ends ? side_q[next_bank] : side_q[bank_q];
        end

    always @(posedge clk) if (r_en && i_avail) data_q <= mem[addr_q];

    always @(posedge clk)
        if (rst) begin
            bank_q <= {BANK_W{1'b0}};
            chunk_q <= {CHUNK_W{1'b0}};
            tok_q <= {TOK_W{1'b0}};
            pad_q <= 1'b0;
            valid_q <= 1'b0;
            end_q <= 1'b0;
        end else if (r_en) begin
            valid_q <= could;
            end_q <= could && i_end;
            if (could) begin
                if (i_end) bank_q <= next_bank;
                pad_q <= chunk_last && r_pad && !i_pad;
                if (TOKEN_MAJOR != 0) begin
                    chunk_q <= tok_done ? {CHUNK_W{1'b0}} : chunk_q + 1'b1;
                    if (tok_done) tok_q <= tok_last ? {TOK_W{1'b0}} : tok_q + 1'b1;
                end else begin
                    tok_q <= tok_last ? {TOK_W{1'b0}} : tok_q + 1'b1;
                    if (tok_last) chunk_q <= chunk_last ? {CHUNK_W{1'b0}} : chunk_q + 1'b1;
                end
            end
        end

    generate
        if (TOKEN_MAJOR == 0) begin : gen_as_written
            always @(posedge clk)
                if (rst) addr_q <= {ADDR_W{1'b0}};
                else if (r_en && could) addr_q <= onwards(addr_q, ONE);
        end else begin : gen_by_token
            // TOKEN_MAJOR 1: the words of a token are as far apart as there are tokens. After a token's last word comes
            // the first word of the next token. After the last token comes the next block, which begins with the next
            // word of the ring.
            reg  [ADDR_W-1:0] first_q;         // first word of the present token
            wire [ADDR_W-1:0] next_first = onwards(tok_last ? addr_q : first_q, ONE);
            always @(posedge clk)
                if (rst) begin
                    first_q <= {ADDR_W{1'b0}};
                    addr_q <= {ADDR_W{1'b0}};
                end else if (r_en && could && !i_pad) begin
                    if (chunk_last) first_q <= next_first;
                    addr_q <= chunk_last ? next_first : onwards(addr_q, {1'b0, now_tok_q} + ONE);
                end
        end
        if (BANKS == 2) begin : gen_two
            assign room_d = 1'b1;
        end else begin : gen_many
            // Words in use: from the first word of the oldest block that is not free to the last word written.
            reg  [COUNT_W-1:0] used_q;
            reg  [COUNT_W-1:0] read_q;         // words of the present block that have been issued
            reg  [COUNT_W-1:0] ended_q;        // words of the block whose last word is on r_tdata
            wire [COUNT_W-1:0] used_d = used_q + {{(COUNT_W-1){1'b0}}, w_take} - (free ? ended_q : {COUNT_W{1'b0}});
            wire [COUNT_W-1:0] read_d = read_q + {{(COUNT_W-1){1'b0}}, !i_pad};
            assign room_d = used_d != WORDS_32[COUNT_W-1:0];
            always @(posedge clk)
                if (rst) begin
                    used_q <= {COUNT_W{1'b0}};
                    read_q <= {COUNT_W{1'b0}};
                end else begin
                    used_q <= used_d;
                    if (r_en && could) read_q <= i_end ? {COUNT_W{1'b0}} : read_d;
                end
            always @(posedge clk) if (r_en && could) ended_q <= read_d;
        end
    endgenerate

`ifdef RILL_ASSERT
    always @(posedge clk)
        if (!rst) begin
            assert (ready_q <= full_q);
            assert (full_q <= BANKS_32[BANK_W:0]);
        end
`endif
    wire unused = &{1'b0, done_d[READY_DELAY], WORDS_32, CHUNKS_32, BANKS_32};
endmodule

`default_nettype wire
