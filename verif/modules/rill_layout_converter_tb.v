// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_layout_converter. Sends D0 x D1 words in row-major order. KIND selects the order at the output: 0
// column-major, 1 row-major with every row R times, 2 column-major with every column R times, 3 every second word of a
// row (D1 even), 4 unchanged. A firing has ROUNDS times D0 x D1 words per token. With ROUNDS = 1, every run
// checks the latency of 2 cycles. Runs without idles and stalls also check the rate of both sides, if a bank of the
// buffer holds more than 2 words (of all tokens together).
// Sets for verif/modules/run.sh:
// sweep: TOKENS=1 D0=4 D1=3 R=1 KIND=0
// sweep: TOKENS=2 D0=3 D1=5 R=3 KIND=1
// sweep: TOKENS=8 D0=2 D1=4 R=2 KIND=2
// sweep: TOKENS=4 D0=3 D1=6 R=1 KIND=3
// sweep: TOKENS=1 D0=1 D1=1 R=1 KIND=0
// sweep: TOKENS=2 D0=1 D1=7 R=1 KIND=4
// sweep: TOKENS=2 D0=3 D1=4 R=1 KIND=0 ROUNDS=4
// sweep: TOKENS=4 D0=2 D1=1 R=2 KIND=1 ROUNDS=5
// quick: TOKENS=2 D0=3 D1=5 R=3 KIND=1
// quick: TOKENS=8 D0=2 D1=4 R=2 KIND=2
// quick: TOKENS=4 D0=3 D1=6 R=1 KIND=3
// quick: TOKENS=2 D0=1 D1=7 R=1 KIND=4
// quick: TOKENS=2 D0=3 D1=4 R=1 KIND=0 ROUNDS=4
// quick: TOKENS=4 D0=2 D1=1 R=2 KIND=1 ROUNDS=5
`default_nettype none
`timescale 1ns / 1ps

module rill_layout_converter_tb;
    // The header explains D0, D1, R and KIND. The others are parameters of the module.
    parameter TOKENS = 1;
    parameter D0 = 4;
    parameter D1 = 3;
    parameter R = 1;
    parameter KIND = 0;
    parameter ROUNDS = 1;
    localparam USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1;
    localparam FIRINGS = 20;
    localparam BUFFER = D0 * D1;
    localparam OUT = BUFFER * R / (KIND == 3 ? 2 : 1);     // words that leave for D0 x D1 words, per token
    localparam WORDS = (FIRINGS + 1) * ROUNDS * TOKENS * BUFFER * R;
    localparam HALF = D1 / 2;
    // Loops of the output. The outermost loop is in the low bits, so it is written last. KIND 3 also has two loops of
    // one trip, whose strides must not matter.
    localparam [127:0] TRIPS = KIND == 0 ? {D0[31:0], D1[31:0]} : KIND == 1 ? {D1[31:0], R[31:0], D0[31:0]} :
        KIND == 2 ? {D0[31:0], R[31:0], D1[31:0]} : KIND == 3 ? {32'd1, HALF[31:0], 32'd1, D0[31:0]} : BUFFER;
    localparam [127:0] STRIDES = KIND == 0 ? {D1[31:0], 32'd1} : KIND == 1 ? {32'd1, 32'd0, D1[31:0]} :
        KIND == 2 ? {D1[31:0], 32'd0, 32'd1} : KIND == 3 ? {32'd7, 32'd2, 32'd5, D1[31:0]} : 32'd1;
    localparam LOOPS = KIND == 0 ? 2 : KIND == 1 ? 3 : KIND == 2 ? 3 : KIND == 3 ? 4 : 1;

    wire              clk, rst, s_valid, s_ready, s_last, m_valid, m_ready, m_last, src_done, snk_done;
    wire [23:0]       s_data, m_data;
    wire [USER_W-1:0] s_user, m_user;
    reg  [23:0]       value [0:BUFFER*TOKENS-1];
    // bound: most cycles that the firings may take. left: words per token that the bank has still to give.
    integer           n, g, w, t, a, b, r, seed, idle, stall, start, bound, left;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_axis_driver #(.DATA_W(24), .USER_W(USER_W), .WORDS(WORDS)) u_src (.clk(clk), .rst(rst),
        .m_axis_tvalid(s_valid),
        .m_axis_tready(s_ready), .m_axis_tdata(s_data), .m_axis_tuser(s_user), .m_axis_tlast(s_last), .done(src_done));
    rill_layout_converter #(.DATA_W(24), .TOKENS(TOKENS), .BUFFER(BUFFER), .ROUNDS(ROUNDS), .LOOPS(LOOPS),
        .TRIPS(TRIPS[LOOPS*32-1:0]),
        .STRIDES(STRIDES[LOOPS*32-1:0])) dut (
        .clk(clk), .rst(rst), .s_axis_tvalid(s_valid), .s_axis_tready(s_ready), .s_axis_tdata(s_data),
        .s_axis_tuser(s_user),
        .s_axis_tlast(s_last), .m_axis_tvalid(m_valid), .m_axis_tready(m_ready), .m_axis_tdata(m_data),
        .m_axis_tuser(m_user),
        .m_axis_tlast(m_last));
    rill_axis_monitor #(.DATA_W(24), .USER_W(USER_W), .WORDS(WORDS)) u_snk (.clk(clk), .rst(rst), .hold(1'b0),
        .s_axis_tvalid(m_valid),
        .s_axis_tready(m_ready), .s_axis_tdata(m_data), .s_axis_tuser(m_user), .s_axis_tlast(m_last), .done(snk_done));

    // Returns tuser of a token: {tok_last, tok}.
    function [USER_W-1:0] user(input integer tok, input integer active);
        user = (tok == active - 1 ? 1 << (USER_W - 1) : 0) | tok;
    endfunction
    // Expects a word of the bank for all active tokens.
    task read_word(input integer word, input integer active);
        begin
            left = left - 1;
            for (t = 0; t < active; t = t + 1)
                u_snk.expect_word(value[word*TOKENS + t], user(t, active),
                    left == 0 && g == ROUNDS - 1 && t == active - 1);
        end
    endtask
    // Sends a firing of ROUNDS banks.
    task firing(input integer active);
        for (g = 0; g < ROUNDS; g = g + 1)
            bank(active);
    endtask
    // Sends D0 x D1 words, which fill a bank of the buffer, and queues the expected words.
    task bank(input integer active);
        begin
            for (w = 0; w < BUFFER; w = w + 1)
                for (t = 0; t < active; t = t + 1) begin
                    value[w*TOKENS + t] = $random(seed);
                    u_src.push(value[w*TOKENS + t], user(t, active),
                        g == ROUNDS - 1 && w == BUFFER - 1 && t == active - 1);
                end
            left = OUT;
            case (KIND)
                0, 2: for (b = 0; b < D1; b = b + 1)
                    for (r = 0; r < R; r = r + 1)
                        for (a = 0; a < D0; a = a + 1)
                            read_word(a * D1 + b, active);
                1: for (a = 0; a < D0; a = a + 1)
                    for (r = 0; r < R; r = r + 1)
                        for (b = 0; b < D1; b = b + 1)
                            read_word(a * D1 + b, active);
                3: for (a = 0; a < D0; a = a + 1)
                    for (b = 0; b < D1; b = b + 2)
                        read_word(a * D1 + b, active);
                default: for (w = 0; w < BUFFER; w = w + 1)
                    read_word(w, active);
            endcase
            bound = bound + active * (OUT > BUFFER ? OUT : BUFFER);
        end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        wait (!rst);
        firing(TOKENS);
        while (!(s_valid && s_ready && s_last)) @(negedge clk);
        start = u_snk.cycle;
        while (!m_valid) @(negedge clk);
        if (ROUNDS == 1 && u_snk.cycle - start != 2) begin
            $display("FAIL: latency %0d", u_snk.cycle - start);
            $finish;
        end
        wait (snk_done);
        u_snk.restart;
        bound = 0;
        for (n = 0; n < FIRINGS; n = n + 1)
            firing(idle + stall == 0 ? TOKENS : 1 + $unsigned($random(seed)) % TOKENS);
        wait (src_done && snk_done);
        repeat (5) @(posedge clk);
        if (idle + stall == 0 && BUFFER * TOKENS > 2 && u_snk.last_time - u_snk.first_time > bound)
            $display("FAIL: %0d cycles, at most %0d were promised", u_snk.last_time - u_snk.first_time, bound);
        else
            $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
