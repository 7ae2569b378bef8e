// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_v_tail with READS, the number of reads for which the module must wait before it takes more V. V is
// offered as soon as it can be taken, and a slow reader reads every row of a step in order. The data of a read must be
// those after its step, although V of later steps is offered. The module may not take a layer before all reads of that
// layer in the previous step have been made (with STEP_READS, no step before all reads of the previous step). In the
// end all V must be taken, and all layers must be done.
// Checks in messages: 1 data of a read, 2 the end (layers or V are missing, or V never waited), 3 V is taken too early.
// Sets for verif/modules/run.sh (after @: idles and stalls in percent):
// sweep: CHANNELS=2 BEAT_BITS=256 TOKENS=2 LAYERS=1 HEADS=2 HEAD_DIM=20 REPLAYS=3
// sweep: CHANNELS=1 BEAT_BITS=512 TOKENS=8 LAYERS=1 HEADS=1 HEAD_DIM=5 REPLAYS=1
// sweep: CHANNELS=5 BEAT_BITS=512 TOKENS=1 LAYERS=3 HEADS=1 HEAD_DIM=17 REPLAYS=2
// sweep: CHANNELS=3 BEAT_BITS=512 TOKENS=4 LAYERS=3 HEADS=2 HEAD_DIM=7 REPLAYS=1 STEP_READS=1
// quick: CHANNELS=2 BEAT_BITS=256 TOKENS=2 LAYERS=1 HEADS=2 HEAD_DIM=20 REPLAYS=3 POSITIONS=136 @ 50:50
// quick: CHANNELS=3 BEAT_BITS=512 TOKENS=4 LAYERS=3 HEADS=2 HEAD_DIM=7 REPLAYS=1 STEP_READS=1 POSITIONS=136 @ 50:50
`default_nettype none
`timescale 1ns / 1ps

module rill_v_tail_reads_tb;
    // Parameters without a comment are those of rill_v_tail.
    parameter CHANNELS = 2;
    parameter BEAT_BITS = 256;
    parameter TOKENS = 2;
    parameter LAYERS = 1;
    parameter HEADS = 2;
    parameter HEAD_DIM = 20;
    parameter REPLAYS = 3; // times that a step reads each head
    parameter STEP_READS = 0;
    parameter POSITIONS = 200; // positions of the request
    localparam C = CHANNELS;
    localparam XS = BEAT_BITS / 8;
    localparam ROWS = (HEAD_DIM + C - 1) / C;
    localparam UNITS = (HEAD_DIM + XS - 1) / XS;
    localparam PARTS = 64 / XS;
    localparam TOK_W = TOKENS > 1 ? $clog2(TOKENS) : 1;
    localparam STEPS = POSITIONS / TOKENS;
    localparam LAYER_READS = HEADS * REPLAYS * ROWS * PARTS;
    localparam READS = STEP_READS ? LAYERS * LAYER_READS : LAYER_READS;
    localparam AHEAD = STEP_READS ? 1 : LAYERS;       // layers (STEP_READS: steps) that may be ahead of the reads
    localparam LAYERS_IN = STEP_READS ? LAYERS : 1;   // layers whose reads are counted together

    wire                   clk, rst, step_valid, step_ready, kv_valid, kv_ready, kv_last, step_done, kv_done, head_done,
        layer_done;
    wire                   unused_user, unused_last;
    wire [63:0]            step_data;
    wire [BEAT_BITS+31:0]  kv_data;
    wire [TOK_W:0]         kv_user;
    reg                    tail_valid = 0;
    reg  [23:0]            tail_addr;
    wire [C*BEAT_BITS-1:0] tail_data, beat_data;
    wire [C-1:0]           desc_valid, beat_valid, given;
    reg  [C-1:0]           ready = 0;
    wire [55:0]            desc_data;

    rill_bench_clock #(.LIMIT(600000)) u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_axis_driver #(.DATA_W(64), .SALT(3)) u_step (.clk(clk), .rst(rst), .m_axis_tvalid(step_valid),
        .m_axis_tready(step_ready),
        .m_axis_tdata(step_data), .m_axis_tuser(unused_user), .m_axis_tlast(unused_last), .done(step_done));
    rill_axis_driver #(.DATA_W(BEAT_BITS+32), .USER_W(TOK_W+1), .WORDS(POSITIONS*LAYERS*HEADS*UNITS), .SALT(4)) u_kv (
        .clk(clk), .rst(rst), .m_axis_tvalid(kv_valid), .m_axis_tready(kv_ready), .m_axis_tdata(kv_data),
        .m_axis_tuser(kv_user),
        .m_axis_tlast(kv_last), .done(kv_done));
    rill_v_tail #(.CHANNELS(C), .BEAT_BITS(BEAT_BITS), .TOKENS(TOKENS), .LAYERS(LAYERS), .HEADS(HEADS),
        .HEAD_DIM(HEAD_DIM),
        .V_LAYER_STRIDE(40'h10000), .V_ROW_STRIDE(40'd256), .READS(READS), .STEP_READS(STEP_READS)) dut (
        .clk(clk), .rst(rst), .s_axis_step_tvalid(step_valid), .s_axis_step_tready(step_ready),
        .s_axis_step_tdata(step_data),
        .s_axis_kv_tvalid(kv_valid), .s_axis_kv_tready(kv_ready), .s_axis_kv_tdata(kv_data), .s_axis_kv_tuser(kv_user),
        .s_axis_kv_tlast(kv_last), .tail_valid(tail_valid), .tail_addr(tail_addr), .tail_data(tail_data),
        .head_done(head_done),
        .m_axis_desc_tvalid(desc_valid), .m_axis_desc_tready(ready), .m_axis_desc_tdata(desc_data),
        .m_axis_beat_tvalid(beat_valid),
        .m_axis_beat_tready(ready), .m_axis_beat_tdata(beat_data), .layer_done(layer_done),
        .given(given));

    integer seed, stall, i, k, s, l, h, t, u, at;
    // heads, layers: pulses of head_done and of layer_done. fired: layers whose V was taken. reads: reads that were
    // requested. pause: cycles until the next read. waited: cycles in which V waited because it was AHEAD layers (or
    // steps) ahead of the reads.
    integer heads = 0, fired = 0, layers = 0;
    integer reads = 0, pause = 0, waited = 0;
    reg     failed = 0;
    reg [3:0] due_valid = 0; // a read in each of the last four cycles, and its number in `due`
    integer due [0:3];

    // Prints the number of the first check that fails, and ends the run.
    task fail(input integer what, where);
        begin
            if (!failed) $display("FAIL: check %0d at %0d", what, where);
            failed = 1;
            $finish;
        end
    endtask

    // Returns an element of V. It is never 0, so that a cleared byte shows.
    function [7:0] value(input integer position, layer, head, element);
        value = 1 + (position * 37 + layer * 101 + head * 53 + element * 7) % 251;
    endfunction

    reg [BEAT_BITS-1:0] unit;
    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        #1;
        for (s = 0; s < STEPS; s = s + 1) begin
            at = s * TOKENS;
            u_step.push((at / 64 << 48) | (TOKENS << 16) | at, 1'b0, 1'b0);
            for (l = 0; l < LAYERS; l = l + 1)
                for (h = 0; h < HEADS; h = h + 1)
                    for (t = 0; t < TOKENS; t = t + 1)
                        for (u = 0; u < UNITS; u = u + 1) begin
                            unit = {BEAT_BITS{1'b0}};
                            for (k = 0; k < XS && u * XS + k < HEAD_DIM; k = k + 1)
                                unit[8*k +: 8] = value(at + t, l, h, u * XS + k);
                            u_kv.push({32'd0, unit}, {t == TOKENS - 1, t[TOK_W-1:0]},
                                h == HEADS - 1 && t == TOKENS - 1 && u == UNITS - 1);
                        end
        end
    end

    // These return the layer, head and row of read number n. Reads are in the order step, layer, head, replay, row,
    // part.
    function integer layer_of(input integer n); layer_of = n / LAYER_READS % LAYERS; endfunction
    function integer head_of(input integer n); head_of = n % LAYER_READS / (REPLAYS * ROWS * PARTS); endfunction
    function integer row_of(input integer n); row_of = n / PARTS % ROWS; endfunction

    // Compares the data of read n with all positions up to the end of its step.
    task compare(input integer n);
        integer step_end, position, lane, element, b;
        begin
            step_end = (n / (LAYER_READS * LAYERS) + 1) * TOKENS;
            for (lane = 0; lane < C; lane = lane + 1)
                for (b = 0; b < XS; b = b + 1) begin
                    position = (step_end - 1) / 64 * 64 + n % PARTS * XS + b;
                    element = row_of(n) * C + lane;
                    if (position < step_end && element < HEAD_DIM &&
                        tail_data[lane*BEAT_BITS + 8*b +: 8] !== value(position, layer_of(n), head_of(n),
                            element)) fail(1, n);
                end
        end
    endtask

    always @(negedge clk) begin
        ready = {$random(seed)} | {$random(seed)};
        if (due_valid[3]) compare(due[3]);
        for (i = 3; i > 0; i = i - 1) due[i] = due[i-1];
        if (pause > 0) pause = pause - 1;
        tail_valid = !rst && pause == 0 && reads < STEPS * LAYERS * LAYER_READS &&
                     heads > reads / LAYER_READS * HEADS + head_of(reads);
        due_valid = {due_valid[2:0], tail_valid};
        due[0] = reads;
        tail_addr = {layer_of(reads), 14'd0} | (head_of(reads) * ROWS + row_of(reads)) << 1 | reads % PARTS;
        if (tail_valid) begin
            reads = reads + 1;
            pause = reads % LAYER_READS == 0 && $unsigned($random(seed)) % 100 < stall ? 40 * TOKENS : 0;
        end
        if (reads == STEPS * LAYERS * LAYER_READS && due_valid == 0) begin
            if (layers != STEPS * LAYERS || !kv_done || (stall > 0 && waited == 0)) fail(2, waited);
            if (!failed) $display("PASS");
            $finish;
        end
    end

    always @(posedge clk) begin
        if (!rst && head_done) heads = heads + 1;
        if (!rst && layer_done) layers = layers + 1;
        if (!rst && kv_valid && kv_ready) begin
            if (fired / LAYERS_IN >= reads / READS + AHEAD) fail(3, fired);
            if (kv_last) fired = fired + 1;
        end
        if (kv_valid && !kv_ready && fired == (reads / READS + AHEAD) * LAYERS_IN) waited = waited + 1;
    end
endmodule

`default_nettype wire
