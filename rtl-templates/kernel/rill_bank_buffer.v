// SPDX-License-Identifier: Apache-2.0
// Two banks that hold one block each: a block of a vector stream (chunk, tok order) is written while the one before is
// read.
//
// Write: a block ends with the token-last word that has s_tlast or is chunk CHUNKS - 1; s_tready is low while both
// banks are full. w_take marks an accepted word, w_bank and w_chunk its place, w_end the block's last word; s_side of
// that word is kept with the block.
// Read: i_avail says that a word can be issued, i_* describe it. It is issued when i_avail && r_go && r_en; its data is
// on r_tdata after the next enabled clock (registered RAM read, held while r_en is low), r_tvalid with it. A bank is
// free for writing once its last word has moved on from r_tdata: what is kept per bank may be used together with
// r_tdata.
// TOKEN_MAJOR 0: order (chunk, tok). TOKEN_MAJOR 1: order (tok, chunk), and i_pad with chunk = number of chunks is
// issued once more after each token whose r_pad is high at the last chunk (no data).
// Latency: a block can be issued READY_DELAY + 1 cycles after its last word was accepted. One word per cycle on both
// sides.
// Reset: synchronous; contents are lost.
//
// name         meaning                                                       unit    range
// DATA_W       of a word                                                     bits    1 or more
// TOKENS       per step, upper bound                                         tokens  1 to 8
// CHUNKS       of a block and token, upper bound                             chunks  1 or more
// TOKEN_MAJOR  1: read in order (tok, chunk)                                 -       0, 1
// READY_DELAY  in which what is computed while the block is written can end  cycles  1 or more
// SIDE_W       of s_side                                                     bits    1 or more
// TOK_W        of a token's number                                           bits    derived
// CHUNK_W      of a chunk's number                                           bits    derived
`default_nettype none

module rill_bank_buffer #(
    parameter DATA_W = 0,
    parameter TOKENS = 0,
    parameter CHUNKS = 0,
    parameter TOKEN_MAJOR = 0,
    parameter READY_DELAY = 1,
    parameter SIDE_W = 1,
    parameter TOK_W = TOKENS > 1 ? $clog2(TOKENS) : 1,
    parameter CHUNK_W = $clog2(CHUNKS + 1)
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
    output wire               w_bank,
    output wire [CHUNK_W-1:0] w_chunk,
    output wire               w_end,

    input  wire               r_en,
    input  wire               r_go,
    input  wire               r_pad,
    output wire               i_avail,
    output wire               i_bank,
    output wire [CHUNK_W-1:0] i_chunk,
    output wire [CHUNK_W-1:0] i_chunks,  // of the block
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
        if (READY_DELAY < 1) begin : gen_bad_delay
            rill_error_READY_DELAY_must_be_at_least_1 u_error ();
        end
    endgenerate

    localparam WORDS = 2 * TOKENS * CHUNKS;
    localparam ADDR_W = $clog2(WORDS);
    localparam [31:0] CHUNKS_32 = CHUNKS;
    localparam [31:0] TOKENS_32 = TOKENS;
    localparam [CHUNK_W-1:0] LAST_CHUNK = CHUNKS_32[CHUNK_W-1:0] - 1'b1;

    (* ram_style = "auto" *) reg [DATA_W-1:0] mem [0:WORDS-1];

    // Address of a word: (bank * TOKENS + tok) * CHUNKS + chunk.
    function [ADDR_W-1:0] word_at(input bank, input [TOK_W-1:0] tok, input [CHUNK_W-1:0] chunk);
        word_at = ({{(ADDR_W-1){1'b0}}, bank} * TOKENS_32[ADDR_W-1:0]
            + {{(ADDR_W-TOK_W){1'b0}}, tok}) * CHUNKS_32[ADDR_W-1:0]
            + {{(ADDR_W-CHUNK_W){1'b0}}, chunk};
    endfunction

    // ---- write ----
    reg                   w_bank_q;
    reg  [CHUNK_W-1:0]    w_chunk_q;
    reg  [1:0]            full_q;      // banks that hold a complete block
    reg  [1:0]            ready_q;     // of these, how many may be read
    reg  [READY_DELAY-1:0] done_q;     // block ends on their way to ready_q
    wire [READY_DELAY:0]  done_d = {done_q, w_take && w_end};
    wire                  w_tok_last = s_tuser[TOK_W];
    wire                  could;       // a word can be issued if the reader is enabled: r_en comes late
    wire [1:0]            ready_same = ready_q + {1'b0, done_q[READY_DELAY-1]};
    wire [1:0]            ready_less = ready_q - {1'b0, !done_q[READY_DELAY-1]};
    reg                   end_q;       // r_tdata is the last word of its block
    wire                  free = r_en && end_q;

    reg                   open_q;      // not both banks are full
    wire [1:0]            full_d = full_q + {1'b0, w_take && w_end} - {1'b0, free};
    assign s_tready = open_q;
    assign w_take = s_tvalid && s_tready;
    assign w_bank = w_bank_q;
    assign w_chunk = w_chunk_q;
    assign w_end = w_tok_last && (s_tlast || w_chunk_q == LAST_CHUNK);

    always @(posedge clk) if (w_take) mem[word_at(w_bank_q, s_tuser[TOK_W-1:0], w_chunk_q)] <= s_tdata;

    // What is kept with a block.
    reg [CHUNK_W-1:0] last_chunk_q [0:1];
    reg [TOK_W-1:0]   last_tok_q [0:1];
    reg               tlast_q [0:1];
    reg [SIDE_W-1:0]  side_q [0:1];
    always @(posedge clk)
        if (w_take) begin                      // that of the last word stays
            last_chunk_q[w_bank_q] <= w_chunk_q;
            last_tok_q[w_bank_q] <= s_tuser[TOK_W-1:0];
            tlast_q[w_bank_q] <= s_tlast;
            side_q[w_bank_q] <= s_side;
        end

    always @(posedge clk)
        if (rst) begin
            w_bank_q <= 1'b0;
            w_chunk_q <= {CHUNK_W{1'b0}};
            full_q <= 2'd0;
            open_q <= 1'b0;
            ready_q <= 2'd0;
            done_q <= {READY_DELAY{1'b0}};
        end else begin
            if (w_take && w_end) w_bank_q <= !w_bank_q;
            if (w_take && w_tok_last) w_chunk_q <= w_end ? {CHUNK_W{1'b0}} : w_chunk_q + 1'b1;
            full_q <= full_d;
            open_q <= !full_d[1];
            ready_q <= r_en && could && i_end ? ready_less : ready_same;
            done_q <= done_d[READY_DELAY-1:0];
        end

    // ---- read ----
    reg                bank_q;
    reg  [CHUNK_W-1:0] chunk_q;
    reg  [TOK_W-1:0]   tok_q;
    reg                valid_q;
    reg  [DATA_W-1:0]  data_q;
    wire [CHUNK_W-1:0] last_chunk = last_chunk_q[bank_q];
    wire               tok_last = tok_q == last_tok_q[bank_q];
    wire               chunk_last = chunk_q == last_chunk;
    // token-major: the token is through
    wire               tok_done = TOKEN_MAJOR == 0 || i_pad || (chunk_last && !r_pad);

    assign i_avail = ready_q != 2'd0;
    assign i_bank = bank_q;
    assign i_chunk = chunk_q;
    assign i_chunks = last_chunk + 1'b1;
    assign i_tuser = {tok_last, tok_q};
    assign i_pad = TOKEN_MAJOR != 0 && chunk_q == i_chunks;
    assign i_end = tok_last && (TOKEN_MAJOR != 0 ? tok_done : chunk_last);
    assign i_tlast = tlast_q[bank_q];
    assign i_side = side_q[bank_q];
    assign could = i_avail && r_go;
    assign r_tvalid = valid_q;
    assign r_tdata = data_q;

    always @(posedge clk) if (r_en && i_avail) data_q <= mem[word_at(bank_q, tok_q, chunk_q)];

    always @(posedge clk)
        if (rst) begin
            bank_q <= 1'b0;
            chunk_q <= {CHUNK_W{1'b0}};
            tok_q <= {TOK_W{1'b0}};
            valid_q <= 1'b0;
            end_q <= 1'b0;
        end else if (r_en) begin
            valid_q <= could;
            end_q <= could && i_end;
            if (could) begin
                if (i_end) bank_q <= !bank_q;
                if (TOKEN_MAJOR != 0) begin
                    chunk_q <= tok_done ? {CHUNK_W{1'b0}} : chunk_q + 1'b1;
                    if (tok_done) tok_q <= tok_last ? {TOK_W{1'b0}} : tok_q + 1'b1;
                end else begin
                    tok_q <= tok_last ? {TOK_W{1'b0}} : tok_q + 1'b1;
                    if (tok_last) chunk_q <= chunk_last ? {CHUNK_W{1'b0}} : chunk_q + 1'b1;
                end
            end
        end

`ifdef RILL_ASSERT
    always @(posedge clk)
        if (!rst) begin
            assert (ready_q <= full_q);
            assert (full_q != 2'd3);
        end
`endif
    wire unused = &{1'b0, done_d[READY_DELAY]};
endmodule

`default_nettype wire
