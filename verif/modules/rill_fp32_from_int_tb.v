// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_fp32_from_int. Compares it with the C function g_from_int128. rill_vector_bench has the checks.
// WIDTH is as in the module.
// Sets for verif/modules/run.sh (after @: idles and stalls in percent):
// sweep: WIDTH=2
// sweep: WIDTH=8
// sweep: WIDTH=16
// sweep: WIDTH=24
// sweep: WIDTH=33
// sweep: WIDTH=48
// sweep: WIDTH=64
// sweep: WIDTH=65
// sweep: WIDTH=96
// sweep: WIDTH=127
// sweep: WIDTH=128
// quick: WIDTH=24
// quick: WIDTH=33
// quick: WIDTH=65 @ 50:50
`default_nettype none

module rill_fp32_from_int_tb #(parameter WIDTH = 64);
    `include "rill_latency.vh"
    wire             clk, en;
    wire [WIDTH-1:0] a;
    wire [31:0]      y;

    rill_fp32_from_int #(.WIDTH(WIDTH)) u_dut (.clk(clk), .en(en), .a(a), .y(y));
    rill_vector_bench #(.LATENCY(LATENCY_FROM_INT), .A_W(WIDTH), .FAULTS(0)) u_bench (.clk(clk), .rst(), .en(en),
        .a(a), .b(), .valid(), .y(y), .flag(1'b0), .fault(1'b0));
endmodule

`default_nettype wire
