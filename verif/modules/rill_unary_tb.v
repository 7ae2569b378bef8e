// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_unary. unary_bench.vh has the checks. Functions 5 to 7 raise the fault for many random operands, so
// they run here with FAULT=1 or not at all. rill_unary_lane_tb compares their results. FUNCTION is as in rill_unary.
// Sets for verif/modules/run.sh (vectors: the program that prints the vectors, and its arguments):
// vectors: unary function
// sweep: LANES=4 TOKENS=2 FAULT=0 FUNCTION=0 DELAY=22 N=21
// sweep: LANES=1 TOKENS=1 FAULT=0 FUNCTION=1 DELAY=17
// sweep: LANES=8 TOKENS=8 FAULT=0 FUNCTION=2 DELAY=17
// sweep: LANES=2 TOKENS=4 FAULT=0 FUNCTION=3 DELAY=17
// sweep: LANES=4 TOKENS=2 FAULT=0 FUNCTION=4 DELAY=10 N=3
// sweep: LANES=4 TOKENS=1 FAULT=0 FUNCTION=8 DELAY=19 N=18
// sweep: LANES=16 TOKENS=2 FAULT=0 FUNCTION=9 DELAY=3
// sweep: LANES=2 TOKENS=2 FAULT=0 FUNCTION=10 DELAY=9 N=31
// sweep: LANES=2 TOKENS=2 FAULT=0 FUNCTION=11 DELAY=12
// sweep: LANES=2 TOKENS=4 FAULT=1 FUNCTION=1 DELAY=17
// sweep: LANES=2 TOKENS=4 FAULT=1 FUNCTION=5 DELAY=13 N=5
// sweep: LANES=1 TOKENS=1 FAULT=1 FUNCTION=6 DELAY=10
// sweep: LANES=1 TOKENS=1 FAULT=1 FUNCTION=11 DELAY=12
`default_nettype none

`define UNARY_MODULE rill_unary
`define UNARY_PARAMETERS .FUNCTION(FUNCTION), .A(A), .B(B), .N(N),
`define UNARY_LATENCY DELAY

module rill_unary_tb;
    // Parameters without a comment are those of the module.
    parameter FUNCTION = 0;
    parameter DELAY = 0;     // latency of FUNCTION
    parameter N = 0;
    `include "unary_functions.vh"
    `include "unary_bench.vh"
endmodule

`default_nettype wire
