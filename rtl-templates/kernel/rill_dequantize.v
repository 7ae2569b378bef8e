// SPDX-License-Identifier: Apache-2.0
// Accumulators to fp32: y = float(acc) * scale + bias, each of the three steps rounded to nearest even.
//
// Free-running pipeline, never stalls: one vector per cycle, LATENCY = 11. A product without bias gives bias = +0.0; as float(acc) * scale with a
// positive power of two as scale is never -0, that leaves scores and values as they are.
// fault[i] is aligned with y: lane i's scale or bias is not finite or its result overflows.
// Reset: synchronous; valids only.
// Parameters: LANES, SIDE_W (bits of the sideband).
`default_nettype none

module rill_dequantize #(
    parameter LANES = 0,
    parameter SIDE_W = 1
) (
    input  wire                clk,
    input  wire                rst,
    input  wire                valid,
    input  wire [LANES*64-1:0] acc,
    input  wire [LANES*32-1:0] scale,
    input  wire [LANES*32-1:0] bias,
    input  wire [SIDE_W-1:0]   side,
    output wire                out_valid,
    output wire [LANES*32-1:0] y,
    output wire [LANES-1:0]    fault,
    output wire [SIDE_W-1:0]   out_side
);
    localparam INT = 4, MUL = 3, ADD = 4;      // latencies of the units
    localparam LATENCY = INT + MUL + ADD;

    generate
        if (LANES < 1) begin : gen_bad_lanes
            rill_error_LANES_must_be_at_least_1 u_error ();
        end
        if (SIDE_W < 1) begin : gen_bad_side
            rill_error_SIDE_W_must_be_at_least_1 u_error ();
        end
    endgenerate

    reg  [LATENCY:1]  valid_q;
    reg  [SIDE_W-1:0] side_q [1:LATENCY];
    integer n;
    always @(posedge clk) begin
        valid_q <= rst ? {LATENCY{1'b0}} : {valid_q[LATENCY-1:1], valid};
        side_q[1] <= side;
        for (n = 2; n <= LATENCY; n = n + 1)
            side_q[n] <= side_q[n-1];
    end
    assign out_valid = valid_q[LATENCY];
    assign out_side = side_q[LATENCY];

    genvar i;
    generate
        for (i = 0; i < LANES; i = i + 1) begin : gen_lane
            reg  [31:0]    scale_q [1:INT];
            reg  [31:0]    bias_q [1:INT+MUL];
            reg  [ADD:1]   mul_fault_q;
            wire [31:0]    whole;
            wire [31:0]    product;
            wire           mul_fault;
            wire           add_fault;
            integer k;
            always @(posedge clk) begin
                scale_q[1] <= scale[i*32 +: 32];
                for (k = 2; k <= INT; k = k + 1)
                    scale_q[k] <= scale_q[k-1];
                bias_q[1] <= bias[i*32 +: 32];
                for (k = 2; k <= INT + MUL; k = k + 1)
                    bias_q[k] <= bias_q[k-1];
                mul_fault_q <= {mul_fault_q[ADD-1:1], mul_fault};
            end
            rill_fp32_from_int #(.WIDTH(64)) u_whole (.clk(clk), .en(1'b1), .a(acc[i*64 +: 64]), .y(whole));
            rill_fp32_mul u_scale (.clk(clk), .en(1'b1), .a(whole), .b(scale_q[INT]), .y(product), .fault(mul_fault));
            rill_fp32_add u_bias (.clk(clk), .en(1'b1), .a(product), .b(bias_q[INT+MUL]), .y(y[i*32 +: 32]), .fault(add_fault));
            assign fault[i] = add_fault | mul_fault_q[ADD];
        end
    endgenerate
endmodule

`default_nettype wire
