// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_rope. Compares firings of HEADS heads with golden_rope. Each token of a firing has a row of
// cosines and sines. Also checks the latency (12 cycles from the last word of the first head) and the time from the
// last word in to the last word out.
// Sets for verif/modules/run.sh (after @: idles and stalls in percent):
// sweep: LANES=4 TOKENS=2 HEADS=3 HEAD=16 ROTARY=16 PAIRS=0 FAULT=0
// sweep: LANES=4 TOKENS=2 HEADS=3 HEAD=16 ROTARY=16 PAIRS=1 FAULT=0
// sweep: LANES=1 TOKENS=1 HEADS=2 HEAD=10 ROTARY=6 PAIRS=0 FAULT=0
// sweep: LANES=1 TOKENS=2 HEADS=1 HEAD=7 ROTARY=6 PAIRS=1 FAULT=0
// sweep: LANES=2 TOKENS=8 HEADS=4 HEAD=20 ROTARY=12 PAIRS=1 FAULT=0
// sweep: LANES=8 TOKENS=4 HEADS=5 HEAD=80 ROTARY=32 PAIRS=0 FAULT=0
// sweep: LANES=32 TOKENS=1 HEADS=2 HEAD=64 ROTARY=64 PAIRS=0 FAULT=0
// sweep: LANES=16 TOKENS=2 HEADS=1 HEAD=64 ROTARY=32 PAIRS=1 FAULT=0
// sweep: LANES=4 TOKENS=2 HEADS=3 HEAD=24 ROTARY=16 PAIRS=0 FAULT=1
// quick: LANES=4 TOKENS=2 HEADS=3 HEAD=16 ROTARY=16 PAIRS=0 FAULT=0
// quick: LANES=2 TOKENS=8 HEADS=4 HEAD=20 ROTARY=12 PAIRS=1 FAULT=0
// quick: LANES=1 TOKENS=1 HEADS=2 HEAD=10 ROTARY=6 PAIRS=0 FAULT=0 @ 0:50
// quick: LANES=4 TOKENS=2 HEADS=3 HEAD=24 ROTARY=16 PAIRS=0 FAULT=1 @ 50:50
`default_nettype none

module rill_rope_tb;
    // Parameters without a comment are those of the module.
    parameter LANES = 4;
    parameter TOKENS = 2;
    parameter HEADS = 3;     // heads of a firing; only vectors_rill_rope.c uses it
    parameter HEAD = 16;
    parameter ROTARY = 16;
    parameter PAIRS = 0;
    parameter FAULT = 0;     // 1: the vectors have an infinity, which must raise the fault
    localparam USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1;

    wire clk, rst, fault;
    wire x_tvalid, x_tready, x_tlast, x_done;
    wire [LANES * 32-1:0] x_tdata;
    wire [USER_W-1:0] x_tuser;
    wire row_tvalid, row_tready, row_tlast, row_done;
    wire [LANES * 32-1:0] row_tdata;
    wire [USER_W-1:0] row_tuser;
    wire y_tvalid, y_tready, y_tlast, y_done;
    wire [LANES * 32-1:0] y_tdata;
    wire [USER_W-1:0] y_tuser;

    rill_bench_clock #(.LIMIT(400000)) u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_file_driver #(.TAG("x"), .DATA_W(LANES * 32), .USER_W(USER_W), .WORDS(16384), .SALT(1)) u_x (.clk(clk),
        .rst(rst),
        .m_axis_tvalid(x_tvalid), .m_axis_tready(x_tready), .m_axis_tdata(x_tdata), .m_axis_tuser(x_tuser),
        .m_axis_tlast(x_tlast),
        .done(x_done));
    rill_file_driver #(.TAG("row"), .DATA_W(LANES * 32), .USER_W(USER_W), .WORDS(16384), .SALT(2)) u_row (.clk(clk),
        .rst(rst),
        .m_axis_tvalid(row_tvalid), .m_axis_tready(row_tready), .m_axis_tdata(row_tdata), .m_axis_tuser(row_tuser),
        .m_axis_tlast(row_tlast), .done(row_done));
    rill_rope #(.LANES(LANES), .TOKENS(TOKENS), .HEAD(HEAD), .ROTARY(ROTARY), .PAIRS(PAIRS)) dut (.clk(clk), .rst(rst),
        .fault(fault),
        .s_axis_x_tvalid(x_tvalid), .s_axis_x_tready(x_tready), .s_axis_x_tdata(x_tdata), .s_axis_x_tuser(x_tuser),
        .s_axis_x_tlast(x_tlast), .s_axis_row_tvalid(row_tvalid), .s_axis_row_tready(row_tready),
        .s_axis_row_tdata(row_tdata),
        .s_axis_row_tuser(row_tuser), .s_axis_row_tlast(row_tlast), .m_axis_y_tvalid(y_tvalid),
        .m_axis_y_tready(y_tready),
        .m_axis_y_tdata(y_tdata), .m_axis_y_tuser(y_tuser), .m_axis_y_tlast(y_tlast));
    rill_file_monitor #(.TAG("y"), .DATA_W(LANES * 32), .USER_W(USER_W), .WORDS(16384), .SALT(20),
        .COMPARE(!FAULT)) u_y (.clk(clk),
        .rst(rst), .s_axis_tvalid(y_tvalid), .s_axis_tready(y_tready), .s_axis_tdata(y_tdata), .s_axis_tuser(y_tuser),
        .s_axis_tlast(y_tlast), .done(y_done));
    rill_kernel_verdict #(.FAULT(FAULT), .AFTER(HEAD / LANES * TOKENS), .LATENCY(12),
        .SLACK(12 + HEAD / LANES * TOKENS - 1)) u_verdict (
        .clk(clk), .rst(rst), .fault(fault), .done(x_done && row_done && y_done), .x_tvalid(x_tvalid),
        .x_tready(x_tready),
        .y_tvalid(y_tvalid), .y_tready(y_tready));
endmodule

`default_nettype wire
