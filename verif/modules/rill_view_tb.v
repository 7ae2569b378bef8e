// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_view. Words must pass unchanged. Without idles and stalls, a word must pass in every cycle.
// Sets for verif/modules/run.sh:
// sweep: LANES=1 TOKENS=1
// sweep: LANES=4 TOKENS=2
// quick: LANES=4 TOKENS=2
`default_nettype none
`timescale 1ns / 1ps

module rill_view_tb;
    // Parameters without a comment are those of the module.
    parameter LANES = 1;
    parameter TOKENS = 1;
    localparam USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1;
    localparam DATA_W = LANES * 32;
    localparam WORDS = 200;

    wire              clk, rst, s_valid, s_ready, s_last, m_valid, m_ready, m_last, src_done, snk_done;
    wire [DATA_W-1:0] s_data, m_data;
    wire [USER_W-1:0] s_user, m_user;
    reg  [DATA_W-1:0] word;
    reg  [USER_W-1:0] mark;
    integer           n, e, seed, idle, stall;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_axis_driver #(.DATA_W(DATA_W), .USER_W(USER_W), .WORDS(WORDS)) u_src (.clk(clk), .rst(rst),
        .m_axis_tvalid(s_valid),
        .m_axis_tready(s_ready), .m_axis_tdata(s_data), .m_axis_tuser(s_user), .m_axis_tlast(s_last), .done(src_done));
    rill_view #(.LANES(LANES), .TOKENS(TOKENS)) dut (.clk(clk), .rst(rst), .s_axis_x_tvalid(s_valid),
        .s_axis_x_tready(s_ready),
        .s_axis_x_tdata(s_data), .s_axis_x_tuser(s_user), .s_axis_x_tlast(s_last), .m_axis_y_tvalid(m_valid),
        .m_axis_y_tready(m_ready),
        .m_axis_y_tdata(m_data), .m_axis_y_tuser(m_user), .m_axis_y_tlast(m_last));
    rill_axis_monitor #(.DATA_W(DATA_W), .USER_W(USER_W), .WORDS(WORDS)) u_snk (.clk(clk), .rst(rst), .hold(1'b0),
        .s_axis_tvalid(m_valid),
        .s_axis_tready(m_ready), .s_axis_tdata(m_data), .s_axis_tuser(m_user), .s_axis_tlast(m_last), .done(snk_done));

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        wait (!rst);
        for (n = 0; n < WORDS; n = n + 1) begin
            for (e = 0; e < LANES; e = e + 1)
                word[e*32 +: 32] = $random(seed);
            mark = $random(seed);
            u_src.push(word, mark, n % 7 == 6);
            u_snk.expect_word(word, mark, n % 7 == 6);
        end
        wait (src_done && snk_done);
        if (idle + stall == 0 && u_snk.last_time - u_snk.first_time != WORDS - 1)
            $display("FAIL: %0d words took %0d cycles", WORDS, u_snk.last_time - u_snk.first_time + 1);
        else
            $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
