// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_scale. Compares random firings with golden_scale, with one scalar per token and tlast after
// HEADS firings. Without idles, stalls and faults, also checks the latency (4 cycles) and that input words wait at most
// 2 cycles in all.
// Sets for verif/modules/run.sh (after @: idles and stalls in percent):
// sweep: LANES=4 TOKENS=2 HEADS=3 FAULT=0
// sweep: LANES=1 TOKENS=1 HEADS=1 FAULT=0
// sweep: LANES=8 TOKENS=8 HEADS=2 FAULT=0
// sweep: LANES=2 TOKENS=4 HEADS=1 FAULT=1
// quick: LANES=4 TOKENS=2 HEADS=3 FAULT=0
// quick: LANES=2 TOKENS=4 HEADS=1 FAULT=1 @ 50:50
`default_nettype none

module rill_scale_tb;
    // Parameters without a comment are those of the module.
    parameter LANES = 4;
    parameter TOKENS = 2;
    parameter HEADS = 3;
    parameter FAULT = 0;     // 1: the vectors have an infinity, which must raise the fault
    localparam USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1;

    wire clk, rst, fault;
    wire x_tvalid, x_tready, x_tlast, x_done;
    wire [LANES * 32-1:0] x_tdata;
    wire [USER_W-1:0] x_tuser;
    wire s_tvalid, s_tready, s_tlast, s_done;
    wire [32-1:0] s_tdata;
    wire [USER_W-1:0] s_tuser;
    wire y_tvalid, y_tready, y_tlast, y_done;
    wire [LANES * 32-1:0] y_tdata;
    wire [USER_W-1:0] y_tuser;

    rill_bench_clock #(.LIMIT(400000)) u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_file_driver #(.TAG("x"), .DATA_W(LANES * 32), .USER_W(USER_W), .WORDS(16384), .SALT(1)) u_x (.clk(clk),
        .rst(rst),
        .m_axis_tvalid(x_tvalid), .m_axis_tready(x_tready), .m_axis_tdata(x_tdata), .m_axis_tuser(x_tuser),
        .m_axis_tlast(x_tlast),
        .done(x_done));
    rill_file_driver #(.TAG("s"), .DATA_W(32), .USER_W(USER_W), .WORDS(16384), .SALT(2)) u_s (.clk(clk), .rst(rst),
        .m_axis_tvalid(s_tvalid), .m_axis_tready(s_tready), .m_axis_tdata(s_tdata), .m_axis_tuser(s_tuser),
        .m_axis_tlast(s_tlast),
        .done(s_done));
    rill_scale #(.LANES(LANES), .TOKENS(TOKENS), .HEADS(HEADS)) dut (.clk(clk), .rst(rst), .fault(fault),
        .s_axis_x_tvalid(x_tvalid),
        .s_axis_x_tready(x_tready), .s_axis_x_tdata(x_tdata), .s_axis_x_tuser(x_tuser), .s_axis_x_tlast(x_tlast),
        .s_axis_s_tvalid(s_tvalid), .s_axis_s_tready(s_tready), .s_axis_s_tdata(s_tdata), .s_axis_s_tuser(s_tuser),
        .s_axis_s_tlast(s_tlast), .m_axis_y_tvalid(y_tvalid), .m_axis_y_tready(y_tready), .m_axis_y_tdata(y_tdata),
        .m_axis_y_tuser(y_tuser), .m_axis_y_tlast(y_tlast));
    rill_file_monitor #(.TAG("y"), .DATA_W(LANES * 32), .USER_W(USER_W), .WORDS(16384), .SALT(20),
        .COMPARE(!FAULT)) u_y (.clk(clk),
        .rst(rst), .s_axis_tvalid(y_tvalid), .s_axis_tready(y_tready), .s_axis_tdata(y_tdata), .s_axis_tuser(y_tuser),
        .s_axis_tlast(y_tlast), .done(y_done));
    rill_kernel_verdict #(.FAULT(FAULT), .LATENCY(4), .SLACK(4), .WAITS(2)) u_verdict (.clk(clk), .rst(rst),
        .fault(fault),
        .done(x_done && s_done && y_done), .x_tvalid(x_tvalid), .x_tready(x_tready), .y_tvalid(y_tvalid),
        .y_tready(y_tready));
endmodule

`default_nettype wire
