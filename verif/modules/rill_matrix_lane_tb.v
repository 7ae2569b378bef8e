// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_matrix_lane. Sends int8 and int4 beats in any mixture, tokens in any order and rows of any length,
// with the largest and smallest factors first, and compares rows with plain sums of products. A row must come with its
// sideband 9 + HOPS cycles after its last beat; with PUMP 2, 12 + PAIR_MORE + HOPS cycles. Between the beats all inputs
// but valid and the token are unknown (x).
// Checks in messages: 1 out_valid, 2 a row, 3 too few rows at the end, or no sum beyond 64 bits with ACC_W above 64.
// Sets for verif/modules/run.sh (form=pump defines RILL_PUMP, form=cells RILL_VENDOR_CELLS, form=fast RILL_FAST_SIM;
// after @: idles and stalls in percent):
// sweep: BEAT_BITS=256 TOKENS=2 SIDE_W=7
// sweep: BEAT_BITS=512 TOKENS=1 SIDE_W=1
// sweep: BEAT_BITS=512 TOKENS=8 SIDE_W=12
// sweep: BEAT_BITS=256 TOKENS=4 SIDE_W=3
// sweep: BEAT_BITS=256 TOKENS=2 SIDE_W=7 ASYM=1
// sweep: BEAT_BITS=512 TOKENS=1 SIDE_W=1 ASYM=1
// sweep: BEAT_BITS=512 TOKENS=2 SIDE_W=1 X_BITS=10
// sweep: BEAT_BITS=512 TOKENS=2 SIDE_W=3 ASYM=1 HOPS=1
// sweep: BEAT_BITS=256 TOKENS=8 SIDE_W=3 HOPS=2
// sweep: BEAT_BITS=256 TOKENS=2 SIDE_W=7 ASYM=1 X_BITS=10
// sweep: BEAT_BITS=512 TOKENS=2 SIDE_W=7 ASYM=1 ACC_W=66
// sweep: BEAT_BITS=512 TOKENS=1 SIDE_W=1 PUMP=2
// sweep: BEAT_BITS=256 TOKENS=2 SIDE_W=7 ASYM=1 PUMP=2 HOPS=1 form=fast
// sweep: BEAT_BITS=256 TOKENS=4 SIDE_W=3 X_BITS=10 PUMP=2
// sweep: BEAT_BITS=512 TOKENS=2 SIDE_W=1 PUMP=2 form=pump form=fast
// sweep: BEAT_BITS=256 TOKENS=1 SIDE_W=7 ASYM=1 PUMP=2 form=pump
// sweep: BEAT_BITS=512 TOKENS=2 SIDE_W=7 ASYM=1 X_BITS=10 PUMP=2 form=pump form=fast
// sweep: BEAT_BITS=256 TOKENS=2 SIDE_W=1 PUMP=2 form=cells
// quick: BEAT_BITS=256 TOKENS=2 SIDE_W=7 ASYM=1 PUMP=2 HOPS=1 FREE=500 @ 50:50
// quick: BEAT_BITS=256 TOKENS=1 SIDE_W=7 PUMP=2 FREE=500 form=pump form=fast @ 50:50
// quick: BEAT_BITS=256 TOKENS=2 SIDE_W=7 FREE=500 @ 0:0
// quick: BEAT_BITS=256 TOKENS=2 SIDE_W=7 ASYM=1 HOPS=2 FREE=500 @ 50:50
// quick: BEAT_BITS=256 TOKENS=2 SIDE_W=7 ASYM=1 X_BITS=10 FREE=500 @ 50:50
// quick: BEAT_BITS=256 TOKENS=2 SIDE_W=7 FREE=500 @ 50:50
// quick: BEAT_BITS=256 TOKENS=2 SIDE_W=7 ASYM=1 ACC_W=66 FREE=500 @ 0:0
`default_nettype none
`timescale 1ns / 1ps

module rill_matrix_lane_tb;
    // Parameters without a comment are those of the module.
    parameter BEAT_BITS = 256;
    parameter TOKENS = 2;
    parameter SIDE_W = 7;
    parameter ASYM = 0;
    parameter X_BITS = 8;
    parameter ACC_W = 64;
    parameter HOPS = 0;
    parameter PUMP = 1;
    parameter FREE = 1200;                   // number of random beats
    localparam PAIRS = 1;
`include "rill_pair_skew.vh"
    localparam END = 1 << X_BITS - 1; // factors are -END to END - 1
    localparam GROUP_W = X_BITS + 5;
    localparam OFFSET_W = X_BITS + 14;
    localparam SUMS_W = GROUP_W * (BEAT_BITS / 128);
    localparam TOK_W = TOKENS > 1 ? $clog2(TOKENS) : 1;
    localparam N = BEAT_BITS / 8;
    localparam LATENCY = (PUMP == 2 ? 12 + PAIR_MORE : 9) + HOPS;
    localparam SUMS_AT = PUMP == 2 ? 6 + PAIR_MORE : 4; // cycles from a beat until its sums are taken
    localparam FIRM = ACC_W > 64 ? 640 : 0;  // number of equal beats at the beginning, whose sums exceed 64 bits
    localparam EXTREME = FIRM + 48;          // the beats below this number have the largest and smallest factors
    localparam BEATS = FIRM + FREE;

    wire                   clk, clk_2x, rst, out_valid;
    reg                    again = 0, valid = 0, int4, first, last;
    reg  [TOK_W-1:0]       tok;
    reg  [BEAT_BITS-1:0]   beat;
    // With PUMP 1 the lane expects signed nibbles as nibble + 8: all of them with int4, else the high ones of bytes.
    wire [BEAT_BITS-1:0]   nibbles = PUMP == 2 ? beat : beat ^ {BEAT_BITS/8{4'h8, int4, 3'd0}};
    reg  [4*BEAT_BITS-1:0] x;
    reg  [OFFSET_W-1:0]    offset;
    reg                    asym;
    reg  [N-1:0]           words;
    reg  [SUMS_W-1:0]      sums;
    reg  [7:0]             group_scale;
    reg  [4:0]             shift;
    reg  [31:0]            row_scale, bias;
    reg  [SIDE_W-1:0]      side;
    wire [ACC_W-1:0]       out_acc;
    wire [31:0]            out_row_scale, out_bias;
    wire [SIDE_W-1:0]      out_side;

    // With PUMP 2, the factor of a nibble comes later by as many cycles as the nibble's product is made later.
    // of_skew returns a mask of the factors that must come `skew` cycles late.
    localparam X_W = 4 * BEAT_BITS;
    function [X_W-1:0] of_skew(input integer skew);
        integer i;
        for (i = 0; i < 2 * N; i = i + 1)
            of_skew[16*(i%8*(N/4)+i/8) +: 16] = {16{(PUMP == 2 ? pair_skew(i, 0) : 0) == skew}};
    endfunction
    reg  [PAIR_TOP*X_W-1:0] late_q;
    wire [X_W-1:0]          skewed = gen_skew[PAIR_TOP].mixed;
    always @(posedge clk)
        late_q <= {late_q, x};
    genvar g;
    generate
        for (g = 0; g <= PAIR_TOP; g = g + 1) begin : gen_skew
            localparam [X_W-1:0] MINE = of_skew(g);
            wire [X_W-1:0]       mixed;
            if (g == 0) begin : gen_now
                assign mixed = x & MINE;
            end else begin : gen_late
                assign mixed = gen_skew[g-1].mixed | (late_q[X_W*(g-1) +: X_W] & MINE);
            end
        end
    endgenerate

    // Signals for the accumulators come HOPS cycles later, because the accumulators may be on another die.
    localparam WAY_W = 3 + TOK_W + 5 + SIDE_W;
    wire [WAY_W-1:0] way;
    rill_hop #(.DATA_W(WAY_W), .CLEAR_W(1), .STAGES(HOPS)) u_hop (.clk(clk), .rst(rst),
        .d({side, shift, tok, last, first, valid}), .q(way));

    rill_bench_clock u_clock (.clk(clk), .clk_2x(clk_2x), .rst(rst), .again(again));
    rill_matrix_lane #(.BEAT_BITS(BEAT_BITS), .TOKENS(TOKENS), .SIDE_W(SIDE_W), .ASYM(ASYM), .X_BITS(X_BITS),
        .ACC_W(ACC_W), .PUMP(PUMP), .HOPS(HOPS)) dut (
        .clk(clk), .clk_2x(clk_2x), .rst(rst), .sum_rst(rst), .valid(valid), .int4(int4),
        .sum_valid(way[0]), .first(way[1]), .last(way[2]), .place(way[3 +: TOK_W]), .sum_shift(way[3+TOK_W +: 5]),
        .nibbles(nibbles), .x(skewed), .offset(offset), .group_scale(group_scale),
        .shift(shift),
        .asym(asym), .words(words), .sums(sums), .row_scale(row_scale), .bias(bias), .side(way[8+TOK_W +: SIDE_W]),
        .out_valid(out_valid), .out_acc(out_acc), .out_row_scale(out_row_scale),
        .out_bias(out_bias), .out_side(out_side));

    reg  [LATENCY:1]       due_last = 0;     // [n]: a beat with last was given n cycles ago
    reg  [SIDE_W+63+ACC_W:0] due [1:LATENCY];  // {side, bias, row_scale, acc}
    reg  [OFFSET_W-1:0]    excess [1:4];     // offset of each beat, which is due 4 cycles after the beat
    reg  [SUMS_W-1:0]      late_sums [1:SUMS_AT];
    reg  [65:0]            acc [0:TOKENS-1];
    reg  signed [63:0]     shifted;
    reg  signed [65:0]     term;
    reg  [TOKENS-1:0]      begun = 0;
    integer                n, k, q, w, weight, x_sum, t = 0, seed, idle, given = 0, rows = 0;
    reg  [63:0]            total;
    reg  [2:0]             picks;            // choice of the largest or smallest factors
    reg                    failed = 0, was_reset = 0, beyond = 0;

    // Prints the number of the first check that fails, and ends the run.
    task fail(input integer what);
        begin
            if (!failed)
                $display("FAIL: check %0d after %0d beats, row %0d: %h instead of %h", what, given, rows,
                    {out_side, out_bias, out_row_scale, out_acc}, due[LATENCY]);
            failed = 1;
            $finish;
        end
    endtask

    function integer place; // position of a nibble's factor in x, in the order of rill_matrix_lane
        input integer nibble;
        place = nibble % 8 * (N / 4) + nibble / 8;
    endfunction

    // Returns a random factor, or in the first beats the largest or smallest one.
    function integer factor(input integer low, high, pick);
        factor = given < EXTREME ? (pick ? high : low) : low + $unsigned($random(seed)) % (high - low + 1);
    endfunction

    // Draws a beat with its factors, and adds its products to the expected sum of its token.
    task draw_beat;
        begin
            t = given % 3 == 0 ? $unsigned($random(seed)) % TOKENS : (t + 1) % TOKENS;
            tok = t;
            int4 = given < FIRM ? 1 : given < EXTREME ? given / TOKENS : $random(seed);
            first = !begun[tok] || (given >= FIRM && $unsigned($random(seed)) % 4 == 0);
            last = $unsigned($random(seed)) % 3 == 0;
            picks = given < FIRM ? {1'b0, tok[0], 1'b0} : given;
            shift = given < FIRM ? 31 : given < EXTREME ? given % 2 * 31 : $random(seed);
            asym = ASYM && int4 && (given < EXTREME || given % 2);
            for (k = 0; k < N / 16; k = k + 1)
                words[16*k +: 16] = {factor(-128, 127, picks[0]), 8'd0} + factor(0, 255, 1);
            late_sums[1] = {SUMS_W{1'b0}};
            group_scale = asym ? $random(seed) : int4 ? factor(0, 255, 1) : 1;
            row_scale = $random(seed);
            bias = $random(seed);
            side = $random(seed);
            total = 0;
            x_sum = 0;
            for (k = 0; k < (int4 ? 2 * N : N); k = k + 1) begin
                q = factor(-END, END - 1, picks[1]);
                w = int4 ? factor(-8, 7, picks[2]) : factor(-128, 127, picks[2]);
                weight = asym ? $signed({24'd0, words[16*(k/32) +: 8]}) * w + 8 * $signed(words[16*(k/32)+8 +: 8]) : w;
                total = total + {{32{weight[31]}}, weight} * {{32{q[31]}}, q};
                if (int4) begin
                    late_sums[1][GROUP_W*(k/32) +: GROUP_W] = late_sums[1][GROUP_W*(k/32) +: GROUP_W] + q;
                    x_sum = x_sum + q;
                    x[16*place(k) +: 16] = q;
                    beat[4*k +: 4] = w;
                end else begin
                    x_sum = x_sum + 2 * q;
                    x[16*place(2*k) +: 16] = q;
                    x[16*place(2*k+1) +: 16] = q;
                    beat[8*k +: 8] = w;
                end
            end
            // as in the header of rill_engine_offset, with B = 16 * END and S = x_sum
            excess[1] = int4 ? 32 * END * N + 8 * x_sum : 272 * END * N + 64 * x_sum;
            shifted = (asym ? total : total * group_scale) << shift;
            term = shifted;
            acc[tok] = (first ? 66'd0 : acc[tok]) + term;
            due[1] = {side, bias, row_scale, acc[tok][ACC_W-1:0]};
            begun[tok] = 1;
            beyond = beyond || acc[tok][65:63] != {3{acc[tok][65]}}; // a sum needed more than 64 bits
            given = given + 1;
        end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
    end

    always @(negedge clk) begin
        if (!rst && out_valid !== due_last[LATENCY]) fail(1);
        if (due_last[LATENCY]) begin
            if ({out_side, out_bias, out_row_scale, out_acc} !== due[LATENCY]) fail(2);
            rows = rows + 1;
        end
        for (n = LATENCY; n > 1; n = n - 1)
            due[n] = due[n-1];
        offset = excess[4];
        sums = late_sums[SUMS_AT];
        for (n = SUMS_AT; n > 1; n = n - 1)
            late_sums[n] = late_sums[n-1];
        late_sums[1] = {SUMS_W{1'bx}};
        {asym, words} = {(N + 1){1'bx}};
        for (n = 4; n > 1; n = n - 1)
            excess[n] = excess[n-1];
        excess[1] = {OFFSET_W{1'bx}};
        again = given == BEATS / 2 && !was_reset;
        valid = !rst && !again && given < BEATS && $unsigned($random(seed)) % 100 >= idle;
        beat = {BEAT_BITS{1'bx}};
        x = {4*BEAT_BITS{1'bx}};
        tok = $random(seed);
        {int4, first, last, group_scale, shift, row_scale, bias, side} = {(80 + SIDE_W){1'bx}};
        if (valid) draw_beat;
        due_last = rst || again ? 0 : {due_last[LATENCY-1:1], valid && last};
        if (again) begin
            was_reset = 1;
            begun = 0;
        end
        if (given == BEATS && due_last == 0) begin
            if (rows < BEATS / 4 || (FIRM > 0 && !beyond)) fail(3);
            if (!failed) $display("PASS");
            $finish;
        end
    end
endmodule

`default_nettype wire
