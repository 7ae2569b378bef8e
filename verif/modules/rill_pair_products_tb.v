// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_pair_products. Sends beats of int8, int4 or int4_asym weights with and without gaps, for token 0
// and a random choice of the others, with the largest values of all factors first. Terms are compared with plain sums
// of products in every cycle. In cycles without a valid term, the term must keep its latest valid value. So all forms
// of the module give the same terms in the same cycles.
// Sets for verif/modules/run.sh (form=pump defines RILL_PUMP, form=cells RILL_VENDOR_CELLS, form=fast RILL_FAST_SIM;
// after @: idles and stalls in percent):
// sweep: BEAT_BITS=256
// sweep: BEAT_BITS=512 ASYM=1 X_BITS=10 form=fast
// sweep: BEAT_BITS=512 form=cells
// sweep: BEAT_BITS=256 PAIRS=2
// sweep: BEAT_BITS=512 PAIRS=2 form=fast
// sweep: BEAT_BITS=256 ASYM=1 PAIRS=2
// sweep: BEAT_BITS=512 ASYM=1 PAIRS=2 form=fast
// sweep: BEAT_BITS=256 X_BITS=10 PAIRS=2
// sweep: BEAT_BITS=512 ASYM=1 X_BITS=10 PAIRS=2 form=fast
// sweep: BEAT_BITS=256 PAIRS=2 form=pump
// sweep: BEAT_BITS=512 PAIRS=2 form=pump form=fast
// sweep: BEAT_BITS=256 ASYM=1 PAIRS=2 form=pump
// sweep: BEAT_BITS=512 ASYM=1 PAIRS=2 form=pump form=fast
// sweep: BEAT_BITS=512 X_BITS=10 PAIRS=2 form=pump
// sweep: BEAT_BITS=256 ASYM=1 X_BITS=10 PAIRS=2 form=pump form=fast
// sweep: BEAT_BITS=256 PAIRS=2 form=cells
// sweep: BEAT_BITS=512 PAIRS=2 form=cells
// sweep: BEAT_BITS=512 ASYM=1 PAIRS=2 form=cells
// sweep: BEAT_BITS=256 ASYM=1 X_BITS=10 PAIRS=2 form=cells
// sweep: BEAT_BITS=256 ASYM=1 PAIRS=2 form=cells
// sweep: BEAT_BITS=256 PUMP=2
// sweep: BEAT_BITS=512 PUMP=2 form=fast
// sweep: BEAT_BITS=512 ASYM=1 PUMP=2
// sweep: BEAT_BITS=256 X_BITS=10 PUMP=2 form=fast
// sweep: BEAT_BITS=256 PUMP=2 form=pump
// sweep: BEAT_BITS=512 PUMP=2 form=pump form=fast
// sweep: BEAT_BITS=256 ASYM=1 PUMP=2 form=pump
// sweep: BEAT_BITS=512 ASYM=1 PUMP=2 form=pump form=fast
// sweep: BEAT_BITS=256 X_BITS=10 PUMP=2 form=pump
// sweep: BEAT_BITS=512 ASYM=1 X_BITS=10 PUMP=2 form=pump form=fast
// sweep: BEAT_BITS=256 PUMP=2 form=cells
// sweep: BEAT_BITS=512 PUMP=2 form=cells
// sweep: BEAT_BITS=512 ASYM=1 PUMP=2 form=cells
// sweep: BEAT_BITS=256 ASYM=1 X_BITS=10 PUMP=2 form=cells
// sweep: BEAT_BITS=256 ASYM=1 PUMP=2 form=cells
// sweep: BEAT_BITS=512 PAIRS=2 form=cells @ 50:50
// sweep: BEAT_BITS=512 PUMP=2 form=pump @ 0:0
// quick: BEAT_BITS=256 PAIRS=2 BEATS=100 form=fast @ 50:50
// quick: BEAT_BITS=512 ASYM=1 PAIRS=2 BEATS=100 @ 50:50
// quick: BEAT_BITS=256 ASYM=1 X_BITS=10 PAIRS=2 BEATS=100 form=fast @ 50:50
// quick: BEAT_BITS=256 PAIRS=2 BEATS=100 form=pump @ 50:50
// quick: BEAT_BITS=512 PAIRS=2 BEATS=100 form=pump form=fast @ 0:0
// quick: BEAT_BITS=256 ASYM=1 PAIRS=2 BEATS=100 form=pump @ 50:50
// quick: BEAT_BITS=256 ASYM=1 X_BITS=10 PAIRS=2 BEATS=100 form=cells @ 50:50
// quick: BEAT_BITS=256 ASYM=1 PUMP=2 BEATS=100 form=fast @ 50:50
// quick: BEAT_BITS=256 PUMP=2 BEATS=100 form=pump @ 50:50
// quick: BEAT_BITS=256 ASYM=1 PUMP=2 BEATS=100 form=pump form=fast @ 50:50
// quick: BEAT_BITS=256 ASYM=1 X_BITS=10 PUMP=2 BEATS=100 form=cells @ 50:50
`default_nettype none
`timescale 1ns / 1ps

module rill_pair_products_tb;
    // Parameters without a comment are those of the module.
    parameter BEAT_BITS = 256;
    parameter ASYM = 0;
    parameter X_BITS = 8;
    parameter PAIRS = 1;
    parameter PUMP = PAIRS > 1 ? 2 : 1;
    localparam MANY = 2 * PAIRS;                 // tokens
`include "rill_pair_skew.vh"
    localparam END = 1 << X_BITS - 1;            // factors are -END to END - 1
    localparam GROUP_W = X_BITS + 5;
    localparam SUMS_W = GROUP_W * (BEAT_BITS / 128);
    localparam TERM_W = X_BITS + 26;
    localparam N = BEAT_BITS / 8;                // bytes of a beat
    localparam X_W = 8 * BEAT_BITS;              // factors of a pair: 32 bits for each nibble of a beat
    localparam SUMS_AT = 6 + PAIR_MORE;          // cycles from a beat until its sums are taken
    localparam LATENCY = 10 + PAIR_MORE;         // cycles from a beat to its terms
    parameter BEATS = 240; // beats of the run

    wire                  clk, clk_2x, rst;
    reg                   again = 0, valid = 0, int4, asym;
    reg  [MANY-2:0]       others;
    reg  [BEAT_BITS-1:0]  beat;
    reg  [PAIRS*X_W-1:0]  x;
    reg  [7:0]            group_scale;
    reg  [5*MANY-1:0]     shift;
    reg  [N-1:0]          words;
    reg  [MANY*SUMS_W-1:0] sums;
    wire [MANY*TERM_W-1:0] term;

    // Returns a mask of the factors that must come `skew` cycles after their beat (rill_pair_skew.vh). skewed has each
    // factor of x that many cycles late.
    function [PAIRS*X_W-1:0] of_skew(input integer skew);
        integer i, pair;
        for (pair = 0; pair < PAIRS; pair = pair + 1)
            for (i = 0; i < 2 * N; i = i + 1)
                of_skew[32*(2*N*pair+i%8*(N/4)+i/8) +: 32] = {32{pair_skew(i, pair) == skew}};
    endfunction
    reg  [PAIR_TOP*PAIRS*X_W-1:0] late_q;
    wire [PAIRS*X_W-1:0]  skewed = gen_skew[PAIR_TOP].mixed;
    always @(posedge clk)
        late_q <= {late_q, x};
    genvar g;
    generate
        for (g = 0; g <= PAIR_TOP; g = g + 1) begin : gen_skew
            localparam [PAIRS*X_W-1:0] MINE = of_skew(g);
            wire [PAIRS*X_W-1:0]       mixed;
            if (g == 0) begin : gen_now
                assign mixed = x & MINE;
            end else begin : gen_late
                assign mixed = gen_skew[g-1].mixed | (late_q[PAIRS*X_W*(g-1) +: PAIRS*X_W] & MINE);
            end
        end
    endgenerate

    rill_bench_clock u_clock (.clk(clk), .clk_2x(clk_2x), .rst(rst), .again(again));
    rill_pair_products #(.BEAT_BITS(BEAT_BITS), .ASYM(ASYM), .X_BITS(X_BITS), .PAIRS(PAIRS),
        .PUMP(PUMP)) dut (
        .clk(clk), .clk_2x(clk_2x), .rst(rst), .valid(valid), .other_toks(others), .int4(int4), .nibbles(beat),
        .x(skewed),
        .group_scale(group_scale), .shift(shift), .asym(asym), .words(words), .sums(sums), .term(term));

    // [n]: what belongs to the beat of n cycles ago: its valid tokens, their terms, and the sums of their factors.
    reg  [MANY-1:0]       due_there [1:LATENCY];
    reg  [MANY*TERM_W-1:0] due [1:LATENCY];
    reg  [MANY*SUMS_W-1:0] late_sums [1:SUMS_AT];
    reg  [MANY*TERM_W-1:0] want;
    reg  [MANY-1:0]       known = 0;             // tokens that have had a valid term, so `want` is known
    reg  signed [63:0]    total [0:MANY-1];
    reg  signed [63:0]    shifted;
    // close: beats that came directly after another one. extreme: factors are the largest or the smallest.
    integer               n, k, t, q, w, weight, seed, idle, beats = 0, close = 0, extreme;
    reg                   failed = 0, was_reset = 0, was_valid = 0;

    function integer place; // position of a nibble's factor in x, in the order of rill_matrix_lane
        input integer nibble;
        place = nibble % 8 * (N / 4) + nibble / 8;
    endfunction

    // Returns a random number from 0 to limit - 1.
    function integer below(input integer limit);
        below = $unsigned($random(seed)) % limit;
    endfunction

    // Returns a random number from low to high. In the first 64 beats it is one of the two ends instead.
    function integer factor(input integer low, high, pick);
        factor = extreme ? (pick ? high : low) : low + below(high - low + 1);
    endfunction

    // Sends a beat and computes the terms that are due LATENCY cycles later.
    task multiply;
        begin
            extreme = beats < 64;
            valid = 1;
            others = $random(seed);
            int4 = extreme ? beats / 32 : $random(seed);
            asym = ASYM && int4 && beats % 4 != 1;
            shift = extreme ? {MANY{beats % 2 ? 5'h1f : 5'h00}} : $random(seed);
            for (k = 0; k < N / 16; k = k + 1)
                words[16*k +: 16] = {factor(-128, 127, beats / 2 % 2), 8'd0} + factor(0, 255, 1);
            group_scale = asym ? $random(seed) : int4 ? factor(0, 255, 1) : 1;
            late_sums[1] = {MANY*SUMS_W{1'b0}};
            for (t = 0; t < MANY; t = t + 1) total[t] = 0;
            for (k = 0; k < (int4 ? 2 * N : N); k = k + 1) begin
                w = int4 ? factor(-8, 7, beats / 4 % 2) : factor(-128, 127, beats / 4 % 2);
                if (int4) beat[4*k +: 4] = w;
                else beat[8*k +: 8] = w;
                for (t = MANY - 1; t >= 0; t = t - 1) begin
                    q = factor(-END, END - 1, (beats / 8 >> t % 2) % 2 ^ t / 2);
                    weight = asym ? $signed({24'd0, words[16*(k/32) +: 8]}) * w + 8 * $signed(words[16*(k/32)+8 +: 8])
                        : w;
                    total[t] = total[t] + {{32{weight[31]}}, weight} * {{32{q[31]}}, q};
                    if (int4) begin
                        late_sums[1][SUMS_W*t+GROUP_W*(k/32) +: GROUP_W] =
                            late_sums[1][SUMS_W*t+GROUP_W*(k/32) +: GROUP_W] + q;
                        put_factor(k);
                    end else begin
                        put_factor(2 * k);
                        put_factor(2 * k + 1);
                    end
                end
            end
            for (t = 0; t < MANY; t = t + 1) begin
                shifted = (asym ? total[t] : total[t] * group_scale) << shift[5*t +: 3];
                due[1][TERM_W*t +: TERM_W] = shifted;
            end
            due_there[1] = {others, 1'b1};
            beats = beats + 1;
            close = close + was_valid;
        end
    endtask

    // Adds the factor q of token t to the word of its pair. The odd token of a pair comes first.
    task put_factor(input integer nibble);
        x[X_W*(t/2)+32*place(nibble) +: 32] =
            t % 2 ? q * (1 << 26 - X_BITS) : x[X_W*(t/2)+32*place(nibble) +: 32] + q;
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        for (n = 1; n <= LATENCY; n = n + 1) due_there[n] = 0;
    end

    always @(negedge clk) begin
        for (t = 0; t < MANY; t = t + 1) begin
            if (due_there[LATENCY][t]) want[TERM_W*t +: TERM_W] = due[LATENCY][TERM_W*t +: TERM_W];
            known[t] = known[t] || due_there[LATENCY][t];
            if (known[t] && term[TERM_W*t +: TERM_W] !== want[TERM_W*t +: TERM_W]) begin
                if (!failed)
                    $display("FAIL: beat %0d token %0d: %h instead of %h", beats, t, term[TERM_W*t +: TERM_W],
                        want[TERM_W*t +: TERM_W]);
                failed = 1;
                $finish;
            end
        end
        for (n = LATENCY; n > 1; n = n - 1) begin
            due[n] = due[n-1];
            due_there[n] = rst && n < LATENCY ? {MANY{1'b0}} : due_there[n-1]; // the last register has no reset
        end
        due_there[1] = 0;
        sums = late_sums[SUMS_AT];
        for (n = SUMS_AT; n > 1; n = n - 1)
            late_sums[n] = late_sums[n-1];
        late_sums[1] = {MANY*SUMS_W{1'bx}};
        was_valid = valid;
        valid = 0;
        {others, int4, asym, group_scale, shift, words} = {(9 + 6 * MANY + N){1'bx}};
        beat = {BEAT_BITS{1'bx}};
        x = {PAIRS*X_W{1'bx}};
        again = beats == BEATS / 2 && !was_reset;
        was_reset = was_reset || again;
        if (!rst && !again && beats < BEATS && below(100) >= idle) multiply;
        if (beats == BEATS) begin
            for (n = 1; n < LATENCY && due_there[n] == 0; n = n + 1);
            if (n == LATENCY) begin
                if (close == 0 || !(&known)) $display("FAIL: no beats in a row");
                else if (!failed) $display("PASS");
                $finish;
            end
        end
    end
endmodule

`default_nettype wire
