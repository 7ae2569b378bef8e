// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_head_split. Sends steps of LAYERS * HEADS heads with a random number of tokens. In steps of one
// token, TOGETHER heads (the last firing of a layer: those that are left) arrive as the tokens of one firing and must
// leave as firings of one token. Checks the latency of the first firing, in runs without idle and stall.
// Sets for verif/modules/run.sh:
// sweep: TOKENS=2 TOGETHER=2 WORDS=1 HEADS=4 LAYERS=1
// sweep: TOKENS=4 TOGETHER=3 WORDS=5 HEADS=3 LAYERS=2
// sweep: TOKENS=8 TOGETHER=7 WORDS=2 HEADS=14 LAYERS=2
// sweep: TOKENS=8 TOGETHER=8 WORDS=3 HEADS=13 LAYERS=2 OUTSIDE_TOKENS=1
// sweep: TOKENS=8 TOGETHER=4 WORDS=4 HEADS=7 LAYERS=3 OUTSIDE_TOKENS=2
// sweep: TOKENS=4 TOGETHER=1 WORDS=3 HEADS=2 LAYERS=1 OUTSIDE_TOKENS=1
// quick: TOKENS=4 TOGETHER=3 WORDS=5 HEADS=3 LAYERS=2
// quick: TOKENS=8 TOGETHER=4 WORDS=4 HEADS=7 LAYERS=3 OUTSIDE_TOKENS=2
// quick: TOKENS=2 TOGETHER=2 WORDS=1 HEADS=4 LAYERS=1
`default_nettype none
`timescale 1ns / 1ps

module rill_head_split_tb;
    `include "rill_fields.vh"
    // Parameters without a comment are those of the module.
    parameter TOKENS = 4;
    parameter TOGETHER = 3;
    parameter WORDS = 5;
    parameter HEADS = 3;
    parameter LAYERS = 2;
    parameter OUTSIDE_TOKENS = TOKENS;
    localparam OUT_W = (OUTSIDE_TOKENS > 1 ? $clog2(OUTSIDE_TOKENS) : 1) + 1;
    localparam FIRINGS = LAYERS * HEADS;
    localparam USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1;
    localparam STEPS = 16;
    localparam ALL = STEPS * FIRINGS * TOKENS * WORDS;

    wire              clk, rst, s_valid, s_ready, s_last, m_valid, m_ready, m_last, src_done, snk_done;
    wire              step_valid, step_ready, step_user, step_last, step_done;
    wire [63:0]       step_data;
    reg  [63:0]       step;
    wire [15:0]       s_data, m_data;
    wire [USER_W-1:0] s_user;
    wire [OUT_W-1:0]  m_user;
    reg  [15:0]       word;
    reg  [15:0]       kept [0:TOKENS*WORDS-1];
    integer           n, f, t, w, seed, idle, stall, active, in, first_end, group;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_axis_driver #(.DATA_W(64), .SALT(1)) u_step (.clk(clk), .rst(rst), .m_axis_tvalid(step_valid),
        .m_axis_tready(step_ready), .m_axis_tdata(step_data), .m_axis_tuser(step_user), .m_axis_tlast(step_last),
        .done(step_done));
    rill_axis_driver #(.DATA_W(16), .USER_W(USER_W), .WORDS(ALL), .SALT(3)) u_src (.clk(clk), .rst(rst),
        .m_axis_tvalid(s_valid), .m_axis_tready(s_ready), .m_axis_tdata(s_data), .m_axis_tuser(s_user),
        .m_axis_tlast(s_last), .done(src_done));
    rill_head_split #(.DATA_W(16), .TOKENS(TOKENS), .TOGETHER(TOGETHER), .WORDS(WORDS), .HEADS(HEADS),
        .LAYERS(LAYERS), .OUTSIDE_TOKENS(OUTSIDE_TOKENS)) dut (
        .clk(clk), .rst(rst), .s_axis_step_tvalid(step_valid), .s_axis_step_tready(step_ready),
        .s_axis_step_tdata(step_data), .s_axis_tvalid(s_valid), .s_axis_tready(s_ready), .s_axis_tdata(s_data),
        .s_axis_tuser(s_user), .s_axis_tlast(s_last), .m_axis_tvalid(m_valid), .m_axis_tready(m_ready),
        .m_axis_tdata(m_data), .m_axis_tuser(m_user), .m_axis_tlast(m_last));
    rill_axis_monitor #(.DATA_W(16), .USER_W(OUT_W), .WORDS(ALL), .SALT(2)) u_snk (.clk(clk), .rst(rst), .hold(1'b0),
        .s_axis_tvalid(m_valid), .s_axis_tready(m_ready), .s_axis_tdata(m_data), .s_axis_tuser(m_user),
        .s_axis_tlast(m_last), .done(snk_done));

    // Returns tuser of a token: {tok_last, tok}.
    function [USER_W-1:0] user(input integer tok, input integer tokens);
        user = (tok == tokens - 1 ? 1 << (USER_W - 1) : 0) | tok;
    endfunction

    // Returns tuser of a token at the output.
    function [OUT_W-1:0] out_user(input integer tok, input integer tokens);
        out_user = (tok == tokens - 1 ? 1 << (OUT_W - 1) : 0) | tok;
    endfunction

    // Sends one firing of `tokens` tokens and queues the expected words. If the step has one token (active), these
    // tokens are heads, which leave as separate firings.
    task firing(input integer tokens);
        begin
            for (w = 0; w < WORDS; w = w + 1)
                for (t = 0; t < tokens; t = t + 1) begin
                    word = $random(seed);
                    kept[t*WORDS+w] = word;
                    u_src.push(word, user(t, tokens), t == tokens - 1 && w == WORDS - 1);
                    if (active > 1) u_snk.expect_word(word, out_user(t, tokens), t == tokens - 1 && w == WORDS - 1);
                end
            for (w = 0; active == 1 && w < tokens * WORDS; w = w + 1)
                u_snk.expect_word(kept[w], out_user(0, 1), w % WORDS == WORDS - 1);
        end
    endtask

    // first_end: number of the cycle before the last input word of the first firing is taken. So a latency of 3 cycles
    // gives a difference of 4 in the check below.
    initial begin
        in = 0;
        first_end = 0;
    end
    always @(negedge clk)
        if (!rst && s_valid && s_ready) begin
            in = in + 1;
            if (in == TOGETHER * WORDS) first_end = u_snk.cycle;
        end

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        for (n = 0; n < STEPS; n = n + 1) begin
            active = n % 2 == 0 ? 1 : 1 + $unsigned($random(seed)) % OUTSIDE_TOKENS;
            step = {$random(seed), $random(seed)};
            step[STEP_NTOK +: STEP_NTOK_W] = active;
            u_step.push(step, 0, 0);
            for (f = 0; f < FIRINGS; f = f + (active == 1 ? group : 1)) begin
                group = HEADS - f % HEADS < TOGETHER ? HEADS - f % HEADS : TOGETHER;
                firing(active == 1 ? group : active);
            end
        end
        wait (!rst);
        wait (src_done && step_done && snk_done);
        if (idle + stall == 0 && TOGETHER > 1 && u_snk.first_time - first_end != 4)
            $display("FAIL: latency %0d", u_snk.first_time - first_end - 1);
        else
            $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
