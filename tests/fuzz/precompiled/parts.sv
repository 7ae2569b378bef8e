// SPDX-License-Identifier: Apache-2.0
// One top module for each model of proxies.sv and memory.sv. It holds the template, always enabled, with its inputs as
// one vector and its outputs as another. FIFOs have the widths to which proxies.sv pads.
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
`RILL_FROM(16)
`RILL_FROM(26)
`RILL_FROM(48)
`RILL_FROM(60)
`RILL_FROM(64)
`RILL_FROM(66)
`RILL_FROM(104)
`RILL_FROM(120)

`define RILL_FIXED(W, F) \
module rill_part_fixed_``W``_``F (input wire clk, input wire [31:0] in, output wire [W+1:0] out); \
    rill_fp32_to_fixed #(.FRAC(F), .WIDTH(W)) u_unit (.clk(clk), .en(1'b1), .a(in), .y(out[W-1:0]), .overflow(out[W]), .fault(out[W+1])); \
endmodule
`RILL_FIXED(8, 0)
`RILL_FIXED(27, 22)
`RILL_FIXED(27, 23)
`RILL_FIXED(27, 24)
`RILL_FIXED(28, 23)
`RILL_FIXED(32, 30)
`RILL_FIXED(41, 39)
`RILL_FIXED(44, 20)

`define RILL_FIFO(D, W, N) \
module rill_part_fifo_``D``_``W (input wire clk, input wire [2:0] moves, input wire [W-1:0] in, \
    output wire [2*N+1:0] state, output wire [W-1:0] out); \
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

`define RILL_MATRIX(B) \
module rill_part_matrix_``B (input wire clk, input wire [7:0] moves, input wire [136+5*B:0] in, output wire state, output wire [127:0] out); \
    wire side; \
    rill_matrix_lane #(.BEAT_BITS(B), .TOKENS(8), .ROWS(8), .SIDE_W(1)) u_unit (.clk(clk), .clk_2x(clk), \
        .rst(moves[1]), .sum_rst(moves[1]), .valid(moves[0]), \
        .int4(moves[2]), .sum_valid(moves[0]), .sum_shift(in[40:36]), \
        .first(moves[3]), .last(moves[4]), .place(in[5:0]), .offset(in[27:6]), .group_scale(in[35:28]), .shift(in[40:36]), \
        .asym(1'b0), .words({B/8{1'b0}}), .sums({13*(B/128){1'b0}}), \
        .row_scale(in[72:41]), .bias(in[104:73]), .nibbles(in[136 +: B]), .x(in[136+B +: 4*B]), .side(1'b0), .out_valid(state), .out_acc(out[63:0]), \
        .out_row_scale(out[95:64]), .out_bias(out[127:96]), .out_side(side)); \
endmodule
`RILL_MATRIX(256)
`RILL_MATRIX(512)

`define RILL_PAIR(B) \
module rill_part_pair_``B (input wire clk, input wire [7:0] moves, input wire [144+9*B:0] in, output wire state, output wire [127:0] out); \
    rill_matrix_pair #(.BEAT_BITS(B), .TOKENS(8), .ROWS(8)) u_unit (.clk(clk), .clk_2x(clk), .rst(moves[1]), .sum_rst(moves[1]), .valid(moves[0]), \
        .int4(moves[2]), .sum_valid(moves[0]), .sum_others(moves[4]), .sum_shift(in[72:63]), \
        .first(moves[3]), .other_toks(moves[4]), .emit(moves[5]), .turn(in[4:0]), .out_tok(in[7:5]), .out_row(in[10:8]), \
        .group_scale(in[62:55]), .shift(in[72:63]), \
        .asym(1'b0), .words({B/8{1'b0}}), .sums({26*(B/128){1'b0}}), .row_scale(in[104:73]), .bias(in[136:105]), .nibbles(in[144 +: B]), \
        .x(in[144+B +: 8*B]), .out_valid(state), .out_acc(out[63:0]), .out_row_scale(out[95:64]), .out_bias(out[127:96])); \
endmodule
`RILL_PAIR(256)
`RILL_PAIR(512)

// `moving` is 1 while a request or an answer is on its way. While it is 0, a cycle without a request changes nothing.
`define RILL_MEMORY(B) \
module rill_part_memory_``B (input wire clk, input wire [7:0] moves, input wire [B+B/8+199:0] in, \
    output wire [23:0] state, output wire [B-1:0] out); \
    wire moving = u_unit.reads_q != 0 || u_unit.writes_q != 0 || rvalid || bvalid || !arready || !awready; \
    wire rvalid, bvalid, arready, awready, wready, rlast; \
    wire [5:0] rid, bid; \
    wire [1:0] rresp, bresp; \
    assign state = {moving, rvalid, bvalid, arready, awready, wready, rlast, rid, bid, rresp, bresp, 1'b0}; \
    rill_axi_memory #(.BEAT_BITS(B), .ID_W(6)) u_unit (.clk(clk), .rst(moves[0]), .channel(in[7:0]), .arvalid(moves[1]), .rready(moves[2]), \
        .awvalid(moves[3]), .wvalid(moves[4]), .wlast(moves[5]), .bready(moves[6]), .araddr(in[71:8]), .awaddr(in[135:72]), .arlen(in[143:136]), \
        .awlen(in[151:144]), .arsize(in[154:152]), .awsize(in[157:155]), .arburst(in[159:158]), .awburst(in[161:160]), .arid(in[167:162]), \
        .awid(in[173:168]), .arlock(in[174]), .arcache(in[178:175]), .arprot(in[181:179]), .arqos(in[185:182]), .awlock(in[186]), \
        .awcache(in[190:187]), .awprot(in[193:191]), .awqos(in[197:194]), .wstrb(in[200 +: B/8]), .wdata(in[200+B/8 +: B]), \
        .arready(arready), .awready(awready), .wready(wready), \
        .rvalid(rvalid), .rid(rid), .rdata(out), .rresp(rresp), .rlast(rlast), .bvalid(bvalid), .bid(bid), .bresp(bresp)); \
endmodule
`RILL_MEMORY(256)
`RILL_MEMORY(512)

`default_nettype wire
