// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_fp32_ln_table. Compares it with the table of the C function g_ln. rill_table_bench has the checks.
// Sets for verif/modules/run.sh (-: no parameters; after @: idles and stalls in percent):
// quick: - @ 50:50
`default_nettype none

module rill_fp32_ln_table_tb;
    wire        clk, en;
    wire [6:0]  index;
    wire [29:0] c0;
    wire [26:0] c1;
    wire [17:0] c2;

    rill_fp32_ln_table u_dut (.clk(clk), .en(en), .index(index), .c0(c0), .c1(c1), .c2(c2));
    rill_table_bench #(.SEGMENTS(128)) u_bench (.clk(clk), .en(en), .index(index), .c0(c0), .c1(c1), .c2(c2));
endmodule

`default_nettype wire
