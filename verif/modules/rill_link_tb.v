// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_link on one die (BORDERS=0) and between dies. Words must arrive in order, with the bits of tdata
// that are sent (KEPT_AT, KEPT_W), zeros in the others, and all side bits. While the reader takes nothing, the link
// must take exactly DEPTH words, and fill and high must show this number. A reset must discard all words.
// Sets for verif/modules/run.sh:
// sweep: DATA_W=8 DEPTH=1
// sweep: DATA_W=33 SIDE_W=3 DEPTH=2
// sweep: DATA_W=40 SIDE_W=3 KEPT_AT=8 KEPT_W=16 DEPTH=5
// sweep: DATA_W=40 SIDE_W=7 KEPT_W=39 DEPTH=17 STYLE=2
// sweep: DATA_W=40 SIDE_W=3 KEPT_AT=39 KEPT_W=1 DEPTH=7 BORDERS=1
// sweep: DATA_W=64 DEPTH=9 BORDERS=2
// sweep: DATA_W=50 SIDE_W=3 KEPT_AT=2 DEPTH=12 BORDERS=3 PARTS=4 KEPT_W=48
// quick: DATA_W=40 SIDE_W=3 KEPT_AT=8 KEPT_W=16 DEPTH=5
// quick: DATA_W=50 SIDE_W=3 KEPT_AT=2 DEPTH=12 BORDERS=3 PARTS=4 KEPT_W=48
`default_nettype none
`timescale 1ns / 1ps

module rill_link_tb;
    // Parameters without a comment are those of the module.
    parameter DATA_W = 8;
    parameter SIDE_W = 0;
    parameter KEPT_AT = 0;
    parameter KEPT_W = DATA_W;
    parameter DEPTH = 2;
    parameter BORDERS = 0;
    parameter PARTS = 1;
    parameter STYLE = 1;                     // 1 distributed, 2 block
    localparam WORD_W = DATA_W + SIDE_W;
    localparam WORDS = 400 + DEPTH;          // more than fit

    wire              clk, rst;
    reg               again = 0, hold = 1;
    wire              s_valid, s_ready, m_valid, m_ready, src_done, snk_done;
    wire [WORD_W-1:0] s_data, m_data;
    reg  [WORD_W-1:0] word, kept;
    integer           i, k, seed, sent;

    rill_bench_clock #(.RESET_CYCLES(1)) u_clock (.clk(clk), .rst(rst), .again(again));
    rill_axis_driver #(.DATA_W(WORD_W), .WORDS(4 * WORDS)) u_src (
        .clk(clk), .rst(rst), .m_axis_tvalid(s_valid), .m_axis_tready(s_ready), .m_axis_tdata(s_data), .m_axis_tuser(),
        .m_axis_tlast(), .done(src_done));
    rill_link #(.DATA_W(DATA_W), .SIDE_W(SIDE_W), .KEPT_AT(KEPT_AT), .KEPT_W(KEPT_W), .DEPTH(DEPTH), .BORDERS(BORDERS),
        .PARTS(PARTS), .RAM_STYLE(STYLE == 2 ? "block" : "distributed")) dut (
        .clk(clk), .rst({(BORDERS+1){rst}}),
        .s_axis_tvalid(s_valid), .s_axis_tready(s_ready), .s_axis_tdata(s_data),
        .m_axis_tvalid(m_valid), .m_axis_tready(m_ready), .m_axis_tdata(m_data));
    rill_axis_monitor #(.DATA_W(WORD_W), .WORDS(4 * WORDS), .STOP(1)) u_snk (
        .clk(clk), .rst(rst), .hold(hold), .s_axis_tvalid(m_valid), .s_axis_tready(m_ready), .s_axis_tdata(m_data),
        .s_axis_tuser(1'b0), .s_axis_tlast(1'b0), .done(snk_done));

    // Sends a random word. expected: it must arrive, with zeros in the bits of tdata that are not sent.
    task push(input integer expected);
        begin
            for (k = 0; k < WORD_W; k = k + 32)
                word = {word, $random(seed)};
            kept = word;
            for (k = 0; k < DATA_W; k = k + 1)
                if (k < KEPT_AT || k >= KEPT_AT + KEPT_W)
                    kept[k] = 1'b0;
            u_src.push(word, 1'b0, 1'b0);
            if (expected)
                u_snk.expect_word(kept, 1'b0, 1'b0);
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
        wait (!rst);
        for (i = 0; i < WORDS; i = i + 1)
            push(1);
        repeat (DEPTH * 4 * PARTS + 100) @(posedge clk);
        check(u_src.sent == DEPTH && dut.fill == DEPTH && dut.high == DEPTH, "capacity");
        hold = 0;
        wait (snk_done && src_done);
        repeat (5) @(posedge clk);
        check(dut.fill == 0 && dut.high == DEPTH && !m_valid, "empty at the end");
        // A reset with words inside. Afterwards the link must be empty and again take DEPTH words.
        hold = 1;
        for (i = 0; i < DEPTH; i = i + 1)
            push(0);
        repeat (DEPTH * 4 * PARTS + 20) @(posedge clk);
        again <= 1;
        @(posedge clk) again <= 0;
        wait (rst);
        wait (!rst);
        check(dut.fill == 0 && dut.high == 0 && !m_valid, "empty after reset");
        sent = u_src.sent;
        for (i = 0; i < DEPTH + 3; i = i + 1)
            push(1);
        repeat (DEPTH * 4 * PARTS + 100) @(posedge clk);
        check(u_src.sent == sent + DEPTH, "capacity after reset");
        hold = 0;
        wait (snk_done && src_done);
        $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
