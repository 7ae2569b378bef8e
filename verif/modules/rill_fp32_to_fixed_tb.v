// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_fp32_to_fixed. Compares it with the C function g_fix. rill_vector_bench has the checks. WIDTH and
// FRAC are as in the module.
// Sets for verif/modules/run.sh (after @: idles and stalls in percent):
// sweep: WIDTH=2 FRAC=0
// sweep: WIDTH=8 FRAC=0
// sweep: WIDTH=8 FRAC=30
// sweep: WIDTH=25 FRAC=3
// sweep: WIDTH=26 FRAC=24
// sweep: WIDTH=32 FRAC=30
// sweep: WIDTH=44 FRAC=20
// sweep: WIDTH=64 FRAC=0
// sweep: WIDTH=64 FRAC=-10
// quick: WIDTH=8 FRAC=30
// quick: WIDTH=44 FRAC=20 @ 50:50
// quick: WIDTH=64 FRAC=-10 @ 50:50
`default_nettype none

module rill_fp32_to_fixed_tb #(parameter WIDTH = 44, parameter FRAC = 20);
    `include "rill_latency.vh"
    wire             clk, en, overflow, fault;
    wire [31:0]      a;
    wire [WIDTH-1:0] y;

    rill_fp32_to_fixed #(.FRAC(FRAC), .WIDTH(WIDTH)) u_dut (.clk(clk), .en(en), .a(a), .y(y), .overflow(overflow),
        .fault(fault));
    rill_vector_bench #(.LATENCY(LATENCY_TO_FIXED), .Y_W(WIDTH), .FLAG(1)) u_bench (.clk(clk), .rst(), .en(en), .a(a),
        .b(), .valid(), .y(y), .flag(overflow), .fault(fault));
endmodule

`default_nettype wire
