// SPDX-License-Identifier: Apache-2.0
// Converts the integer results of the lanes to fp32 (rill_dequantize) and stores them in a FIFO, which always has a
// place for a result that arrives (rill_engine_out).
//
// side = {last, user, count}. It comes SIDE_AT + HOPS cycles before valid, acc, scale and bias of the same row-step and
// token.
// m_axis_y: {side, CHANNELS x fp32}. If the FIFO is empty, m_axis_y_tvalid follows valid after the latency of
// rill_dequantize, RESULT_HOPS, and 2 cycles of the FIFO (OUT_FIFO 2: 1 cycle). y_taken: a word was taken from
// m_axis_y, so a place of the FIFO is free. fault: one of the `count` results, its row scale or its bias is not finite;
// 2 cycles after the result entered the FIFO. y_taken and fault are delayed by a further PULSE_HOPS cycles.
// Reset: clk, synchronous active-high rst, and lane_rst, which is delayed like a command to the lanes. Results on their
// way and in the FIFO are discarded; the FIFO resets PULSE_HOPS + 1 cycles later (u_rst). The stages between dies have
// no reset. They are empty before the reset ends, if it is as long as the header of rill_engine requires.
// Placement on several dies: gen_result[g].u_dequantize is on the die of the sums of group g. u_side_hop leads to the
// die of the sums of group 0, gen_result[g].u_hop from the die of group g to u_out, and u_home from there to the rest
// of the engine.
//
// name         meaning                                                 unit      range
// CHANNELS     lanes                                                   channels  1 to 32
// TOKENS       tokens per step, upper bound                            tokens    1, 2, 4, 8
// ACC_W        width of an integer                                     bits      64, 66
// SIDE_AT      delay from a command to the lanes' output               clocks    1 or more
// HOPS         register stages of a command to the lanes               clocks    0 or more
// RESULT_HOPS  register stages from the lanes to the FIFO              clocks    0 or more
// PULSE_HOPS   register stages from the FIFO back to the sequencer     clocks    0 or more
// OUT_FIFO     depth of the result FIFO                                words     2 or more
// GROUPS       groups of eight lanes; the last has the remaining ones  groups    derived
// SIDE_W       width of side                                           bits      derived
`default_nettype none

module rill_engine_results #(
    parameter CHANNELS = 0,
    parameter TOKENS = 0,
    parameter ACC_W = 64,
    parameter SIDE_AT = 0,
    parameter HOPS = 0,
    parameter RESULT_HOPS = 0,
    parameter PULSE_HOPS = 0,
    parameter OUT_FIFO = 0,
    parameter GROUPS = CHANNELS > 8 ? (CHANNELS + 7) / 8 : 1,
    parameter SIDE_W = $clog2(CHANNELS + 1) + (TOKENS > 1 ? $clog2(TOKENS) : 1) + 2
) (
    input  wire                          clk,
    input  wire                          rst,
    input  wire [GROUPS-1:0]             lane_rst,   // reset on the die of each group's lanes
    input  wire [SIDE_W-1:0]             side,
    input  wire [CHANNELS-1:0]           valid,      // all bits are equal, because the lanes work in lockstep
    input  wire [CHANNELS*ACC_W-1:0]     acc,
    input  wire [CHANNELS*32-1:0]        scale,
    input  wire [CHANNELS*32-1:0]        bias,
    output wire                          m_axis_y_tvalid,
    input  wire                          m_axis_y_tready,
    output wire [SIDE_W+CHANNELS*32-1:0] m_axis_y_tdata,
    output wire                          y_taken,
    output wire                          fault
);
    localparam FAN_OUT = 8;                                // lanes per group

    generate
        if (CHANNELS < 1 || CHANNELS > 32) begin : gen_bad_channels
            rill_error_CHANNELS_must_be_1_to_32 u_error ();
        end
        if (TOKENS != 1 && TOKENS != 2 && TOKENS != 4 && TOKENS != 8) begin : gen_bad_tokens
            rill_error_TOKENS_must_be_1_2_4_or_8 u_error ();
        end
        if (SIDE_AT < 1) begin : gen_bad_side
            rill_error_SIDE_AT_must_be_at_least_1 u_error ();
        end
        if (OUT_FIFO < 2) begin : gen_bad_fifo
            rill_error_OUT_FIFO_must_be_at_least_2 u_error ();
        end
    endgenerate

    wire [SIDE_W-1:0]        side_there;
    wire [SIDE_W-1:0]        lane_side;
    wire [GROUPS-1:0]        y_valid;                      // per group, all in the same cycle
    wire [GROUPS*SIDE_W-1:0] y_side;
    wire [CHANNELS*32-1:0]   y;
    wire [CHANNELS-1:0]      y_fault;                      // one cycle after y
    wire                     out_rst;                      // reset on the die where results come together
    wire                     taken;
    wire                     fault_there;
    rill_hop #(.DATA_W(SIDE_W), .STAGES(HOPS)) u_side_hop (.clk(clk), .rst(1'b0), .d(side), .q(side_there));
    rill_delay_line #(.DATA_W(SIDE_W), .DEPTH(SIDE_AT)) u_side (
        .clk(clk), .rst(lane_rst[0]), .en(1'b1), .d(side_there), .q(lane_side));
    genvar g;
    generate
        for (g = 0; g < GROUPS; g = g + 1) begin : gen_result
            localparam FIRST = g * FAN_OUT;
            localparam LANES = CHANNELS - FIRST < FAN_OUT ? CHANNELS - FIRST : FAN_OUT;
            wire                result_valid;
            wire [LANES*32-1:0] result;
            wire [LANES-1:0]    wrong;
            wire [SIDE_W-1:0]   result_side;
            rill_dequantize #(.LANES(LANES), .SIDE_W(SIDE_W), .ACC_W(ACC_W)) u_dequantize (
                .clk(clk), .rst(lane_rst[g]), .valid(valid[FIRST]), .acc(acc[FIRST*ACC_W +: LANES*ACC_W]),
                .scale(scale[FIRST*32 +: LANES*32]), .bias(bias[FIRST*32 +: LANES*32]),
                .side(g == 0 ? lane_side : {SIDE_W{1'b0}}), .out_valid(result_valid), .y(result), .fault(wrong),
                .out_side(result_side));
            rill_hop #(.DATA_W(33 * LANES + 1 + SIDE_W), .STAGES(RESULT_HOPS)) u_hop (
                .clk(clk), .rst(1'b0), .d({result_side, result, wrong, result_valid}),
                .q({y_side[g*SIDE_W +: SIDE_W], y[FIRST*32 +: LANES*32], y_fault[FIRST +: LANES], y_valid[g]}));
        end
    endgenerate
    rill_reset_tree #(.HOPS(PULSE_HOPS), .COPIES(1)) u_rst (.clk(clk), .d(rst), .q(out_rst));
    rill_engine_out #(.CHANNELS(CHANNELS), .SIDE_W(SIDE_W), .DEPTH(OUT_FIFO)) u_out (
        .clk(clk), .rst(out_rst), .s_valid(y_valid[0]), .s_side(y_side[SIDE_W-1:0]), .s_y(y), .wrong(y_fault),
        .m_axis_y_tvalid(m_axis_y_tvalid), .m_axis_y_tready(m_axis_y_tready),
        .m_axis_y_tdata(m_axis_y_tdata), .taken(taken), .fault(fault_there));
    rill_hop #(.DATA_W(2), .STAGES(PULSE_HOPS)) u_home (
        .clk(clk), .rst(1'b0), .d({taken, fault_there}), .q({y_taken, fault}));

    wire unused = &{1'b0, valid, y_valid, y_side};
endmodule

`default_nettype wire
