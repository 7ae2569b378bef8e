// SPDX-License-Identifier: Apache-2.0
// Walks through nested loops, STEP elements at a time: computes which element of a buffer comes next, and in which bank
// it is.
//
// element = sum over loops of index * stride. turn = (sum over loops of index * TURNS) mod 2^TURN_W is the bank. If all
// elements are numbered in the order of the loops, the walk visits numbers FIRST, FIRST + STEP, ... Each clock with
// `move` brings the next element to both outputs. The first move after a reset brings number FIRST. `last` marks the
// move that brings the last element of a walk. The move after it brings number FIRST of the next walk.
// The buffer has two halves, which successive walks use in turn, beginning with half 0. In half 1, HALF is added to
// `element`. `half` is the half of the walk that ends. It is read only with `move` and `last`.
// Latency: the outputs are registers, valid from the clock after a `move` on. Reset: clk, synchronous active-high rst,
// to the element FIRST of half 0; the output registers are not reset.
//
// name     meaning                                                    unit      range
// LOOPS    loops of the walk                                          loops     1 to 8
// TRIPS    trip count of each loop, 32 bits each, outermost low       trips     not 0
// STRIDES  stride of each loop, 32 bits each, likewise                elements  any
// TURNS    banks by which each loop moves on, 32 bits each, likewise  banks     any
// STEP     by how much a move raises the number of the element        elements  1 or more
// FIRST    number of the walk's first element                         elements  0 to STEP - 1
// HALF     added in half 1                                            elements  0 or more
// OFF_W    width of an element's number                               bits      1 to 32
// TURN_W   width of a bank's number                                   bits      1 to 32
`default_nettype none

module rill_loop_walk #(
    parameter LOOPS = 0,
    parameter [LOOPS*32-1:0] TRIPS = 0,
    parameter [LOOPS*32-1:0] STRIDES = 0,
    parameter [LOOPS*32-1:0] TURNS = 0,
    parameter STEP = 1,
    parameter FIRST = 0,
    parameter HALF = 0,
    parameter OFF_W = 0,
    parameter TURN_W = 1
) (
    input  wire              clk,
    input  wire              rst,
    input  wire              move,
    input  wire              last,
    input  wire              half,
    output wire [OFF_W-1:0]  element,
    output wire [TURN_W-1:0] turn
);
    // Returns the largest trip count.
    function integer most_trips(input integer loops);
        integer n;
        begin
            most_trips = 1;
            for (n = 0; n < loops; n = n + 1)
                if (TRIPS[n*32 +: 32] > most_trips)
                    most_trips = TRIPS[n*32 +: 32];
        end
    endfunction
    // Returns whether a trip count is 0.
    function no_trips(input integer loops);
        integer n;
        begin
            no_trips = 1'b0;
            for (n = 0; n < loops; n = n + 1)
                no_trips = no_trips || TRIPS[n*32 +: 32] == 32'd0;
        end
    endfunction
    generate
        if (LOOPS < 1 || LOOPS > 8) begin : gen_bad_loops
            rill_error_LOOPS_must_be_1_to_8 u_error ();
        end else if (no_trips(LOOPS)) begin : gen_bad_trips
            rill_error_TRIPS_must_not_be_0 u_error ();
        end
        if (STEP < 1 || FIRST < 0 || FIRST >= STEP) begin : gen_bad_step
            rill_error_FIRST_must_be_0_to_STEP_less_1 u_error ();
        end
        if (OFF_W < 1 || OFF_W > 32 || TURN_W < 1 || TURN_W > 32) begin : gen_bad_width
            rill_error_OFF_W_and_TURN_W_must_be_1_to_32 u_error ();
        end
    endgenerate

    // Returns the indices of all loops for an element's number in the order of the loops.
    function [LOOPS*32-1:0] digits(input integer number);
        integer n, left;
        begin
            left = number;
            digits = {LOOPS*32{1'b0}};
            for (n = LOOPS - 1; n >= 0; n = n - 1) begin
                digits[n*32 +: 32] = left % TRIPS[n*32 +: 32];
                left = left / TRIPS[n*32 +: 32];
            end
        end
    endfunction
    // Returns a + b - less for each loop.
    function [LOOPS*32-1:0] sums(input [LOOPS*32-1:0] a, input [LOOPS*32-1:0] b, input [LOOPS*32-1:0] less);
        integer n;
        begin
            sums = {LOOPS*32{1'b0}};
            for (n = 0; n < LOOPS; n = n + 1)
                sums[n*32 +: 32] = a[n*32 +: 32] + b[n*32 +: 32] - less[n*32 +: 32];
        end
    endfunction
    // Returns a * b for each loop.
    function [LOOPS*32-1:0] products(input [LOOPS*32-1:0] a, input [LOOPS*32-1:0] b);
        integer n;
        begin
            products = {LOOPS*32{1'b0}};
            for (n = 0; n < LOOPS; n = n + 1)
                products[n*32 +: 32] = a[n*32 +: 32] * b[n*32 +: 32];
        end
    endfunction
    localparam DIGIT_W = $clog2(2 * most_trips(LOOPS) + 1); // for an index plus a distance
    localparam [LOOPS*32-1:0] BEGIN = digits(FIRST);
    localparam [LOOPS*32-1:0] BEGIN_OFF = products(BEGIN, STRIDES);
    localparam [LOOPS*32-1:0] BEGIN_TURN = products(BEGIN, TURNS);
    localparam [LOOPS*32-1:0] BY = digits(STEP);
    localparam [LOOPS*32-1:0] BY_OFF = products(BY, STRIDES);
    localparam [LOOPS*32-1:0] BY_TURN = products(BY, TURNS);
    // BEGIN and BY are the indices of FIRST and of STEP. The constants below are the distances by which a loop's index,
    // element number and bank move, for each of four cases: the loop moves on, it wraps around, it moves on with a
    // carry from the inner loop, or it wraps around with a carry.
    localparam [LOOPS*32-1:0] NONE = 0;
    localparam [LOOPS*32-1:0] ONE = {(LOOPS > 0 ? LOOPS : 1){32'd1}};
    localparam [LOOPS*32-1:0] WRAP = sums(BY, NONE, TRIPS);
    localparam [LOOPS*32-1:0] WRAP_OFF = sums(BY_OFF, NONE, products(TRIPS, STRIDES));
    localparam [LOOPS*32-1:0] WRAP_TURN = sums(BY_TURN, NONE, products(TRIPS, TURNS));
    localparam [4*LOOPS*32-1:0] MOVE = {sums(WRAP, ONE, NONE), sums(BY, ONE, NONE), WRAP, BY};
    localparam [4*LOOPS*32-1:0] MOVE_OFF = {sums(WRAP_OFF, STRIDES, NONE), sums(BY_OFF, STRIDES, NONE), WRAP_OFF,
        BY_OFF};
    localparam [4*LOOPS*32-1:0] MOVE_TURN = {sums(WRAP_TURN, TURNS, NONE), sums(BY_TURN, TURNS, NONE), WRAP_TURN,
        BY_TURN};
    localparam [31:0] HALF_32 = HALF;

    // Whether loop n wraps around in the next move, when it moves by its part of STEP plus `more` (the carry). This is
    // computed one move ahead: `digit` is the present index, and `by` is its distance in the present move.
    function ends(input integer n, input [DIGIT_W-1:0] digit, input [31:0] by, input integer more);
        integer least; // least present index with which the loop wraps around
        begin
            least = TRIPS[n*32 +: 32] - BY[n*32 +: 32] - by - more;
            ends = least <= 0 || digit >= least[DIGIT_W-1:0];
        end
    endfunction

    reg  [DIGIT_W-1:0] digit_q [0:LOOPS-1];
    reg  [LOOPS*OFF_W-1:0]  off_q;                         // each loop's part of the element number
    reg  [LOOPS*TURN_W-1:0] turn_q;                        // each loop's part of the bank number
    // Per loop: whether it wraps around in the next move if no carry comes in (ends_q), and if one does
    // (ends_carried_q).
    reg  [LOOPS-1:0]   ends_q;
    reg  [LOOPS-1:0]   ends_carried_q;
    reg  [LOOPS:0]     carry;                              // carry[l]: loop l wraps around
    reg  [OFF_W-1:0]   off;
    reg  [TURN_W-1:0]  bank;
    reg  [OFF_W-1:0]   element_q;
    reg  [TURN_W-1:0]  bank_q;
    integer k, l;
    integer c;                                             // the case: {a carry comes in, the loop wraps around}
    always @* begin
        carry[LOOPS] = 1'b0;
        off = {OFF_W{1'b0}};
        bank = {TURN_W{1'b0}};
        for (k = LOOPS - 1; k >= 0; k = k - 1) begin
            carry[k] = carry[k+1] ? ends_carried_q[k] : ends_q[k];
            off = off + off_q[k*OFF_W +: OFF_W];
            bank = bank + turn_q[k*TURN_W +: TURN_W];
        end
    end
    always @(posedge clk) begin
        if (rst || (move && last)) begin
            for (l = 0; l < LOOPS; l = l + 1) begin
                digit_q[l] <= BEGIN[l*32 +: DIGIT_W];
                off_q[l*OFF_W +: OFF_W] <= BEGIN_OFF[l*32 +: OFF_W]
                    + (l == 0 && !rst && !half ? HALF_32[OFF_W-1:0] : {OFF_W{1'b0}});
                turn_q[l*TURN_W +: TURN_W] <= BEGIN_TURN[l*32 +: TURN_W];
                ends_q[l] <= ends(l, BEGIN[l*32 +: DIGIT_W], 32'd0, 0);
                ends_carried_q[l] <= ends(l, BEGIN[l*32 +: DIGIT_W], 32'd0, 1);
            end
        end else if (move) begin
            for (l = 0; l < LOOPS; l = l + 1) begin
                for (c = 0; c < 4; c = c + 1)
                    if ({carry[l+1], carry[l]} == c[1:0]) begin
                        digit_q[l] <= digit_q[l] + MOVE[(c*LOOPS+l)*32 +: DIGIT_W];
                        off_q[l*OFF_W +: OFF_W] <= off_q[l*OFF_W +: OFF_W] + MOVE_OFF[(c*LOOPS+l)*32 +: OFF_W];
                        turn_q[l*TURN_W +: TURN_W] <= turn_q[l*TURN_W +: TURN_W] + MOVE_TURN[(c*LOOPS+l)*32 +: TURN_W];
                        ends_q[l] <= ends(l, digit_q[l], MOVE[(c*LOOPS+l)*32 +: 32], 0);
                        ends_carried_q[l] <= ends(l, digit_q[l], MOVE[(c*LOOPS+l)*32 +: 32], 1);
                    end
            end
        end
        if (move) begin
            element_q <= off;
            bank_q <= bank;
        end
    end
    assign element = element_q;
    assign turn = bank_q;
endmodule

`default_nettype wire
