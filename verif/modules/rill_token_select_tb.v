// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_token_select. In steps with head = 1 the last token of every firing must come out; in other steps
// nothing may come out. With ALL, every word of steps with head = 1 must come out unchanged. Also checks that the
// latency is 0 and that words wait only for the reader or for a step word.
// Sets for verif/modules/run.sh (after @: idles and stalls in percent):
// sweep: TOKENS=1 CHUNKS=5
// sweep: TOKENS=2 CHUNKS=1
// sweep: TOKENS=8 CHUNKS=3
// sweep: TOKENS=4 CHUNKS=3 ALL=1
// quick: TOKENS=4 CHUNKS=3 ALL=1 @ 50:50
// quick: TOKENS=2 CHUNKS=1
// quick: TOKENS=8 CHUNKS=3
`default_nettype none
`timescale 1ns / 1ps

module rill_token_select_tb;
    // Parameters without a comment are those of the module.
    parameter TOKENS = 2;
    parameter CHUNKS = 3; // words of a token in a firing
    parameter ALL = 0;
    localparam USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1;
    localparam STEPS = 40;
    wire              clk, rst, step_valid, step_ready, step_done, s_valid, s_ready, s_last, src_done, m_valid, m_ready,
        m_last, snk_done;
    wire [63:0]       step_data;
    wire [15:0]       s_data, m_data;
    wire [USER_W-1:0] s_user, m_user;
    reg  [15:0]       word;
    reg  [USER_W-1:0] tok;
    integer           n, c, t, active, seed, idle, stall, waits = 0;
    reg               head;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_axis_driver #(.DATA_W(64), .SALT(3)) u_step (.clk(clk), .rst(rst), .m_axis_tvalid(step_valid),
        .m_axis_tready(step_ready),
        .m_axis_tdata(step_data), .m_axis_tuser(), .m_axis_tlast(), .done(step_done));
    rill_axis_driver #(.DATA_W(16), .USER_W(USER_W)) u_src (.clk(clk), .rst(rst), .m_axis_tvalid(s_valid),
        .m_axis_tready(s_ready),
        .m_axis_tdata(s_data), .m_axis_tuser(s_user), .m_axis_tlast(s_last), .done(src_done));
    rill_token_select #(.DATA_W(16), .TOKENS(TOKENS), .ALL(ALL)) dut (
        .clk(clk), .rst(rst), .s_axis_step_tvalid(step_valid), .s_axis_step_tready(step_ready),
        .s_axis_step_tdata(step_data),
        .s_axis_tvalid(s_valid), .s_axis_tready(s_ready), .s_axis_tdata(s_data), .s_axis_tuser(s_user),
        .s_axis_tlast(s_last),
        .m_axis_tvalid(m_valid), .m_axis_tready(m_ready), .m_axis_tdata(m_data), .m_axis_tuser(m_user),
        .m_axis_tlast(m_last));
    rill_axis_monitor #(.DATA_W(16), .USER_W(USER_W)) u_snk (.clk(clk), .rst(rst), .hold(1'b0), .s_axis_tvalid(m_valid),
        .s_axis_tready(m_ready),
        .s_axis_tdata(m_data), .s_axis_tuser(m_user), .s_axis_tlast(m_last), .done(snk_done));

    // Latency 0: a word must leave in the cycle in which it comes. It may wait only for the reader and for a step word.
    always @(posedge clk)
        if (!rst) begin
            if (s_valid && !s_ready && step_valid)
                waits = waits + 1;
            if (m_valid && m_ready && !(s_valid && s_ready)) begin
                $display("FAIL: a word that does not come in this cycle");
                $finish;
            end
        end

    initial begin
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        for (n = 0; n < STEPS; n = n + 1) begin
            active = 1 + $unsigned($random(seed)) % TOKENS;
            head = $random(seed);
            // The module uses only the bit `head` of the step word. The other bits have fixed values without effect.
            u_step.push({43'h5a5a5a5a5a5, head, 20'h3c3c3}, 1'b0, 1'b0);
            for (c = 0; c < CHUNKS; c = c + 1)
                for (t = 0; t < active; t = t + 1) begin
                    word = $random(seed);
                    tok = t;
                    tok[USER_W-1] = t == active - 1;
                    u_src.push(word, tok, t == active - 1 && c == CHUNKS - 1);
                    if (head && ALL != 0)
                        u_snk.expect_word(word, tok, t == active - 1 && c == CHUNKS - 1);
                    else if (head && t == active - 1)
                        u_snk.expect_word(word, {1'b1, {(USER_W-1){1'b0}}}, c == CHUNKS - 1);
                end
        end
        wait (!rst);
        wait (step_done && src_done && snk_done);
        repeat (5) @(posedge clk);
        if (stall == 0 && waits != 0)
            $display("FAIL: words waited %0d cycles", waits);
        else
            $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
