// SPDX-License-Identifier: Apache-2.0
// Testbench of rill_quantize. Compares the module's units with those of golden_quantize_mx: full and short blocks,
// blocks of zeros and of tiny values, padding to an even number of units, and the ends of output firings. Without
// idles and stalls, also checks the latency (with RANDOM = 0) and, if firings have fewer tokens than TOKENS (NTOK),
// that no input waits. An input firing has N elements per token (with RANDOM = 1 a random number from 1 to N).
// Sets for verif/modules/run.sh (after @: idles and stalls in percent):
// sweep: LANES=4 TOKENS=2 BEAT_BITS=256 BLOCK=32 FIRE_BLOCKS=0 N=128 RANDOM=0 FAULT=0
// sweep: LANES=1 TOKENS=1 BEAT_BITS=256 BLOCK=64 FIRE_BLOCKS=0 N=200 RANDOM=1 FAULT=0
// sweep: LANES=8 TOKENS=4 BEAT_BITS=512 BLOCK=128 FIRE_BLOCKS=0 N=200 RANDOM=0 FAULT=0
// sweep: LANES=16 TOKENS=2 BEAT_BITS=512 BLOCK=32 FIRE_BLOCKS=1 N=96 RANDOM=0 FAULT=0
// sweep: LANES=16 TOKENS=2 BEAT_BITS=512 BLOCK=80 FIRE_BLOCKS=1 N=240 RANDOM=0 FAULT=0
// sweep: LANES=8 TOKENS=8 BEAT_BITS=512 BLOCK=64 FIRE_BLOCKS=0 EXP_MIN=-36 N=300 RANDOM=1 FAULT=0
// sweep: LANES=32 TOKENS=2 BEAT_BITS=256 BLOCK=64 FIRE_BLOCKS=0 N=250 RANDOM=1 FAULT=0
// sweep: LANES=4 TOKENS=1 BEAT_BITS=256 BLOCK=128 FIRE_BLOCKS=0 N=50 RANDOM=1 FAULT=0
// sweep: LANES=4 TOKENS=1 BEAT_BITS=256 BLOCK=128 FIRE_BLOCKS=2 N=640 RANDOM=0 FAULT=0
// sweep: LANES=8 TOKENS=1 BEAT_BITS=256 BLOCK=64 FIRE_BLOCKS=0 N=256 RANDOM=1 FAULT=0
// sweep: LANES=4 TOKENS=2 BEAT_BITS=256 BLOCK=32 FIRE_BLOCKS=0 N=128 RANDOM=0 FAULT=1
// sweep: LANES=4 TOKENS=2 BEAT_BITS=256 BLOCK=32 FIRE_BLOCKS=0 N=128 RANDOM=0 FAULT=2
// sweep: LANES=8 TOKENS=4 BEAT_BITS=512 BLOCK=128 FIRE_BLOCKS=0 N=200 RANDOM=0 FAULT=0 X_BITS=10
// sweep: LANES=4 TOKENS=2 BEAT_BITS=256 BLOCK=32 FIRE_BLOCKS=1 N=128 RANDOM=1 FAULT=0 X_BITS=10
// sweep: LANES=4 TOKENS=2 BEAT_BITS=256 BLOCK=32 FIRE_BLOCKS=0 N=128 RANDOM=0 FAULT=2 X_BITS=10
// quick: LANES=4 TOKENS=2 BEAT_BITS=256 BLOCK=32 FIRE_BLOCKS=0 N=128 RANDOM=0 FAULT=0
// quick: LANES=4 TOKENS=2 BEAT_BITS=256 BLOCK=32 FIRE_BLOCKS=0 N=128 RANDOM=1 FAULT=0 X_BITS=10 @ 50:50
// quick: LANES=4 TOKENS=1 BEAT_BITS=256 BLOCK=4 FIRE_BLOCKS=0 N=64 RANDOM=1 FAULT=0 X_BITS=10 @ 0:0 50:50
// quick: LANES=4 TOKENS=1 BEAT_BITS=256 BLOCK=128 FIRE_BLOCKS=0 N=50 RANDOM=1 FAULT=0
// sweep: LANES=32 TOKENS=8 NTOK=1 BEAT_BITS=512 BLOCK=128 FIRE_BLOCKS=0 N=1024 RANDOM=0 FAULT=0
// quick: LANES=16 TOKENS=8 NTOK=1 BEAT_BITS=512 BLOCK=128 FIRE_BLOCKS=0 N=2048 RANDOM=0 FAULT=0 @ 0:0
// quick: LANES=16 TOKENS=2 BEAT_BITS=512 BLOCK=32 FIRE_BLOCKS=1 N=96 RANDOM=0 FAULT=0 @ 0:0
// quick: LANES=4 TOKENS=2 BEAT_BITS=256 BLOCK=32 FIRE_BLOCKS=0 N=128 RANDOM=0 FAULT=1 @ 50:50
// quick: LANES=4 TOKENS=2 BEAT_BITS=256 BLOCK=32 FIRE_BLOCKS=0 N=128 RANDOM=0 FAULT=2 X_BITS=10 @ 50:50
`default_nettype none

module rill_quantize_tb;
    // Parameters without a comment are those of the module, except N and RANDOM (see the header).
    parameter LANES = 4;
    parameter TOKENS = 2;
    parameter NTOK = TOKENS; // most tokens of a firing
    parameter BEAT_BITS = 256;
    parameter BLOCK = 32;
    parameter X_BITS = 8;
    localparam Y_W = BEAT_BITS / 8 * X_BITS + 8;
    parameter FIRE_BLOCKS = 0;
    parameter EXP_MIN = -24;
    parameter N = 128;
    parameter RANDOM = 0;
    parameter FAULT = 0;     // kind of fault in the vectors (vectors_rill_quantize.c); 0: none
    localparam USER_W = (TOKENS > 1 ? $clog2(TOKENS) : 1) + 1;
    localparam LEVELS = $clog2(LANES);
    localparam CHUNKS = (BLOCK + LANES - 1) / LANES;
    localparam SLOTS = BEAT_BITS / 8 / LANES; // chunks of a unit
    // Cycles from the last chunk of the run's first block to the block's first unit. The first firing has NTOK tokens.
    localparam LATENCY = (LEVELS > 2 ? LEVELS + 4 : 6) + (CHUNKS < SLOTS ? CHUNKS : SLOTS) - 1;

    wire clk, rst, fault;
    wire x_tvalid, x_tready, x_tlast, x_done;
    wire [LANES * 32-1:0] x_tdata;
    wire [USER_W-1:0] x_tuser;
    wire y_tvalid, y_tready, y_tlast, y_done;
    wire [Y_W-1:0] y_tdata;
    wire [USER_W-1:0] y_tuser;

    rill_bench_clock #(.LIMIT(400000)) u_clock (.clk(clk), .rst(rst), .again(1'b0));
    rill_file_driver #(.TAG("x"), .DATA_W(LANES * 32), .USER_W(USER_W), .WORDS(16384), .SALT(1)) u_x (.clk(clk),
        .rst(rst),
        .m_axis_tvalid(x_tvalid), .m_axis_tready(x_tready), .m_axis_tdata(x_tdata), .m_axis_tuser(x_tuser),
        .m_axis_tlast(x_tlast),
        .done(x_done));
    rill_quantize #(.LANES(LANES), .TOKENS(TOKENS), .BEAT_BITS(BEAT_BITS), .BLOCK(BLOCK), .EXP_MIN(EXP_MIN),
        .FIRE_BLOCKS(FIRE_BLOCKS), .X_BITS(X_BITS)) dut (.clk(clk), .rst(rst), .fault(fault),
        .s_axis_x_tvalid(x_tvalid),
        .s_axis_x_tready(x_tready),
        .s_axis_x_tdata(x_tdata), .s_axis_x_tuser(x_tuser), .s_axis_x_tlast(x_tlast), .m_axis_y_tvalid(y_tvalid),
        .m_axis_y_tready(y_tready), .m_axis_y_tdata(y_tdata), .m_axis_y_tuser(y_tuser), .m_axis_y_tlast(y_tlast));
    rill_file_monitor #(.TAG("y"), .DATA_W(Y_W), .USER_W(USER_W), .WORDS(16384), .SALT(20),
        .COMPARE(!FAULT)) u_y (.clk(clk),
        .rst(rst), .s_axis_tvalid(y_tvalid), .s_axis_tready(y_tready), .s_axis_tdata(y_tdata), .s_axis_tuser(y_tuser),
        .s_axis_tlast(y_tlast), .done(y_done));
    rill_kernel_verdict #(.FAULT(FAULT), .AFTER(CHUNKS * NTOK), .LATENCY(RANDOM ? -1 : LATENCY),
        .SLACK(LATENCY + (CHUNKS + 1) * TOKENS),
        .WAITS(NTOK < TOKENS ? 0 : 1000000)) u_verdict (.clk(clk), .rst(rst), .fault(fault),
        .done(x_done && y_done),
        .x_tvalid(x_tvalid), .x_tready(x_tready), .y_tvalid(y_tvalid), .y_tready(y_tready));
endmodule

`default_nettype wire
