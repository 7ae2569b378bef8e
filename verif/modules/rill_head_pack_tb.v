// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_head_pack. Sends steps of HEADS heads with a random number of tokens; a head has UNITS words per
// token. In steps of one token, TOGETHER heads must leave as the tokens of one firing, and the last firing must have
// the heads that are left. Checks that payload and order are unchanged and, without idles and stalls, the rate of one
// word per cycle.
// Sets for verif/modules/run.sh:
// sweep: TOKENS=2 TOGETHER=2 HEADS=4 UNITS=1
// sweep: TOKENS=4 TOGETHER=3 HEADS=6 UNITS=2
// sweep: TOKENS=8 TOGETHER=7 HEADS=14 UNITS=4
// sweep: TOKENS=8 TOGETHER=8 HEADS=13 UNITS=2 OUTSIDE_TOKENS=1
// sweep: TOKENS=8 TOGETHER=4 HEADS=7 UNITS=3 OUTSIDE_TOKENS=2
// sweep: TOKENS=4 TOGETHER=1 HEADS=3 UNITS=2 OUTSIDE_TOKENS=1
// quick: TOKENS=4 TOGETHER=3 HEADS=6 UNITS=2
// quick: TOKENS=8 TOGETHER=4 HEADS=7 UNITS=3 OUTSIDE_TOKENS=2
// quick: TOKENS=4 TOGETHER=3 HEADS=5 UNITS=2 OUTSIDE_TOKENS=1
`default_nettype none
`timescale 1ns / 1ps

module rill_head_pack_tb;
    // The header explains HEADS and UNITS. The others are parameters of the module.
    parameter TOKENS = 4;
    parameter TOGETHER = 3;
    parameter HEADS = 6;
    parameter UNITS = 2;
    parameter OUTSIDE_TOKENS = TOKENS;
    localparam FIRINGS = HEADS % TOGETHER == 0 ? 0 : HEADS; // as in rill_head_pack: 0 if no output firing is smaller
    localparam IN_W = (OUTSIDE_TOKENS > 1 ? $clog2(OUTSIDE_TOKENS) : 1) + 1;
    localparam USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1;
    localparam STEPS = 24;
    localparam WORDS = STEPS * HEADS * TOKENS * UNITS;

    wire              clk, rst, s_valid, s_ready, s_last, m_valid, m_ready, m_last, src_done, snk_done;
    wire [15:0]       s_data, m_data;
    wire [IN_W-1:0]   s_user;
    wire [USER_W-1:0] m_user;
    reg  [15:0]       word;
    integer           n, h, t, u, seed, idle, stall, active, sent;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_axis_driver #(.DATA_W(16), .USER_W(IN_W), .WORDS(WORDS)) u_src (.clk(clk), .rst(rst),
        .m_axis_tvalid(s_valid), .m_axis_tready(s_ready), .m_axis_tdata(s_data), .m_axis_tuser(s_user),
        .m_axis_tlast(s_last), .done(src_done));
    rill_head_pack #(.DATA_W(16), .TOKENS(TOKENS), .TOGETHER(TOGETHER), .FIRINGS(FIRINGS),
        .OUTSIDE_TOKENS(OUTSIDE_TOKENS)) dut (.clk(clk), .rst(rst),
        .s_axis_tvalid(s_valid), .s_axis_tready(s_ready), .s_axis_tdata(s_data), .s_axis_tuser(s_user),
        .s_axis_tlast(s_last), .m_axis_tvalid(m_valid), .m_axis_tready(m_ready), .m_axis_tdata(m_data),
        .m_axis_tuser(m_user), .m_axis_tlast(m_last));
    rill_axis_monitor #(.DATA_W(16), .USER_W(USER_W), .WORDS(WORDS)) u_snk (.clk(clk), .rst(rst), .hold(1'b0),
        .s_axis_tvalid(m_valid), .s_axis_tready(m_ready), .s_axis_tdata(m_data), .s_axis_tuser(m_user),
        .s_axis_tlast(m_last), .done(snk_done));

    // Returns tuser of a token: {tok_last, tok}.
    function [USER_W-1:0] user(input integer tok, input integer tokens);
        user = (tok == tokens - 1 ? 1 << (USER_W - 1) : 0) | tok;
    endfunction

    // Returns tuser of a token at the input.
    function [IN_W-1:0] in_user(input integer tok, input integer tokens);
        in_user = (tok == tokens - 1 ? 1 << (IN_W - 1) : 0) | tok;
    endfunction

    // Returns whether an output firing of a step of one token ends with this head.
    function integer group_end(input integer head);
        group_end = head % TOGETHER == TOGETHER - 1 || head == HEADS - 1;
    endfunction

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        wait (!rst);
        sent = 0;
        for (n = 0; n < STEPS; n = n + 1) begin
            active = n % 2 == 0 ? 1 : 1 + $unsigned($random(seed)) % OUTSIDE_TOKENS;
            for (h = 0; h < HEADS; h = h + 1)
                for (t = 0; t < active; t = t + 1)
                    for (u = 0; u < UNITS; u = u + 1) begin
                        word = $random(seed);
                        u_src.push(word, in_user(t, active), t == active - 1 && u == UNITS - 1);
                        if (active == 1)
                            u_snk.expect_word(word, user(h % TOGETHER, group_end(h) ? h % TOGETHER + 1 : TOKENS + 1),
                                group_end(h) && u == UNITS - 1);
                        else u_snk.expect_word(word, user(t, active), t == active - 1 && u == UNITS - 1);
                        sent = sent + 1;
                    end
        end
        wait (src_done && snk_done);
        if (idle + stall == 0 && u_snk.last_time - u_snk.first_time != sent - 1)
            $display("FAIL: %0d cycles for %0d words", u_snk.last_time - u_snk.first_time + 1, sent);
        else
            $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
