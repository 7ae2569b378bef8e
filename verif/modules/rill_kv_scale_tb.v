// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_kv_scale. Writes the scale of every position of a context once. After each (layer, head) of a step,
// the scales of all positions of this head so far must come back REPLAYS times, or in a step of one token REPLAYS /
// TOGETHER times. With WINDOW, they begin at the last common multiple of 64 and CHANNELS that is not after the start of
// the layer's window. Without WINDOW, idles and stalls, the bench also checks the latency of the first head and the
// rate of the last one.
// Sets for verif/modules/run.sh (after @: idles and stalls in percent):
// sweep: LANES=1 TOKENS=1 BEAT_BITS=256 LAYERS=1 HEADS=1 UNITS=1 CONTEXT=9
// sweep: LANES=4 TOKENS=4 BEAT_BITS=512 LAYERS=2 HEADS=3 UNITS=2 CONTEXT=23
// sweep: LANES=8 TOKENS=8 BEAT_BITS=256 LAYERS=2 HEADS=1 UNITS=3 CONTEXT=64
// sweep: LANES=32 TOKENS=2 BEAT_BITS=256 LAYERS=1 HEADS=2 UNITS=1 CONTEXT=70
// sweep: LANES=4 TOKENS=2 BEAT_BITS=256 LAYERS=2 HEADS=2 UNITS=1 CONTEXT=21 REPLAYS=3
// sweep: LANES=8 TOKENS=4 BEAT_BITS=256 LAYERS=3 HEADS=2 UNITS=1 CONTEXT=210 REPLAYS=2 WINDOW=20 EACH=1 CHANNELS=2
// sweep: LANES=4 TOKENS=8 BEAT_BITS=512 LAYERS=2 HEADS=1 UNITS=1 CONTEXT=420 WINDOW=1 CHANNELS=3
// sweep: LANES=4 TOKENS=4 BEAT_BITS=256 LAYERS=2 HEADS=2 UNITS=1 CONTEXT=41 REPLAYS=6 TOGETHER=3
// sweep: LANES=4 TOKENS=2 BEAT_BITS=256 LAYERS=3 HEADS=2 UNITS=1 CONTEXT=150 REPLAYS=2 WINDOW=20 EACH=1 TOGETHER=2
// quick: LANES=4 TOKENS=2 BEAT_BITS=256 LAYERS=2 HEADS=2 UNITS=1 CONTEXT=41 REPLAYS=6 TOGETHER=2 @ 50:50
// quick: LANES=4 TOKENS=4 BEAT_BITS=512 LAYERS=2 HEADS=3 UNITS=2 CONTEXT=23
// quick: LANES=4 TOKENS=2 BEAT_BITS=256 LAYERS=2 HEADS=2 UNITS=1 CONTEXT=21 REPLAYS=3
// quick: LANES=8 TOKENS=4 BEAT_BITS=256 LAYERS=3 HEADS=2 UNITS=1 CONTEXT=150 REPLAYS=2 WINDOW=20 EACH=1 @ 50:50
`default_nettype none
`timescale 1ns / 1ps

module rill_kv_scale_tb;
    `include "rill_fields.vh"
    // Parameters without a comment are those of the module.
    parameter LANES = 4;
    parameter TOKENS = 4;
    parameter BEAT_BITS = 512;
    parameter LAYERS = 2;
    parameter HEADS = 3;
    parameter UNITS = 2;
    parameter CONTEXT = 23;
    parameter REPLAYS = 1;
    parameter TOGETHER = 1;                                 // heads that read together in a step of one token
    parameter WINDOW = 0;                                   // positions that layer 0 sees; 0: all, in all layers
    parameter EACH = 0;                                     // 0: with WINDOW, layer l sees WINDOW + l positions.
                                                            // 1: as 0, but odd layers see all positions
    parameter CHANNELS = 1;                                 // channels of the keys
    localparam WINDOWS = WINDOW == 0 ? 1 : LAYERS;
    // Returns the parameter WINDOW of rill_kv_scale: 16 bits for each layer.
    function [WINDOWS*16-1:0] windows(input integer first);
        integer k;
        for (k = 0; k < WINDOWS; k = k + 1)
            windows[k*16 +: 16] = first == 0 || (EACH && k % 2 == 1) ? 0 : first + k;
    endfunction
    localparam USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1;

    wire                  clk, rst;
    wire                  step_valid, step_ready, step_last, step_user, step_done;
    wire [63:0]           step_data;
    wire                  kv_valid, kv_ready, kv_last, kv_done;
    wire [BEAT_BITS+31:0] kv_data;
    wire [USER_W-1:0]     kv_user;
    wire                  out_valid, out_ready, out_done;
    wire [LANES*32-1:0]   out_data;
    reg  [2047:0]         data;
    reg  [31:0]           user;
    reg  [8*256-1:0]      name;
    // tokens: number of tokens in the first step. units, words: units and words that were taken so far at the input and
    // at the output. from: cycle of the last unit of the first head. now: this cycle. quiet: cycles since all streams
    // were done.
    integer               file, port, last, idle, stall, tokens = 0, units = 0, words = 0, from = 0, now = 0, quiet = 0;
    integer               time_of [0:16383];                   // cycle in which each word was taken
    reg                   loaded = 0;

    rill_bench_clock #(.LIMIT(400000)) u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_axis_driver #(.DATA_W(64), .SALT(1)) u_step (.clk(clk), .rst(rst), .m_axis_tvalid(step_valid),
        .m_axis_tready(step_ready),
        .m_axis_tdata(step_data), .m_axis_tuser(step_user), .m_axis_tlast(step_last), .done(step_done));
    rill_axis_driver #(.DATA_W(BEAT_BITS + 32), .USER_W(USER_W), .SALT(3), .WORDS(16384)) u_kv (
        .clk(clk), .rst(rst), .m_axis_tvalid(kv_valid), .m_axis_tready(kv_ready), .m_axis_tdata(kv_data),
        .m_axis_tuser(kv_user), .m_axis_tlast(kv_last), .done(kv_done));
    rill_axis_monitor #(.DATA_W(LANES * 32), .SALT(2), .WORDS(16384)) u_out (.clk(clk), .rst(rst), .hold(1'b0),
        .s_axis_tvalid(out_valid),
        .s_axis_tready(out_ready), .s_axis_tdata(out_data), .s_axis_tuser(1'b0), .s_axis_tlast(1'b0), .done(out_done));
    rill_kv_scale #(.LANES(LANES), .TOKENS(TOKENS), .BEAT_BITS(BEAT_BITS), .LAYERS(LAYERS), .HEADS(HEADS),
        .UNITS(UNITS),
        .CONTEXT(CONTEXT), .REPLAYS(REPLAYS), .TOGETHER(TOGETHER), .KEY_CHANNELS(CHANNELS), .WINDOWS(WINDOWS),
        .WINDOW(windows(WINDOW))) dut (
        .clk(clk), .rst(rst), .s_axis_step_tvalid(step_valid), .s_axis_step_tready(step_ready),
        .s_axis_step_tdata(step_data),
        .s_axis_kv_tvalid(kv_valid), .s_axis_kv_tready(kv_ready), .s_axis_kv_tdata(kv_data), .s_axis_kv_tuser(kv_user),
        .s_axis_kv_tlast(kv_last),
        .m_axis_scale_tvalid(out_valid), .m_axis_scale_tready(out_ready), .m_axis_scale_tdata(out_data));

    // Without idles, stalls and WINDOW, the first word must come 6 cycles after the last unit of the first head, and
    // the words of the last pass without a pause. With WINDOW no time is checked: PASS is 1, so the second check
    // compares a word with itself.
    localparam PASS = WINDOW == 0 ? (CONTEXT + LANES - 1) / LANES : 1;
    task verdict;
        if (idle + stall == 0 && WINDOW == 0 && time_of[0] - from != 6)
            $display("FAIL: latency %0d", time_of[0] - from);
        else if (idle + stall == 0 && time_of[words-1] - time_of[words-PASS] != PASS - 1)
            $display("FAIL: %0d words took %0d cycles", PASS, time_of[words-1] - time_of[words-PASS] + 1);
        else
            $display("PASS");
    endtask

    always @(posedge clk)
        if (!rst) begin
            now = now + 1;
            if (step_valid && step_ready && tokens == 0)
                tokens = step_data[STEP_NTOK +: STEP_NTOK_W];
            if (kv_valid && kv_ready) begin
                units = units + 1;
                if (units == tokens * UNITS)
                    from = now;
            end
            if (out_valid && out_ready) begin
                time_of[words] = now;
                words = words + 1;
            end
        end

    initial begin
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        if (!$value$plusargs("vectors=%s", name)) begin
            $display("FAIL: no vectors");
            $finish;
        end
        file = $fopen(name, "r");
        while ($fscanf(file, "%d %h %h %d", port, data, user, last) == 4)
            case (port)
                0: u_step.push(data, 0, 0);
                1: u_kv.push(data, user, last);
                2: u_out.expect_word(data, 0, 0);
                default: loaded = 1;
            endcase
    end

    always @(posedge clk) if (!rst && loaded && step_done && kv_done && out_done) begin
        quiet = quiet + 1;
        if (quiet == 50) begin
            verdict;
            $finish;
        end
    end
endmodule

`default_nettype wire
