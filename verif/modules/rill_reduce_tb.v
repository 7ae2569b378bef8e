// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_reduce. Compares random firings of GROUPS groups with golden_reduce. N, ROUNDS and WORDS are the
// parameters of the module. Also checks the latency, that no input word waits, and that an infinity, or a value too
// large for the sums, raises the fault.
// Sets for verif/modules/run.sh (after @: idles and stalls in percent):
// sweep: LANES=4 TOKENS=2 FUNCTION=0 N=23 FAULT=0
// sweep: LANES=1 TOKENS=1 FUNCTION=1 N=9 GROUPS=3 FAULT=0
// sweep: LANES=8 TOKENS=4 FUNCTION=2 N=100 SCALE=841209610 FAULT=0
// sweep: LANES=2 TOKENS=1 FUNCTION=2 N=8 GROUPS=5 FAULT=0
// sweep: LANES=32 TOKENS=2 FUNCTION=0 N=64 GROUPS=2 FAULT=0
// sweep: LANES=4 TOKENS=2 FUNCTION=0 ROUNDS=9 WORDS=3 GROUPS=2 FAULT=0
// sweep: LANES=2 TOKENS=1 FUNCTION=2 ROUNDS=7 WORDS=1 GROUPS=4 SCALE=873613605 FAULT=0
// sweep: LANES=1 TOKENS=1 FUNCTION=2 ROUNDS=1 WORDS=5 FAULT=0
// sweep: LANES=8 TOKENS=8 FUNCTION=1 ROUNDS=4 WORDS=2 FAULT=0
// sweep: LANES=4 TOKENS=1 FUNCTION=2 ROUNDS=5 WORDS=40 FAULT=0
// sweep: LANES=4 TOKENS=2 FUNCTION=0 ROUNDS=5 WORDS=2 FAULT=1
// sweep: LANES=4 TOKENS=2 FUNCTION=2 ROUNDS=5 WORDS=2 FAULT=1
// sweep: LANES=4 TOKENS=2 FUNCTION=2 N=20 FAULT=2
// quick: LANES=4 TOKENS=2 FUNCTION=0 N=23 FAULT=0
// quick: LANES=1 TOKENS=1 FUNCTION=1 N=9 GROUPS=3 FAULT=0
// quick: LANES=8 TOKENS=4 FUNCTION=2 N=100 SCALE=841209610 FAULT=0
// quick: LANES=2 TOKENS=1 FUNCTION=2 ROUNDS=7 WORDS=1 GROUPS=4 SCALE=873613605 FAULT=0
// quick: LANES=4 TOKENS=2 FUNCTION=0 ROUNDS=9 WORDS=3 GROUPS=2 FAULT=0
// quick: LANES=4 TOKENS=2 FUNCTION=2 N=20 FAULT=2 @ 50:50
`default_nettype none

module rill_reduce_tb;
    // Parameters without a comment are those of the module.
    parameter LANES = 4;
    parameter TOKENS = 2;
    parameter FUNCTION = 0;        // 0 max, 1 min, 2 sum times SCALE
    parameter N = 0;
    parameter ROUNDS = 1;
    parameter WORDS = 1;
    parameter GROUPS = 1;          // groups of a firing; only vectors_rill_reduce.c uses it
    parameter SCALE = 897581056;   // fp32 bits of 2^-20, which gives the sum; for a mean 2^-20 / elements
    parameter FAULT = 0;           // kind of fault in the vectors; 0: none
    localparam USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1;
    localparam OUT = N > 0 ? 1 : LANES;
    // Words of a token before the word that gives the first result.
    localparam BEFORE = N > 0 ? (N + LANES - 1) / LANES - 1 : (ROUNDS - 1) * WORDS;
    localparam DELAY = (FUNCTION == 2 ? 11 : 4) + (N > 0 ? $clog2(LANES) : 0);

    wire clk, rst, fault;
    wire x_tvalid, x_tready, x_tlast, x_done;
    wire [LANES * 32-1:0] x_tdata;
    wire [USER_W-1:0] x_tuser;
    wire y_tvalid, y_tready, y_tlast, y_done;
    wire [OUT * 32-1:0] y_tdata;
    wire [USER_W-1:0] y_tuser;

    rill_bench_clock #(.LIMIT(400000)) u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_file_driver #(.TAG("x"), .DATA_W(LANES * 32), .USER_W(USER_W), .WORDS(16384), .SALT(1)) u_x (.clk(clk),
        .rst(rst),
        .m_axis_tvalid(x_tvalid), .m_axis_tready(x_tready), .m_axis_tdata(x_tdata), .m_axis_tuser(x_tuser),
        .m_axis_tlast(x_tlast),
        .done(x_done));
    rill_reduce #(.LANES(LANES), .TOKENS(TOKENS), .FUNCTION(FUNCTION), .N(N), .ROUNDS(ROUNDS), .WORDS(WORDS),
        .SCALE(SCALE)) dut (
        .clk(clk), .rst(rst), .fault(fault), .s_axis_x_tvalid(x_tvalid), .s_axis_x_tready(x_tready),
        .s_axis_x_tdata(x_tdata), .s_axis_x_tuser(x_tuser), .s_axis_x_tlast(x_tlast), .m_axis_y_tvalid(y_tvalid),
        .m_axis_y_tready(y_tready), .m_axis_y_tdata(y_tdata), .m_axis_y_tuser(y_tuser), .m_axis_y_tlast(y_tlast));
    rill_file_monitor #(.TAG("y"), .DATA_W(OUT * 32), .USER_W(USER_W), .WORDS(16384), .SALT(20),
        .COMPARE(!FAULT)) u_y (.clk(clk),
        .rst(rst), .s_axis_tvalid(y_tvalid), .s_axis_tready(y_tready), .s_axis_tdata(y_tdata), .s_axis_tuser(y_tuser),
        .s_axis_tlast(y_tlast), .done(y_done));
    rill_kernel_verdict #(.FAULT(FAULT), .AFTER(BEFORE * TOKENS + 1), .LATENCY(DELAY), .SLACK(DELAY), .WAITS(0))
        u_verdict (.clk(clk), .rst(rst), .fault(fault), .done(x_done && y_done), .x_tvalid(x_tvalid),
        .x_tready(x_tready), .y_tvalid(y_tvalid), .y_tready(y_tready));
endmodule

`default_nettype wire
