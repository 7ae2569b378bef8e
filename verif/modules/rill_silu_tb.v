// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_silu. unary_bench.vh has the checks.
// Sets for verif/modules/run.sh (vectors: the program that prints the vectors, and its arguments):
// vectors: unary silu
// sweep: LANES=4 TOKENS=2 FAULT=0
// sweep: LANES=1 TOKENS=1 FAULT=0
// sweep: LANES=8 TOKENS=8 FAULT=0
// sweep: LANES=2 TOKENS=4 FAULT=1
`default_nettype none

`define UNARY_MODULE rill_silu
`define UNARY_PARAMETERS
`define UNARY_LATENCY 25

module rill_silu_tb;
    `include "unary_bench.vh"
endmodule

`default_nettype wire
