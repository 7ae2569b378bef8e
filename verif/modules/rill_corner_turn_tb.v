// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_corner_turn. Sends D0 x D1 x D2 elements in row-major order. They must come out with the dimensions
// in reverse order, every run along the first dimension R times. Words have LANES elements on both sides, and the last
// word is padded. A firing has ROUNDS such sets of elements; each fills a half of the buffer. If a half has more
// than 2 words with their tokens, also checks the rate of both sides (without idles and stalls) and, with ROUNDS = 1,
// the latency of 2 cycles. PERIOD and SKEW suit the shape of the set (gen/ir/corner.c): otherwise two elements of a
// word could be in the same bank.
// Sets for verif/modules/run.sh:
// sweep: LANES=4 TOKENS=2 D0=8 D1=12 PERIOD=12 SKEW=1
// sweep: LANES=4 TOKENS=1 D0=8 D1=7
// sweep: LANES=8 TOKENS=2 D0=7 D1=8 PERIOD=8 SKEW=7
// sweep: LANES=2 TOKENS=4 D0=5 D1=7
// sweep: LANES=4 TOKENS=2 D0=4 D1=8 ROUNDS=3 PERIOD=8 SKEW=1
// sweep: LANES=4 TOKENS=1 D0=4 D1=3 D2=8 PERIOD=24 SKEW=1
// sweep: LANES=8 TOKENS=8 D0=8 D1=16 R=3 PERIOD=16 SKEW=1
// sweep: LANES=2 TOKENS=1 D0=2 D1=2 PERIOD=2 SKEW=1
// sweep: LANES=32 TOKENS=1 D0=32 D1=33
// sweep: LANES=4 TOKENS=1 D0=1 D1=1
// quick: LANES=4 TOKENS=2 D0=8 D1=12 PERIOD=12 SKEW=1
// quick: LANES=8 TOKENS=2 D0=7 D1=8 PERIOD=8 SKEW=7
// quick: LANES=2 TOKENS=4 D0=5 D1=7
// quick: LANES=4 TOKENS=2 D0=4 D1=8 ROUNDS=3 PERIOD=8 SKEW=1
// quick: LANES=4 TOKENS=1 D0=4 D1=3 D2=8 PERIOD=24 SKEW=1
`default_nettype none
`timescale 1ns / 1ps

module rill_corner_turn_tb;
    // The header explains D0, D1, D2 and R. The others are parameters of the module.
    parameter LANES = 4;
    parameter TOKENS = 1;
    parameter D0 = 4;
    parameter D1 = 4;
    parameter D2 = 1;
    parameter R = 1;
    parameter ROUNDS = 1;
    parameter PERIOD = 0;
    parameter SKEW = 0;
    localparam W = 12;                                     // width of an element
    localparam USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1;
    localparam FIRINGS = 12;
    localparam BUFFER = D0 * D1 * D2;
    localparam IN = (BUFFER + LANES - 1) / LANES;          // words that fill a half, per token
    localparam OUT = (BUFFER * R + LANES - 1) / LANES;     // words that leave for a half, per token
    localparam WORDS = (FIRINGS + 1) * ROUNDS * TOKENS * (OUT > IN ? OUT : IN);
    localparam STRIDE = D1 * D2;
    // Loops of the output. The outermost loop is in the low bits, so it is written last.
    localparam [127:0] TRIPS = {D0[31:0], R[31:0], D1[31:0], D2[31:0]};
    localparam [127:0] STRIDES = {STRIDE[31:0], 32'd0, D2[31:0], 32'd1};

    wire               clk, rst, s_valid, s_ready, s_last, m_valid, m_ready, m_last, src_done, snk_done;
    wire [LANES*W-1:0] s_data, m_data;
    wire [USER_W-1:0]  s_user, m_user;
    reg  [W-1:0]       value [0:BUFFER*TOKENS-1];
    reg  [W-1:0]       turned [0:BUFFER*R*TOKENS-1];
    reg  [LANES*W-1:0] word;
    // bound: most cycles that the firings may take.
    integer            n, g, w, t, a, b, c, r, i, e, seed, idle, stall, start, bound;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_axis_driver #(.DATA_W(LANES*W), .USER_W(USER_W), .WORDS(WORDS)) u_src (.clk(clk), .rst(rst),
        .m_axis_tvalid(s_valid),
        .m_axis_tready(s_ready), .m_axis_tdata(s_data), .m_axis_tuser(s_user), .m_axis_tlast(s_last), .done(src_done));
    rill_corner_turn #(.DATA_W(W), .LANES(LANES), .TOKENS(TOKENS), .BUFFER(BUFFER), .ROUNDS(ROUNDS), .LOOPS(4),
        .TRIPS(TRIPS), .STRIDES(STRIDES),
        .PERIOD(PERIOD), .SKEW(SKEW)) dut (
        .clk(clk), .rst(rst), .s_axis_tvalid(s_valid), .s_axis_tready(s_ready), .s_axis_tdata(s_data),
        .s_axis_tuser(s_user),
        .s_axis_tlast(s_last), .m_axis_tvalid(m_valid), .m_axis_tready(m_ready), .m_axis_tdata(m_data),
        .m_axis_tuser(m_user),
        .m_axis_tlast(m_last));
    rill_axis_monitor #(.DATA_W(LANES*W), .USER_W(USER_W), .WORDS(WORDS)) u_snk (.clk(clk), .rst(rst), .hold(1'b0),
        .s_axis_tvalid(m_valid),
        .s_axis_tready(m_ready), .s_axis_tdata(m_data), .s_axis_tuser(m_user), .s_axis_tlast(m_last), .done(snk_done));

    // Returns tuser of a token: {tok_last, tok}.
    function [USER_W-1:0] user(input integer tok, input integer active);
        user = (tok == active - 1 ? 1 << (USER_W - 1) : 0) | tok;
    endfunction
    // Sends the elements of one half for `active` tokens, and queues the expected words.
    task half(input integer active);
        begin
            for (e = 0; e < BUFFER * TOKENS; e = e + 1)
                value[e] = $random(seed);
            for (w = 0; w < IN; w = w + 1)
                for (t = 0; t < active; t = t + 1) begin
                    for (i = 0; i < LANES; i = i + 1)      // after the last element: any value
                        word[i*W +: W] = w * LANES + i < BUFFER ? value[(w*LANES + i)*TOKENS + t] : $random(seed);
                    u_src.push(word, user(t, active), g == ROUNDS - 1 && w == IN - 1 && t == active - 1);
                end
            n = 0;
            for (c = 0; c < D2; c = c + 1)
                for (b = 0; b < D1; b = b + 1)
                    for (r = 0; r < R; r = r + 1)
                        for (a = 0; a < D0; a = a + 1) begin
                            for (t = 0; t < TOKENS; t = t + 1)
                                turned[n*TOKENS + t] = value[((a*D1 + b)*D2 + c)*TOKENS + t];
                            n = n + 1;
                        end
            for (w = 0; w < OUT; w = w + 1)
                for (t = 0; t < active; t = t + 1) begin
                    for (i = 0; i < LANES; i = i + 1)
                        word[i*W +: W] = w * LANES + i < n ? turned[(w*LANES + i)*TOKENS + t] : {W{1'b0}};
                    u_snk.expect_word(word, user(t, active), g == ROUNDS - 1 && w == OUT - 1 && t == active - 1);
                end
            bound = bound + active * (OUT > IN ? OUT : IN);
        end
    endtask
    // Sends a firing of ROUNDS halves.
    task firing(input integer active);
        for (g = 0; g < ROUNDS; g = g + 1)
            half(active);
    endtask

    integer f;
    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        wait (!rst);
        firing(TOKENS);
        while (!(s_valid && s_ready && s_last)) @(negedge clk);
        start = u_snk.cycle;
        while (!m_valid) @(negedge clk);
        if (ROUNDS == 1 && IN * TOKENS > 2 && u_snk.cycle - start != 2) begin
            $display("FAIL: latency %0d", u_snk.cycle - start);
            $finish;
        end
        wait (snk_done);
        u_snk.restart;
        bound = 0;
        for (f = 0; f < FIRINGS; f = f + 1)
            firing(idle + stall == 0 ? TOKENS : 1 + $unsigned($random(seed)) % TOKENS);
        wait (src_done && snk_done);
        repeat (5) @(posedge clk);
        if (idle + stall == 0 && IN * TOKENS > 2 && u_snk.last_time - u_snk.first_time > bound)
            $display("FAIL: %0d cycles, at most %0d were promised", u_snk.last_time - u_snk.first_time, bound);
        else
            $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
