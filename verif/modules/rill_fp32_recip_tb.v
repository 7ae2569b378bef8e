// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_fp32_recip. Compares it with the C function g_recip. rill_vector_bench has the checks.
// Sets for verif/modules/run.sh (-: no parameters; after @: idles and stalls in percent):
// quick: - @ 50:50
`default_nettype none

module rill_fp32_recip_tb;
    `include "rill_latency.vh"
    wire        clk, en, fault;
    wire [31:0] a, y;

    rill_fp32_recip u_dut (.clk(clk), .en(en), .a(a), .y(y), .fault(fault));
    rill_vector_bench #(.LATENCY(LATENCY_RECIP)) u_bench (.clk(clk), .rst(), .en(en), .a(a), .b(), .valid(), .y(y),
        .flag(1'b0), .fault(fault));
endmodule

`default_nettype wire
