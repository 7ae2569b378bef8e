// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_clip with the bounds -1.5 and 2. unary_bench.vh has the checks.
// vectors: unary clip -1.5 2
// sweep: LANES=4 TOKENS=2 FAULT=0
// sweep: LANES=1 TOKENS=1 FAULT=0
// sweep: LANES=8 TOKENS=8 FAULT=0
// sweep: LANES=2 TOKENS=4 FAULT=1
`default_nettype none

`define UNARY_MODULE rill_clip
`define UNARY_PARAMETERS .LO(32'hbfc00000), .HI(32'h40000000),
`define UNARY_LATENCY 2

module rill_clip_tb;
    `include "unary_bench.vh"
endmodule

`default_nettype wire
