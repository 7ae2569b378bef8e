// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_x_buffer. Sends operands of random sizes, with tokens in random order. Reads pairs of units of an
// operand from the cycle of `filled` until `free`, and compares them with an array per operand. tready must be high
// exactly while a bank is free. A reset must discard the operands. A copy of the memory (rill_x_copy) must give the
// slice of each of these pairs, with 8-bit and 4-bit weights, and zeros for tokens that the operand does not have.
// Checks in messages: 1 units of the first token of a turn, 2 tready, 3 filled, 4 the numbers of operands
// at the end, or no word had to wait, 5 units of the other tokens, 6 slice of the copy.
// Sets for verif/modules/run.sh (after @: idles and stalls in percent):
// sweep: BEAT_BITS=256 TOKENS=2 X_UNITS=10
// sweep: BEAT_BITS=256 TOKENS=1 X_UNITS=2
// sweep: BEAT_BITS=512 TOKENS=8 X_UNITS=6
// sweep: BEAT_BITS=512 TOKENS=4 X_UNITS=16
// sweep: BEAT_BITS=256 TOKENS=4 X_UNITS=10 TURN_TOKENS=2
// sweep: BEAT_BITS=512 TOKENS=2 X_UNITS=6 TURN_TOKENS=2
// sweep: BEAT_BITS=256 TOKENS=4 X_UNITS=10 TURN_TOKENS=2 X_BITS=10
// sweep: BEAT_BITS=256 TOKENS=4 X_UNITS=10 TURN_TOKENS=4
// sweep: BEAT_BITS=512 TOKENS=8 X_UNITS=6 TURN_TOKENS=4 X_BITS=10
// quick: BEAT_BITS=256 TOKENS=2 X_UNITS=10 OPERANDS=25
// quick: BEAT_BITS=256 TOKENS=4 X_UNITS=10 TURN_TOKENS=2 OPERANDS=25
// quick: BEAT_BITS=256 TOKENS=4 X_UNITS=10 TURN_TOKENS=2 X_BITS=10 OPERANDS=25 @ 50:50
// quick: BEAT_BITS=256 TOKENS=8 X_UNITS=6 TURN_TOKENS=4 OPERANDS=25 @ 50:50
`default_nettype none
`timescale 1ns / 1ps

module rill_x_buffer_tb;
    // Parameters without a comment are those of the module.
    parameter BEAT_BITS = 256;
    parameter TOKENS = 2;
    parameter X_UNITS = 10;
    parameter TURN_TOKENS = 1;
    parameter X_BITS = 8;
    localparam UNIT_BITS = BEAT_BITS / 8 * X_BITS;
    localparam TOK_W = TOKENS > 1 ? $clog2(TOKENS) : 1;
    localparam UNIT_PAIR_W = X_UNITS > 2 ? $clog2(X_UNITS / 2) : 1;
    localparam WORD_W = UNIT_BITS + 8;
    parameter OPERANDS = 60; // operands of the run
    localparam PLACES = TOKENS * X_UNITS;

    wire                clk, rst, x_valid, x_ready, x_last, x_done, filled;
    reg                 again = 0, free = 0;
    wire [WORD_W-1:0]   x_data;
    wire [TOK_W:0]      x_user;
    reg  [TOK_W-1:0]    read_tok = 0;    // a token, or with TURN_TOKENS above 1 a turn
    localparam TURN_W = TOK_W > $clog2(TURN_TOKENS) ? TOK_W - $clog2(TURN_TOKENS) : 1;
    reg  [UNIT_PAIR_W-1:0] read_unit_pair = 0;
    wire [TURN_TOKENS*UNIT_BITS-1:0] unit_0, unit_1;
    wire [TURN_TOKENS*8-1:0] shift_0, shift_1;
    localparam HOPS = 1;                 // register stages to the copy
    localparam OTHERS_W = TURN_TOKENS > 2 ? TURN_TOKENS - 1 : 1;
    localparam ADDR_W = 1 + (TOKENS > TURN_TOKENS ? TURN_W : 0) + UNIT_PAIR_W;
    localparam SLICE_W = TURN_TOKENS * (2 * UNIT_BITS + 5); // slice and exponents
    wire [2*TURN_TOKENS+ADDR_W+WORD_W-1:0] copy_write;
    wire [ADDR_W-1:0]   copy_read;
    reg  [OTHERS_W+2:0] controls = 0;    // {valid, others, half, int4} of rill_x_slice
    wire [TURN_TOKENS*2*UNIT_BITS-1:0] slice;
    wire [TURN_TOKENS*5-1:0] shift;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(again));
    rill_axis_driver #(.DATA_W(WORD_W), .USER_W(TOK_W + 1), .WORDS((OPERANDS + 3) * PLACES)) u_x (.clk(clk), .rst(rst),
        .m_axis_tvalid(x_valid),
        .m_axis_tready(x_ready), .m_axis_tdata(x_data), .m_axis_tuser(x_user), .m_axis_tlast(x_last), .done(x_done));
    rill_x_buffer #(.BEAT_BITS(BEAT_BITS), .TOKENS(TOKENS), .X_UNITS(X_UNITS), .TURN_TOKENS(TURN_TOKENS),
        .X_BITS(X_BITS),
        .COPIED(1)) dut (
        .clk(clk), .rst(rst), .s_axis_x_tvalid(x_valid), .s_axis_x_tready(x_ready), .s_axis_x_tdata(x_data),
        .s_axis_x_tuser(x_user),
        .s_axis_x_tlast(x_last), .filled(filled), .free(free), .read_tok(read_tok[TURN_W-1:0]),
        .read_unit_pair(read_unit_pair),
        .unit_0(unit_0),
        .unit_1(unit_1), .shift_0(shift_0), .shift_1(shift_1), .copy_write(copy_write),
        .copy_read(copy_read));
    rill_x_copy #(.BEAT_BITS(BEAT_BITS), .TURN_TOKENS(TURN_TOKENS), .X_BITS(X_BITS), .ADDR_W(ADDR_W),
        .HOPS(HOPS)) copy (
        .clk(clk), .rst(rst), .write(copy_write), .read(copy_read), .controls(controls), .slice(slice),
        .shift(shift));

    reg  [WORD_W-1:0]   word [0:OPERANDS*PLACES-1];
    integer             ntok [0:OPERANDS-1];
    integer             units [0:OPERANDS-1];
    integer             at [0:TOKENS-1];
    // o: operand that is sent; -1 before the reset. occupied: banks that are full. frees: operands that were released.
    // reads_left, late: reads of the current operand that are still to come, and cycles after them until `free`.
    integer             seed, stall, o = -1, t, n, left, start, occupied = 0, filled_seen = 0, frees = 0,
        reads_left = 0, late = 0;
    // stalls: cycles in which a word waited. quiet: cycles since the last operand was released.
    integer             stalls = 0, quiet = 0;
    reg                 failed = 0, open_q = 0, fill_q = 0;
    reg  [2*TURN_TOKENS*WORD_W-1:0] due [0:1]; // expected data of the reads 1 and 2 cycles ago; token 0 low
    reg  [TURN_TOKENS-1:0] due_there [0:1]; // tokens that the operand has
    reg  [SLICE_W-1:0]  due_slice [0:HOPS+1]; // [n]: {shift, slice} for the copy's read n + 1 cycles ago
    reg  [HOPS+1:0]     due_slice_there = 0;

    // Prints the number of the first check that fails, and ends the run.
    task fail(input integer what);
        begin
            if (!failed)
                $display("FAIL: check %0d operand %0d token %0d pair %0d: %h %h", what, frees, read_tok, read_unit_pair,
                    unit_0, unit_1);
            failed = 1;
            $finish;
        end
    endtask

    // Returns a random number from 0 to limit - 1.
    function integer below(input integer limit);
        below = $unsigned($random(seed)) % limit;
    endfunction

    // Returns a random unit with its exponent.
    function [WORD_W-1:0] random_word(input integer unused);
        for (n = 0; n < WORD_W; n = n + 8)
            random_word[n +: 8] = $random(seed);
    endfunction

    // Sends one operand. The units of the tokens are interleaved at random, each token's in order. number: index of the
    // operand, below 0 for one that is not compared; a multiple of 4 gives the largest size. stop: words at its end
    // that are not sent.
    task push_operand(input integer number, input integer stop);
        reg [WORD_W-1:0] next;
        integer          sizes, tokens;
        begin
            sizes = 2 * (1 + below(X_UNITS / 2));
            tokens = 1 + below(TOKENS);
            if (number % 4 == 0) begin
                sizes = X_UNITS;
                tokens = TOKENS;
            end
            if (number >= 0) begin
                ntok[number] = tokens;
                units[number] = sizes;
            end
            for (t = 0; t < TOKENS; t = t + 1)
                at[t] = 0;
            for (left = sizes * tokens; left > stop; left = left - 1) begin
                t = below(tokens);
                while (at[t] == sizes)
                    t = (t + 1) % tokens;
                next = random_word(0);
                if (number >= 0) word[number*PLACES + t*X_UNITS + at[t]] = next;
                at[t] = at[t] + 1;
                u_x.push(next, {t == tokens - 1, t[TOK_W-1:0]}, left == 1);
            end
        end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        if (!$value$plusargs("stall=%d", stall)) stall = 0;
        {due_there[1], due_there[0]} = 0;
        // A whole operand and the beginning of another one, which a reset must discard.
        #1 push_operand(-1, 0);
        push_operand(-4, 1);
        @(negedge rst);
        while (!x_done) @(negedge clk);
        @(negedge clk) again = 1;
        @(negedge clk) again = 0;
        @(negedge rst);
        for (o = 0; o < OPERANDS; o = o + 1)
            push_operand(o, 0);
    end

    // ---- writing: two banks, one pulse of `filled` per operand ----
    always @(posedge clk) begin
        open_q <= !rst;
        fill_q <= !rst && x_valid && x_ready && x_last;
        occupied <= rst ? 0 : occupied + (x_valid && x_ready && x_last) - free;
        if (!rst && x_valid && !x_ready) stalls = stalls + 1;
    end

    // ---- reading: every pair of an operand, or random pairs; the bank is released with the last read or later ----
    always @(negedge clk) begin
        for (t = 0; t < TURN_TOKENS; t = t + 1)
            if (due_there[1][t] && {shift_1[8*t +: 8], unit_1[UNIT_BITS*t +: UNIT_BITS], shift_0[8*t +: 8],
                unit_0[UNIT_BITS*t +: UNIT_BITS]} !== due[1][2*WORD_W*t +: 2*WORD_W]) fail(t == 0 ? 1 : 5);
        if (x_ready !== (open_q && occupied < 2)) fail(2);
        if (filled !== fill_q) fail(3);
        if (filled) filled_seen = filled_seen + 1;
        if (rst) filled_seen = 0;
        if (due_slice_there[HOPS+1] && {shift, slice} !== due_slice[HOPS+1]) fail(6);
        for (n = HOPS + 1; n > 0; n = n - 1)
            due_slice[n] = due_slice[n-1];
        due_slice_there = due_slice_there << 1;
        read_copy;
        due[1] = due[0];
        due_there[1] = due_there[0];
        due_there[0] = 0;
        free = 0;
        read_tok = below(TOKENS);
        read_unit_pair = below(X_UNITS / 2);
        if (o == OPERANDS && frees < filled_seen && below(100) >= stall) begin
            if (reads_left == 0 && late == 0) begin
                reads_left = ntok[frees] * units[frees] / 2 * (frees % 2 + 1);
                start = below(reads_left);
                late = below(4) == 0 ? below(20) : 0;
            end
            if (reads_left > 0)
                read;
            else
                late = late - 1;
            if (reads_left == 0 && late == 0) begin
                free = 1;
                frees = frees + 1;
            end
        end
        quiet = frees == OPERANDS ? quiet + 1 : 0;
        if (quiet == 10) begin
            if (!x_done || occupied != 0 || filled_seen != OPERANDS || stalls == 0) fail(4);
            if (!failed) $display("PASS");
            $finish;
        end
    end

    // Sets the inputs of the copy for the read that the buffer got one cycle before, and the output that it must give.
    task read_copy;
        reg [UNIT_BITS-1:0] of_one;
        integer             e;
        begin
            controls = below(8);
            controls[OTHERS_W+2] = due_there[0][0];
            for (t = 1; t < TURN_TOKENS; t = t + 1)
                controls[1+t] = due_there[0][t];
            due_slice_there[0] = due_there[0][0];
            due_slice[0] = 0;
            for (t = 0; t < TURN_TOKENS; t = t + 1) begin
                of_one = due[0][2*WORD_W*t+(controls[1]?WORD_W:0) +: UNIT_BITS];
                if (due_there[0][t]) begin
                    for (e = 0; e < UNIT_BITS / X_BITS; e = e + 1)
                        due_slice[0][2*UNIT_BITS*t+2*X_BITS*e +: 2*X_BITS] = {2{of_one[X_BITS*e +: X_BITS]}};
                    if (controls[0]) due_slice[0][2*UNIT_BITS*t +: 2*UNIT_BITS] =
                        {due[0][2*WORD_W*t+WORD_W +: UNIT_BITS], due[0][2*WORD_W*t +: UNIT_BITS]};
                    due_slice[0][TURN_TOKENS*2*UNIT_BITS+5*t +: 5] =
                        due[0][2*WORD_W*t+UNIT_BITS+(controls[1]&&!controls[0]?WORD_W:0) +: 5];
                end
            end
        end
    endtask

    // Reads a pair of operand number `frees`: the pairs in turn, or a random one if the number is odd.
    task read;
        begin
            reads_left = reads_left - 1;
            n = (frees % 2 == 0 ? start + reads_left : below(10000)) % (ntok[frees] * units[frees] / 2);
            read_tok = n / (units[frees] / 2);
            read_unit_pair = n % (units[frees] / 2);
            read_tok = read_tok / TURN_TOKENS;
            for (t = 0; t < TURN_TOKENS; t = t + 1) begin
                n = frees * PLACES + (read_tok * TURN_TOKENS + t) * X_UNITS + 2 * read_unit_pair;
                due_there[0][t] = read_tok * TURN_TOKENS + t < ntok[frees];
                if (due_there[0][t]) due[0][2*WORD_W*t +: 2*WORD_W] = {word[n+1], word[n]};
            end
        end
    endtask
endmodule

`default_nettype wire
