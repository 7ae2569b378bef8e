// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_image_header with a memory that answers its descriptors. BEATS: beats of the parameters. Checks:
// - The first start reads header and parameters in one read and lets the parameters through.
// - A start whose header has the same checksum reads the header alone and keeps the parameters. With another checksum
//   it reads the parameters as well.
// - If any bit of magic, version or layout differs, `wrong` comes with the number of the field, and nothing is let
//   through.
// - A start or a reset in the middle of a read ends that read.
// - The verdict (keep, wrong or the first parameter beat) comes 3 cycles after the header's beat.
// Numbers of checks in messages: 1, 2 a descriptor is wrong; 3 data of a parameter beat; 4, 5 outputs that exclude one
// another; 7, 8 done during a start; 9 verdict of a wrong header; 10 verdict of a right header; 11 number of reads and
// beats; 12 latency; 13, 14 outputs in reset.
// Sets for verif/modules/run.sh:
// sweep: BEAT_BITS=256 BEATS=5
// sweep: BEAT_BITS=512 BEATS=1
// sweep: BEAT_BITS=256 BEATS=0
// quick: BEAT_BITS=256 BEATS=5
// quick: BEAT_BITS=256 BEATS=0
`default_nettype none
`timescale 1ns / 1ps

module rill_image_header_tb;
    `include "rill_fields.vh"
    // Parameters without a comment are those of the module.
    parameter BEAT_BITS = 256;
    parameter BEATS = 5;
    localparam [39:0] OFFSET = 40'h12_3456_7000;

    reg                  clk = 0, rst = 1, start = 0, loaded;
    reg  [63:0]          layout, kept = 0, checksum_in;
    reg                  b_valid = 0, m_ready = 0;
    reg  [BEAT_BITS-1:0] b_data, header;
    wire                 d_valid, b_ready, m_valid, keep, wrong, done;
    reg                  d_ready = 0;
    wire [55:0]          d_data;
    wire [BEAT_BITS-1:0] m_data;
    wire [1:0]           place;
    wire [63:0]          checksum;
    integer              seed, idle, stall, i, n, cycles = 0;
    // at, left: next beat of the memory, and beats of the descriptor that are left. reads, asked: descriptors since the
    // latest start, and beats of all of them. given: parameter beats that were let through. keeps: pulses of keep.
    // taken_at, verdict_at: cycles of the header's beat and of the verdict; -1: not yet.
    integer              at, left, reads, given, keeps, taken_at, verdict_at, asked;
    reg                  failed = 0;

    rill_image_header #(.BEAT_BITS(BEAT_BITS), .BEATS(BEATS), .OFFSET(OFFSET)) dut (.clk(clk), .rst(rst), .start(start),
        .layout(layout),
        .kept(kept), .m_axis_desc_tvalid(d_valid), .m_axis_desc_tready(d_ready), .m_axis_desc_tdata(d_data),
        .s_axis_beat_tvalid(b_valid), .s_axis_beat_tready(b_ready), .s_axis_beat_tdata(b_data),
        .m_axis_beat_tvalid(m_valid),
        .m_axis_beat_tready(m_ready), .m_axis_beat_tdata(m_data), .loaded(loaded), .keep(keep), .wrong(wrong),
        .place(place),
        .checksum(checksum), .done(done));
    always #1 clk = !clk;

    // Returns 1 in `percent` percent of its calls.
    function chance(input integer percent);
        chance = $urandom_range(99) < percent;
    endfunction

    // Returns a beat of the memory: the header, then numbered parameters.
    function [BEAT_BITS-1:0] beat(input integer index);    // 0: the header
        beat = index == 0 ? header : {BEAT_BITS/32{32'h5000_0000 + index}};
    endfunction

    // Prints the number of the first check that fails, and ends the run.
    task fail(input integer what);
        begin
            if (!failed)
                $display("FAIL: check %0d, cycle %0d, beat %0d, %0d given", what, cycles, at, given);
            failed = 1;
            $finish;
        end
    endtask

    // The memory, which answers one descriptor after the other, and the counters and checks of each cycle.
    always @(posedge clk) if (!failed) begin
        cycles = cycles + 1;
        if (d_valid && d_ready) begin
            if (left != 0 || d_data[DESCRIPTOR_OFFSET +: DESCRIPTOR_OFFSET_W] < OFFSET) fail(1);
            at = (d_data[DESCRIPTOR_OFFSET +: DESCRIPTOR_OFFSET_W] - OFFSET) / (BEAT_BITS / 8);
            left = d_data[DESCRIPTOR_BEATS +: DESCRIPTOR_BEATS_W];
            reads = reads + 1;
            asked = asked + left;
            if (left == 0 || at + left > BEATS + 1) fail(2);
        end
        d_ready <= !chance(stall);
        m_ready <= !chance(stall);
        if (b_valid && b_ready) begin
            if (b_data === header && taken_at < 0) taken_at = cycles;
            b_valid <= 0;
        end
        if ((!b_valid || b_ready) && left > 0 && !chance(idle)) begin
            b_valid <= 1;
            b_data <= beat(at);
            at = at + 1;
            left = left - 1;
        end
        if (m_valid && m_ready) begin
            given = given + 1;
            if (m_data !== beat(given)) fail(3);
            if (given == BEATS) loaded <= 1;
        end
        if (keep) keeps = keeps + 1;
        if ((keep || wrong || m_valid || (done && BEATS == 0)) && verdict_at < 0) verdict_at = cycles;
        if (keep && (wrong || m_valid)) fail(4);
        if (done && wrong) fail(5);
    end

    // Starts a read and resets the counters.
    task pulse;
        begin
            left = 0;
            b_valid <= 0;
            reads = 0;
            given = 0;
            keeps = 0;
            asked = 0;
            taken_at = -1;
            loaded <= BEATS == 0;
            start <= 1;
            #0.1 if (done) fail(7);
            @(posedge clk);
            #0.1 if (done) fail(8);                        // done is low from start on
            start <= 0;
            verdict_at = -1;
            @(posedge clk);
        end
    endtask

    // Starts a read and checks its end. wants: 0: parameters are let through; 1: they are kept; 2 + p: the header is
    // wrong at place p (0 magic, 1 version, 2 layout).
    task run(input integer wants);
        begin
            pulse;
            for (n = 0; n < 400 && !done && !wrong; n = n + 1) @(negedge clk);
            repeat (8) @(negedge clk);
            if (failed) ;
            else if (wants >= 2) begin
                if (!wrong || done || place !== wants - 2 || given != 0 || keeps != 0) fail(9);
            end else if (wrong || !done || keeps != wants || given != (wants == 1 ? 0 : BEATS)
                || checksum !== header[191:128]) fail(10);
            else if (asked != 1 + given || reads != (wants == 0 && kept != 0 && BEATS != 0 ? 2 : 1)) fail(11);
            if (!failed && idle == 0 && reads == 1 && (BEATS != 0 || wants != 0)
                && verdict_at - taken_at != 3) fail(12);
        end
    endtask

    // Makes a right header with this checksum.
    task make(input [63:0] sum);
        begin
            header = {BEAT_BITS{1'b1}};
            header[63:0] = 64'h0000_0001_474D_4952; // magic "RIMG", version 1
            header[127:64] = layout;
            header[191:128] = sum;
        end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        i = $urandom(seed);
        layout = {$urandom, $urandom};
        checksum_in = {$urandom, $urandom | 32'd1};
        left = 0;
        repeat (3) @(posedge clk);
        rst <= 0;
        repeat (3) @(posedge clk);
        if (d_valid || b_ready || m_valid || keep || wrong || done) fail(13);
        make(checksum_in);
        run(0);
        run(0);                                            // kept is 0, so the parameters are read again
        kept = checksum_in;
        repeat (2) @(posedge clk);
        run(1);
        for (i = 0; i < 64; i = i + 1) begin               // checksums that differ in one bit
            make(checksum_in ^ (64'd1 << i));
            if (checksum_in !== 64'd1 << i)
                run(0);
        end
        for (i = 0; i < 128; i = i + 1) begin : wrongs     // headers that differ in one bit, kept or not
            make(checksum_in);
            header[i] = !header[i];
            kept = i % 2 ? checksum_in : 64'd0;
            repeat (2) @(posedge clk);
            run(i < 32 ? 2 : i < 64 ? 3 : 4);
        end
        make(checksum_in);
        kept = 0;
        repeat (2) @(posedge clk);
        pulse;
        repeat (4) @(posedge clk);                         // then a start in the middle of the read
        run(0);
        pulse;
        repeat (3) @(posedge clk);
        rst <= 1;
        left = 0;
        @(posedge clk);
        b_valid <= 0;
        @(posedge clk);
        #0.1 if (d_valid || b_ready || m_valid || keep || wrong || done) fail(14);
        rst <= 0;
        repeat (3) @(posedge clk);
        run(0);
        if (!failed)
            $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
