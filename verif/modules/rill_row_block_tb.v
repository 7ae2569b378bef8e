// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_row_block. Sends blocks of ROWS rows of WORDS words. Each block must leave TIMES times, with a word
// of every row in each word out. A firing has ROUNDS blocks per token. With ROUNDS = 1, every run checks the latency of
// 2 cycles. Runs without idles and stalls also check the rate of both sides, if a bank holds more than 2 words (of all
// tokens together).
// Sets for verif/modules/run.sh:
// sweep: TOKENS=1 ROWS=4 WORDS=3 TIMES=1 ROUNDS=1
// sweep: TOKENS=2 ROWS=3 WORDS=5 TIMES=3 ROUNDS=1
// sweep: TOKENS=8 ROWS=2 WORDS=4 TIMES=2 ROUNDS=4
// sweep: TOKENS=4 ROWS=16 WORDS=1 TIMES=5 ROUNDS=1
// sweep: TOKENS=1 ROWS=1 WORDS=1 TIMES=1 ROUNDS=1
// sweep: TOKENS=1 ROWS=1 WORDS=6 TIMES=2 ROUNDS=3
// quick: TOKENS=2 ROWS=3 WORDS=5 TIMES=3 ROUNDS=1
// quick: TOKENS=8 ROWS=2 WORDS=4 TIMES=2 ROUNDS=4
// quick: TOKENS=1 ROWS=4 WORDS=1 TIMES=1 ROUNDS=2
`default_nettype none
`timescale 1ns / 1ps

module rill_row_block_tb;
    // Parameters of the module.
    parameter TOKENS = 1;
    parameter ROWS = 4;
    parameter WORDS = 3;
    parameter TIMES = 1;
    parameter ROUNDS = 1;
    localparam USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1;
    localparam FIRINGS = 20;
    localparam BUFFER = ROWS * WORDS;
    localparam OUT = WORDS * TIMES;                        // words that leave for a block, per token
    localparam ALL = (FIRINGS + 1) * ROUNDS * TOKENS * BUFFER * TIMES;

    wire                 clk, rst, s_valid, s_ready, s_last, m_valid, m_ready, m_last, src_done, snk_done;
    wire [23:0]          s_data;
    wire [ROWS*24-1:0]   m_data;
    wire [USER_W-1:0]    s_user, m_user;
    reg  [23:0]          value [0:BUFFER*TOKENS-1];
    reg  [ROWS*24-1:0]   wide;
    // bound: most cycles that the firings may take. left: words per token that the block has still to give.
    integer              n, g, w, t, r, k, seed, idle, stall, start, bound, left;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_axis_driver #(.DATA_W(24), .USER_W(USER_W), .WORDS(ALL)) u_src (.clk(clk), .rst(rst),
        .m_axis_tvalid(s_valid),
        .m_axis_tready(s_ready), .m_axis_tdata(s_data), .m_axis_tuser(s_user), .m_axis_tlast(s_last), .done(src_done));
    rill_row_block #(.DATA_W(24), .ROWS(ROWS), .TOKENS(TOKENS), .WORDS(WORDS), .TIMES(TIMES), .ROUNDS(ROUNDS)) dut (
        .clk(clk), .rst(rst), .s_axis_tvalid(s_valid), .s_axis_tready(s_ready), .s_axis_tdata(s_data),
        .s_axis_tuser(s_user),
        .s_axis_tlast(s_last), .m_axis_tvalid(m_valid), .m_axis_tready(m_ready), .m_axis_tdata(m_data),
        .m_axis_tuser(m_user),
        .m_axis_tlast(m_last));
    rill_axis_monitor #(.DATA_W(ROWS * 24), .USER_W(USER_W), .WORDS(ALL)) u_snk (.clk(clk), .rst(rst), .hold(1'b0),
        .s_axis_tvalid(m_valid),
        .s_axis_tready(m_ready), .s_axis_tdata(m_data), .s_axis_tuser(m_user), .s_axis_tlast(m_last), .done(snk_done));

    // Returns tuser of a token: {tok_last, tok}.
    function [USER_W-1:0] user(input integer tok, input integer active);
        user = (tok == active - 1 ? 1 << (USER_W - 1) : 0) | tok;
    endfunction
    // Expects word `word` of all rows of the block, for all active tokens.
    task read_word(input integer word, input integer active);
        begin
            left = left - 1;
            for (t = 0; t < active; t = t + 1) begin
                for (r = 0; r < ROWS; r = r + 1)
                    wide[r*24 +: 24] = value[(r * WORDS + word) * TOKENS + t];
                u_snk.expect_word(wide, user(t, active), left == 0 && g == ROUNDS - 1 && t == active - 1);
            end
        end
    endtask
    // Sends a firing of ROUNDS blocks.
    task firing(input integer active);
        for (g = 0; g < ROUNDS; g = g + 1)
            block(active);
    endtask
    // Sends a block of rows, and queues the expected words.
    task block(input integer active);
        begin
            for (w = 0; w < BUFFER; w = w + 1)
                for (t = 0; t < active; t = t + 1) begin
                    value[w*TOKENS + t] = $random(seed);
                    u_src.push(value[w*TOKENS + t], user(t, active),
                        g == ROUNDS - 1 && w == BUFFER - 1 && t == active - 1);
                end
            left = OUT;
            for (k = 0; k < TIMES; k = k + 1)
                for (w = 0; w < WORDS; w = w + 1)
                    read_word(w, active);
            bound = bound + active * (OUT > BUFFER ? OUT : BUFFER);
        end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        wait (!rst);
        firing(TOKENS);
        while (!(s_valid && s_ready && s_last)) @(negedge clk);
        start = u_snk.cycle;
        while (!m_valid) @(negedge clk);
        if (ROUNDS == 1 && u_snk.cycle - start != 2) begin
            $display("FAIL: latency %0d", u_snk.cycle - start);
            $finish;
        end
        wait (snk_done);
        u_snk.restart;
        bound = 0;
        for (n = 0; n < FIRINGS; n = n + 1)
            firing(idle + stall == 0 ? TOKENS : 1 + $unsigned($random(seed)) % TOKENS);
        wait (src_done && snk_done);
        repeat (5) @(posedge clk);
        if (idle + stall == 0 && BUFFER * TOKENS > 2 && u_snk.last_time - u_snk.first_time > bound)
            $display("FAIL: %0d cycles, at most %0d were promised", u_snk.last_time - u_snk.first_time, bound);
        else
            $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
