// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_frame. Firings of IN words per token must become firings of OUT words per token, with payload and
// order unchanged. Without idles and stalls, also checks the rate of one word per cycle. At most one cycle may be lost.
// Sets for verif/modules/run.sh:
// sweep: TOKENS=1 IN=12 OUT=3
// sweep: TOKENS=4 IN=3 OUT=12
// sweep: TOKENS=2 IN=1 OUT=1
// quick: TOKENS=4 IN=3 OUT=12
// quick: TOKENS=1 IN=12 OUT=3
`default_nettype none
`timescale 1ns / 1ps

module rill_frame_tb;
    // The header explains IN and OUT. TOKENS is that of the module.
    parameter TOKENS = 1;
    parameter IN = 12;
    parameter OUT = 3;
    localparam USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1;
    // Words per token that are sent with the same number of tokens; a multiple of IN and of OUT.
    localparam ROWS = 12;
    localparam TIMES = 24;                   // changes of the number of tokens
    localparam WORDS = TIMES * ROWS * TOKENS;

    wire              clk, rst, s_valid, s_ready, s_last, m_valid, m_ready, m_last, src_done, snk_done;
    wire [15:0]       s_data, m_data;
    wire [USER_W-1:0] s_user, m_user;
    reg  [15:0]       word;
    integer           n, w, t, seed, idle, stall, active, sent;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_axis_driver #(.DATA_W(16), .USER_W(USER_W), .WORDS(WORDS)) u_src (.clk(clk), .rst(rst),
        .m_axis_tvalid(s_valid),
        .m_axis_tready(s_ready), .m_axis_tdata(s_data), .m_axis_tuser(s_user), .m_axis_tlast(s_last), .done(src_done));
    rill_frame #(.DATA_W(16), .TOKENS(TOKENS), .WORDS(OUT)) dut (.clk(clk), .rst(rst), .s_axis_tvalid(s_valid),
        .s_axis_tready(s_ready),
        .s_axis_tdata(s_data), .s_axis_tuser(s_user), .s_axis_tlast(s_last), .m_axis_tvalid(m_valid),
        .m_axis_tready(m_ready),
        .m_axis_tdata(m_data), .m_axis_tuser(m_user), .m_axis_tlast(m_last));
    rill_axis_monitor #(.DATA_W(16), .USER_W(USER_W), .WORDS(WORDS)) u_snk (.clk(clk), .rst(rst), .hold(1'b0),
        .s_axis_tvalid(m_valid),
        .s_axis_tready(m_ready), .s_axis_tdata(m_data), .s_axis_tuser(m_user), .s_axis_tlast(m_last), .done(snk_done));

    // Returns tuser of a token: {tok_last, tok}.
    function [USER_W-1:0] user(input integer tok, input integer tokens);
        user = (tok == tokens - 1 ? 1 << (USER_W - 1) : 0) | tok;
    endfunction

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        wait (!rst);
        sent = 0;
        for (n = 0; n < TIMES; n = n + 1) begin
            active = 1 + $unsigned($random(seed)) % TOKENS;
            for (w = 0; w < ROWS; w = w + 1)
                for (t = 0; t < active; t = t + 1) begin
                    word = $random(seed);
                    u_src.push(word, user(t, active), t == active - 1 && (w + 1) % IN == 0);
                    u_snk.expect_word(word, user(t, active), t == active - 1 && (w + 1) % OUT == 0);
                    sent = sent + 1;
                end
        end
        wait (src_done && snk_done);
        repeat (5) @(posedge clk);
        if (idle + stall == 0 && u_snk.last_time - u_snk.first_time > sent)
            $display("FAIL: %0d words took %0d cycles", sent, u_snk.last_time - u_snk.first_time);
        else
            $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
