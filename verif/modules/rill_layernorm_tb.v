// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_layernorm. Compares vectors of N elements, with a nonzero mean and outliers, with
// golden_layernorm. Also checks the latency, the time from the last word in to the last word out, and that the faults
// of vectors_rill_layernorm.c are raised. VAR_SCALE and MEAN_SCALE are the constants of golden_layernorm for N, as fp32
// bits; EPS is 1e-5.
// Sets for verif/modules/run.sh (after @: idles and stalls in percent):
// sweep: LANES=4 TOKENS=2 N=128 VAR_SCALE=612368384 MEAN_SCALE=838860800 FAULT=0
// sweep: LANES=1 TOKENS=1 N=7 VAR_SCALE=682045189 MEAN_SCALE=873613605 FAULT=0
// sweep: LANES=8 TOKENS=8 N=100 VAR_SCALE=617723671 MEAN_SCALE=841209610 FAULT=0
// sweep: LANES=32 TOKENS=2 N=96 VAR_SCALE=618892857 MEAN_SCALE=841657003 FAULT=0
// sweep: LANES=16 TOKENS=1 N=300 VAR_SCALE=591030748 MEAN_SCALE=828011534 FAULT=0
// sweep: LANES=2 TOKENS=2 N=1 VAR_SCALE=729808896 MEAN_SCALE=897581056 FAULT=0
// sweep: LANES=4 TOKENS=2 N=64 VAR_SCALE=629145600 MEAN_SCALE=847249408 FAULT=1
// sweep: LANES=4 TOKENS=2 N=64 VAR_SCALE=629145600 MEAN_SCALE=847249408 FAULT=2
// sweep: LANES=4 TOKENS=2 N=64 VAR_SCALE=629145600 MEAN_SCALE=847249408 FAULT=4
// sweep: LANES=4 TOKENS=2 N=64 VAR_SCALE=629145600 MEAN_SCALE=847249408 FAULT=5
// quick: LANES=4 TOKENS=2 N=128 VAR_SCALE=612368384 MEAN_SCALE=838860800 FAULT=0
// quick: LANES=1 TOKENS=1 N=7 VAR_SCALE=682045189 MEAN_SCALE=873613605 FAULT=0
// quick: LANES=4 TOKENS=2 N=64 VAR_SCALE=629145600 MEAN_SCALE=847249408 FAULT=1 @ 50:50
// quick: LANES=4 TOKENS=2 N=64 VAR_SCALE=629145600 MEAN_SCALE=847249408 FAULT=4 @ 50:50
// quick: LANES=4 TOKENS=2 N=64 VAR_SCALE=629145600 MEAN_SCALE=847249408 FAULT=5 @ 50:50
`default_nettype none

module rill_layernorm_tb;
    // Parameters without a comment are those of the module.
    parameter LANES = 4;
    parameter TOKENS = 2;
    parameter N = 128;
    parameter VAR_SCALE = 0;
    parameter MEAN_SCALE = 0;
    parameter FAULT = 0;                         // kind of fault in the vectors; 0: none
    localparam USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1;
    localparam CHUNKS = (N + LANES - 1) / LANES;

    wire clk, rst, fault;
    wire x_tvalid, x_tready, x_tlast, x_done;
    wire [LANES * 32-1:0] x_tdata;
    wire [USER_W-1:0] x_tuser;
    wire param_tvalid, param_tready, param_tlast, param_done;
    wire [2 * LANES * 32-1:0] param_tdata;
    wire [0:0] param_tuser;
    wire y_tvalid, y_tready, y_tlast, y_done;
    wire [LANES * 32-1:0] y_tdata;
    wire [USER_W-1:0] y_tuser;

    rill_bench_clock #(.LIMIT(400000)) u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_file_driver #(.TAG("x"), .DATA_W(LANES * 32), .USER_W(USER_W), .WORDS(16384), .SALT(1)) u_x (.clk(clk),
        .rst(rst),
        .m_axis_tvalid(x_tvalid), .m_axis_tready(x_tready), .m_axis_tdata(x_tdata), .m_axis_tuser(x_tuser),
        .m_axis_tlast(x_tlast),
        .done(x_done));
    rill_file_driver #(.TAG("param"), .DATA_W(2 * LANES * 32), .USER_W(1), .WORDS(16384), .SALT(2)) u_param (.clk(clk),
        .rst(rst),
        .m_axis_tvalid(param_tvalid), .m_axis_tready(param_tready), .m_axis_tdata(param_tdata),
        .m_axis_tuser(param_tuser),
        .m_axis_tlast(param_tlast), .done(param_done));
    rill_layernorm #(.LANES(LANES), .TOKENS(TOKENS), .N(N), .EPS(32'h3727c5ac), .VAR_SCALE(VAR_SCALE),
        .MEAN_SCALE(MEAN_SCALE)) dut (.clk(clk), .rst(rst), .fault(fault), .s_axis_x_tvalid(x_tvalid),
        .s_axis_x_tready(x_tready),
        .s_axis_x_tdata(x_tdata), .s_axis_x_tuser(x_tuser), .s_axis_x_tlast(x_tlast),
        .s_axis_param_tvalid(param_tvalid),
        .s_axis_param_tready(param_tready), .s_axis_param_tdata(param_tdata), .m_axis_y_tvalid(y_tvalid),
        .m_axis_y_tready(y_tready),
        .m_axis_y_tdata(y_tdata), .m_axis_y_tuser(y_tuser), .m_axis_y_tlast(y_tlast));
    rill_file_monitor #(.TAG("y"), .DATA_W(LANES * 32), .USER_W(USER_W), .WORDS(16384), .SALT(20),
        .COMPARE(!FAULT)) u_y (.clk(clk),
        .rst(rst), .s_axis_tvalid(y_tvalid), .s_axis_tready(y_tready), .s_axis_tdata(y_tdata), .s_axis_tuser(y_tuser),
        .s_axis_tlast(y_tlast), .done(y_done));
    rill_kernel_verdict #(.FAULT(FAULT), .AFTER(CHUNKS * TOKENS), .LATENCY($clog2(LANES) + 51),
        .SLACK($clog2(LANES) + 51 + CHUNKS * TOKENS - 1)) u_verdict (.clk(clk), .rst(rst), .fault(fault),
        .done(x_done && param_done && y_done), .x_tvalid(x_tvalid), .x_tready(x_tready), .y_tvalid(y_tvalid),
        .y_tready(y_tready));
endmodule

`default_nettype wire
