// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_clip with the bounds -1.5 and -0.25. As 0 is outside of these bounds, padding only stays +0 if the
// module does not clip it. unary_bench.vh has the checks.
// Sets for verif/modules/run.sh (vectors: the program that prints the vectors, and its arguments):
// vectors: unary clip -1.5 -0.25
// sweep: LANES=4 TOKENS=2 FAULT=0 N=22
// sweep: LANES=1 TOKENS=1 FAULT=0 N=9
// sweep: LANES=8 TOKENS=8 FAULT=0 N=5
// sweep: LANES=2 TOKENS=4 FAULT=1 N=31
`default_nettype none

`define UNARY_MODULE rill_clip
`define UNARY_PARAMETERS .LO(32'hbfc00000), .HI(32'hbe800000), .N(N),
`define UNARY_LATENCY 2

module rill_clip_tb;
    // Parameters without a comment are those of the module.
    parameter N = 0;
    `include "unary_bench.vh"
endmodule

`default_nettype wire
