// SPDX-License-Identifier: Apache-2.0
// The body of the bench of an elementwise kernel with one operand, which the bench includes in its module. Compares
// the results of random firings of random length with those of the C function (vectors_unary.c). Also checks, without
// idles and stalls, the latency and that input words wait at most 2 cycles in all, and with FAULT that an
// infinity raises the fault.
// The bench defines UNARY_MODULE, UNARY_PARAMETERS (empty, or parameters that each end with a comma) and UNARY_LATENCY.
    parameter LANES = 4;
    parameter TOKENS = 2;
    parameter FAULT = 0;     // 1: the vectors have an infinity, which must raise the fault; results are not compared
    localparam USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1;

    wire clk, rst, fault;
    wire x_tvalid, x_tready, x_tlast, x_done;
    wire [LANES * 32-1:0] x_tdata;
    wire [USER_W-1:0] x_tuser;
    wire y_tvalid, y_tready, y_tlast, y_done;
    wire [LANES * 32-1:0] y_tdata;
    wire [USER_W-1:0] y_tuser;

    rill_bench_clock #(.LIMIT(400000)) u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_file_driver #(.TAG("x"), .DATA_W(LANES * 32), .USER_W(USER_W), .WORDS(16384), .SALT(1)) u_x (.clk(clk),
        .rst(rst),
        .m_axis_tvalid(x_tvalid), .m_axis_tready(x_tready), .m_axis_tdata(x_tdata), .m_axis_tuser(x_tuser),
        .m_axis_tlast(x_tlast),
        .done(x_done));
    `UNARY_MODULE #(`UNARY_PARAMETERS .LANES(LANES), .TOKENS(TOKENS)) dut (.clk(clk), .rst(rst), .fault(fault),
        .s_axis_x_tvalid(x_tvalid),
        .s_axis_x_tready(x_tready), .s_axis_x_tdata(x_tdata), .s_axis_x_tuser(x_tuser), .s_axis_x_tlast(x_tlast),
        .m_axis_y_tvalid(y_tvalid), .m_axis_y_tready(y_tready), .m_axis_y_tdata(y_tdata), .m_axis_y_tuser(y_tuser),
        .m_axis_y_tlast(y_tlast));
    rill_file_monitor #(.TAG("y"), .DATA_W(LANES * 32), .USER_W(USER_W), .WORDS(16384), .SALT(20),
        .COMPARE(!FAULT)) u_y (.clk(clk),
        .rst(rst), .s_axis_tvalid(y_tvalid), .s_axis_tready(y_tready), .s_axis_tdata(y_tdata), .s_axis_tuser(y_tuser),
        .s_axis_tlast(y_tlast), .done(y_done));
    rill_kernel_verdict #(.FAULT(FAULT), .LATENCY(`UNARY_LATENCY), .SLACK(`UNARY_LATENCY), .WAITS(2)) u_verdict (
        .clk(clk), .rst(rst), .fault(fault),
        .done(x_done && y_done), .x_tvalid(x_tvalid), .x_tready(x_tready), .y_tvalid(y_tvalid), .y_tready(y_tready));
