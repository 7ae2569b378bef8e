// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_segment_walker. The table has a prologue, a repeated section (weights, K, V) and a section for head
// steps. Compares every descriptor of the steps of a request with a list. No K or V run may leave before the writes
// that it needs are counted, and long runs must be cut. With windows, K and V runs begin where the window of the first
// token begins. At the end a flush must discard steps.
// Sets for verif/modules/run.sh (after @: idles and stalls in percent):
// sweep: BEAT_BITS=256 LAYERS=3 BEATS=5 OUTER=4
// sweep: BEAT_BITS=512 LAYERS=1 BEATS=1 OUTER=1
// sweep: BEAT_BITS=512 LAYERS=2 BEATS=70000 OUTER=3
// sweep: BEAT_BITS=512 LAYERS=3 BEATS=7 OUTER=2 FIRST=5 STRIDE=3
// sweep: BEAT_BITS=256 LAYERS=3 BEATS=5 OUTER=4 CHANNELS=4 WINDOW=20 FROM=64
// sweep: BEAT_BITS=512 LAYERS=4 BEATS=7 OUTER=2 FIRST=2 STRIDE=2 CHANNELS=1 WINDOW=50 EACH=1
// sweep: BEAT_BITS=512 LAYERS=3 BEATS=3 OUTER=2 CHANNELS=24 WINDOW=33 EACH=1 FROM=10096
// sweep: BEAT_BITS=256 LAYERS=2 BEATS=3 OUTER=1 CHANNELS=31 WINDOW=1 FROM=65280
// quick: BEAT_BITS=256 LAYERS=3 BEATS=5 OUTER=4
// quick: BEAT_BITS=512 LAYERS=3 BEATS=3 OUTER=2 CHANNELS=24 WINDOW=33 EACH=1 FROM=10096 @ 50:50
// quick: BEAT_BITS=512 LAYERS=3 BEATS=7 OUTER=2 FIRST=5 STRIDE=3
`default_nettype none
`timescale 1ns / 1ps

module rill_segment_walker_tb;
    `include "rill_fields.vh"
    // Parameters without a comment are those of the module.
    parameter BEAT_BITS = 256;
    parameter LAYERS = 3;                    // repetitions of the second section
    parameter BEATS = 5;                     // beats of the repeated weight segment
    parameter OUTER = 4;                     // runs of the V segment
    parameter FIRST = 0;                     // layer of the cache in the first repetition
    parameter STRIDE = 1;                    // layers from one repetition to the next
    parameter CHANNELS = 3;                  // KEY_CHANNELS of the module
    parameter WINDOW = 0;                    // 0: all positions
    parameter EACH = 0;                      // 1: even layers l see WINDOW + 7 l positions, odd ones all
    parameter FROM = 0;                      // position of the first step
    localparam CACHED = FIRST + LAYERS * STRIDE;  // layers of the cache
    localparam BYTES = BEAT_BITS / 8;
    localparam STEPS = 40;
    localparam MAX = 40000;                  // runs, at most

    // Returns an entry of the segment table.
    function [SEGMENT_BITS-1:0] segment(input integer kind, input integer offset, input integer stride,
        input integer beats, input integer outer, input integer outer_stride);
        begin
            segment = 0;
            segment[SEGMENT_KIND +: SEGMENT_KIND_W] = kind;
            segment[SEGMENT_OFFSET +: SEGMENT_OFFSET_W] = offset;
            segment[SEGMENT_LAYER_STRIDE +: SEGMENT_LAYER_STRIDE_W] = stride;
            segment[SEGMENT_BEATS +: SEGMENT_BEATS_W] = beats;
            segment[SEGMENT_OUTER +: SEGMENT_OUTER_W] = outer;
            segment[SEGMENT_OUTER_STRIDE +: SEGMENT_OUTER_STRIDE_W] = outer_stride;
            segment[SEGMENT_KV_LAYER +: SEGMENT_KV_LAYER_W] = FIRST;
            segment[SEGMENT_KV_STEP +: SEGMENT_KV_STEP_W] = STRIDE;
        end
    endfunction
    localparam WINDOWS = EACH ? CACHED : 1;
    // window_of returns the window of a layer, 0: all positions. windows and reversed return the tables of all layers.
    function integer window_of(input integer layer);
        window_of = WINDOW == 0 || (EACH && layer % 2 == 1) ? 0 : EACH ? WINDOW + 7 * layer : WINDOW;
    endfunction
    function [WINDOWS*16-1:0] windows(input integer unused);
        integer k;
        for (k = 0; k < WINDOWS; k = k + 1) windows[k*16 +: 16] = window_of(k);
    endfunction
    function [WINDOWS*16-1:0] reversed(input integer unused);   // so that keys and values have different tables
        integer k;
        for (k = 0; k < WINDOWS; k = k + 1) reversed[k*16 +: 16] = window_of(WINDOWS - 1 - k);
    endfunction
    // Returns the first position that is read for a token at pos. It is the last position, not after the first one of
    // the token's window, at which both a block of 64 positions and a row-step of CHANNELS positions begin.
    function integer begin_of(input integer window, input integer pos);
        integer unit;
        begin
            unit = 64;
            while (unit % CHANNELS != 0) unit = unit + 64;
            begin_of = window == 0 || pos < window ? 0 : (pos - window + 1) / unit * unit;
        end
    endfunction
    localparam [SEGMENT_BITS-1:0] PROLOGUE = segment(SEGMENT_KIND_WEIGHTS, 64 * BYTES, 0, 3, 0, 0);
    localparam [SEGMENT_BITS-1:0] WEIGHTS = segment(SEGMENT_KIND_WEIGHTS, 1024 * BYTES, 4096 * BYTES, BEATS, 0, 0);
    localparam [SEGMENT_BITS-1:0] KEYS = segment(SEGMENT_KIND_K, 65536 * BYTES, 512 * BYTES, 2, 0, 0);
    localparam [SEGMENT_BITS-1:0] VALUES = segment(SEGMENT_KIND_V, 98304 * BYTES, 640 * BYTES, 2, OUTER, 32 * BYTES);
    // NONE gives no run, because its `outer` is 0. HEAD has more beats than one descriptor can have.
    localparam [SEGMENT_BITS-1:0] NONE = segment(SEGMENT_KIND_V, 0, 0, 2, 0, 32);
    localparam [SEGMENT_BITS-1:0] HEAD = segment(SEGMENT_KIND_WEIGHTS, 131072 * BYTES, 0, 66000, 0, 0);

    reg         clk = 0;
    reg         rst = 1;
    integer     seed, idle, stall;
    reg         flush = 0;
    wire        w_idle;
    reg  [31:0] k_done = 0, v_done = 0;
    integer     done_now;
    reg         s_valid = 0;
    wire        s_ready;
    reg  [63:0] s_data;
    wire        m_valid;
    reg         m_ready = 0;
    wire [55:0] m_data;
    wire [15:0] m_beats = m_data[DESCRIPTOR_BEATS +: DESCRIPTOR_BEATS_W];
    wire [39:0] m_offset = m_data[DESCRIPTOR_OFFSET +: DESCRIPTOR_OFFSET_W];

    rill_segment_walker #(.BEAT_BITS(BEAT_BITS), .KV_LAYERS(CACHED), .SECTIONS(3), .ENTRIES(6),
        .KEY_CHANNELS(CHANNELS), .WINDOWS(WINDOWS), .K_WINDOW(windows(0)), .V_WINDOW(reversed(0)),
        .SECTION_LEN({16'd1, 16'd4, 16'd1}),
        .SECTION_REPEAT({16'd1, LAYERS[15:0], 16'd1}), .SECTION_WHEN_HEAD(3'b100),
        .TABLE({HEAD, NONE, VALUES, KEYS, WEIGHTS, PROLOGUE})) dut (
        .clk(clk), .rst(rst), .flush(flush), .idle(w_idle), .k_layers_done(k_done), .v_layers_done(v_done),
        .s_axis_step_tvalid(s_valid), .s_axis_step_tready(s_ready), .s_axis_step_tdata(s_data),
        .m_axis_desc_tvalid(m_valid), .m_axis_desc_tready(m_ready), .m_axis_desc_tdata(m_data));

    always #1 clk = !clk;

    reg  [63:0] step [0:STEPS-1];
    reg  [39:0] run_addr [0:MAX-1];          // the expected runs, in order
    integer     run_beats [0:MAX-1];
    integer     run_need [0:MAX-1];          // layers that must be counted before the run may leave
    reg         run_values [0:MAX-1];        // 1: v_done counts these layers; 0: k_done does
    integer     runs = 0, now = 0, sent = 0, cycles = 0, count, beats, i, l, o, pos, ntok, k_from, v_from;
    reg  [39:0] addr;
    reg         failed = 0;
    reg         done = 0;

    // Returns 1 in `percent` percent of its calls.
    function chance(input integer percent);
        chance = $urandom_range(99) < percent;
    endfunction

    // Adds a run to the expected ones. A run without beats gives no descriptor.
    task add(input integer beats_in, input [39:0] addr_in, input integer need, input values);
        if (beats_in > 0) begin
            run_beats[runs] = beats_in;
            run_addr[runs] = addr_in;
            run_need[runs] = need;
            run_values[runs] = values;
            runs = runs + 1;
        end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        i = $urandom(seed);
        pos = FROM;
        for (i = 0; i < STEPS; i = i + 1) begin
            ntok = i < 30 ? 4 : 1;           // 30 steps of the prompt; the last one and all later ones have STEP_HEAD
            step[i] = 0;
            step[i][STEP_POS +: STEP_POS_W] = pos;
            step[i][STEP_NTOK +: STEP_NTOK_W] = ntok;
            step[i][STEP_HEAD] = i >= 29;
            step[i][STEP_KROWS +: STEP_KROWS_W] = (pos + CHANNELS - 1) / CHANNELS;
            step[i][STEP_VBLOCKS +: STEP_VBLOCKS_W] = pos / 64;
            add(3, 64 * BYTES, 0, 0);
            for (l = 0; l < LAYERS; l = l + 1) begin
                add(BEATS, 1024 * BYTES + l * 4096 * BYTES, 0, 0);
                k_from = begin_of(window_of(FIRST + l * STRIDE), pos) / CHANNELS;
                v_from = begin_of(window_of(EACH ? WINDOWS - 1 - FIRST - l * STRIDE : 0), pos) / 64;
                add(2 * ((pos + CHANNELS - 1) / CHANNELS - k_from),
                    65536 * BYTES + l * 512 * BYTES + k_from * 2 * BYTES,
                    i == 0 ? 0 : (i - 1) * CACHED + FIRST + l * STRIDE + 1, 0);
                for (o = 0; o < OUTER; o = o + 1)
                    add(2 * (pos / 64 - v_from), 98304 * BYTES + l * 640 * BYTES + o * 32 * BYTES + v_from * 2 * BYTES,
                        i == 0 ? 0 : (i - 1) * CACHED + FIRST + l * STRIDE + 1, 1);
            end
            if (i >= 29)
                add(66000, 131072 * BYTES, 0, 0);
            pos = pos + ntok;
        end
        beats = 0;
        repeat (4) @(posedge clk);
        rst <= 0;
    end

    always @(posedge clk) if (!rst && !done) begin
        cycles = cycles + 1;
        if (s_valid && s_ready)
            s_valid <= 0;
        if ((!s_valid || s_ready) && sent < STEPS && !chance(idle)) begin
            s_valid <= 1;
            s_data <= step[sent];
            sent = sent + 1;
        end
        m_ready <= !chance(stall);
        if (k_done < STEPS * CACHED && chance(10)) k_done <= k_done + 1; // sometimes k_done is ahead, sometimes v_done
        if (v_done < STEPS * CACHED && chance(cycles[9] ? 5 : 15)) v_done <= v_done + 1;
        done_now = now < runs && run_values[now] ? v_done : k_done;
        if (m_valid && m_ready && !failed) begin
            if (now >= runs || m_offset !== run_addr[now] + beats * BYTES || m_beats == 0 ||
                m_beats > run_beats[now] - beats || (beats == 0 && run_beats[now] <= 65535
                    && m_beats != run_beats[now]) ||
                done_now < run_need[now]) begin
                $display("FAIL: run %0d: %0d beats at %h, expected %0d of %0d at %h, done %0d, needs %0d", now,
                    m_beats, m_offset,
                         run_beats[now] - beats, run_beats[now], run_addr[now], done_now, run_need[now]);
                failed = 1;
                $finish;
            end
            beats = beats + m_beats;
            if (beats == run_beats[now]) begin
                beats = 0;
                now = now + 1;
            end
        end
        if (!failed && now == runs && sent == STEPS) begin
            done = 1;
            fork
                flush_and_end;
            join_none
        end
        if (cycles > 100000) begin
            $display("FAIL: timeout at run %0d of %0d", now, runs);
            $finish;
        end
    end

    // Sends more steps. One of them waits for writes that are never counted. A flush must discard all of them.
    task flush_and_end;
        begin
            m_ready <= 1;
            repeat (20) @(posedge clk);
            if (m_valid) begin
                $display("FAIL: more than expected");
                failed = 1;
            end
            s_data <= step[STEPS-1];
            s_valid <= 1;
            repeat (400) @(posedge clk);
            flush <= 1;
            repeat (3) @(posedge clk);
            if (m_valid || !s_ready) begin
                $display("FAIL: flush: valid %b, step ready %b", m_valid, s_ready);
                failed = 1;
            end
            s_valid <= 0;
            repeat (3) @(posedge clk);
            if (!w_idle) begin
                $display("FAIL: not idle after a flush");
                failed = 1;
            end
            if (!failed)
                $display("PASS");
            $finish;
        end
    endtask
endmodule
