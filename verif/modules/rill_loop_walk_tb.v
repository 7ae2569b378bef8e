// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_loop_walk. Walks through D0 x D1 elements column by column, every column R times. A walk begins at
// element FIRST, counted in the order of the walk, and advances by STEP elements. Five walks use the two halves of the
// buffer in turn, with moves at random times. Checks element and bank after each move, and that they do not change
// without a move.
// Sets for verif/modules/run.sh:
// sweep: D0=4 D1=3 R=1 STEP=1 FIRST=0
// sweep: D0=3 D1=5 R=2 STEP=4 FIRST=3
// sweep: D0=1 D1=7 R=3 STEP=2 FIRST=1
// sweep: D0=7 D1=1 R=1 STEP=8 FIRST=5
// sweep: D0=1 D1=1 R=1 STEP=1 FIRST=0
// sweep: D0=9 D1=4 R=1 STEP=32 FIRST=17
// quick: D0=3 D1=5 R=2 STEP=4 FIRST=3
// quick: D0=7 D1=1 R=1 STEP=8 FIRST=5
`default_nettype none
`timescale 1ns / 1ps

module rill_loop_walk_tb;
    parameter D0 = 4;
    parameter D1 = 3;
    parameter R = 1;
    parameter STEP = 1;
    parameter FIRST = 0;
    localparam SIZE = D0 * D1;
    localparam STEPS = (SIZE * R + STEP - 1) / STEP;       // moves of a walk
    localparam TURN_0 = 5;                                 // banks from a row to the next one
    localparam TURN_1 = 3;                                 // banks from a column to the next one
    localparam [95:0] TRIPS = {D0[31:0], R[31:0], D1[31:0]};
    localparam [95:0] STRIDES = {D1[31:0], 32'd0, 32'd1};
    localparam [95:0] TURNS = {TURN_0[31:0], 32'd0, TURN_1[31:0]};

    wire        clk, rst;
    reg         move, half, was;                           // was: a move has been made
    wire        last;
    wire [11:0] element;
    wire [2:0]  turn;
    integer     n, walk, seed, bad, at, want, bank;

    rill_bench_clock u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_loop_walk #(.LOOPS(3), .TRIPS(TRIPS), .STRIDES(STRIDES), .TURNS(TURNS), .STEP(STEP), .FIRST(FIRST),
        .HALF(SIZE), .OFF_W(12), .TURN_W(3))
        dut (.clk(clk), .rst(rst), .move(move), .last(last), .half(half), .element(element), .turn(turn));
    assign last = n == STEPS - 1;

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 0;
        bad = 0;                                           // wrong elements or banks
        move = 1'b0;
        half = 1'b0;
        was = 1'b0;
        n = 0;
        @(negedge rst);
        walk = 0;
        while (walk < 5) begin
            @(negedge clk);
            // Elements after the last one of a walk are not compared.
            if (was && FIRST + at * STEP < SIZE * R && (element !== want || turn !== bank[2:0]))
                bad = bad + 1;
            if (move) begin
                n = last ? 0 : n + 1;
                if (n == 0) begin
                    walk = walk + 1;
                    half = !half;
                end
            end
            move = $random(seed) % 3 != 0;
            if (move) begin                                // expected output after this clock
                at = n;
                want = FIRST + at * STEP;
                bank = TURN_0 * (want % D0) + TURN_1 * (want / D0 / R);
                want = (want % D0) * D1 + want / D0 / R + (half ? SIZE : 0);
                was = 1'b1;
            end
        end
        if (bad != 0)
            $display("FAIL: %0d wrong elements", bad);
        else
            $display("PASS");
        $finish;
    end
endmodule

`default_nettype wire
