// SPDX-License-Identifier: Apache-2.0
// Converts the integer accumulators of the matrix engine to fp32: y = float(acc) * scale + bias. The conversion, the
// product and the sum are each rounded to nearest even.
//
// Free-running pipeline that never stalls, because the engine reserves space for a result before the result enters.
// Therefore it does not use rill_elementwise. Latency 12 cycles; one vector per cycle. A product without bias uses bias
// = +0.0, and so do scores and values. Adding +0.0 does not change these, because their scale is a positive power of
// two, so float(acc) * scale is never -0.
// fault[i] comes one cycle after y: the scale or bias of lane i is not finite, or its result overflows. It comes from a
// register, so that it can go directly to another die.
// Reset: clk, synchronous active-high rst; valids only.
//
// name    meaning                            unit     range
// LANES   results per vector                 results  1 or more
// SIDE_W  width of the sideband of a vector  bits     1 or more
// ACC_W   width of an accumulator            bits     64, 66
`default_nettype none

module rill_dequantize #(
    parameter LANES = 0,
    parameter SIDE_W = 1,
    parameter ACC_W = 64
) (
    input  wire                clk,
    input  wire                rst,
    input  wire                valid,
    input  wire [LANES*ACC_W-1:0] acc,
    input  wire [LANES*32-1:0] scale,
    input  wire [LANES*32-1:0] bias,
    input  wire [SIDE_W-1:0]   side,
    output wire                out_valid,
    output wire [LANES*32-1:0] y,
    (* user_sll_reg = "true" *)
    output reg  [LANES-1:0]    fault, // may cross to another die: see rill_hop_stage
    output wire [SIDE_W-1:0]   out_side
);
    `include "rill_latency.vh"
    `include "rill_copies.vh"
    localparam INT = LATENCY_FROM_INT, MUL = LATENCY_MUL, ADD = LATENCY_ADD;
    localparam LATENCY = INT + MUL + ADD;

    generate
        if (ACC_W != 64 && ACC_W != 66) begin : gen_bad_acc
            rill_error_ACC_W_must_be_64_or_66 u_error ();
        end
        if (LANES < 1) begin : gen_bad_lanes
            rill_error_LANES_must_be_at_least_1 u_error ();
        end
        if (SIDE_W < 1) begin : gen_bad_side
            rill_error_SIDE_W_must_be_at_least_1 u_error ();
        end
    endgenerate

    reg  [LATENCY:1] valid_q;
    always @(posedge clk)
        valid_q <= rst ? {LATENCY{1'b0}} : {valid_q[LATENCY-1:1], valid};
    assign out_valid = valid_q[LATENCY];

    // Clock enables {add, mul, int}: a unit's registers move only while the unit holds or receives a value.
    wire [3*COPIES-1:0] busy;
    wire [2:0]          busy_d = {|valid_q[INT+MUL-1 +: ADD], |valid_q[INT-1 +: MUL], valid || |valid_q[INT-2:1]};
    rill_register_copies #(.DATA_W(3), .COPIES(COPIES)) u_busy (.clk(clk), .rst(rst), .d(busy_d), .q(busy));
    rill_delay_line #(.DATA_W(SIDE_W), .DEPTH(LATENCY)) u_side (
        .clk(clk), .rst(rst), .en(valid || |busy[2:0]), .d(side), .q(out_side));

    genvar i;
    generate
        for (i = 0; i < LANES; i = i + 1) begin : gen_lane
            wire        en_int = valid || busy[3*(i*COPIES/LANES)];
            wire        en_mul = busy[3*(i*COPIES/LANES)+1];
            wire        en_add = busy[3*(i*COPIES/LANES)+2];
            wire [31:0] whole;
            wire [31:0] product;
            wire [31:0] late_scale;
            wire [31:0] late_bias;
            wire        mul_fault;
            wire        late_fault;
            wire        add_fault;
            rill_delay_line #(.DATA_W(32), .DEPTH(INT)) u_late_scale (
                .clk(clk), .rst(rst), .en(en_int), .d(scale[i*32 +: 32]), .q(late_scale)
            );
            rill_delay_line #(.DATA_W(32), .DEPTH(INT + MUL)) u_late_bias (
                .clk(clk), .rst(rst), .en(en_int || en_mul), .d(bias[i*32 +: 32]), .q(late_bias)
            );
            rill_delay_line #(.DATA_W(1), .DEPTH(ADD)) u_late_fault (
                .clk(clk), .rst(rst), .en(en_add), .d(mul_fault), .q(late_fault)
            );
            rill_fp32_from_int #(.WIDTH(ACC_W)) u_whole (.clk(clk), .en(en_int), .a(acc[i*ACC_W +: ACC_W]),
                .y(whole));
            rill_fp32_mul u_scale (
                .clk(clk), .en(en_mul), .a(whole), .b(late_scale), .y(product), .fault(mul_fault)
            );
            rill_fp32_add u_bias (
                .clk(clk), .en(en_add), .a(product), .b(late_bias), .y(y[i*32 +: 32]), .fault(add_fault)
            );
            always @(posedge clk)
                fault[i] <= add_fault | late_fault;
        end
    endgenerate
endmodule

`default_nettype wire
