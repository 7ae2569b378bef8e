// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_head_replay. Sends heads with random numbers of tokens. Each head must leave REPLAYS times in a
// row, or REPLAYS / TOGETHER times in steps of one token. Also checks latency and rate of the first head.
// Sets for verif/modules/run.sh:
// sweep: TOKENS=1 UNITS=1 REPLAYS=4
// sweep: TOKENS=2 UNITS=3 REPLAYS=2
// sweep: TOKENS=8 UNITS=2 REPLAYS=3
// sweep: TOKENS=2 UNITS=3 REPLAYS=2 TOGETHER=2
// sweep: TOKENS=4 UNITS=1 REPLAYS=6 TOGETHER=3
// quick: TOKENS=4 UNITS=1 REPLAYS=6 TOGETHER=3
// quick: TOKENS=2 UNITS=3 REPLAYS=2
// quick: TOKENS=8 UNITS=2 REPLAYS=3
`default_nettype none
`timescale 1ns / 1ps

module rill_head_replay_tb;
    // Parameters without a comment are those of the module.
    parameter TOKENS = 2;
    parameter UNITS = 3;
    parameter REPLAYS = 2;
    parameter TOGETHER = 1;                  // query heads that read a head together in a step of one token
    localparam HEADS = 40;
    localparam TOK_W = TOKENS > 1 ? $clog2(TOKENS) : 1;
    localparam DEPTH = TOKENS * UNITS;
    localparam WORDS = HEADS * DEPTH * REPLAYS + 1;
    wire           clk, rst, s_valid, s_ready, s_last, m_valid, m_ready, m_last, src_done, snk_done;
    wire [31:0]    s_data, m_data;
    wire [TOK_W:0] s_user, m_user;
    reg  [31:0]    kept [0:DEPTH-1];
    reg  [TOK_W:0] user [0:DEPTH-1];
    integer        n, t, u, r, i, tokens, seed, idle, stall, start;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_axis_driver #(.DATA_W(32), .USER_W(TOK_W + 1), .WORDS(WORDS)) u_src (.clk(clk), .rst(rst),
        .m_axis_tvalid(s_valid),
        .m_axis_tready(s_ready), .m_axis_tdata(s_data), .m_axis_tuser(s_user), .m_axis_tlast(s_last), .done(src_done));
    rill_head_replay #(.DATA_W(32), .TOKENS(TOKENS), .UNITS(UNITS), .REPLAYS(REPLAYS),
        .TOGETHER(TOGETHER)) dut (.clk(clk), .rst(rst),
        .s_axis_tvalid(s_valid),
        .s_axis_tready(s_ready), .s_axis_tdata(s_data), .s_axis_tuser(s_user), .s_axis_tlast(s_last),
        .m_axis_tvalid(m_valid),
        .m_axis_tready(m_ready), .m_axis_tdata(m_data), .m_axis_tuser(m_user), .m_axis_tlast(m_last));
    rill_axis_monitor #(.DATA_W(32), .USER_W(TOK_W + 1), .WORDS(WORDS)) u_snk (.clk(clk), .rst(rst), .hold(1'b0),
        .s_axis_tvalid(m_valid),
        .s_axis_tready(m_ready), .s_axis_tdata(m_data), .s_axis_tuser(m_user), .s_axis_tlast(m_last), .done(snk_done));

    // Sends a head of `count` tokens and queues its replays. last: the head ends the input firing.
    task head(input integer count, input last);
        begin
            for (t = 0; t < count; t = t + 1)
                for (u = 0; u < UNITS; u = u + 1) begin
                    kept[t*UNITS+u] = $random(seed);
                    user[t*UNITS+u] = {t == count - 1, t[TOK_W-1:0]};
                    u_src.push(kept[t*UNITS+u], user[t*UNITS+u], last && t == count - 1 && u == UNITS - 1);
                end
            for (r = 0; r < (count == 1 ? REPLAYS / TOGETHER : REPLAYS); r = r + 1)
                for (i = 0; i < count * UNITS; i = i + 1)
                    u_snk.expect_word(kept[i], user[i], i == count * UNITS - 1);
        end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        wait (!rst);
        // The first head: 2 cycles from its last unit to its first pass, and all passes without a pause.
        head(TOKENS, 1'b0);
        for (i = 0; i < DEPTH; i = i + 1) begin
            @(negedge clk);
            while (!(s_valid && s_ready)) @(negedge clk);
        end
        start = u_snk.cycle;
        while (!m_valid) @(negedge clk);
        if (idle + stall == 0 && u_snk.cycle - start != 2) begin
            $display("FAIL: latency %0d", u_snk.cycle - start);
            $finish;
        end
        wait (snk_done);
        @(negedge clk);
        if (idle + stall == 0 && u_snk.last_time - u_snk.first_time != DEPTH * REPLAYS - 1) begin
            $display("FAIL: the passes took %0d cycles", u_snk.last_time - u_snk.first_time + 1);
            $finish;
        end
        for (n = 1; n < HEADS; n = n + 1) begin
            if (n % 4 == 1)
                tokens = 1 + $unsigned($random(seed)) % TOKENS;    // a step has four heads
            head(tokens, n % 4 == 0);
        end
        wait (src_done && snk_done);
        repeat (5) @(posedge clk);
        $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
