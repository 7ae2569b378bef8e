// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_fp32_max. Compares it with the C function g_max. rill_vector_bench has the checks.
// Sets for verif/modules/run.sh (-: no parameters; after @: idles and stalls in percent):
// quick: - @ 50:50
`default_nettype none

module rill_fp32_max_tb;
    wire        fault;
    wire [31:0] a, b, y;

    rill_fp32_max u_dut (.a(a), .b(b), .y(y), .fault(fault));
    rill_vector_bench #(.LATENCY(0), .OPERANDS(2)) u_bench (.clk(), .rst(), .en(), .a(a), .b(b), .valid(), .y(y),
        .flag(1'b0), .fault(fault));
endmodule

`default_nettype wire
