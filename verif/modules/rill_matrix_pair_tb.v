// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_matrix_pair. Sends rows of 1 to TOKENS tokens with any number of int8 or int4 beats, as close
// together as the module allows, with the largest and smallest factors first, and compares results with plain sums of
// products. Results must come 12 + PAIR_MORE + HOPS cycles after their command, with the parameters of their row.
// A token that a row does not have must change no accumulator. With two pairs, rows use the two banks of accumulators
// in turn.
// Checks in messages: 1 out_valid, 2 a result, 3 no row began while results of the one before left, or no reset came.
// Sets for verif/modules/run.sh (form=pump defines RILL_PUMP, form=cells RILL_VENDOR_CELLS, form=fast RILL_FAST_SIM;
// after @: idles and stalls in percent):
// sweep: BEAT_BITS=256 TOKENS=4
// sweep: BEAT_BITS=512 TOKENS=2 form=fast
// sweep: BEAT_BITS=512 TOKENS=8
// sweep: BEAT_BITS=512 TOKENS=4 ASYM=1 form=fast
// sweep: BEAT_BITS=256 TOKENS=2 ASYM=1
// sweep: BEAT_BITS=512 TOKENS=4 X_BITS=10 form=fast
// sweep: BEAT_BITS=512 TOKENS=4 ASYM=1 HOPS=2
// sweep: BEAT_BITS=256 TOKENS=8 HOPS=1 form=fast
// sweep: BEAT_BITS=256 TOKENS=4 ASYM=1 X_BITS=10
// sweep: BEAT_BITS=512 TOKENS=4 ASYM=1 ACC_W=66 form=fast
// sweep: BEAT_BITS=512 TOKENS=4 ASYM=1 form=cells
// sweep: BEAT_BITS=256 TOKENS=4 X_BITS=10 form=cells
// sweep: BEAT_BITS=512 TOKENS=4
// sweep: BEAT_BITS=512 TOKENS=4 PAIRS=2 form=fast
// sweep: BEAT_BITS=256 TOKENS=8 PAIRS=2 HOPS=1
// sweep: BEAT_BITS=512 TOKENS=8 PAIRS=2 ASYM=1 ACC_W=66 form=fast
// sweep: BEAT_BITS=256 TOKENS=4 PAIRS=2 X_BITS=10
// sweep: BEAT_BITS=256 TOKENS=8 PAIRS=2 ASYM=1 X_BITS=10 form=pump form=fast
// sweep: BEAT_BITS=512 TOKENS=4 PAIRS=2 form=pump
// sweep: BEAT_BITS=256 TOKENS=8 PAIRS=2 ASYM=1 form=cells
// sweep: BEAT_BITS=256 TOKENS=4 form=cells @ 50:50
// sweep: BEAT_BITS=512 TOKENS=8 PAIRS=2 form=fast @ 50:50
// sweep: BEAT_BITS=256 TOKENS=4 PAIRS=2 ASYM=1
// sweep: BEAT_BITS=256 TOKENS=4 PAIRS=2 form=cells @ 50:50
// sweep: BEAT_BITS=512 TOKENS=2 PUMP=2 form=fast
// sweep: BEAT_BITS=256 TOKENS=8 PUMP=2 ASYM=1 HOPS=1
// sweep: BEAT_BITS=512 TOKENS=4 PUMP=2 form=pump form=fast
// sweep: BEAT_BITS=256 TOKENS=4 PUMP=2 ASYM=1 X_BITS=10 form=pump
// sweep: BEAT_BITS=256 TOKENS=2 PUMP=2 form=cells
// sweep: BEAT_BITS=256 TOKENS=4 PUMP=2 ASYM=1 form=fast @ 50:50
// quick: BEAT_BITS=256 TOKENS=2 PUMP=2 ROWS=100 form=pump @ 0:0
// quick: BEAT_BITS=512 TOKENS=4 ROWS=100 form=fast @ 0:0
// quick: BEAT_BITS=256 TOKENS=4 ASYM=1 HOPS=2 ROWS=100 @ 50:50
// quick: BEAT_BITS=256 TOKENS=4 ASYM=1 X_BITS=10 ROWS=100 form=fast @ 50:50
// quick: BEAT_BITS=256 TOKENS=4 ASYM=1 ACC_W=66 ROWS=100 @ 0:0
// quick: BEAT_BITS=256 TOKENS=4 PAIRS=2 ASYM=1 ROWS=100 form=fast @ 50:50
// quick: BEAT_BITS=256 TOKENS=8 PAIRS=2 X_BITS=10 HOPS=1 ROWS=100 form=pump @ 0:0
`default_nettype none
`timescale 1ns / 1ps

module rill_matrix_pair_tb;
    // Parameters without a comment are those of the module.
    parameter BEAT_BITS = 256;
    parameter TOKENS = 4;
    parameter PAIRS = 1;
    parameter PUMP = PAIRS > 1 ? 2 : 1;
    parameter ASYM = 0;
    parameter X_BITS = 8;
    parameter ACC_W = 64;
    parameter HOPS = 0;
    localparam END = 1 << X_BITS - 1; // factors are -END to END - 1
    localparam GROUP_W = X_BITS + 5;
    localparam SUMS_W = GROUP_W * (BEAT_BITS / 128);
    localparam TOK_W = $clog2(TOKENS);
    localparam TURN_W = TOKENS > 2 ? TOK_W - 1 : 1;
    localparam N = BEAT_BITS / 8;
    localparam MANY = 2 * PAIRS;                 // tokens of a turn
    parameter ROWS = 300; // rows of the run
`include "rill_pair_skew.vh"
    localparam LATENCY = 12 + PAIR_MORE + HOPS;
    localparam SUMS_AT = 6 + PAIR_MORE; // cycles from a beat until its sums are taken

    wire                   clk, clk_2x, rst, out_valid;
    reg                    again = 0, valid = 0, int4, first, out = 0, out_row = 0, bank = 0;
    reg  [MANY-2:0]        others;
    reg  [TURN_W-1:0]      turn;
    reg  [TOK_W-1:0]       out_tok;
    reg  [BEAT_BITS-1:0]   beat;
    localparam X_W = 8 * PAIRS * BEAT_BITS;
    reg  [X_W-1:0]         x;
    reg  [7:0]             group_scale;
    localparam SHIFT_W = 5 * MANY;
    reg  [SHIFT_W-1:0]     shift;
    reg                    asym;
    reg  [N-1:0]           words;
    reg  [MANY*SUMS_W-1:0] sums;
    reg  [31:0]            row_scale, bias;
    wire [ACC_W-1:0]       out_acc;
    wire [31:0]            out_row_scale, out_bias;

    // The factors of a byte of the beat come as many cycles later as the byte's products are made later. of_skew
    // returns a mask of the factors that must come `skew` cycles late.
    function [X_W-1:0] of_skew(input integer skew);
        integer i, pair;
        for (pair = 0; pair < PAIRS; pair = pair + 1)
            for (i = 0; i < 2 * N; i = i + 1)
                of_skew[32*(2*N*pair+i%8*(N/4)+i/8) +: 32] = {32{pair_skew(i, pair) == skew}};
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
    localparam WAY_W = 4 + MANY - 1 + TURN_W + TOK_W + SHIFT_W;
    wire [WAY_W-1:0] way;
    rill_hop #(.DATA_W(WAY_W), .CLEAR_W(2), .STAGES(HOPS)) u_hop (.clk(clk), .rst(rst),
        .d({shift, out_tok, turn, others, first, out_row, out, valid}), .q(way));

    rill_bench_clock u_clock (.clk(clk), .clk_2x(clk_2x), .rst(rst), .again(again));
    rill_matrix_pair #(.BEAT_BITS(BEAT_BITS), .TOKENS(TOKENS), .PAIRS(PAIRS), .PUMP(PUMP), .ASYM(ASYM), .X_BITS(X_BITS),
        .ACC_W(ACC_W), .HOPS(HOPS)) dut (
        .clk(clk), .clk_2x(clk_2x), .rst(rst), .sum_rst(rst),
        .valid(valid),
        .other_toks(others), .int4(int4),
        .sum_valid(way[0]), .emit(way[1]), .out_row(way[2]), .first(way[3]), .sum_others(way[4 +: MANY-1]),
        .turn(way[3+MANY +: TURN_W]), .out_tok(way[3+MANY+TURN_W +: TOK_W]),
        .sum_shift(way[3+MANY+TURN_W+TOK_W +: SHIFT_W]), .nibbles(beat), .x(skewed),
        .group_scale(group_scale),
        .shift(shift), .asym(asym), .words(words), .sums(sums), .row_scale(row_scale), .bias(bias),
        .out_valid(out_valid), .out_acc(out_acc), .out_row_scale(out_row_scale),
        .out_bias(out_bias));

    reg  [LATENCY:1]       due_out = 0;      // [n]: a result was commanded n cycles ago
    reg  [63+ACC_W:0]      due [1:LATENCY];  // {bias, row_scale, acc}
    reg  [MANY*SUMS_W-1:0] late_sums [1:SUMS_AT]; // [n]: sums of the factors of the beat of n cycles ago
    reg  [65:0]            acc [0:2*TOKENS-1]; // expected accumulators of both banks
    reg  signed [63:0]     shifted;
    reg  signed [65:0]     term;
    reg  [63:0]            params;
    reg  [63:0]            total [0:MANY-1];
    integer                n, k, q, w, weight, t, at, base, seed, idle, given = 0, rows = 0, close = 0;
    // given: beats. close: results that left while the next row began. out_left, out_next: results of the latest row
    // that have not left yet, and the token of the next one.
    integer                row_tokens = 0, beats = 0, beat_no = 0, turn_no = 0, out_left = 0, out_next = 0, extreme;
    reg                    failed = 0, was_reset = 0, narrow, last, left_row;

    // Prints the number of the first check that fails, and ends the run.
    task fail(input integer what);
        begin
            if (!failed)
                $display("FAIL: check %0d row %0d: %h instead of %h", what, rows, {out_bias, out_row_scale, out_acc},
                    due[LATENCY]);
            failed = 1;
            $finish;
        end
    endtask

    function integer place; // position of a nibble's factor in x, in the order of rill_matrix_lane
        input integer nibble;
        place = nibble % 8 * (N / 4) + nibble / 8;
    endfunction

    // Returns a random number from 0 to limit - 1.
    function integer below(input integer limit);
        below = $unsigned($random(seed)) % limit;
    endfunction

    // Returns a random factor, or in the first rows the largest or smallest one.
    function integer factor(input integer low, high, pick);
        factor = extreme ? (pick ? high : low) : low + below(high - low + 1);
    endfunction

    // Draws the next row: its tokens, its beats, and whether it has int4 weights (narrow).
    task begin_row;
        begin
            extreme = rows < 24;
            row_tokens = rows % 3 == 0 ? TOKENS : 1 + below(TOKENS);
            // With ACC_W above 64, the first two rows have 32,768 elements, whose sums exceed 64 bits.
            beats = ACC_W > 64 && rows < 2 ? 32768 / (2 * N) : below(3) == 0 ? 1 : 1 + below(5);
            narrow = ACC_W > 64 && rows < 2 ? 1 : below(2);
            beat_no = 0;
            turn_no = 0;
            bank = !bank;
        end
    endtask

    // Sends a beat for the tokens of a turn.
    task multiply;
        begin
            valid = 1;
            base = PAIRS == 2 && bank ? TOKENS : 0;
            turn = turn_no + base / MANY;
            for (t = 1; t < MANY; t = t + 1)
                others[t-1] = MANY * turn_no + t < row_tokens;
            int4 = narrow;
            first = beat_no == 0;
            last = beat_no == beats - 1;
            shift = extreme ? {PAIRS{rows % 2 ? 10'h3ff : 10'h01f}} : $random(seed);
            asym = ASYM && int4 && rows % 4 != 1;
            for (k = 0; k < N / 16; k = k + 1)
                words[16*k +: 16] = {factor(-128, 127, rows[0]), 8'd0} + factor(0, 255, 1);
            late_sums[1] = {MANY*SUMS_W{1'b0}};
            group_scale = asym ? $random(seed) : int4 ? factor(0, 255, 1) : 1;
            for (t = 0; t < MANY; t = t + 1)
                total[t] = 64'd0;
            for (k = 0; k < (int4 ? 2 * N : N); k = k + 1) begin
                w = int4 ? factor(-8, 7, rows[2]) : factor(-128, 127, rows[2]);
                if (int4) beat[4*k +: 4] = w;
                else beat[8*k +: 8] = w;
                for (t = MANY - 1; t >= 0; t = t - 1) begin
                    q = factor(-END, END - 1, rows[t]);
                    weight = asym ? $signed({24'd0, words[16*(k/32) +: 8]}) * w + 8 * $signed(words[16*(k/32)+8 +: 8])
                        : w;
                    total[t] = total[t] + {{32{weight[31]}}, weight} * {{32{q[31]}}, q};
                    if (int4)
                        late_sums[1][SUMS_W*t+GROUP_W*(k/32) +: GROUP_W] =
                            late_sums[1][SUMS_W*t+GROUP_W*(k/32) +: GROUP_W] + q;
                    at = t / 2 * 2 * N + place(int4 ? k : 2 * k);
                    x[32*at +: 32] = t % 2 ? q * (1 << 26 - X_BITS) : x[32*at +: 32] + q;
                    if (!int4) x[32*(t/2*2*N+place(2*k+1)) +: 32] = x[32*at +: 32];
                end
            end
            for (t = 0; t < MANY; t = t + 1) begin
                shifted = (asym ? total[t] : total[t] * group_scale) << shift[5*t +: 5];
                term = shifted;
                if (MANY * turn_no + t < row_tokens)
                    acc[base+MANY*turn_no+t] = (first ? 66'd0 : acc[base+MANY*turn_no+t]) + term;
            end
            given = given + 1;
            if (last && turn_no == 0) begin
                out = 1;
                out_tok = 0;
                out_row = PAIRS == 2 && bank;
                left_row = out_row;
                out_left = row_tokens - 1;
                out_next = 1;
                row_scale = $random(seed);
                bias = $random(seed);
                params = {bias, row_scale};
                due[1] = {params, acc[base][ACC_W-1:0]};
            end
            turn_no = turn_no + 1;
            if (MANY * turn_no >= row_tokens) begin
                turn_no = 0;
                beat_no = beat_no + 1;
                if (last) begin
                    rows = rows + 1;
                    begin_row;
                end
            end
        end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        begin_row;
    end

    always @(negedge clk) begin
        if (!rst && out_valid !== due_out[LATENCY]) fail(1);
        if (due_out[LATENCY] && {out_bias, out_row_scale, out_acc} !== due[LATENCY]) fail(2);
        for (n = LATENCY; n > 1; n = n - 1)
            due[n] = due[n-1];
        sums = late_sums[SUMS_AT];
        for (n = SUMS_AT; n > 1; n = n - 1)
            late_sums[n] = late_sums[n-1];
        late_sums[1] = {MANY*SUMS_W{1'bx}};
        {asym, words} = {(N + 1){1'bx}};
        again = rows >= ROWS / 2 && beat_no > 0 && !was_reset;
        beat = {BEAT_BITS{1'bx}};
        x = {X_W{1'bx}};
        {valid, out} = 2'd0;
        turn = $random(seed);
        {others, int4, first, out_tok, out_row, group_scale, shift, row_scale, bias} =
            {(2 + MANY + TOK_W + 72 + SHIFT_W){1'bx}};
        if (out_left > 0 && !rst && !again) begin
            out = 1;
            out_tok = out_next;
            out_row = left_row;
            out_next = out_next + 1;
            out_left = out_left - 1;
            due[1] = {params, acc[(left_row?TOKENS:0)+out_tok][ACC_W-1:0]};
            if (rows < ROWS && turn_no + beat_no == 0) close = close + 1; // the next row begins meanwhile
            // The turns of a row's last beat follow one another without a gap. The last beat of the next row waits
            // until the results of this row have left.
            if (rows < ROWS && ((turn_no > 0 && beat_no == beats - 1)
                || (beat_no < beats - 1 && below(100) >= idle))) multiply;
        end else if (!rst && !again && rows < ROWS && ((turn_no > 0 && beat_no == beats - 1) || below(100) >= idle))
            multiply;
        due_out = rst || again ? 0 : {due_out[LATENCY-1:1], out};
        if (again) begin
            was_reset = 1;
            out_left = 0;
            begin_row;
        end
        if (rows == ROWS && due_out == 0 && out_left == 0) begin
            if (!was_reset || (TOKENS > 2 && close == 0)) fail(3);
            if (!failed) $display("PASS");
            $finish;
        end
    end
endmodule

`default_nettype wire
