// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_fp32_mul. Compares it with the C function g_mul, or g_mul_sat with SATURATE. rill_vector_bench has
// the checks.
// Sets for verif/modules/run.sh (after @: idles and stalls in percent):
// sweep: SATURATE=0
// sweep: SATURATE=1
// quick: SATURATE=0 @ 50:50
// quick: SATURATE=1 @ 50:50
`default_nettype none

module rill_fp32_mul_tb #(parameter SATURATE = 0);
    `include "rill_latency.vh"
    wire        clk, en, fault;
    wire [31:0] a, b, y;

    rill_fp32_mul #(.SATURATE(SATURATE)) u_dut (.clk(clk), .en(en), .a(a), .b(b), .y(y), .fault(fault));
    rill_vector_bench #(.LATENCY(LATENCY_MUL), .OPERANDS(2)) u_bench (.clk(clk), .rst(), .en(en), .a(a), .b(b),
        .valid(), .y(y), .flag(1'b0), .fault(fault));
endmodule

`default_nettype wire
