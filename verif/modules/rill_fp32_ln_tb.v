// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_fp32_ln. Compares it with the golden function, for positive fp32 operands.
// quick: - @ 50:50
`default_nettype none

module rill_fp32_ln_tb;
    wire        clk, en;
    wire [31:0] a, y;

    rill_fp32_ln u_dut (.clk(clk), .en(en), .power({1'b0, a[30:23]} - 9'd127), .fraction({a[22:0], 9'd0}), .y(y));
    rill_vector_bench #(.LATENCY(13), .FAULTS(1)) u_bench (.clk(clk), .rst(), .en(en), .a(a), .b(), .valid(), .y(y),
        .flag(1'b0), .fault(1'b0));
endmodule

`default_nettype wire
