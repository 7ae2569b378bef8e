// SPDX-License-Identifier: Apache-2.0
// Counts the inputs of the matrix engine that have arrived and are not consumed yet, and reports which counts are not
// 0. rill_engine_ctrl issues a command only when all inputs that it needs are counted here.
//
// *_pulse: one input arrives. take_*: a command consumes one input; take_* may be 1 only while *_has is 1. *_has: the
// count is not 0. *_has is a register, so it rises 1 cycle after the pulse.
//     beat  a beat in every lane, at most LANE_BEATS
//     k     a unit of local keys, at most K_UNITS
//     x     an operand, at most 2: the engine has two operand banks
//     v     a head in the V tail, at most 65535
// part_pulse: one more unit of every token of the incoming operand has arrived. unit_count: units of the incoming
// operand so far. When the operand is complete, x_pulse sets unit_count to 0.
// Throughput: one of each kind per cycle, in and out. Reset: clk, synchronous active-high rst; all counts are 0.
//
// name        meaning                  unit   range
// LANE_BEATS  capacity of a lane       beats  1 or more
// K_UNITS     capacity for local keys  units  1 or more
// UNITS_W     width of unit_count      bits   1 or more
`default_nettype none

module rill_engine_counts #(
    parameter LANE_BEATS = 0,
    parameter K_UNITS = 0,
    parameter UNITS_W = 0
) (
    input  wire               clk,
    input  wire               rst,
    input  wire               beat_pulse,
    input  wire               k_pulse,
    input  wire               x_pulse,
    input  wire               v_pulse,
    input  wire               part_pulse,
    input  wire               take_beat,
    input  wire               take_k,
    input  wire               take_x,
    input  wire               take_v,
    output reg                beat_has,
    output reg                k_has,
    output reg                x_has,
    output reg                v_has,
    output reg  [UNITS_W-1:0] unit_count
);
    localparam BEAT_COUNT_W = $clog2(LANE_BEATS + 1);
    localparam K_COUNT_W = $clog2(K_UNITS + 1);

    generate
        if (LANE_BEATS < 1 || K_UNITS < 1 || UNITS_W < 1) begin : gen_bad_room
            rill_error_LANE_BEATS_K_UNITS_UNITS_W_must_be_at_least_1 u_error ();
        end
    endgenerate

    reg  [BEAT_COUNT_W-1:0] beat_count_q;
    reg  [K_COUNT_W-1:0]    k_count_q;
    reg  [1:0]              x_count_q;
    reg  [15:0]             v_count_q;
    wire [BEAT_COUNT_W-1:0] beat_count_d = take_beat ? beat_count_q - 1'b1 : beat_count_q + 1'b1;
    wire [K_COUNT_W-1:0]    k_count_d = take_k ? k_count_q - 1'b1 : k_count_q + 1'b1;
    wire [1:0]              x_count_d = take_x ? x_count_q - 1'b1 : x_count_q + 1'b1;
    wire [15:0]             v_count_d = take_v ? v_count_q - 1'b1 : v_count_q + 1'b1;

    always @(posedge clk)
        if (rst) begin
            beat_count_q <= {BEAT_COUNT_W{1'b0}};
            beat_has <= 1'b0;
            k_count_q <= {K_COUNT_W{1'b0}};
            k_has <= 1'b0;
            x_count_q <= 2'd0;
            x_has <= 1'b0;
            v_count_q <= 16'd0;
            v_has <= 1'b0;
            unit_count <= {UNITS_W{1'b0}};
        end else begin
            if (beat_pulse != take_beat) begin
                beat_count_q <= beat_count_d;
                beat_has <= beat_count_d != {BEAT_COUNT_W{1'b0}};
            end
            if (k_pulse != take_k) begin
                k_count_q <= k_count_d;
                k_has <= k_count_d != {K_COUNT_W{1'b0}};
            end
            if (x_pulse != take_x) begin
                x_count_q <= x_count_d;
                x_has <= x_count_d != 2'd0;
            end
            if (v_pulse != take_v) begin
                v_count_q <= v_count_d;
                v_has <= v_count_d != 16'd0;
            end
            if (x_pulse) unit_count <= {UNITS_W{1'b0}};
            else if (part_pulse) unit_count <= unit_count + 1'b1;
        end
endmodule

`default_nettype wire
