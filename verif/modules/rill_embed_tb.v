// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_embed. Checks descriptors, values (with the C function), padding, order and token marks, faults of
// ids and of values, and the rate of one chunk per cycle. With PARTS above 1, rows are distributed over PARTS channels,
// whose beats come at random times.
// Checks in messages: 1 and 2 the file of vectors, 3 padding, 4 value, 5 tuser, 6 tlast, 7 rate, 8 fault, 9, 10 and 13
// beats, offset and channel of a descriptor, 11 an offered chunk changes, 12 the run takes too long.
// Sets for verif/modules/run.sh:
// sweep: LANES=8 TOKENS=4 BEAT_BITS=512 N=256 ROWS=11 MODE=0 GROUP=64 HDR_BEATS=1 ROW_BEATS=4 RECORD_BYTES=320
// sweep: LANES=1 TOKENS=1 BEAT_BITS=256 N=33 ROWS=7 MODE=0 GROUP=64 HDR_BEATS=1 ROW_BEATS=2 RECORD_BYTES=128
// sweep: LANES=32 TOKENS=8 BEAT_BITS=512 N=200 ROWS=9 MODE=1 GROUP=64 HDR_BEATS=1 ROW_BEATS=2 RECORD_BYTES=192
// sweep: LANES=16 TOKENS=2 BEAT_BITS=256 N=2000 ROWS=5 MODE=1 GROUP=64 HDR_BEATS=2 ROW_BEATS=32 RECORD_BYTES=1088
// sweep: LANES=4 TOKENS=2 BEAT_BITS=256 N=10 ROWS=6 MODE=0 GROUP=64 HDR_BEATS=1 ROW_BEATS=1 RECORD_BYTES=64 REPEAT=3
// sweep: LANES=8 TOKENS=8 BEAT_BITS=256 N=70 ROWS=21 MODE=0 GROUP=64 HDR_BEATS=1 ROW_BEATS=3 RECORD_BYTES=128 PARTS=4
// sweep: LANES=4 TOKENS=1 BEAT_BITS=512 N=90 ROWS=40 MODE=0 GROUP=64 HDR_BEATS=1 ROW_BEATS=2 RECORD_BYTES=192 PARTS=32
// sweep: LANES=2 TOKENS=1 BEAT_BITS=512 N=131 ROWS=6 MODE=1 GROUP=128 HDR_BEATS=1 ROW_BEATS=2 RECORD_BYTES=192
// sweep: LANES=32 TOKENS=2 BEAT_BITS=256 N=200 ROWS=9 MODE=2 GROUP=64 HDR_BEATS=1 ROW_BEATS=13 RECORD_BYTES=448 PARTS=2
// sweep: LANES=16 TOKENS=4 BEAT_BITS=512 N=77 ROWS=9 MODE=2 GROUP=64 HDR_BEATS=1 ROW_BEATS=3 RECORD_BYTES=256
// sweep: LANES=32 TOKENS=1 BEAT_BITS=256 N=9 ROWS=5 MODE=2 GROUP=64 HDR_BEATS=1 ROW_BEATS=1 RECORD_BYTES=64
// sweep: LANES=1 TOKENS=8 BEAT_BITS=256 N=33 ROWS=5 MODE=2 GROUP=64 HDR_BEATS=1 ROW_BEATS=3 RECORD_BYTES=128 REPEAT=2
// quick: LANES=4 TOKENS=2 BEAT_BITS=256 N=10 ROWS=6 MODE=0 GROUP=64 HDR_BEATS=1 ROW_BEATS=1 RECORD_BYTES=64 REPEAT=3
// quick: LANES=4 TOKENS=4 BEAT_BITS=256 N=30 ROWS=21 MODE=0 GROUP=64 HDR_BEATS=1 ROW_BEATS=1 RECORD_BYTES=64 PARTS=2
// quick: LANES=2 TOKENS=1 BEAT_BITS=512 N=131 ROWS=6 MODE=1 GROUP=128 HDR_BEATS=1 ROW_BEATS=2 RECORD_BYTES=192
// quick: LANES=8 TOKENS=2 BEAT_BITS=256 N=30 ROWS=6 MODE=2 GROUP=64 HDR_BEATS=1 ROW_BEATS=2 RECORD_BYTES=96
// quick: LANES=32 TOKENS=2 BEAT_BITS=256 N=90 ROWS=6 MODE=2 GROUP=64 HDR_BEATS=1 ROW_BEATS=6 RECORD_BYTES=224
`default_nettype none
`timescale 1ns / 1ps

module rill_embed_tb;
    `include "rill_fields.vh"
    // Parameters without a comment are those of the module.
    parameter LANES = 8;
    parameter TOKENS = 4;
    parameter BEAT_BITS = 512;
    parameter N = 256;
    parameter ROWS = 11;
    parameter MODE = 0;
    parameter GROUP = 64;
    parameter HDR_BEATS = 1;
    parameter ROW_BEATS = 4;
    parameter RECORD_BYTES = 320;
    parameter REPEAT = 1;
    parameter PARTS = 1;
    localparam TOK_W = TOKENS > 1 ? $clog2(TOKENS) : 1;
    localparam CHUNKS = (N + LANES - 1) / LANES;
    localparam MOST = 32;                    // most firings of the vectors
    localparam [39:0] TABLE = 40'h3_4567_8000, STRIDE = 40'h0_8765_4300;
    localparam WORDS = ROWS * RECORD_BYTES / 4;

    reg                  clk = 0, rst = 1, failed = 0, held = 0, seen = 0;
    integer              seed, idle, stall, file, got, i, f, t, firings, cycles = 0;
    // ntok: tokens of a firing. flags: bit 0: an id is outside of the table; bit 1: a value is not finite, so values
    // are not compared.
    integer              ntok [0:MOST-1], flags [0:MOST-1];
    reg  [31:0]          mem [0:WORDS-1];
    reg  [31:0]          y [0:MOST*TOKENS*N-1];
    reg  [31:0]          id [0:MOST*TOKENS-1];
    reg  [8*256-1:0]     name;
    reg  [31:0]          value;
    reg                  id_valid = 0, id_last, y_ready = 0;
    reg  [PARTS-1:0]     beat_valid = 0, desc_ready = 0;
    wire [PARTS-1:0]     desc_valid, beat_ready;
    wire                 id_ready, y_valid, y_last, fault;
    reg  [31:0]          id_data;
    reg  [TOK_W:0]       id_user;
    wire [TOK_W:0]       y_user;
    wire [55:0]          desc_data;
    wire [15:0] desc_beats = desc_data[DESCRIPTOR_BEATS +: DESCRIPTOR_BEATS_W];
    wire [39:0] desc_offset = desc_data[DESCRIPTOR_OFFSET +: DESCRIPTOR_OFFSET_W];
    reg  [PARTS*BEAT_BITS-1:0] beat_data;
    wire [LANES*32-1:0]  y_data;
    integer              in_f = 0, in_t = 0, desc_f = 0, desc_t = 0, p, row;
    // For each channel: ask has the requested rows, asks their number, given the number of rows that were sent, and
    // row_beat the beats of the present row that were sent.
    integer              ask [0:PARTS*MOST*TOKENS-1], asks [0:PARTS-1], given [0:PARTS-1], row_beat [0:PARTS-1];
    integer              y_f = 0, y_t = 0, y_c = 0, from = 0;
    reg  [LANES*32+TOK_W+1:0] held_word;

    rill_embed #(.LANES(LANES), .TOKENS(TOKENS), .BEAT_BITS(BEAT_BITS), .N(N), .ROWS(ROWS), .MODE(MODE), .GROUP(GROUP),
        .HDR_BEATS(HDR_BEATS), .ROW_BEATS(ROW_BEATS), .RECORD_BYTES(RECORD_BYTES), .TABLE_OFFSET(TABLE),
        .REPEAT(REPEAT),
        .TABLE_STRIDE(STRIDE), .PARTS(PARTS)) dut (
        .clk(clk), .rst(rst), .s_axis_id_tvalid(id_valid), .s_axis_id_tready(id_ready), .s_axis_id_tdata(id_data),
        .s_axis_id_tuser(id_user), .s_axis_id_tlast(id_last), .m_axis_fetch_tvalid(desc_valid),
        .m_axis_fetch_tready(desc_ready),
        .m_axis_fetch_tdata(desc_data),
        .s_axis_fetch_tvalid(beat_valid), .s_axis_fetch_tready(beat_ready), .s_axis_fetch_tdata(beat_data),
        .m_axis_y_tvalid(y_valid), .m_axis_y_tready(y_ready), .m_axis_y_tdata(y_data), .m_axis_y_tuser(y_user),
        .m_axis_y_tlast(y_last),
        .fault(fault));
    always #1 clk = !clk;

    // Returns the next word of the file.
    function [31:0] word(input integer unused);
        begin
            got = $fscanf(file, "%h", value);
            word = value;
        end
    endfunction

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        if (!$value$plusargs("vectors=%s", name)) fail(1);
        i = $urandom(seed);
        for (p = 0; p < PARTS; p = p + 1)
            {asks[p], given[p], row_beat[p]} = 96'd0;
        file = $fopen(name, "r");
        for (i = 0; i < WORDS; i = i + 1)
            mem[i] = word(0);
        firings = word(0);
        for (f = 0; f < firings; f = f + 1) begin
            ntok[f] = word(0);
            flags[f] = word(0);
            for (t = 0; t < ntok[f]; t = t + 1)
                id[f * TOKENS + t] = word(0);
            for (t = 0; t < ntok[f]; t = t + 1)
                for (i = 0; i < N; i = i + 1)
                    y[(f * TOKENS + t) * N + i] = word(0);
        end
        if (got != 1) fail(2);
        repeat (3) @(posedge clk);
        rst <= 0;
    end

    // Prints the number of the first check that fails, and ends the run.
    task fail(input integer what);
        begin
            if (!failed)
                $display("FAIL: check %0d at firing %0d token %0d chunk %0d lane %0d", what, y_f, y_t, y_c, i);
            failed = 1;
            $finish;
        end
    endtask

    // Returns the row that an id must read. An id outside of the table reads row 0 and raises the fault.
    function integer row_of(input [31:0] which);
        row_of = which >= ROWS ? 0 : which;
    endfunction

    // Compares a chunk of y, and moves on to the next one.
    task check_chunk;
        begin
            for (i = 0; i < LANES; i = i + 1)
                if (y_c * LANES + i >= N) begin
                    if (y_data[i*32 +: 32] !== 32'd0) fail(3);
                end else if (!flags[y_f][1] && y_data[i*32 +: 32] !== y[(y_f * TOKENS + y_t) * N + y_c * LANES
                    + i]) fail(4);
            if (y_user !== {y_t == ntok[y_f] - 1, y_t[TOK_W-1:0]}) fail(5);
            if (y_last !== (y_t == ntok[y_f] - 1 && y_c == CHUNKS - 1)) fail(6);
            if (y_c == 0 && y_t == 0) from = cycles;
            if (y_last && stall == 0 && cycles - from != CHUNKS * ntok[y_f] - 1) fail(7);
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

    task check_fault;                        // checks the fault of the firing that has just ended
        begin
            if (seen !== (flags[y_f-1] != 0)) fail(8);
            seen = 0;
        end
    endtask

    always @(posedge clk) if (!rst && !failed) begin
        cycles = cycles + 1;
        seen = seen || fault;
        if (id_valid && id_ready) begin
            id_valid <= 0;
            if (id_user[TOK_W-1:0] == 0 && y_f > 0) check_fault;
        end
        if ((!id_valid || id_ready) && in_f < firings && $urandom_range(99) >= idle) begin
            id_valid <= 1;
            id_data <= id[in_f * TOKENS + in_t];
            id_user <= {in_t == ntok[in_f] - 1, in_t[TOK_W-1:0]};
            id_last <= in_t == ntok[in_f] - 1;
            in_t = in_t + 1;
            if (in_t == ntok[in_f]) begin
                in_t = 0;
                in_f = in_f + 1;
            end
        end
        for (p = 0; p < PARTS; p = p + 1) begin
            desc_ready[p] <= $urandom_range(99) >= stall;
            if (beat_valid[p] && beat_ready[p])
                beat_valid[p] <= 0;
            if ((!beat_valid[p] || beat_ready[p]) && given[p] < asks[p] && $urandom_range(99) >= idle) begin
                beat_valid[p] <= 1;
                for (i = 0; i < BEAT_BITS / 32; i = i + 1)
                    beat_data[p*BEAT_BITS+i*32 +: 32] <= mem[ask[p*MOST*TOKENS+given[p]] * RECORD_BYTES / 4
                        + row_beat[p] * BEAT_BITS / 32 + i];
                row_beat[p] = row_beat[p] + 1;
                if (row_beat[p] == HDR_BEATS + ROW_BEATS) begin
                    row_beat[p] = 0;
                    given[p] = given[p] + 1;
                end
            end
        end
        if ((desc_valid & desc_ready) != 0) begin
            row = row_of(id[desc_f * TOKENS + desc_t]);
            p = row % PARTS;
            if (desc_beats !== HDR_BEATS + ROW_BEATS) fail(9);
            if (desc_offset !== TABLE + (desc_f % REPEAT) * STRIDE + row / PARTS * RECORD_BYTES) fail(10);
            if (desc_valid !== {{PARTS{1'b0}}, 1'b1} << p) fail(13);
            ask[p*MOST*TOKENS+asks[p]] = row;
            asks[p] = asks[p] + 1;
            desc_t = desc_t + 1;
            if (desc_t == ntok[desc_f]) begin
                desc_t = 0;
                desc_f = desc_f + 1;
            end
        end
        y_ready <= $urandom_range(99) >= stall;
        if (held && (!y_valid || {y_last, y_user, y_data} !== held_word)) fail(11);
        held = y_valid && !y_ready;
        held_word = {y_last, y_user, y_data};
        if (y_valid && y_ready) check_chunk;
        if (y_f == firings && !failed) begin
            @(posedge clk) seen = seen || fault;
            @(posedge clk) seen = seen || fault;
            check_fault;
            if (!failed)
                $display("PASS");
            failed = 1;
            $finish;
        end
        if (cycles > 200000) fail(12);
    end
endmodule
