// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_fifo. Checks order and content under idles and stalls, latency, exact capacity, high-water mark,
// full rate (with DEPTH of 2 or more), and a reset in the middle.
// Sets for verif/modules/run.sh (form=fast: with the macro RILL_FAST_SIM):
// sweep: DATA_W=8 DEPTH=1
// sweep: DATA_W=33 DEPTH=2
// sweep: DATA_W=2050 DEPTH=2
// sweep: DATA_W=2048 DEPTH=2
// sweep: DATA_W=8 DEPTH=3
// sweep: DATA_W=40 DEPTH=17
// sweep: DATA_W=16 DEPTH=33 STYLE=3
// sweep: DATA_W=9 DEPTH=4 STYLE=3
// sweep: DATA_W=16 DEPTH=33 STYLE=1
// sweep: DATA_W=64 DEPTH=37
// sweep: DATA_W=24 DEPTH=512 STYLE=2
// sweep: DATA_W=24 DEPTH=512 STYLE=2 form=fast
// quick: DATA_W=8 DEPTH=1
// quick: DATA_W=33 DEPTH=2
// quick: DATA_W=2050 DEPTH=2
// quick: DATA_W=8 DEPTH=3
// quick: DATA_W=40 DEPTH=17
// quick: DATA_W=16 DEPTH=33 STYLE=3
// quick: DATA_W=16 DEPTH=33 STYLE=1
// quick: DATA_W=64 DEPTH=37 form=fast
`default_nettype none
`timescale 1ns / 1ps

module rill_fifo_tb;
    // Parameters without a comment are those of the module.
    parameter DATA_W = 8;
    parameter DEPTH = 4;
    parameter STYLE = 0;                     // 0 auto, 1 distributed, 2 block, 3 srl
    localparam WORDS = 600 + DEPTH;
    localparam COUNT_W = $clog2(DEPTH + 1);
    localparam LATENCY = DEPTH <= 2 ? 1 : 2;

    wire               clk, rst;
    reg                again = 0, hold = 1;
    wire               s_valid, s_ready, m_valid, m_ready, src_done, snk_done;
    wire [DATA_W-1:0]  s_data, m_data;
    wire [COUNT_W-1:0] occupancy, high_water;
    integer            i, k, seed, start, idle, stall;
    reg  [DATA_W-1:0]  word;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(again));
    rill_axis_driver #(.DATA_W(DATA_W), .WORDS(2 * WORDS)) u_src (
        .clk(clk), .rst(rst), .m_axis_tvalid(s_valid), .m_axis_tready(s_ready), .m_axis_tdata(s_data), .m_axis_tuser(),
        .m_axis_tlast(),
        .done(src_done));
    rill_fifo #(.DATA_W(DATA_W), .DEPTH(DEPTH), .RAM_STYLE(STYLE == 0 ? "auto" : STYLE == 1 ? "distributed"
        : STYLE == 2 ? "block" : "srl")) dut (
        .clk(clk), .rst(rst), .s_axis_tvalid(s_valid), .s_axis_tready(s_ready), .s_axis_tdata(s_data),
        .m_axis_tvalid(m_valid),
        .m_axis_tready(m_ready), .m_axis_tdata(m_data), .occupancy(occupancy), .high_water(high_water));
    rill_axis_monitor #(.DATA_W(DATA_W), .WORDS(2 * WORDS)) u_snk (
        .clk(clk), .rst(rst), .hold(hold), .s_axis_tvalid(m_valid), .s_axis_tready(m_ready), .s_axis_tdata(m_data),
        .s_axis_tuser(1'b0),
        .s_axis_tlast(1'b0), .done(snk_done));

    // Sends a random word. expected: it must arrive.
    task push(input integer expected);
        begin
            for (k = 0; k < DATA_W; k = k + 32)
                word = {word, $random(seed)};
            u_src.push(word, 1'b0, 1'b0);
            if (expected)
                u_snk.expect_word(word, 1'b0, 1'b0);
        end
    endtask

    // Ends the run if a check fails.
    task check(input ok, input [50*8-1:0] what);
        if (ok !== 1'b1) begin
            $display("FAIL: %0s at %0t", what, $time);
            $finish;
        end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        wait (!rst);
        // Measures the latency of one word through the empty FIFO.
        push(1);
        while (!(s_valid && s_ready)) @(negedge clk);
        start = u_snk.cycle;
        while (!m_valid) @(negedge clk);
        check(u_snk.cycle - start == LATENCY, "latency");
        // Offers more words than fit while nothing is read: exactly DEPTH of them must be taken.
        for (i = 0; i < WORDS; i = i + 1)
            push(1);
        repeat (DEPTH * 4 + 100) @(posedge clk);
        check(u_src.sent == DEPTH && occupancy == DEPTH && high_water == DEPTH, "capacity");
        // Then reads all words, at full rate if nothing stalls. They are WORDS + 1 with that of the latency check.
        hold = 0;
        wait (snk_done && src_done);
        check(DEPTH < 2 || idle + stall > 0 || u_snk.last_time - u_snk.first_time == WORDS, "one word per cycle");
        repeat (5) @(posedge clk);
        check(occupancy == 0 && !m_valid, "empty at the end");
        // A reset discards the contents and clears the high-water mark.
        hold = 1;
        repeat (3) @(posedge clk);
        for (i = 0; i < DEPTH; i = i + 1)
            push(0);
        wait (src_done);
        @(posedge clk) again <= 1;
        @(posedge clk) again <= 0;
        wait (rst);
        wait (!rst);
        check(occupancy == 0 && high_water == 0 && !m_valid, "empty after reset");
        hold = 0;
        for (i = 0; i < 50; i = i + 1)
            push(1);
        wait (snk_done && src_done);
        $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
