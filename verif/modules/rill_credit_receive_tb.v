// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_credit_receive with rill_credit_send and register stages before it, as between dies. Checks order
// and content under idles and stalls, the latency of a word, the exact capacity, and the full rate for every DEPTH for
// which the header of rill_credit_receive promises it; with PARTS = 1, a smaller DEPTH must be slower. Also resets
// while words and credits are on their way.
// Sets for verif/modules/run.sh:
// sweep: DATA_W=8 DEPTH=1 STAGES=0
// sweep: DATA_W=33 DEPTH=2 STAGES=1
// sweep: DATA_W=40 DEPTH=6 STAGES=0
// sweep: DATA_W=40 DEPTH=7 STAGES=0
// sweep: DATA_W=40 DEPTH=9 STAGES=1
// sweep: DATA_W=16 DEPTH=11 STAGES=2
// sweep: DATA_W=9 DEPTH=33 STAGES=1 STYLE=3
// sweep: DATA_W=24 DEPTH=512 STAGES=1 STYLE=2
// sweep: DATA_W=551 DEPTH=11 STAGES=2 PARTS=4
// sweep: DATA_W=25 DEPTH=4 STAGES=0 PARTS=8
// sweep: DATA_W=40 DEPTH=2 STAGES=1 PARTS=3
// quick: DATA_W=8 DEPTH=1 STAGES=0
// quick: DATA_W=40 DEPTH=7 STAGES=0
// quick: DATA_W=40 DEPTH=8 STAGES=1
// quick: DATA_W=16 DEPTH=11 STAGES=2
// quick: DATA_W=42 DEPTH=9 STAGES=1 PARTS=4
`default_nettype none
`timescale 1ns / 1ps

module rill_credit_receive_tb;
    // Parameters without a comment are those of the module.
    parameter DATA_W = 8;
    parameter DEPTH = 7;
    parameter STAGES = 0;                    // register stages between sender and receiver, in both directions
    parameter PARTS = 1;
    parameter STYLE = 0;                     // 0 auto, 2 block, 3 srl
    localparam WORDS = 600 + DEPTH;
    localparam COUNT_W = $clog2(DEPTH + 1);
    localparam PART_W = (DATA_W + PARTS - 1) / PARTS;
    localparam LATENCY = STAGES + (DEPTH <= 2 ? 3 : 4) + PARTS - 1;
    localparam FULL_RATE = DEPTH >= 2 * STAGES + 7;  // the header of rill_credit_receive promises the full rate

    wire               clk, rst;
    reg                again = 0, hold = 1;
    wire               s_valid, s_ready, m_valid, m_ready, src_done, snk_done;
    wire               out, in, taken, credit;
    wire [DATA_W-1:0]  s_data, m_data;
    wire [PART_W-1:0]  out_data, in_data;
    wire [COUNT_W-1:0] occupancy, high_water;
    integer            i, k, seed, start, sent, idle, stall;
    reg  [DATA_W-1:0]  word;

    rill_bench_clock #(.RESET_CYCLES(1)) u_clock (.clk(clk), .rst(rst), .again(again));
    rill_axis_driver #(.DATA_W(DATA_W), .WORDS(20 * WORDS)) u_src (
        .clk(clk), .rst(rst), .m_axis_tvalid(s_valid), .m_axis_tready(s_ready), .m_axis_tdata(s_data), .m_axis_tuser(),
        .m_axis_tlast(), .done(src_done));
    rill_credit_send #(.DATA_W(DATA_W), .CREDITS(DEPTH), .PARTS(PARTS)) u_send (
        .clk(clk), .rst(rst), .s_axis_tvalid(s_valid),
        .s_axis_tready(s_ready), .s_axis_tdata(s_data), .valid(out), .data(out_data), .credit(credit));
    rill_hop #(.DATA_W(PART_W + 2), .CLEAR_W(2), .STAGES(STAGES)) u_way (.clk(clk), .rst(rst),
        .d({out_data, out, taken}), .q({in_data, in, credit}));
    rill_credit_receive #(.DATA_W(DATA_W), .DEPTH(DEPTH), .PARTS(PARTS), .RAM_STYLE(STYLE == 0 ? "auto"
        : STYLE == 2 ? "block" : "srl")) dut (.clk(clk), .rst(rst), .valid(in), .data(in_data), .credit(taken),
        .m_axis_tvalid(m_valid),
        .m_axis_tready(m_ready), .m_axis_tdata(m_data), .occupancy(occupancy), .high_water(high_water));
    rill_axis_monitor #(.DATA_W(DATA_W), .WORDS(20 * WORDS), .STOP(1)) u_snk (
        .clk(clk), .rst(rst), .hold(hold), .s_axis_tvalid(m_valid), .s_axis_tready(m_ready), .s_axis_tdata(m_data),
        .s_axis_tuser(1'b0), .s_axis_tlast(1'b0), .done(snk_done));

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
        repeat (DEPTH * 4 * PARTS + 100) @(posedge clk);
        check(u_src.sent == DEPTH && occupancy == DEPTH && high_water == DEPTH, "capacity");
        // Then reads all words. After those that were stored, words come at full rate if nothing stalls and the depth
        // allows it.
        hold = 0;
        wait (snk_done && src_done);
        check(idle + stall > 0 || !FULL_RATE || u_snk.last_time - u_snk.first_time <= PARTS * WORDS, "full rate");
        check(idle + stall > 0 || PARTS > 1 || FULL_RATE || u_snk.last_time - u_snk.first_time > WORDS, "depth");
        repeat (5) @(posedge clk);
        check(occupancy == 0 && !m_valid, "empty at the end");
        // Resets while words and credits are in flight. None may appear afterwards, and no place may be lost.
        for (i = 0; i < 8; i = i + 1) begin
            push(1);
            for (start = 0; start < DEPTH; start = start + 1)
                push(0);
            wait (snk_done && src_done);
            repeat (5) @(posedge clk);
            fork
                begin
                    repeat (4) @(posedge clk);
                    again <= 1;
                    @(posedge clk) again <= 0;
                    wait (rst);
                end
                begin
                    repeat (i) @(posedge clk);
                    u_snk.expect_word(m_data, 1'b0, 1'b0); // this word is read, so its credit is in flight in the reset
                end
            join
            @(negedge clk) u_snk.seen = u_snk.wanted;
            wait (!rst);
            check(occupancy == 0 && high_water == 0 && !m_valid, "empty after reset");
            hold = 1;
            sent = u_src.sent;
            for (start = 0; start < DEPTH + 3; start = start + 1)
                push(1);
            repeat (DEPTH * 4 * PARTS + 100) @(posedge clk);
            check(u_src.sent == sent + DEPTH && occupancy == DEPTH, "capacity after reset");
            hold = 0;
            wait (snk_done && src_done);
        end
        $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
