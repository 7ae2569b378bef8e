// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_unary_lane. Compares corner values and random values of the whole range with the C function. In
// cycles without a valid word the operand is an infinity, which must not raise the fault. A and B (unary_functions.vh)
// are the constants of the operation that vectors_rill_unary.h lists for FUNCTION.
// Sets for verif/modules/run.sh (after @: idles and stalls in percent):
// sweep: FUNCTION=0 LATENCY=22
// sweep: FUNCTION=1 LATENCY=17
// sweep: FUNCTION=2 LATENCY=17
// sweep: FUNCTION=3 LATENCY=17
// sweep: FUNCTION=4 LATENCY=10
// sweep: FUNCTION=5 LATENCY=13
// sweep: FUNCTION=6 LATENCY=10
// sweep: FUNCTION=7 LATENCY=7
// sweep: FUNCTION=8 LATENCY=19
// sweep: FUNCTION=9 LATENCY=3
// sweep: FUNCTION=10 LATENCY=9
// sweep: FUNCTION=11 LATENCY=12
// quick: FUNCTION=0 LATENCY=22 @ 50:50
// quick: FUNCTION=1 LATENCY=17 @ 50:50
// quick: FUNCTION=2 LATENCY=17 @ 50:50
// quick: FUNCTION=3 LATENCY=17 @ 50:50
// quick: FUNCTION=4 LATENCY=10 @ 50:50
// quick: FUNCTION=5 LATENCY=13 @ 50:50
// quick: FUNCTION=6 LATENCY=10 @ 50:50
// quick: FUNCTION=7 LATENCY=7 @ 50:50
// quick: FUNCTION=8 LATENCY=19 @ 50:50
// quick: FUNCTION=9 LATENCY=3 @ 50:50
// quick: FUNCTION=10 LATENCY=9 @ 50:50
// quick: FUNCTION=11 LATENCY=12 @ 50:50
`default_nettype none

module rill_unary_lane_tb;
    // Parameters without a comment are those of the module.
    parameter FUNCTION = 0;
    parameter LATENCY = 22; // latency of FUNCTION
    `include "unary_functions.vh"
    wire             clk, rst, en, fault;
    wire [31:0]      x, y;
    wire [LATENCY:0] valid;

    rill_unary_lane #(.FUNCTION(FUNCTION), .A(A), .B(B), .STAGES(LATENCY)) u_dut (.clk(clk), .rst(rst), .en(en),
        .valid(valid[LATENCY-1:0]), .x(x), .y(y), .fault(fault));
    // FAULTS 3: the fault of a lane is not aligned with y, so vectors that fault are given alone.
    rill_vector_bench #(.LATENCY(LATENCY), .FAULTS(3)) u_bench (.clk(clk), .rst(rst), .en(en), .a(x), .b(),
        .valid(valid), .y(y), .flag(1'b0), .fault(fault));
endmodule

`default_nettype wire
