// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_fp32_compare. Compares `less` with the C function g_less. `equal` must be 1 if g_less(a, b) and
// g_less(b, a) are both false, else 0. The fault is compared as well. rill_vector_bench has the checks.
// Sets for verif/modules/run.sh (-: no parameters; after @: idles and stalls in percent):
// quick: - @ 50:50
`default_nettype none

module rill_fp32_compare_tb;
    wire        less, equal, fault;
    wire [31:0] a, b;

    rill_fp32_compare u_dut (.a(a), .b(b), .less(less), .equal(equal), .fault(fault));
    rill_vector_bench #(.LATENCY(0), .OPERANDS(2), .Y_W(1), .FLAG(1)) u_bench (.clk(), .rst(), .en(), .a(a), .b(b),
        .valid(), .y(less), .flag(equal), .fault(fault));
endmodule

`default_nettype wire
