// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_line_buffer. Sends images of ROWS x PIXELS pixels, one directly after another, and compares the
// patches with those that nested loops take from the image. Also checks the latency and, with SLACK of 8 or more, the
// rate. STRIDE, TAPS, DILATION and BEFORE are the module's parameters along x, and also those along y unless STRIDE_Y,
// TAPS_Y, DILATION_Y or BEFORE_Y is given.
// Sets for verif/modules/run.sh:
// sweep: TOKENS=1 ROWS=5 PIXELS=6 WORDS=2 TAPS=3 BEFORE=1 PLACES_Y=5 PLACES_X=6 SLACK=8
// sweep: TOKENS=2 ROWS=6 PIXELS=5 WORDS=1 TAPS=2 STRIDE=2 PLACES_Y=3 PLACES_X=2
// sweep: TOKENS=4 ROWS=7 PIXELS=7 WORDS=1 TAPS=3 STRIDE=2 BEFORE=1 PLACES_Y=4 PLACES_X=4 SLACK=8
// sweep: TOKENS=1 ROWS=1 PIXELS=12 WORDS=3 TAPS_Y=1 TAPS=4 STRIDE=3 BEFORE_Y=0 BEFORE=2 PLACES_X=4
// sweep: TOKENS=2 ROWS=6 PIXELS=8 WORDS=1 TAPS_Y=3 TAPS=2 DILATION=2 BEFORE_Y=2 BEFORE=1 PLACES_Y=5 PLACES_X=8
// sweep: TOKENS=1 ROWS=5 PIXELS=4 WORDS=1 TAPS_Y=4 TAPS=3 BEFORE_Y=3 BEFORE=2 PLACES_Y=8 PLACES_X=6
// sweep: TOKENS=1 ROWS=4 PIXELS=4 WORDS=1 TAPS=4 PLACES_Y=1 PLACES_X=1
// sweep: TOKENS=8 ROWS=3 PIXELS=3 WORDS=2 STRIDE=2 PLACES_Y=2 PLACES_X=2
// sweep: TOKENS=4 ROWS=7 PIXELS=7 WORDS=1 STRIDE=2 PLACES_Y=4 PLACES_X=4 SLACK=8
// sweep: TOKENS=2 ROWS=4 PIXELS=6 WORDS=1 TAPS_Y=5 TAPS=3 STRIDE_Y=3 STRIDE=2 BEFORE_Y=4 BEFORE=1 PLACES_Y=2 PLACES_X=3
// quick: TOKENS=1 ROWS=5 PIXELS=6 WORDS=2 TAPS=3 BEFORE=1 PLACES_Y=5 PLACES_X=6 SLACK=8
// quick: TOKENS=4 ROWS=7 PIXELS=7 WORDS=1 TAPS=3 STRIDE=2 BEFORE=1 PLACES_Y=4 PLACES_X=4 SLACK=8
// quick: TOKENS=1 ROWS=1 PIXELS=12 WORDS=3 TAPS_Y=1 TAPS=4 STRIDE=3 BEFORE_Y=0 BEFORE=2 PLACES_X=4
// quick: TOKENS=2 ROWS=6 PIXELS=8 WORDS=1 TAPS_Y=3 TAPS=2 DILATION=2 BEFORE_Y=2 BEFORE=1 PLACES_Y=5 PLACES_X=8
// quick: TOKENS=1 ROWS=5 PIXELS=4 WORDS=1 TAPS_Y=4 TAPS=3 BEFORE_Y=3 BEFORE=2 PLACES_Y=8 PLACES_X=6
`default_nettype none
`timescale 1ns / 1ps

module rill_line_buffer_tb;
    // Parameters without a comment are those of the module.
    parameter TOKENS = 1;
    parameter ROWS = 1;
    parameter PIXELS = 4;
    parameter WORDS = 1;
    parameter PLACES_Y = 1;
    parameter PLACES_X = 1;
    parameter STRIDE = 1;
    parameter STRIDE_Y = STRIDE;
    localparam STRIDE_X = STRIDE;
    parameter TAPS = 1;
    parameter TAPS_Y = TAPS;
    localparam TAPS_X = TAPS;
    parameter DILATION = 1;
    parameter DILATION_Y = DILATION;
    localparam DILATION_X = DILATION;
    parameter BEFORE = 0;
    parameter SLACK = 0;                                   // ring words beyond the fewest; 8 or more: checks the rate
    parameter BEFORE_Y = BEFORE;
    localparam BEFORE_X = BEFORE;
    localparam USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1;
    localparam IMAGES = 12;
    localparam SIZE = ROWS * PIXELS * WORDS;
    localparam OUT = PLACES_Y * PLACES_X * TAPS_Y * TAPS_X * WORDS; // words of an image out, per token
    localparam DRIVEN = (IMAGES + 1) * SIZE * TOKENS;
    localparam WANTED = (IMAGES + 1) * OUT * TOKENS;
    localparam [23:0] PAD = 24'hf00d5; // any value that is not 0
    // RULE: the fewest words that hold a patch (docs/ir.md), plus SLACK. The ring never has more words than the image.
    localparam RULE = ((TAPS_Y - 1) * DILATION_Y * PIXELS + (TAPS_X - 1) * DILATION_X + 1) * WORDS + SLACK;
    localparam BUFFER = RULE < SIZE ? RULE : SIZE;

    wire              clk, rst, s_valid, s_ready, s_last, m_valid, m_ready, m_last, src_done, snk_done;
    wire [23:0]       s_data, m_data;
    wire [USER_W-1:0] s_user, m_user;
    reg  [23:0]       value [0:SIZE*TOKENS-1];
    integer           n, w, t, py, px, ty, tx, y, x, seed, idle, stall, bound, left, start;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_axis_driver #(.DATA_W(24), .USER_W(USER_W), .WORDS(DRIVEN)) u_src (.clk(clk), .rst(rst),
        .m_axis_tvalid(s_valid),
        .m_axis_tready(s_ready), .m_axis_tdata(s_data), .m_axis_tuser(s_user), .m_axis_tlast(s_last), .done(src_done));
    rill_line_buffer #(.DATA_W(24), .TOKENS(TOKENS), .ROWS(ROWS), .PIXELS(PIXELS), .WORDS(WORDS), .PLACES_Y(PLACES_Y),
        .PLACES_X(PLACES_X), .STRIDE_Y(STRIDE_Y), .STRIDE_X(STRIDE_X), .TAPS_Y(TAPS_Y), .TAPS_X(TAPS_X),
        .DILATION_Y(DILATION_Y), .DILATION_X(DILATION_X), .BEFORE_Y(BEFORE_Y), .BEFORE_X(BEFORE_X), .BUFFER(BUFFER),
        .PAD(PAD)) dut (
        .clk(clk), .rst(rst), .s_axis_tvalid(s_valid), .s_axis_tready(s_ready), .s_axis_tdata(s_data),
        .s_axis_tuser(s_user), .s_axis_tlast(s_last), .m_axis_tvalid(m_valid), .m_axis_tready(m_ready),
        .m_axis_tdata(m_data), .m_axis_tuser(m_user), .m_axis_tlast(m_last));
    rill_axis_monitor #(.DATA_W(24), .USER_W(USER_W), .WORDS(WANTED)) u_snk (.clk(clk), .rst(rst), .hold(1'b0),
        .s_axis_tvalid(m_valid),
        .s_axis_tready(m_ready), .s_axis_tdata(m_data), .s_axis_tuser(m_user), .s_axis_tlast(m_last), .done(snk_done));

    // Returns tuser of a token: {tok_last, tok}.
    function [USER_W-1:0] user(input integer tok, input integer active);
        user = (tok == active - 1 ? 1 << (USER_W - 1) : 0) | tok;
    endfunction
    // Expects a word of the image. A negative number is a word outside of the image.
    task read_word(input integer word, input integer active);
        begin
            left = left - 1;
            for (t = 0; t < active; t = t + 1)
                u_snk.expect_word(word < 0 ? PAD : value[word*TOKENS + t], user(t, active),
                    left == 0 && t == active - 1);
        end
    endtask
    // Sends an image for `active` tokens and queues the words of its patches.
    task image(input integer active);
        begin
            for (w = 0; w < SIZE; w = w + 1)
                for (t = 0; t < active; t = t + 1) begin
                    value[w*TOKENS + t] = $random(seed);
                    u_src.push(value[w*TOKENS + t], user(t, active), w == SIZE - 1 && t == active - 1);
                end
            left = OUT;
            for (py = 0; py < PLACES_Y; py = py + 1)
                for (px = 0; px < PLACES_X; px = px + 1)
                    for (ty = 0; ty < TAPS_Y; ty = ty + 1)
                        for (tx = 0; tx < TAPS_X; tx = tx + 1) begin
                            y = py * STRIDE_Y + ty * DILATION_Y - BEFORE_Y;
                            x = px * STRIDE_X + tx * DILATION_X - BEFORE_X;
                            for (w = 0; w < WORDS; w = w + 1)
                                read_word(y < 0 || y >= ROWS || x < 0 || x >= PIXELS ? -1
                                    : (y * PIXELS + x) * WORDS + w, active);
                        end
            // bound: cycles at full rate, plus 16 cycles that may be lost for each row of patches.
            bound = bound + active * (OUT > SIZE ? OUT : SIZE) + 16 * PLACES_Y;
        end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        wait (!rst);
        image(TOKENS);
        @(negedge clk);
        while (!(s_valid && s_ready && s_user[USER_W-1])) @(negedge clk);
        start = u_snk.cycle;
        while (!m_valid) @(negedge clk);
        if (u_snk.cycle - start != 3) begin
            $display("FAIL: latency %0d", u_snk.cycle - start);
            $finish;
        end
        wait (snk_done);
        u_snk.restart;
        bound = 0;
        for (n = 0; n < IMAGES; n = n + 1)
            image(idle + stall == 0 ? TOKENS : 1 + $unsigned($random(seed)) % TOKENS);
        wait (src_done && snk_done);
        repeat (5) @(posedge clk);
        if (idle + stall == 0 && SLACK >= 8 && u_snk.last_time - u_snk.first_time > bound)
            $display("FAIL: %0d cycles, at most %0d were promised", u_snk.last_time - u_snk.first_time, bound);
        else
            $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
