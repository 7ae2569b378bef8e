// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_softmax. Compares steps at the first, the last and random positions, for every layer and head, with
// golden_softmax. Scores at masked positions may be NaN. Also checks the latency.
// Sets for verif/modules/run.sh (after @: idles and stalls in percent):
// sweep: LANES=4 TOKENS=2 HEADS=2 LAYERS=2 CONTEXT=80 FAULT=0
// sweep: LANES=1 TOKENS=1 HEADS=1 LAYERS=1 CONTEXT=17 FAULT=0
// sweep: LANES=16 TOKENS=8 HEADS=2 LAYERS=1 CONTEXT=100 FAULT=0
// sweep: LANES=32 TOKENS=4 HEADS=1 LAYERS=1 CONTEXT=128 FAULT=0
// sweep: LANES=8 TOKENS=1 HEADS=2 LAYERS=3 CONTEXT=64 FAULT=0
// sweep: LANES=4 TOKENS=2 HEADS=2 LAYERS=2 CONTEXT=80 FAULT=1
// sweep: LANES=8 TOKENS=2 HEADS=2 LAYERS=2 CONTEXT=40 FAULT=0 INV_STALL=99
// sweep: LANES=4 TOKENS=2 HEADS=2 LAYERS=2 CONTEXT=80 FAULT=0 CAP=2
// sweep: LANES=8 TOKENS=1 HEADS=2 LAYERS=1 CONTEXT=40 FAULT=0 CAP=50
// sweep: LANES=1 TOKENS=4 HEADS=1 LAYERS=2 CONTEXT=40 FAULT=1 CAP=50
// sweep: LANES=4 TOKENS=4 HEADS=2 LAYERS=2 CONTEXT=80 FAULT=0 WINDOW=13
// sweep: LANES=8 TOKENS=2 HEADS=1 LAYERS=2 CONTEXT=70 FAULT=0 WINDOW=1 CAP=2
// sweep: LANES=1 TOKENS=2 HEADS=1 LAYERS=1 CONTEXT=40 FAULT=0 WINDOW=16
// sweep: LANES=32 TOKENS=8 HEADS=1 LAYERS=1 CONTEXT=128 FAULT=0 WINDOW=64
// sweep: LANES=4 TOKENS=2 HEADS=3 LAYERS=4 CONTEXT=60 FAULT=0 WINDOW=13 EACH=1
// sweep: LANES=1 TOKENS=1 HEADS=1 LAYERS=5 CONTEXT=30 FAULT=0 WINDOW=2 EACH=1 CAP=2
// sweep: LANES=8 TOKENS=4 HEADS=2 LAYERS=3 CONTEXT=350 FAULT=0 WINDOW=20 EACH=1 CHANNELS=3
// sweep: LANES=4 TOKENS=2 HEADS=1 LAYERS=2 CONTEXT=300 FAULT=0 WINDOW=1 CHANNELS=2 MOST=66
// sweep: LANES=4 TOKENS=4 HEADS=6 LAYERS=2 CONTEXT=80 FAULT=0 TOGETHER=3
// sweep: LANES=8 TOKENS=8 HEADS=7 LAYERS=1 CONTEXT=70 FAULT=0 TOGETHER=7
// sweep: LANES=4 TOKENS=2 HEADS=4 LAYERS=3 CONTEXT=350 FAULT=0 WINDOW=20 EACH=1 CHANNELS=3 TOGETHER=2
// sweep: LANES=4 TOKENS=2 HEADS=4 LAYERS=2 CONTEXT=80 FAULT=0 WINDOW=13 CAP=2 TOGETHER=2
// quick: LANES=4 TOKENS=4 HEADS=6 LAYERS=2 CONTEXT=80 FAULT=0 TOGETHER=3 @ 50:50
// quick: LANES=4 TOKENS=2 HEADS=4 LAYERS=3 CONTEXT=150 FAULT=0 WINDOW=13 EACH=1 TOGETHER=2 @ 50:50
// quick: LANES=4 TOKENS=2 HEADS=2 LAYERS=2 CONTEXT=80 FAULT=0
// quick: LANES=4 TOKENS=2 HEADS=2 LAYERS=2 CONTEXT=80 FAULT=0 CAP=2 @ 50:50
// quick: LANES=4 TOKENS=4 HEADS=2 LAYERS=3 CONTEXT=150 FAULT=0 WINDOW=13 EACH=1 @ 50:50
// quick: LANES=8 TOKENS=2 HEADS=2 LAYERS=2 CONTEXT=40 FAULT=0 INV_STALL=99 @ 0:0
`default_nettype none

module rill_softmax_tb;
    // Parameters without a comment are those of the module.
    parameter INV_STALL = -1;  // stalls of the reader of the scalars, in percent; -1: those of +stall
    parameter LANES = 4;
    parameter TOKENS = 2;
    parameter HEADS = 2;
    parameter LAYERS = 2;
    parameter CONTEXT = 80;                                 // positions of the request
    parameter FAULT = 0;                                    // 1: a score is infinite, which must raise the fault
    parameter TOGETHER = 1;                                 // query heads of a firing in a step of one token
    parameter WINDOW = 0;                                   // positions that a token attends to; 0: all
    parameter EACH = 0;                                     // 1: odd layers see all, layer 2k sees WINDOW + 2k
    parameter CHANNELS = 1;                                 // channels of the keys
    parameter MOST = CONTEXT;                               // CONTEXT of rill_softmax: most positions of a firing
    parameter CAP = 0;                                      // cap of the scores, 2 or 50; 0: no cap
    localparam [31:0] SLOPE = CAP == 0 ? 0 : CAP == 2 ? 32'hbf800000 : 32'hbd23d70a; // -2 / CAP
    localparam [31:0] GAIN = CAP == 0 ? 0 : CAP == 2 ? 32'h40800000 : 32'h42c80000;  // 2 * CAP
    localparam WINDOWS = EACH ? LAYERS : 1;
    // Returns the parameter WINDOW of rill_softmax: 16 bits for each layer, CONTEXT for all positions.
    function [WINDOWS*16-1:0] windows(input [31:0] first);
        integer k;
        for (k = 0; k < WINDOWS; k = k + 1) windows[k*16 +: 16] = k % 2 == 1 ? CONTEXT : first + k;
    endfunction
    localparam USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1;
    localparam LEVELS = $clog2(LANES);
    // Cycles from the last chunk of the first firing to its first word of p. The first step is at position 0 and has
    // TOKENS tokens.
    localparam LATENCY = (LEVELS > 2 ? LEVELS - 1 : 1) + (CAP == 0 ? 25 : 58);

    wire clk, rst, fault;
    wire step_tvalid, step_tready, step_tlast, step_done;
    wire [64-1:0] step_tdata;
    wire [0:0] step_tuser;
    wire s_tvalid, s_tready, s_tlast, s_done;
    wire [LANES * 32-1:0] s_tdata;
    wire [USER_W-1:0] s_tuser;
    wire kscale_tvalid, kscale_tready, kscale_tlast, kscale_done;
    wire [LANES * 32-1:0] kscale_tdata;
    wire [0:0] kscale_tuser;
    wire vscale_tvalid, vscale_tready, vscale_tlast, vscale_done;
    wire [LANES * 32-1:0] vscale_tdata;
    wire [0:0] vscale_tuser;
    wire p_tvalid, p_tready, p_tlast, p_done;
    wire [LANES * 32-1:0] p_tdata;
    wire [USER_W-1:0] p_tuser;
    wire inv_tvalid, inv_tready, inv_tlast, inv_done;
    wire [32-1:0] inv_tdata;
    wire [USER_W-1:0] inv_tuser;

    rill_bench_clock #(.LIMIT(400000)) u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_file_driver #(.TAG("step"), .DATA_W(64), .USER_W(1), .WORDS(16384), .SALT(1)) u_step (.clk(clk), .rst(rst),
        .m_axis_tvalid(step_tvalid), .m_axis_tready(step_tready), .m_axis_tdata(step_tdata), .m_axis_tuser(step_tuser),
        .m_axis_tlast(step_tlast), .done(step_done));
    rill_file_driver #(.TAG("s"), .DATA_W(LANES * 32), .USER_W(USER_W), .WORDS(16384), .SALT(2)) u_s (.clk(clk),
        .rst(rst),
        .m_axis_tvalid(s_tvalid), .m_axis_tready(s_tready), .m_axis_tdata(s_tdata), .m_axis_tuser(s_tuser),
        .m_axis_tlast(s_tlast),
        .done(s_done));
    rill_file_driver #(.TAG("kscale"), .DATA_W(LANES * 32), .USER_W(1), .WORDS(16384), .SALT(3)) u_kscale (.clk(clk),
        .rst(rst),
        .m_axis_tvalid(kscale_tvalid), .m_axis_tready(kscale_tready), .m_axis_tdata(kscale_tdata),
        .m_axis_tuser(kscale_tuser),
        .m_axis_tlast(kscale_tlast), .done(kscale_done));
    rill_file_driver #(.TAG("vscale"), .DATA_W(LANES * 32), .USER_W(1), .WORDS(16384), .SALT(4)) u_vscale (.clk(clk),
        .rst(rst),
        .m_axis_tvalid(vscale_tvalid), .m_axis_tready(vscale_tready), .m_axis_tdata(vscale_tdata),
        .m_axis_tuser(vscale_tuser),
        .m_axis_tlast(vscale_tlast), .done(vscale_done));
    rill_softmax #(.LANES(LANES), .TOKENS(TOKENS), .HEADS(HEADS), .LAYERS(LAYERS), .CONTEXT(MOST), .SLOPE(SLOPE),
        .GAIN(GAIN), .WINDOWS(WINDOWS), .WINDOW(windows(WINDOW)), .KEY_CHANNELS(CHANNELS),
        .TOGETHER(TOGETHER)) dut (.clk(clk), .rst(rst),
        .fault(fault), .s_axis_step_tvalid(step_tvalid), .s_axis_step_tready(step_tready),
        .s_axis_step_tdata(step_tdata),
        .s_axis_s_tvalid(s_tvalid), .s_axis_s_tready(s_tready), .s_axis_s_tdata(s_tdata), .s_axis_s_tuser(s_tuser),
        .s_axis_s_tlast(s_tlast), .s_axis_kscale_tvalid(kscale_tvalid), .s_axis_kscale_tready(kscale_tready),
        .s_axis_kscale_tdata(kscale_tdata), .s_axis_vscale_tvalid(vscale_tvalid), .s_axis_vscale_tready(vscale_tready),
        .s_axis_vscale_tdata(vscale_tdata), .m_axis_p_tvalid(p_tvalid), .m_axis_p_tready(p_tready),
        .m_axis_p_tdata(p_tdata),
        .m_axis_p_tuser(p_tuser), .m_axis_p_tlast(p_tlast), .m_axis_inv_tvalid(inv_tvalid),
        .m_axis_inv_tready(inv_tready),
        .m_axis_inv_tdata(inv_tdata), .m_axis_inv_tuser(inv_tuser), .m_axis_inv_tlast(inv_tlast));
    rill_file_monitor #(.TAG("p"), .DATA_W(LANES * 32), .USER_W(USER_W), .WORDS(16384), .SALT(20),
        .COMPARE(!FAULT)) u_p (.clk(clk),
        .rst(rst), .s_axis_tvalid(p_tvalid), .s_axis_tready(p_tready), .s_axis_tdata(p_tdata), .s_axis_tuser(p_tuser),
        .s_axis_tlast(p_tlast), .done(p_done));
    rill_file_monitor #(.TAG("inv"), .DATA_W(32), .USER_W(USER_W), .WORDS(16384), .SALT(21), .STALL(INV_STALL),
        .COMPARE(!FAULT)) u_inv (.clk(clk),
        .rst(rst), .s_axis_tvalid(inv_tvalid), .s_axis_tready(inv_tready), .s_axis_tdata(inv_tdata),
        .s_axis_tuser(inv_tuser),
        .s_axis_tlast(inv_tlast), .done(inv_done));
    rill_kernel_verdict #(.FAULT(FAULT), .AFTER((TOKENS + LANES - 1) / LANES * TOKENS),
        .LATENCY(LATENCY)) u_verdict (.clk(clk),
        .rst(rst), .fault(fault), .done(step_done && s_done && kscale_done && vscale_done && p_done && inv_done),
        .x_tvalid(s_tvalid),
        .x_tready(s_tready), .y_tvalid(p_tvalid), .y_tready(p_tready));
endmodule

`default_nettype wire
