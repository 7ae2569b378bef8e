// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_fp32_ln. Compares it with the C function g_ln, for positive normal operands. rill_vector_bench has
// the checks.
// Sets for verif/modules/run.sh (-: no parameters; after @: idles and stalls in percent):
// quick: - @ 50:50
`default_nettype none

module rill_fp32_ln_tb;
    wire        clk, en;
    wire [31:0] a, y;

    rill_fp32_ln u_dut (.clk(clk), .en(en), .power({1'b0, a[30:23]} - 9'd127), .fraction({a[22:0], 9'd0}), .y(y));
    // FAULTS 1: the bench leaves out the vectors in which g_ln raises a fault, because the unit has no fault output.
    // Their operands are zero, subnormal, negative or not finite.
    rill_vector_bench #(.LATENCY(13), .FAULTS(1)) u_bench (.clk(clk), .rst(), .en(en), .a(a), .b(), .valid(), .y(y),
        .flag(1'b0), .fault(1'b0));
endmodule

`default_nettype wire
