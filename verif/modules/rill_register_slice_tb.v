// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_register_slice. Checks order and content, the latency of each mode and, without idles and stalls,
// the rate of one word per cycle.
// Sets for verif/modules/run.sh:
// sweep: DATA_W=8 MODE=0
// sweep: DATA_W=33 MODE=1
// sweep: DATA_W=70 MODE=2
// sweep: DATA_W=72 MODE=3
// sweep: DATA_W=2050 MODE=2
// quick: DATA_W=8 MODE=0
// quick: DATA_W=33 MODE=1
// quick: DATA_W=70 MODE=2
// quick: DATA_W=72 MODE=3
`default_nettype none
`timescale 1ns / 1ps

module rill_register_slice_tb;
    // Parameters without a comment are those of the module.
    parameter DATA_W = 8;
    parameter MODE = 2;                      // 0 bypass, 1 simple, 2 skid, 3 swap
    localparam WORDS = 500;
    wire              clk, rst, s_valid, s_ready, m_valid, m_ready, src_done, snk_done;
    wire [DATA_W-1:0] s_data, m_data;
    reg  [DATA_W-1:0] word;
    integer           i, k, seed, idle, stall, start;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_axis_driver #(.DATA_W(DATA_W)) u_src (.clk(clk), .rst(rst), .m_axis_tvalid(s_valid), .m_axis_tready(s_ready),
        .m_axis_tdata(s_data),
        .m_axis_tuser(), .m_axis_tlast(), .done(src_done));
    rill_register_slice #(.DATA_W(DATA_W), .MODE(MODE)) dut (.clk(clk), .rst(rst), .s_axis_tvalid(s_valid),
        .s_axis_tready(s_ready),
        .s_axis_tdata(s_data), .m_axis_tvalid(m_valid), .m_axis_tready(m_ready), .m_axis_tdata(m_data));
    rill_axis_monitor #(.DATA_W(DATA_W)) u_snk (.clk(clk), .rst(rst), .hold(1'b0), .s_axis_tvalid(m_valid),
        .s_axis_tready(m_ready),
        .s_axis_tdata(m_data), .s_axis_tuser(1'b0), .s_axis_tlast(1'b0), .done(snk_done));

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        wait (!rst);
        for (i = 0; i < WORDS; i = i + 1) begin
            for (k = 0; k < DATA_W; k = k + 32)
                word = {word, $random(seed)};
            u_src.push(word, 1'b0, 1'b0);
            u_snk.expect_word(word, 1'b0, 1'b0);
        end
        while (!(s_valid && s_ready)) @(negedge clk);
        start = u_snk.cycle;
        while (!m_valid) @(negedge clk);
        if (u_snk.cycle - start != (MODE == 0 ? 0 : 1)) begin
            $display("FAIL: latency %0d in mode %0d", u_snk.cycle - start, MODE);
            $finish;
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
