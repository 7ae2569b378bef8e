// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_fp32_add. Compares it with the C function g_add. rill_vector_bench has the checks.
// Sets for verif/modules/run.sh (-: no parameters; after @: idles and stalls in percent):
// quick: - @ 50:50
`default_nettype none

module rill_fp32_add_tb;
    `include "rill_latency.vh"
    wire        clk, en, fault;
    wire [31:0] a, b, y;

    rill_fp32_add u_dut (.clk(clk), .en(en), .a(a), .b(b), .y(y), .fault(fault));
    rill_vector_bench #(.LATENCY(LATENCY_ADD), .OPERANDS(2)) u_bench (.clk(clk), .rst(), .en(en), .a(a), .b(b),
        .valid(), .y(y), .flag(1'b0), .fault(fault));
endmodule

`default_nettype wire
