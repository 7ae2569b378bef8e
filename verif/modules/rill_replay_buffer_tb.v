// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_replay_buffer. Sends random firings of up to DEPTH words. Each firing must leave REPLAYS times in a
// row. Also checks the latency, and that the first firing leaves without a lost cycle inside or between its passes.
// Sets for verif/modules/run.sh:
// sweep: DEPTH=12 REPLAYS=3
// sweep: DEPTH=1 REPLAYS=1
// sweep: DEPTH=1 REPLAYS=5
// sweep: DEPTH=16 REPLAYS=2
// quick: DEPTH=12 REPLAYS=3
// quick: DEPTH=1 REPLAYS=5
`default_nettype none
`timescale 1ns / 1ps

module rill_replay_buffer_tb;
    // Parameters without a comment are those of the module.
    parameter DEPTH = 12;
    parameter REPLAYS = 3;
    localparam FIRINGS = 30;
    localparam WORDS = FIRINGS * DEPTH * REPLAYS + 1;
    wire        clk, rst, s_valid, s_ready, s_last, m_valid, m_ready, m_last, src_done, snk_done;
    wire [31:0] s_data, m_data;
    wire [2:0]  s_user, m_user;
    reg  [34:0] kept [0:DEPTH-1];
    integer     n, i, r, length, seed, idle, stall, start, total;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_axis_driver #(.DATA_W(32), .USER_W(3), .WORDS(WORDS)) u_src (.clk(clk), .rst(rst), .m_axis_tvalid(s_valid),
        .m_axis_tready(s_ready),
        .m_axis_tdata(s_data), .m_axis_tuser(s_user), .m_axis_tlast(s_last), .done(src_done));
    rill_replay_buffer #(.DATA_W(32), .USER_W(3), .DEPTH(DEPTH), .REPLAYS(REPLAYS)) dut (.clk(clk), .rst(rst),
        .s_axis_tvalid(s_valid),
        .s_axis_tready(s_ready), .s_axis_tdata(s_data), .s_axis_tuser(s_user), .s_axis_tlast(s_last),
        .m_axis_tvalid(m_valid),
        .m_axis_tready(m_ready), .m_axis_tdata(m_data), .m_axis_tuser(m_user), .m_axis_tlast(m_last));
    rill_axis_monitor #(.DATA_W(32), .USER_W(3), .WORDS(WORDS)) u_snk (.clk(clk), .rst(rst), .hold(1'b0),
        .s_axis_tvalid(m_valid),
        .s_axis_tready(m_ready), .s_axis_tdata(m_data), .s_axis_tuser(m_user), .s_axis_tlast(m_last), .done(snk_done));

    // Sends a firing and queues its replays.
    task firing(input integer words);
        begin
            for (i = 0; i < words; i = i + 1) begin
                kept[i] = {$random(seed), $random(seed)};
                u_src.push(kept[i][31:0], kept[i][34:32], i == words - 1);
            end
            for (r = 0; r < REPLAYS; r = r + 1)
                for (i = 0; i < words; i = i + 1)
                    u_snk.expect_word(kept[i][31:0], kept[i][34:32], i == words - 1);
        end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        wait (!rst);
        firing(DEPTH);
        while (!(s_valid && s_ready && s_last)) @(negedge clk);
        start = u_snk.cycle;
        while (!m_valid) @(negedge clk);
        if (u_snk.cycle - start != 2) begin
            $display("FAIL: latency %0d", u_snk.cycle - start);
            $finish;
        end
        wait (snk_done);
        @(negedge clk);
        if (stall == 0 && u_snk.last_time - u_snk.first_time != DEPTH * REPLAYS - 1) begin
            $display("FAIL: the passes took %0d cycles", u_snk.last_time - u_snk.first_time + 1);
            $finish;
        end
        for (n = 1; n < FIRINGS; n = n + 1)
            firing(1 + $unsigned($random(seed)) % DEPTH);
        wait (src_done && snk_done);
        repeat (5) @(posedge clk);
        $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
