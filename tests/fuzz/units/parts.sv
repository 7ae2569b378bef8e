// SPDX-License-Identifier: Apache-2.0
// One top for each model of units.sv: the template itself, always enabled, its inputs as one vector and its outputs as another.
// The widths of FIFOs are those that units.sv fills up to.
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

`define RILL_FIFO(D, W, N) \
module rill_part_fifo_``D``_``W (input wire clk, input wire [2:0] moves, input wire [W-1:0] in, output wire [2*N+1:0] state, output wire [W-1:0] out); \
    rill_fifo #(.DATA_W(W), .DEPTH(D), .RAM_STYLE("distributed")) u_unit (.clk(clk), .rst(moves[2]), .s_axis_tvalid(moves[1]), \
        .s_axis_tready(state[2*N+1]), .s_axis_tdata(in), .m_axis_tvalid(state[2*N]), .m_axis_tready(moves[0]), .m_axis_tdata(out), \
        .occupancy(state[N-1:0]), .high_water(state[2*N-1:N])); \
endmodule
`RILL_FIFO(2, 40, 2)
`RILL_FIFO(2, 72, 2)
`RILL_FIFO(2, 136, 2)
`RILL_FIFO(2, 272, 2)
`RILL_FIFO(2, 544, 2)
`RILL_FIFO(4, 72, 3)
`RILL_FIFO(4, 272, 3)

`default_nettype wire
