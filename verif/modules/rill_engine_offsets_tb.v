// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_engine_offsets with int4_asym weights. Checks the sums of each 32 elements of each token of every
// beat, 7 cycles plus PAIR_MORE after its slice. With one token and PUMP 1 the sums come 4 cycles after the slice, and
// the offset comes with them. Slices come in consecutive cycles and alone.
// Checks in messages: 1 sums or offset, 2 no slices in consecutive cycles.
// Sets for verif/modules/run.sh (after @: idles and stalls in percent):
// sweep: BEAT_BITS=256 TURN_TOKENS=2
// sweep: BEAT_BITS=512 TURN_TOKENS=2 X_BITS=10 PARTS=4
// sweep: BEAT_BITS=512 TURN_TOKENS=4
// sweep: BEAT_BITS=256 TURN_TOKENS=4 X_BITS=10 PARTS=4
// sweep: BEAT_BITS=256 TURN_TOKENS=2 PUMP=2
// sweep: BEAT_BITS=512 TURN_TOKENS=1 PARTS=4
// sweep: BEAT_BITS=256 TURN_TOKENS=1 X_BITS=10
// quick: BEAT_BITS=256 TURN_TOKENS=2 PARTS=4 @ 50:50
// quick: BEAT_BITS=256 TURN_TOKENS=1 PARTS=4 @ 50:50
// quick: BEAT_BITS=256 TURN_TOKENS=4 X_BITS=10 @ 50:50
`default_nettype none
`timescale 1ns / 1ps

module rill_engine_offsets_tb;
    // Parameters without a comment are those of the module.
    parameter BEAT_BITS = 256;
    parameter TURN_TOKENS = 2;
    parameter PUMP = TURN_TOKENS > 2 ? 2 : 1;
    parameter X_BITS = 8;
    parameter PARTS = 1;
    localparam ASYM = 1;
    localparam PAIRS = TURN_TOKENS > 2 ? 2 : 1;
`include "rill_pair_skew.vh"
    localparam XS = BEAT_BITS / 8;
    localparam SLICE_W = TURN_TOKENS * 2 * XS * X_BITS;
    localparam GROUP_W = X_BITS + 5;
    localparam GROUPS = TURN_TOKENS * BEAT_BITS / 128;   // groups of 32 elements of all tokens
    localparam SINGLE = TURN_TOKENS == 1 && PUMP == 1;
    localparam OFFSET_W = SINGLE ? X_BITS + 14 : 0;
    localparam Q_W = GROUPS * GROUP_W + OFFSET_W;        // sums, then the offset in the low bits
    localparam BIAS = XS * (8 << X_BITS);                // B * N of the header of rill_engine_offset
    localparam LATENCY = SINGLE ? 4 : 7 + PAIR_MORE;
    localparam BEATS = 100;

    wire                      clk, rst;
    reg                       valid_3 = 0, valid_4 = 0, was_valid = 0, int4_4 = 0;
    reg  [SLICE_W-1:0]        slice;
    wire [Q_W-1:0]            q;
    rill_bench_clock u_clock (.clk(clk), .clk_2x(), .rst(rst), .again(1'b0));
    rill_engine_offsets #(.BEAT_BITS(BEAT_BITS), .TURN_TOKENS(TURN_TOKENS), .PUMP(PUMP), .ASYM(1), .X_BITS(X_BITS),
        .PARTS(PARTS))
        dut (.clk(clk), .rst(rst), .valid_3(valid_3), .valid_4(valid_4), .int4_4(int4_4), .slice(slice), .q(q));

    reg  [LATENCY:0]          due_there = 0;             // [n]: the slice of n cycles ago was valid
    reg  [Q_W-1:0]            due [0:LATENCY];
    // close: beats that came directly after another one. quiet: cycles since the last beat was compared.
    integer                   n, k, seed, idle, beats = 0, close = 0, quiet = 0;
    reg                       failed = 0;

    // Prints the number of the first check that fails, and ends the run.
    task fail(input integer what);
        begin
            if (!failed) $display("FAIL: check %0d beat %0d: %h instead of %h", what, beats, q, due[LATENCY]);
            failed = 1;
            $finish;
        end
    endtask

    // Elements are stored by token, and those of a group are adjacent. The first beats hold the smallest and largest
    // values.
    task make_slice;
        integer element, total;
        begin
            due[0] = 0;
            total = 0;
            int4_4 = $random(seed);
            for (k = 0; k < TURN_TOKENS * 2 * XS; k = k + 1) begin
                element = $random(seed);
                if (beats < 8) element = (beats >> k / 32 % 3) % 2 ? (1 << X_BITS - 1) - 1 : -(1 << X_BITS - 1);
                slice[X_BITS*k +: X_BITS] = element;
                due[0][OFFSET_W+GROUP_W*(k/32) +: GROUP_W] = due[0][OFFSET_W+GROUP_W*(k/32) +: GROUP_W]
                    + {{GROUP_W-X_BITS{element[X_BITS-1]}}, element[X_BITS-1:0]};
                total = total + $signed(slice[X_BITS*k +: X_BITS]);
            end
            if (SINGLE) due[0][(SINGLE?OFFSET_W:1)-1:0] = int4_4 ? 2 * BIAS + 8 * total : 17 * BIAS + 64 * total;
        end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
    end

    always @(negedge clk) begin
        for (n = LATENCY; n > 0; n = n - 1)
            due[n] = due[n-1];
        due_there = due_there << 1;
        if (due_there[LATENCY] && q !== due[LATENCY]) fail(1);
        was_valid = valid_4;
        valid_4 = valid_3;
        valid_3 = !rst && beats < BEATS && $unsigned($random(seed)) % 100 >= idle;
        make_slice;
        due_there[0] = valid_4;
        beats = beats + valid_4;
        close = close + (valid_4 && was_valid);
        quiet = beats >= BEATS && due_there == 0 ? quiet + 1 : 0;
        if (quiet == 10) begin
            if (close == 0) fail(2);
            if (!failed) $display("PASS");
            $finish;
        end
    end
endmodule

`default_nettype wire
