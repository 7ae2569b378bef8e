// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_softcap with a cap of 30, so SLOPE is -2 / 30 and GAIN is 2 * 30. unary_bench.vh has the checks.
// Sets for verif/modules/run.sh (vectors: the program that prints the vectors, and its arguments):
// vectors: unary softcap 30
// sweep: LANES=4 TOKENS=2 FAULT=0
// sweep: LANES=1 TOKENS=1 FAULT=0
// sweep: LANES=8 TOKENS=8 FAULT=0
// sweep: LANES=2 TOKENS=4 FAULT=1
`default_nettype none

`define UNARY_MODULE rill_softcap
`define UNARY_PARAMETERS .SLOPE(32'hbd888889), .GAIN(32'h42700000),
`define UNARY_LATENCY 33

module rill_softcap_tb;
    `include "unary_bench.vh"
endmodule

`default_nettype wire
