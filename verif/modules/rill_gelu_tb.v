// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_gelu. unary_bench.vh has the checks.
// Sets for verif/modules/run.sh (vectors: the program that prints the vectors, and its arguments):
// vectors: unary gelu
// sweep: LANES=4 TOKENS=2 FAULT=0
// sweep: LANES=1 TOKENS=1 FAULT=0
// sweep: LANES=8 TOKENS=8 FAULT=0
// sweep: LANES=2 TOKENS=4 FAULT=1
// sweep: LANES=4 TOKENS=2 EXACT=1
// sweep: LANES=1 TOKENS=4 FAULT=1 EXACT=1
`default_nettype none

`define UNARY_MODULE rill_gelu
`define UNARY_PARAMETERS .EXACT(EXACT),
`define UNARY_LATENCY (EXACT ? 17 : 42)

module rill_gelu_tb;
    parameter EXACT = 0; // 1: the exact form, as in rill_gelu
    `include "unary_bench.vh"
endmodule

`default_nettype wire
