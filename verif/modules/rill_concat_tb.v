// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_concat. Each firing has GROUPS groups. In each group, FIRST words of input a and then SECOND words
// of input b must leave for each token, and tlast must end the firing. Without idles and stalls, also checks that one
// word leaves per cycle.
// Sets for verif/modules/run.sh:
// sweep: LANES=1 TOKENS=1 FIRST=1 SECOND=1 GROUPS=5
// sweep: LANES=4 TOKENS=2 FIRST=3 SECOND=2 GROUPS=3
// sweep: LANES=2 TOKENS=4 FIRST=1 SECOND=6 GROUPS=2
// quick: LANES=4 TOKENS=2 FIRST=3 SECOND=2 GROUPS=3
`default_nettype none
`timescale 1ns / 1ps

module rill_concat_tb;
    // The header explains GROUPS. The others are parameters of the module.
    parameter LANES = 1;
    parameter TOKENS = 1;
    parameter FIRST = 1;
    parameter SECOND = 1;
    parameter GROUPS = 1;
    localparam USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1;
    localparam DATA_W = LANES * 32;
    localparam FIRINGS = 8;
    localparam MOST = FIRINGS * GROUPS * (FIRST + SECOND) * TOKENS;

    wire              clk, rst, a_valid, a_ready, a_last, b_valid, b_ready, b_last, m_valid, m_ready, m_last;
    wire              a_done, b_done, snk_done;
    wire [DATA_W-1:0] a_data, b_data, m_data;
    wire [USER_W-1:0] a_user, b_user, m_user;
    reg  [DATA_W-1:0] word;
    reg  [USER_W-1:0] mark;
    reg               end_group;
    integer           f, g, w, t, e, active, seed, idle, stall, words;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_axis_driver #(.DATA_W(DATA_W), .USER_W(USER_W), .WORDS(MOST)) u_a (.clk(clk), .rst(rst),
        .m_axis_tvalid(a_valid), .m_axis_tready(a_ready), .m_axis_tdata(a_data), .m_axis_tuser(a_user),
        .m_axis_tlast(a_last), .done(a_done));
    rill_axis_driver #(.DATA_W(DATA_W), .USER_W(USER_W), .WORDS(MOST)) u_b (.clk(clk), .rst(rst),
        .m_axis_tvalid(b_valid), .m_axis_tready(b_ready), .m_axis_tdata(b_data), .m_axis_tuser(b_user),
        .m_axis_tlast(b_last), .done(b_done));
    rill_concat #(.LANES(LANES), .TOKENS(TOKENS), .FIRST(FIRST), .SECOND(SECOND)) dut (.clk(clk), .rst(rst),
        .s_axis_a_tvalid(a_valid), .s_axis_a_tready(a_ready), .s_axis_a_tdata(a_data), .s_axis_a_tuser(a_user),
        .s_axis_a_tlast(a_last), .s_axis_b_tvalid(b_valid), .s_axis_b_tready(b_ready), .s_axis_b_tdata(b_data),
        .s_axis_b_tuser(b_user), .s_axis_b_tlast(b_last), .m_axis_y_tvalid(m_valid), .m_axis_y_tready(m_ready),
        .m_axis_y_tdata(m_data), .m_axis_y_tuser(m_user), .m_axis_y_tlast(m_last));
    rill_axis_monitor #(.DATA_W(DATA_W), .USER_W(USER_W), .WORDS(MOST)) u_snk (.clk(clk), .rst(rst), .hold(1'b0),
        .s_axis_tvalid(m_valid), .s_axis_tready(m_ready), .s_axis_tdata(m_data), .s_axis_tuser(m_user),
        .s_axis_tlast(m_last), .done(snk_done));

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        wait (!rst);
        words = 0;
        for (f = 0; f < FIRINGS; f = f + 1) begin
            active = idle + stall == 0 ? TOKENS : 1 + $unsigned($random(seed)) % TOKENS;
            for (g = 0; g < GROUPS; g = g + 1)
                for (w = 0; w < FIRST + SECOND; w = w + 1)
                    for (t = 0; t < active; t = t + 1) begin
                        for (e = 0; e < LANES; e = e + 1) word[e*32 +: 32] = $random(seed);
                        mark = (t == active - 1 ? 1 << (USER_W - 1) : 0) | t;
                        end_group = g == GROUPS - 1 && t == active - 1;
                        if (w < FIRST) u_a.push(word, mark, end_group && w == FIRST - 1);
                        else u_b.push(word, mark, end_group && w == FIRST + SECOND - 1);
                        u_snk.expect_word(word, mark, end_group && w == FIRST + SECOND - 1);
                        words = words + 1;
                    end
        end
        wait (a_done && b_done && snk_done);
        if (idle + stall == 0 && u_snk.last_time - u_snk.first_time != words - 1)
            $display("FAIL: %0d words took %0d cycles", words, u_snk.last_time - u_snk.first_time + 1);
        else $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
