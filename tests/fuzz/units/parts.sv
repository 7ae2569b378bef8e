// SPDX-License-Identifier: Apache-2.0
// One top for each model of units.sv: the template itself, always enabled, its inputs as one vector and its outputs as another.
`default_nettype none
/* verilator lint_off DECLFILENAME */
/* verilator lint_off MULTITOP */

module rill_part_add (input wire clk, input wire [63:0] in, output wire [32:0] out);
    rill_fp32_add u_unit (.clk(clk), .en(1'b1), .a(in[31:0]), .b(in[63:32]), .y(out[31:0]), .fault(out[32]));
endmodule

module rill_part_mul (input wire clk, input wire [63:0] in, output wire [32:0] out);
    rill_fp32_mul #(.SATURATE(0)) u_unit (.clk(clk), .en(1'b1), .a(in[31:0]), .b(in[63:32]), .y(out[31:0]), .fault(out[32]));
endmodule

module rill_part_mul_saturating (input wire clk, input wire [63:0] in, output wire [32:0] out);
    rill_fp32_mul #(.SATURATE(1)) u_unit (.clk(clk), .en(1'b1), .a(in[31:0]), .b(in[63:32]), .y(out[31:0]), .fault(out[32]));
endmodule

module rill_part_exp (input wire clk, input wire [31:0] in, output wire [32:0] out);
    rill_fp32_exp u_unit (.clk(clk), .en(1'b1), .a(in), .y(out[31:0]), .fault(out[32]));
endmodule

module rill_part_recip (input wire clk, input wire [31:0] in, output wire [32:0] out);
    rill_fp32_recip u_unit (.clk(clk), .en(1'b1), .a(in), .y(out[31:0]), .fault(out[32]));
endmodule

module rill_part_rsqrt (input wire clk, input wire [31:0] in, output wire [32:0] out);
    rill_fp32_rsqrt u_unit (.clk(clk), .en(1'b1), .a(in), .y(out[31:0]), .fault(out[32]));
endmodule

`define RILL_FROM(W) \
module rill_part_from_``W (input wire clk, input wire [W-1:0] in, output wire [31:0] out); \
    rill_fp32_from_int #(.WIDTH(W)) u_unit (.clk(clk), .en(1'b1), .a(in), .y(out)); \
endmodule
`RILL_FROM(4)
`RILL_FROM(8)
`RILL_FROM(9)
`RILL_FROM(48)
`RILL_FROM(60)
`RILL_FROM(64)
`RILL_FROM(104)
`RILL_FROM(120)

`define RILL_FIXED(W, F) \
module rill_part_fixed_``W (input wire clk, input wire [31:0] in, output wire [W+1:0] out); \
    rill_fp32_to_fixed #(.FRAC(F), .WIDTH(W)) u_unit (.clk(clk), .en(1'b1), .a(in), .y(out[W-1:0]), .overflow(out[W]), .fault(out[W+1])); \
endmodule
`RILL_FIXED(8, 0)
`RILL_FIXED(32, 30)
`RILL_FIXED(44, 20)

`default_nettype wire
