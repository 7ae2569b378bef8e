// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_bmm. Compares sums of random products with the C function. An infinity, or a product outside
// the grid of the sums, must raise the fault. Without idles, stalls and faults, also checks the latency, and that no
// cycle is lost between words.
// Sets for verif/modules/run.sh:
// sweep: LANES=4 TOKENS=2 N=20 FAULT=0
// sweep: LANES=1 TOKENS=1 N=7 FAULT=0
// sweep: LANES=8 TOKENS=8 N=8 FAULT=0
// sweep: LANES=16 TOKENS=1 N=64 FAULT=0
// sweep: LANES=4 ROWS=3 TOKENS=2 N=12 FAULT=0
// sweep: LANES=8 ROWS=16 TOKENS=1 N=32 FAULT=0
// sweep: LANES=2 TOKENS=4 N=6 FAULT=1
// sweep: LANES=4 TOKENS=1 N=8 FAULT=2
// quick: LANES=4 TOKENS=2 N=20 FAULT=0
// quick: LANES=4 ROWS=3 TOKENS=2 N=12 FAULT=0
// quick: LANES=4 ROWS=2 TOKENS=1 N=8 FAULT=2
`default_nettype none

module rill_bmm_tb;
    // Parameters without a comment are those of the module.
    parameter LANES = 4;
    parameter ROWS = 1;
    parameter TOKENS = 2;
    parameter N = 8;
    parameter FAULT = 0; // 1: a factor is infinite; 2: a product is too large. With 1 and 2 results are not compared
    localparam USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1;
    localparam DELAY = 14 + $clog2(LANES);

    wire clk, rst, fault;
    wire a_tvalid, a_tready, a_tlast, a_done;
    wire [ROWS * LANES * 32-1:0] a_tdata;
    wire [USER_W-1:0] a_tuser;
    wire b_tvalid, b_tready, b_tlast, b_done;
    wire [LANES * 32-1:0] b_tdata;
    wire [USER_W-1:0] b_tuser;
    wire y_tvalid, y_tready, y_tlast, y_done;
    wire [ROWS * 32-1:0] y_tdata;
    wire [USER_W-1:0] y_tuser;

    rill_bench_clock #(.LIMIT(400000)) u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_file_driver #(.TAG("a"), .DATA_W(ROWS * LANES * 32), .USER_W(USER_W), .WORDS(16384), .SALT(1)) u_a (.clk(clk),
        .rst(rst),
        .m_axis_tvalid(a_tvalid), .m_axis_tready(a_tready), .m_axis_tdata(a_tdata), .m_axis_tuser(a_tuser),
        .m_axis_tlast(a_tlast),
        .done(a_done));
    rill_file_driver #(.TAG("b"), .DATA_W(LANES * 32), .USER_W(USER_W), .WORDS(16384), .SALT(2)) u_b (.clk(clk),
        .rst(rst),
        .m_axis_tvalid(b_tvalid), .m_axis_tready(b_tready), .m_axis_tdata(b_tdata), .m_axis_tuser(b_tuser),
        .m_axis_tlast(b_tlast),
        .done(b_done));
    rill_bmm #(.LANES(LANES), .ROWS(ROWS), .TOKENS(TOKENS), .N(N)) dut (
        .clk(clk), .rst(rst), .fault(fault), .s_axis_a_tvalid(a_tvalid),
        .s_axis_a_tready(a_tready), .s_axis_a_tdata(a_tdata), .s_axis_a_tuser(a_tuser), .s_axis_a_tlast(a_tlast),
        .s_axis_b_tvalid(b_tvalid), .s_axis_b_tready(b_tready), .s_axis_b_tdata(b_tdata), .s_axis_b_tuser(b_tuser),
        .s_axis_b_tlast(b_tlast), .m_axis_y_tvalid(y_tvalid), .m_axis_y_tready(y_tready), .m_axis_y_tdata(y_tdata),
        .m_axis_y_tuser(y_tuser), .m_axis_y_tlast(y_tlast));
    rill_file_monitor #(.TAG("y"), .DATA_W(ROWS * 32), .USER_W(USER_W), .WORDS(16384), .SALT(20),
        .COMPARE(!FAULT)) u_y (.clk(clk),
        .rst(rst), .s_axis_tvalid(y_tvalid), .s_axis_tready(y_tready), .s_axis_tdata(y_tdata), .s_axis_tuser(y_tuser),
        .s_axis_tlast(y_tlast), .done(y_done));
    rill_kernel_verdict #(.FAULT(FAULT), .AFTER((N / LANES - 1) * TOKENS + 1), .LATENCY(DELAY), .SLACK(DELAY),
        .WAITS(0)) u_verdict (
        .clk(clk), .rst(rst), .fault(fault), .done(a_done && b_done && y_done), .x_tvalid(a_tvalid),
        .x_tready(a_tready), .y_tvalid(y_tvalid), .y_tready(y_tready));
endmodule

`default_nettype wire
