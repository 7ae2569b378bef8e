// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_position with a memory that answers its descriptors. Checks descriptors, rows, padding, order and
// token marks. A position past the table must raise a fault and fetch row 0. Without stalls, also checks the rate of
// one chunk per cycle within a step.
// Checks in messages: 1 data, 2 tuser, 3 tlast, 4 rate, 5 and 6 descriptor, 7 an offered word changes, 8 number of
// faults, 9 the run takes too long.
// Sets for verif/modules/run.sh:
// sweep: LANES=1 TOKENS=1 BEAT_BITS=512 N=5 ROWS=30
// sweep: LANES=8 TOKENS=4 BEAT_BITS=256 N=48 ROWS=61
// sweep: LANES=32 TOKENS=8 BEAT_BITS=256 N=100 ROWS=50
// sweep: LANES=32 TOKENS=2 BEAT_BITS=512 N=33 ROWS=40
// sweep: LANES=16 TOKENS=2 BEAT_BITS=512 N=70 ROWS=33
// quick: LANES=8 TOKENS=4 BEAT_BITS=256 N=48 ROWS=61
`default_nettype none
`timescale 1ns / 1ps

module rill_position_tb;
    `include "rill_fields.vh"
    // Parameters without a comment are those of the module.
    parameter LANES = 8;
    parameter TOKENS = 4;
    parameter BEAT_BITS = 256;
    parameter N = 48;
    parameter ROWS = 61;
    localparam TOK_W = TOKENS > 1 ? $clog2(TOKENS) : 1;
    localparam CHUNKS = (N + LANES - 1) / LANES;
    localparam BEAT_WORDS = BEAT_BITS / 32;
    localparam ROW_BEATS = (N + BEAT_WORDS - 1) / BEAT_WORDS;
    localparam STEPS = 60;
    localparam [39:0] TABLE = 40'h12_3456_7000;

    reg                  clk = 0, rst = 1, failed = 0, held = 0;
    integer              seed, idle, stall, i, f, cycles = 0, faults = 0, bad = 0; // bad: faults that must come
    integer              pos [0:STEPS-1], ntok [0:STEPS-1];
    reg                  step_valid = 0, beat_valid = 0, desc_ready = 0, y_ready = 0;
    wire                 step_ready, desc_valid, beat_ready, y_valid, y_last, fault;
    reg  [63:0]          step_data;
    wire [TOK_W:0]       y_user;
    wire [55:0]          desc_data;
    wire [15:0] desc_beats = desc_data[DESCRIPTOR_BEATS +: DESCRIPTOR_BEATS_W];
    wire [39:0] desc_offset = desc_data[DESCRIPTOR_OFFSET +: DESCRIPTOR_OFFSET_W];
    reg  [BEAT_BITS-1:0] beat_data;
    wire [LANES*32-1:0]  y_data;
    // Step (f), token (t), beat and chunk (c) that come next: step words in, descriptors, beats of rows, chunks of y.
    // from: cycle of a step's first chunk.
    integer              in_f = 0, desc_f = 0, desc_t = 0, row_f = 0, row_t = 0, row_beat = 0, y_f = 0, y_t = 0,
        y_c = 0, from = 0;
    reg  [LANES*32+TOK_W+1:0] held_word;

    rill_position #(.LANES(LANES), .TOKENS(TOKENS), .BEAT_BITS(BEAT_BITS), .N(N), .ROWS(ROWS),
        .TABLE_OFFSET(TABLE)) dut (
        .clk(clk), .rst(rst), .s_axis_step_tvalid(step_valid), .s_axis_step_tready(step_ready),
        .s_axis_step_tdata(step_data),
        .m_axis_fetch_tvalid(desc_valid), .m_axis_fetch_tready(desc_ready), .m_axis_fetch_tdata(desc_data),
        .s_axis_fetch_tvalid(beat_valid), .s_axis_fetch_tready(beat_ready), .s_axis_fetch_tdata(beat_data),
        .m_axis_y_tvalid(y_valid), .m_axis_y_tready(y_ready), .m_axis_y_tdata(y_data), .m_axis_y_tuser(y_user),
        .m_axis_y_tlast(y_last),
        .fault(fault));
    always #1 clk = !clk;

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        i = $urandom(seed);
        for (f = 0; f < STEPS; f = f + 1) begin
            ntok[f] = $urandom_range(TOKENS, 1);
            // Step 5 has the largest positions, and step 6 the last rows.
            pos[f] = f == 5 ? 65535 - ntok[f] : f == 6 ? ROWS - ntok[f] : $urandom_range(ROWS + 1);
            for (i = 0; i < ntok[f]; i = i + 1)
                bad = bad + (pos[f] + i >= ROWS);
        end
        repeat (3) @(posedge clk);
        rst <= 0;
    end

    // Prints the number of the first check that fails, and ends the run.
    task fail(input integer what);
        begin
            if (!failed)
                $display("FAIL: check %0d at step %0d token %0d chunk %0d lane %0d", what, y_f, y_t, y_c, i);
            failed = 1;
            $finish;
        end
    endtask

    // Returns the row that must be fetched for a token.
    function integer row_of(input integer step, input integer token);
        row_of = pos[step] + token >= ROWS ? 0 : pos[step] + token;
    endfunction

    // Returns an element of a row of the table.
    function [31:0] pattern(input integer row, input integer element);
        pattern = (row * 65536 + element + 1) * 32'h9e3779b1;
    endfunction

    // Compares a chunk of y, and moves on to the next one.
    task check_chunk;
        begin
            for (i = 0; i < LANES; i = i + 1)
                if (y_data[i*32 +: 32] !== (y_c * LANES + i < N ? pattern(row_of(y_f, y_t), y_c * LANES + i)
                    : 32'd0)) fail(1);
            if (y_user !== {y_t == ntok[y_f] - 1, y_t[TOK_W-1:0]}) fail(2);
            if (y_last !== (y_t == ntok[y_f] - 1 && y_c == CHUNKS - 1)) fail(3);
            if (y_c == 0 && y_t == 0) from = cycles;
            if (y_last && stall == 0 && cycles - from != CHUNKS * ntok[y_f] - 1) fail(4);
            y_t = y_t + 1;
            if (y_t == ntok[y_f]) begin
                y_t = 0;
                y_c = y_c + 1;
            end
            if (y_c == CHUNKS) begin
                y_c = 0;
                y_f = y_f + 1;
            end
        end
    endtask

    always @(posedge clk) if (!rst && !failed) begin
        cycles = cycles + 1;
        faults = faults + fault;
        if (step_valid && step_ready)
            step_valid <= 0;
        if ((!step_valid || step_ready) && in_f < STEPS && $urandom_range(99) >= idle) begin
            step_valid <= 1;
            step_data <= {$urandom, $urandom};
            step_data[STEP_POS +: STEP_POS_W] <= pos[in_f];
            step_data[STEP_NTOK +: STEP_NTOK_W] <= ntok[in_f];
            in_f = in_f + 1;
        end
        desc_ready <= $urandom_range(99) >= stall;
        if (beat_valid && beat_ready)
            beat_valid <= 0;
        if ((!beat_valid || beat_ready) && (row_f < desc_f || (row_f == desc_f && row_t < desc_t))
            && $urandom_range(99) >= idle) begin
            beat_valid <= 1;
            for (i = 0; i < BEAT_WORDS; i = i + 1)   // words past N are not 0; they must not appear in the result
                beat_data[i*32 +: 32] <= pattern(row_of(row_f, row_t), row_beat * BEAT_WORDS + i);
            row_beat = row_beat + 1;
            if (row_beat == ROW_BEATS) begin
                row_beat = 0;
                row_t = row_t + 1;
                if (row_t == ntok[row_f]) begin
                    row_t = 0;
                    row_f = row_f + 1;
                end
            end
        end
        if (desc_valid && desc_ready) begin
            if (desc_beats !== ROW_BEATS) fail(5);
            if (desc_offset !== TABLE + row_of(desc_f, desc_t) * ROW_BEATS * BEAT_BITS / 8) fail(6);
            desc_t = desc_t + 1;
            if (desc_t == ntok[desc_f]) begin
                desc_t = 0;
                desc_f = desc_f + 1;
            end
        end
        y_ready <= $urandom_range(99) >= stall;
        if (held && (!y_valid || {y_last, y_user, y_data} !== held_word)) fail(7);
        held = y_valid && !y_ready;
        held_word = {y_last, y_user, y_data};
        if (y_valid && y_ready) check_chunk;
        if (y_f == STEPS && !failed) begin
            if (faults != bad || bad == 0) fail(8);
            if (!failed)
                $display("PASS");
            failed = 1;
            $finish;
        end
        if (cycles > 200000) fail(9);
    end
endmodule
