// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_kv_quantize. Compares heads of keys (USE_RSQRT=1) and of values, also heads of zeros, with
// golden_quantize_kv and, for keys, golden_k_scale. Also checks the latency, and that an infinity raises the fault.
// RSQRT_HD has the fp32 bits of 1 / sqrt(HEAD_DIM).
// Sets for verif/modules/run.sh:
// sweep: LANES=4 TOKENS=2 BEAT_BITS=256 HEADS=3 HEAD_DIM=32 USE_RSQRT=1 RSQRT_HD=1043662067 FAULT=0
// sweep: LANES=1 TOKENS=1 BEAT_BITS=512 HEADS=2 HEAD_DIM=80 USE_RSQRT=0 FAULT=0
// sweep: LANES=16 TOKENS=8 BEAT_BITS=512 HEADS=4 HEAD_DIM=80 USE_RSQRT=1 RSQRT_HD=1038416174 FAULT=0
// sweep: LANES=32 TOKENS=4 BEAT_BITS=256 HEADS=2 HEAD_DIM=128 USE_RSQRT=1 RSQRT_HD=1035273459 FAULT=0
// sweep: LANES=8 TOKENS=1 BEAT_BITS=512 HEADS=1 HEAD_DIM=8 USE_RSQRT=0 FAULT=0
// sweep: LANES=4 TOKENS=2 BEAT_BITS=256 HEADS=3 HEAD_DIM=32 USE_RSQRT=0 FAULT=1
`default_nettype none

module rill_kv_quantize_tb;
    // Parameters without a comment are those of the module.
    parameter LANES = 4;
    parameter TOKENS = 2;
    parameter BEAT_BITS = 256;
    parameter HEADS = 3;
    parameter HEAD_DIM = 32;
    parameter USE_RSQRT = 0;
    parameter RSQRT_HD = 0;
    parameter FAULT = 0; // 1: the vectors have an infinity, which must raise the fault
    localparam USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1;
    localparam LEVELS = $clog2(LANES);
    localparam CHUNKS = HEAD_DIM / LANES;
    localparam SLOTS = BEAT_BITS / 8 / LANES; // chunks of a unit
    localparam LATENCY = LEVELS + 21 + (CHUNKS < SLOTS ? CHUNKS : SLOTS) - 1;

    wire clk, rst, fault;
    wire x_tvalid, x_tready, x_tlast, x_done;
    wire [LANES * 32-1:0] x_tdata;
    wire [USER_W-1:0] x_tuser;
    wire y_tvalid, y_tready, y_tlast, y_done;
    wire [BEAT_BITS + 32-1:0] y_tdata;
    wire [USER_W-1:0] y_tuser;

    rill_bench_clock #(.LIMIT(400000)) u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_file_driver #(.TAG("x"), .DATA_W(LANES * 32), .USER_W(USER_W), .WORDS(16384), .SALT(1)) u_x (.clk(clk),
        .rst(rst),
        .m_axis_tvalid(x_tvalid), .m_axis_tready(x_tready), .m_axis_tdata(x_tdata), .m_axis_tuser(x_tuser),
        .m_axis_tlast(x_tlast),
        .done(x_done));
    rill_kv_quantize #(.LANES(LANES), .TOKENS(TOKENS), .BEAT_BITS(BEAT_BITS), .HEADS(HEADS), .HEAD_DIM(HEAD_DIM),
        .USE_RSQRT(USE_RSQRT),
        .RSQRT_HD(RSQRT_HD)) dut (.clk(clk), .rst(rst), .fault(fault), .s_axis_x_tvalid(x_tvalid),
        .s_axis_x_tready(x_tready),
        .s_axis_x_tdata(x_tdata), .s_axis_x_tuser(x_tuser), .s_axis_x_tlast(x_tlast), .m_axis_y_tvalid(y_tvalid),
        .m_axis_y_tready(y_tready), .m_axis_y_tdata(y_tdata), .m_axis_y_tuser(y_tuser), .m_axis_y_tlast(y_tlast));
    rill_file_monitor #(.TAG("y"), .DATA_W(BEAT_BITS + 32), .USER_W(USER_W), .WORDS(16384), .SALT(20),
        .COMPARE(!FAULT)) u_y (.clk(clk),
        .rst(rst), .s_axis_tvalid(y_tvalid), .s_axis_tready(y_tready), .s_axis_tdata(y_tdata), .s_axis_tuser(y_tuser),
        .s_axis_tlast(y_tlast), .done(y_done));
    rill_kernel_verdict #(.FAULT(FAULT), .AFTER(CHUNKS * TOKENS), .LATENCY(LATENCY),
        .SLACK(LATENCY + CHUNKS * TOKENS)) u_verdict (.clk(clk), .rst(rst), .fault(fault), .done(x_done && y_done),
        .x_tvalid(x_tvalid),
        .x_tready(x_tready), .y_tvalid(y_tvalid), .y_tready(y_tready));
endmodule

`default_nettype wire
