// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_beat_unpack. Sends firings of WORDS words in packed beats with random padding, with words split
// over beats and several words in a beat. Without idles and stalls, the words must take at most one cycle per beat or
// one per word, whichever is more.
// sweep: BEAT_BITS=256 WORD_W=32 WORDS=13
// sweep: BEAT_BITS=512 WORD_W=64 WORDS=8
// sweep: BEAT_BITS=64 WORD_W=64 WORDS=5
// sweep: BEAT_BITS=64 WORD_W=256 WORDS=3
// sweep: BEAT_BITS=32 WORD_W=64 WORDS=1
// quick: BEAT_BITS=256 WORD_W=32 WORDS=13
// quick: BEAT_BITS=64 WORD_W=256 WORDS=3
`default_nettype none
`timescale 1ns / 1ps

module rill_beat_unpack_tb;
    parameter BEAT_BITS = 256;
    parameter WORD_W = 32;
    parameter WORDS = 13;
    localparam FIRINGS = 25;
    localparam BEATS = (WORDS * WORD_W + BEAT_BITS - 1) / BEAT_BITS;
    localparam ALL_W = BEATS * BEAT_BITS;
    wire                 clk, rst, s_valid, s_ready, m_valid, m_ready, m_last, src_done, snk_done;
    wire [BEAT_BITS-1:0] s_data;
    wire [WORD_W-1:0]    m_data;
    reg  [ALL_W-1:0]     all;
    integer              n, i, seed, idle, stall, bound;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_axis_driver #(.DATA_W(BEAT_BITS)) u_src (.clk(clk), .rst(rst), .m_axis_tvalid(s_valid),
        .m_axis_tready(s_ready),
        .m_axis_tdata(s_data), .m_axis_tuser(), .m_axis_tlast(), .done(src_done));
    rill_beat_unpack #(.BEAT_BITS(BEAT_BITS), .WORD_W(WORD_W), .WORDS(WORDS)) dut (.clk(clk), .rst(rst),
        .s_axis_tvalid(s_valid),
        .s_axis_tready(s_ready), .s_axis_tdata(s_data), .m_axis_tvalid(m_valid), .m_axis_tready(m_ready),
        .m_axis_tdata(m_data),
        .m_axis_tlast(m_last));
    rill_axis_monitor #(.DATA_W(WORD_W)) u_snk (.clk(clk), .rst(rst), .hold(1'b0), .s_axis_tvalid(m_valid),
        .s_axis_tready(m_ready),
        .s_axis_tdata(m_data), .s_axis_tuser(1'b0), .s_axis_tlast(m_last), .done(snk_done));

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        for (n = 0; n < FIRINGS; n = n + 1) begin
            for (i = 0; i < ALL_W / 32; i = i + 1)
                all[i*32 +: 32] = $random(seed);
            for (i = 0; i < BEATS; i = i + 1)
                u_src.push(all[i*BEAT_BITS +: BEAT_BITS], 1'b0, 1'b0);
            for (i = 0; i < WORDS; i = i + 1)
                u_snk.expect_word(all[i*WORD_W +: WORD_W], 1'b0, i == WORDS - 1);
        end
        bound = FIRINGS * (BEATS > WORDS ? BEATS : WORDS);
        wait (!rst);
        wait (src_done && snk_done);
        repeat (5) @(posedge clk);
        if (idle + stall == 0 && u_snk.last_time - u_snk.first_time >= bound)
            $display("FAIL: %0d cycles, at most %0d were promised", u_snk.last_time - u_snk.first_time + 1, bound);
        else
            $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
