// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_x_spread after rill_engine_factors. Slices come in consecutive cycles and alone. Each factor of a
// beat must be in its word two cycles after `now`, plus the delay of its multiplier (rill_pair_skew.vh). The exponents
// must come together with the first factors. A reset comes in the middle of the run.
// Checks in messages: 1 a factor, 2 the exponents, 3 too few slices, or none alone.
// Sets for verif/modules/run.sh (form=pump defines RILL_PUMP, form=cells RILL_VENDOR_CELLS; after @: idles and stalls
// in percent):
// sweep: BEAT_BITS=256 TURN_TOKENS=1 FACTOR_W=16
// sweep: BEAT_BITS=512 TURN_TOKENS=1 X_BITS=10 FACTOR_W=10 PARTS=4
// sweep: BEAT_BITS=512 TURN_TOKENS=2 FACTOR_W=32
// sweep: BEAT_BITS=256 TURN_TOKENS=2 X_BITS=10 FACTOR_W=27 PARTS=4
// sweep: BEAT_BITS=256 TURN_TOKENS=2 ASYM=1 FACTOR_W=27 PARTS=4
// sweep: BEAT_BITS=512 TURN_TOKENS=4 FACTOR_W=32
// sweep: BEAT_BITS=512 TURN_TOKENS=4 FACTOR_W=32 form=pump
// sweep: BEAT_BITS=256 TURN_TOKENS=4 ASYM=1 X_BITS=10 FACTOR_W=32 form=pump
// sweep: BEAT_BITS=512 TURN_TOKENS=4 ASYM=1 FACTOR_W=27 PARTS=4 form=cells
// sweep: BEAT_BITS=256 TURN_TOKENS=2 PUMP=2 FACTOR_W=32
// sweep: BEAT_BITS=256 TURN_TOKENS=2 PUMP=2 FACTOR_W=32 form=pump
// sweep: BEAT_BITS=512 TURN_TOKENS=2 PUMP=2 FACTOR_W=27 PARTS=4 form=pump
// quick: BEAT_BITS=256 TURN_TOKENS=2 PUMP=2 FACTOR_W=27 PARTS=4 CYCLES=60 form=cells @ 50:50
// quick: BEAT_BITS=256 TURN_TOKENS=1 FACTOR_W=16 CYCLES=60 @ 50:50
// quick: BEAT_BITS=256 TURN_TOKENS=2 FACTOR_W=32 CYCLES=60 @ 50:50
// quick: BEAT_BITS=256 TURN_TOKENS=2 FACTOR_W=27 PARTS=4 CYCLES=60 @ 50:50
// quick: BEAT_BITS=256 TURN_TOKENS=4 FACTOR_W=27 PARTS=4 CYCLES=60 form=cells @ 50:50
`default_nettype none
`timescale 1ns / 1ps

module rill_x_spread_tb;
    // Parameters without a comment are those of the module.
    parameter BEAT_BITS = 256;
    parameter TURN_TOKENS = 2;
    parameter PUMP = TURN_TOKENS > 2 ? 2 : 1;
    parameter ASYM = 0;
    parameter X_BITS = 8;
    parameter FACTOR_W = 32;
    parameter PARTS = 1;
    localparam PAIRS = TURN_TOKENS > 2 ? 2 : 1;
`include "rill_pair_skew.vh"
    localparam XS = BEAT_BITS / 8;
    localparam WORD_W = TURN_TOKENS > 1 ? 32 : 16;
    localparam SPLIT = 26 - X_BITS;              // position of the second token in a factor of both tokens
    localparam SLICE_W = TURN_TOKENS * 2 * XS * X_BITS;
    parameter CYCLES = 120; // cycles of the run

    wire                          clk, rst;
    reg                           again = 0, now = 0;
    reg  [SLICE_W-1:0]            slice;
    reg  [5*TURN_TOKENS-1:0]      shift;
    wire [PAIRS*2*XS*FACTOR_W-1:0] factors;
    wire [PAIRS*2*XS*WORD_W-1:0]  x;
    wire [5*TURN_TOKENS-1:0]      shift_there;
    rill_bench_clock u_clock (.clk(clk), .clk_2x(), .rst(rst), .again(again));
    rill_engine_factors #(.BEAT_BITS(BEAT_BITS), .TURN_TOKENS(TURN_TOKENS), .PUMP(PUMP), .ASYM(ASYM), .X_BITS(X_BITS),
        .FACTOR_W(FACTOR_W))
        u_factors (.clk(clk), .slice(slice), .factors(factors));
    rill_x_spread #(.BEAT_BITS(BEAT_BITS), .TURN_TOKENS(TURN_TOKENS), .PUMP(PUMP), .ASYM(ASYM), .X_BITS(X_BITS),
        .FACTOR_W(FACTOR_W),
        .PARTS(PARTS)) dut (
        .clk(clk), .rst(rst), .now(now), .factors(factors), .shift(shift), .x(x), .shift_there(shift_there));

    // Index n: the value of n cycles ago.
    reg                           came [0:PAIR_TOP+2];
    reg  [SLICE_W-1:0]            slices [0:PAIR_TOP+2];
    reg  [5*TURN_TOKENS-1:0]      shifts [0:1];
    integer                       n, i, p, skew, q, seed, idle, cycle = 0, beats = 0, alone = 0;
    reg                           failed = 0;

    // Prints the number of the first check that fails, and ends the run.
    task fail(input integer what);
        begin
            if (!failed) $display("FAIL: check %0d cycle %0d pair %0d nibble %0d: not %0d", what, cycle, p, i, q);
            failed = 1;
            $finish;
        end
    endtask

    // Returns a token's element for a nibble, in the slice of `cycles` cycles ago.
    function integer element(input integer cycles, input integer token, input integer nibble);
        reg signed [X_BITS-1:0] bits;
        begin
            bits = slices[cycles][X_BITS*(2*XS*token+nibble) +: X_BITS];
            element = bits;
        end
    endfunction

    // Compares factor i of pair p if its cycle has come.
    task check_factor;
        reg [WORD_W-1:0] word;
        begin
            skew = TURN_TOKENS > 1 || PUMP > 1 ? pair_skew(i, p) : 0;
            if (came[skew+2]) begin
                q = TURN_TOKENS == 1 ? element(skew + 1, 0, i)
                    : element(skew + 1, 2 * p, i) + element(skew + 1, 2 * p + 1, i) * (1 << SPLIT);
                word = x[WORD_W*(2*XS*p+i%8*(XS/4)+i/8) +: WORD_W];
                if (word !== q[WORD_W-1:0]) fail(1);
            end
        end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        for (n = 0; n <= PAIR_TOP + 2; n = n + 1) came[n] = 0;
    end

    always @(negedge clk) begin
        cycle = cycle + 1;
        for (n = PAIR_TOP + 2; n > 0; n = n - 1) begin
            came[n] = came[n-1] && !rst;
            slices[n] = slices[n-1];
        end
        shifts[1] = shifts[0];
        for (p = 0; p < PAIRS; p = p + 1)
            for (i = 0; i < 2 * XS; i = i + 1)
                check_factor;
        if (came[2] && shift_there !== shifts[1]) fail(2);
        now = !rst && $unsigned($random(seed)) % 100 >= idle;
        shift = $random(seed);
        for (n = 0; n < SLICE_W; n = n + 32)
            slice[n +: 32] = $random(seed);
        came[0] = now;
        slices[0] = slice;
        shifts[0] = shift;
        beats = beats + now;
        alone = alone + (came[2] && !came[1] && !came[0]);
        again = cycle == CYCLES / 2;
        if (cycle == CYCLES) begin
            if (beats < CYCLES / 4 || (idle > 0 && alone == 0)) fail(3);
            if (!failed) $display("PASS");
            $finish;
        end
    end
endmodule

`default_nettype wire
