// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_bank_buffer. Sends blocks of random length and number of tokens: full blocks, and blocks that tlast
// ends. The reader stalls at random and reads in the order of TOKEN_MAJOR. With TOKEN_MAJOR 1, each token of an odd
// block gets a padding word. Checks order and content, that values which the bench keeps for each bank belong to the
// word on r_tdata, and that the first word of block 0 is on r_tdata READY_DELAY + 2 cycles after the block's last word
// was taken.
// Sets for verif/modules/run.sh:
// sweep: TOKENS=1 CHUNKS=1 BANKS=2 TOKEN_MAJOR=0 READY_DELAY=1
// sweep: TOKENS=2 CHUNKS=5 BANKS=2 TOKEN_MAJOR=0 READY_DELAY=3
// sweep: TOKENS=8 CHUNKS=3 BANKS=2 TOKEN_MAJOR=1 READY_DELAY=2
// sweep: TOKENS=4 CHUNKS=8 BANKS=2 TOKEN_MAJOR=1 READY_DELAY=1
// sweep: TOKENS=4 CHUNKS=6 BANKS=4 TOKEN_MAJOR=0 READY_DELAY=4
// sweep: TOKENS=5 CHUNKS=3 BANKS=8 TOKEN_MAJOR=1 READY_DELAY=5
// sweep: TOKENS=1 CHUNKS=2 BANKS=4 TOKEN_MAJOR=1 READY_DELAY=4
// quick: TOKENS=2 CHUNKS=5 BANKS=2 TOKEN_MAJOR=0 READY_DELAY=3
// quick: TOKENS=8 CHUNKS=3 BANKS=2 TOKEN_MAJOR=1 READY_DELAY=2
// quick: TOKENS=4 CHUNKS=4 BANKS=4 TOKEN_MAJOR=1 READY_DELAY=4
`default_nettype none

module rill_bank_buffer_tb;
    // Parameters without a comment are those of the module.
    parameter TOKENS = 2;
    parameter CHUNKS = 5;
    parameter BANKS = 2;
    parameter TOKEN_MAJOR = 0;
    parameter READY_DELAY = 3;
    localparam TOK_W = TOKENS > 1 ? $clog2(TOKENS) : 1;
    localparam CHUNK_W = $clog2(CHUNKS + 1);
    localparam BANK_W = $clog2(BANKS);
    localparam BLOCKS = 60; // blocks that are sent

    wire               clk, rst, s_tvalid, s_tready, s_tlast, s_done, m_done, m_tready;
    wire [31:0]        s_tdata, r_tdata;
    wire [TOK_W:0]     s_tuser, i_tuser;
    wire               w_take, w_end, i_avail, i_pad, i_end, i_tlast, r_tvalid;
    wire [BANK_W-1:0]  w_bank, i_bank;
    wire [CHUNK_W-1:0] w_chunk, i_chunk, i_last;
    wire [7:0]         i_side;
    wire               r_en = !r_tvalid || m_tready;
    reg  [TOK_W:0]     user_q;
    reg                pad_q, end_q, tlast_q;
    reg  [BANK_W-1:0]  bank_q;
    reg  [7:0]         side_q;
    reg  [15:0]        block_of [0:BANKS-1]; // the block in each bank, from the first and the last byte of a word
    integer            b, c, t, ntok, count, seed;
    integer            stall, gate = 7;
    reg                ends;
    reg                open = 1'b1;          // r_go: a word may be issued

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_axis_driver #(.USER_W(TOK_W + 1), .WORDS(8192)) u_s (.clk(clk), .rst(rst), .m_axis_tvalid(s_tvalid),
        .m_axis_tready(s_tready),
        .m_axis_tdata(s_tdata), .m_axis_tuser(s_tuser), .m_axis_tlast(s_tlast), .done(s_done));
    rill_bank_buffer #(.DATA_W(32), .TOKENS(TOKENS), .CHUNKS(CHUNKS), .BANKS(BANKS), .TOKEN_MAJOR(TOKEN_MAJOR),
        .READY_DELAY(READY_DELAY), .SIDE_W(8))
        dut (.clk(clk), .rst(rst), .s_tvalid(s_tvalid), .s_tready(s_tready), .s_tdata(s_tdata), .s_tuser(s_tuser),
            .s_tlast(s_tlast),
        .s_side(s_tdata[31:24]), .w_take(w_take), .w_bank(w_bank), .w_chunk(w_chunk), .w_end(w_end), .r_en(r_en),
        .r_go(open),
        .r_pad(i_side[0]), .i_avail(i_avail), .i_bank(i_bank), .i_chunk(i_chunk), .i_last(i_last),
        .i_tuser(i_tuser), .i_pad(i_pad),
        .i_end(i_end), .i_tlast(i_tlast), .i_side(i_side), .r_tvalid(r_tvalid), .r_tdata(r_tdata));
    always @(posedge clk) if (r_en) {user_q, pad_q, end_q, tlast_q, side_q, bank_q} <=
        {i_tuser, i_pad, i_end, i_tlast, i_side, i_bank};
    always @(posedge clk) if (w_take) block_of[w_bank] <= {s_tdata[31:24], s_tdata[7:0]};

    // Compares the word, its marks, and s_side of its block.
    rill_axis_monitor #(.DATA_W(42), .USER_W(TOK_W + 1), .WORDS(8192)) u_m (.clk(clk), .rst(rst), .hold(1'b0),
        .s_axis_tvalid(r_tvalid),
        .s_axis_tready(m_tready), .s_axis_tdata({pad_q, tlast_q, side_q, pad_q ? 32'd0 : r_tdata}),
        .s_axis_tuser(user_q),
        .s_axis_tlast(end_q), .done(m_done));
    rill_kernel_verdict #(.AFTER(TOKENS * CHUNKS), .LATENCY(READY_DELAY + 2)) u_verdict (.clk(clk), .rst(rst),
        .done(s_done && m_done),
        .fault(r_tvalid && block_of[bank_q] !== {side_q, side_q}), .x_tvalid(s_tvalid), .x_tready(s_tready),
        .y_tvalid(r_tvalid),
        .y_tready(m_tready));

    // Returns the word at a place of a block. It has the number of the block in its first and last byte.
    function [31:0] word(input integer block, input integer chunk, input integer tok);
        word = {block[7:0], chunk[7:0], tok[7:0], block[7:0]};
    endfunction

    // Expects the word of a chunk and token of block b, or a padding word.
    task expect_one(input integer chunk, input integer tok, input pad, input last);
        u_m.expect_word({pad, ends, b[7:0], pad ? 32'd0 : word(b, chunk, tok)}, {tok == ntok - 1, tok[TOK_W-1:0]},
            last);
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        for (b = 0; b < BLOCKS; b = b + 1) begin
            ntok = b == 0 ? TOKENS : 1 + $unsigned($random(seed)) % TOKENS;
            count = b == 0 || $random(seed) % 2 ? CHUNKS : 1 + $unsigned($random(seed)) % CHUNKS;
            ends = count < CHUNKS || $random(seed) % 2;
            for (c = 0; c < count; c = c + 1)
                for (t = 0; t < ntok; t = t + 1)
                    u_s.push(word(b, c, t), {t == ntok - 1, t[TOK_W-1:0]}, ends && c == count - 1 && t == ntok - 1);
            if (TOKEN_MAJOR == 0) begin
                for (c = 0; c < count; c = c + 1)
                    for (t = 0; t < ntok; t = t + 1)
                        expect_one(c, t, 1'b0, c == count - 1 && t == ntok - 1);
            end else
                for (t = 0; t < ntok; t = t + 1) begin
                    for (c = 0; c < count; c = c + 1)
                        expect_one(c, t, 1'b0, c == count - 1 && t == ntok - 1 && !b[0]);
                    if (b[0]) expect_one(count, t, 1'b1, t == ntok - 1);
                end
        end
    end

    always @(posedge clk) open <= $unsigned($random(gate)) % 100 >= stall / 2;
endmodule

`default_nettype wire
