// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_scalar with the constant 2.5. unary_bench.vh has the checks.
// Sets for verif/modules/run.sh (vectors: the program that prints the vectors, and its arguments):
// vectors: unary scalar - 2.5
// sweep: LANES=4 TOKENS=2 FAULT=0 CHOICE=0 FUNCTION=0 DELAY=5 N=21
// sweep: LANES=2 TOKENS=1 FAULT=0 CHOICE=2 FUNCTION=2 DELAY=3
// sweep: LANES=8 TOKENS=8 FAULT=0 CHOICE=4 FUNCTION=4 DELAY=1 N=13
// sweep: LANES=2 TOKENS=2 FAULT=0 CHOICE=5 FUNCTION=5 DELAY=1
// sweep: LANES=4 TOKENS=4 FAULT=0 CHOICE=6 FUNCTION=1 FIRST=1 DELAY=5 N=6
// sweep: LANES=4 TOKENS=2 FAULT=1 CHOICE=7 FUNCTION=3 FIRST=1 DELAY=10 N=5
// sweep: LANES=1 TOKENS=1 FAULT=1 CHOICE=0 FUNCTION=0 DELAY=5
`default_nettype none

`define UNARY_MODULE rill_scalar
`define UNARY_PARAMETERS .FUNCTION(FUNCTION), .VALUE(32'h40200000), .FIRST(FIRST), .N(N),
`define UNARY_LATENCY DELAY

module rill_scalar_tb;
    // Parameters without a comment are those of the module.
    parameter FUNCTION = 0;
    parameter CHOICE = 0;    // number of the operation's `function`, which the program of the vectors needs
    parameter FIRST = 0;
    parameter DELAY = 0;     // latency of FUNCTION
    parameter N = 0;
    `include "unary_bench.vh"
endmodule

`default_nettype wire
